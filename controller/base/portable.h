/* portable: calls of glibc that macOS does not have. The plugin is built for both. */
#ifndef BASE_PORTABLE_H
#define BASE_PORTABLE_H

#include "base/slice.h"

const char *portable_find_last(struct slice s, char c); /* memrchr(): into s, or NULL */
/* strverscmp(): rank-2 before rank-10. Unlike there, 08 is the number 8; only equal texts are equal. */
int portable_compare_natural(const char *a, const char *b);

#endif
