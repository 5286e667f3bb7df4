#include "cli/kubectl/flags.h"

#include "base/mem.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Without -n, which the plugin knows itself. tests/apiserver/kubectl-check.sh compares the table with kubectl's. */
static const struct {
    const char *name;
    bool is_switch; /* has a value only after "=" */
} known[] = {
    {"--as", false},
    {"--as-group", false},
    {"--as-uid", false},
    {"--as-user-extra", false},
    {"--cache-dir", false},
    {"--certificate-authority", false},
    {"--client-certificate", false},
    {"--client-key", false},
    {"--cluster", false},
    {"--context", false},
    {"--disable-compression", true},
    {"--insecure-skip-tls-verify", true},
    {"--kubeconfig", false},
    {"--kuberc", false},
    {"--log-flush-frequency", false},
    {"--match-server-version", true},
    {"--password", false},
    {"--profile", false},
    {"--profile-output", false},
    {"--request-timeout", false},
    {"--server", false},
    {"--tls-server-name", false},
    {"--token", false},
    {"--user", false},
    {"--username", false},
    {"--v", false},
    {"--vmodule", false},
    {"--warnings-as-errors", true},
};

static int add(struct kubectl_flags *flags, const char *argument, struct error **err) {
    if (flags->count == KUBECTL_FLAGS_MAX)
        return error_set(err, EINVAL, "more than %d arguments for kubectl", KUBECTL_FLAGS_MAX);
    flags->arguments[flags->count++] = argument;
    return 1;
}

/* -s URL and -v N, also with the value in the same argument. */
static bool is_short(const char *argument) {
    return argument[0] == '-' && (argument[1] == 's' || argument[1] == 'v');
}

int kubectl_flags_take(struct kubectl_flags *flags, char **argv, int argc, int *i, struct error **err) {
    const char *argument = argv[*i];
    size_t size = strcspn(argument, "="), row = 0;
    while (row < ARRAY_SIZE(known) &&
           (strlen(known[row].name) != size || strncmp(known[row].name, argument, size) != 0))
        row++;
    if (row == ARRAY_SIZE(known) && !is_short(argument))
        return 0;
    bool has_value = row < ARRAY_SIZE(known) ? known[row].is_switch || argument[size] == '=' : argument[2] != '\0';
    int r = add(flags, argument, err);
    if (r < 0 || has_value)
        return r;
    if (++*i == argc)
        return error_set(err, EINVAL, "%s needs a value", argument);
    return add(flags, argv[*i], err);
}
