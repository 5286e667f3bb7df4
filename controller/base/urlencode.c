#include "base/urlencode.h"

static bool is_plain(unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || strchr("-._~", c) != NULL;
}

void urlencode(struct buf *out, const char *text, const char *also) {
    for (const char *p = text; *p != '\0'; p++)
        if (is_plain((unsigned char)*p) || strchr(also, *p) != NULL)
            buf_append_char(out, *p);
        else
            buf_format(out, "%%%02X", (unsigned char)*p);
}
