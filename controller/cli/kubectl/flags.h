/* kubectl_flags: kubectl's global flags (kubectl options), which the plugin passes on as the user wrote them. */
#ifndef CLI_KUBECTL_FLAGS_H
#define CLI_KUBECTL_FLAGS_H

#include "base/error.h"

#include <stddef.h>

#define KUBECTL_FLAGS_MAX 64

struct kubectl_flags {
    const char *arguments[KUBECTL_FLAGS_MAX]; /* borrowed from argv */
    size_t count;
};

/* Takes the argument at argv[*i], and moves *i past its value. Returns 1, 0 if it is not one of these flags (which
 * leaves *i), or -EINVAL. */
int kubectl_flags_take(struct kubectl_flags *flags, char **argv, int argc, int *i, struct error **err);

#endif
