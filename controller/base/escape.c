#include "base/escape.h"

const char *escape_end(const char *escape, const char *end) {
    const char *at = escape + 1;
    if (at < end && *at == '[') {
        at++;
        while (at < end && (*at < '@' || *at > '~'))
            at++;
    }
    return at < end ? at + 1 : end;
}
