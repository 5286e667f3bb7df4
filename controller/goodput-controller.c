/* goodput-controller: the controller, in a cluster or outside one. */
#include "export/exporter.h"
#include "operator/runtime/check.h"
#include "operator/runtime/runtime.h"

#include <stdio.h>

int main(int argc, char **argv) {
    struct runtime_flags flags;
    CLEANUP_ERROR struct error *err = NULL;
    if (runtime_flags_parse(&flags, argc, argv, &err) < 0) {
        fprintf(stderr, "goodput-controller: %s\n", error_text(err));
        return 2;
    }
    if (flags.wants_help) {
        runtime_flags_help(stdout);
        return 0;
    }
    if (flags.wants_version) {
        puts("goodput-controller " GOODPUT_VERSION);
        return 0;
    }
    if (flags.wants_check)
        return runtime_check(&flags, stdout);
    struct exporter *exporter = exporter_new();
    struct runtime_exports exports = exporter_hooks(exporter);
    int code = runtime_run(&flags, &exports);
    exporter_free(exporter);
    return code;
}
