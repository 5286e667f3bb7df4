/* Command lines of both programs, an argument a line; the first byte says whose: an odd one the controller's. They are
 * taken or refused with one line that says which; nothing is opened. */
#include "base/mem.h"
#include "cli/analyze/options.h"
#include "cli/cli.h"
#include "cli/commands/options.h"
#include "cli/whatif/expect.h"
#include "operator/runtime/flags.h"
#include "reach.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARGUMENTS_MAX = 32 };

static void check(int r, const struct error *err) {
    assert((r < 0) == (err != NULL));
    assert(err == NULL || (err->text[0] != '\0' && strlen(err->text) < 8192));
}

static void try_controller(int argc, char **argv) {
    struct runtime_flags flags;
    struct error *err CLEANUP_ERROR = NULL;
    int r = runtime_flags_parse(&flags, argc, argv, &err);
    check(r, err);
    if (r == 0)
        REACHED("flags of the controller that are taken");
    else
        REACHED("flags of the controller that are refused");
    assert(r < 0 || (flags.status_interval_us > 0 && flags.status_qps > 0 && flags.max_log_follows >= 0));
}

static void try_analyze(int argc, char **argv) {
    struct analyze a;
    struct error *err CLEANUP_ERROR = NULL;
    for (int i = 1; i < argc; i++)
        if (strpbrk(argv[i], "*?[") != NULL) /* would look at this machine's files */
            return;
    int r = analyze_parse(&a, argc, argv, &err);
    check(r, err);
    if (r == 0 && a.path_count > 0)
        REACHED("a file to analyze");
    assert(r < 0 || a.wants_help || a.path_count > 0);
    analyze_done(&a);
}

static void try_plugin(int argc, char **argv) {
    struct cli_options options = {0};
    struct error *err CLEANUP_ERROR = NULL;
    int r = cli_parse(&options, argc, argv, &err);
    check(r, err);
    if (r == 0 && options.command != NULL && strcmp(options.command, "whatif") == 0)
        REACHED("whatif");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *argv[ARGUMENTS_MAX + 1] = {(char[]){"program"}};
    int argc = 1;
    if (size == 0)
        return 0;
    char *text CLEANUP_FREE = mem_strndup((const char *)data + 1, size - 1);
    for (char *at = text; at != NULL && argc < ARGUMENTS_MAX;) {
        char *end = strchr(at, '\n');
        if (end != NULL)
            *end++ = '\0';
        argv[argc++] = at;
        at = end;
    }
    if (data[0] % 2 == 1)
        try_controller(argc, argv);
    else if (strcmp(argv[1], "analyze") == 0)
        try_analyze(argc - 1, argv + 1);
    else
        try_plugin(argc, argv);
    return 0;
}
