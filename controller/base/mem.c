#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void out_of_memory(void) {
    /* write() because stdio and the log may want to allocate. */
    static const char line[] = "{\"level\":\"error\",\"msg\":\"out of memory\"}\n";
    ssize_t ignored = write(STDERR_FILENO, line, sizeof line - 1);
    (void)ignored;
    _exit(1); /* no core: it would hold tokens and what tenants print */
}

void *mem_alloc(size_t size) {
    void *p = calloc(1, size != 0 ? size : 1);
    if (p == NULL)
        out_of_memory();
    return p;
}

void *mem_resize(void *old, size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        out_of_memory();
    void *p = realloc(old, total != 0 ? total : 1);
    if (p == NULL)
        out_of_memory();
    return p;
}

char *mem_strdup(const char *text) {
    return text != NULL ? mem_strndup(text, strlen(text)) : NULL;
}

char *mem_strndup(const char *text, size_t n) {
    if (text == NULL)
        return NULL;
    size_t size = strnlen(text, n);
    char *copy = mem_alloc(size + 1);
    memcpy(copy, text, size);
    return copy;
}

char *mem_format(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = mem_vformat(format, args);
    va_end(args);
    return text;
}

char *mem_vformat(const char *format, va_list args) {
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0)
        out_of_memory();
    return text;
}
