#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/error.h"

#include <stddef.h>

/* Reads a whole file of at most max_bytes; heap, NUL-terminated. The error's text names the file. */
int file_read(const char *path, size_t max_bytes, char **ret_text, struct error **err);

#endif
