#include "base/portable.h"

const char *portable_find_last(struct slice s, char c) {
    for (size_t at = s.size_bytes; at > 0; at--)
        if (s.data[at - 1] == c)
            return s.data + at - 1;
    return NULL;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Takes the digits that *text begins with; the number is without the zeros before it. */
static struct slice take_number(const char **text) {
    const char *from = *text, *end;
    while (*from == '0')
        from++;
    for (end = from; is_digit(*end);)
        end++;
    *text = end;
    return slice_range(from, end);
}

static int compare_numbers(struct slice a, struct slice b) {
    if (a.size_bytes != b.size_bytes)
        return a.size_bytes < b.size_bytes ? -1 : 1;
    return slice_compare(a, b);
}

int portable_compare_natural(const char *a, const char *b) {
    const char *x = a, *y = b;
    while (*x != '\0' && *y != '\0') {
        int r;
        if (is_digit(*x) && is_digit(*y))
            r = compare_numbers(take_number(&x), take_number(&y));
        else
            r = (unsigned char)*x++ - (unsigned char)*y++;
        if (r != 0)
            return r;
    }
    int r = (*x != '\0') - (*y != '\0');
    return r != 0 ? r : strcmp(a, b);
}
