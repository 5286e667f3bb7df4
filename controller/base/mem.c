#include "base/mem.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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

/* Text that was relocated (no library of today's) differs from its file. */
static bool has_own_text(const struct dl_phdr_info *object) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        if (header->p_type != PT_DYNAMIC)
            continue;
        for (const ElfW(Dyn) *d = (const void *)(object->dlpi_addr + header->p_vaddr); d->d_tag != DT_NULL; d++)
            if (d->d_tag == DT_TEXTREL || (d->d_tag == DT_FLAGS && (d->d_un.d_val & DF_TEXTREL) != 0))
                return true;
    }
    return false;
}

static int give_back(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size, (void)context;
    const uintptr_t page_mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
    for (int i = 0; i < object->dlpi_phnum && !has_own_text(object); i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || (header->p_flags & PF_W) != 0)
            continue;
        uintptr_t from = (uintptr_t)(object->dlpi_addr + header->p_vaddr) & ~page_mask;
        uintptr_t to = ((uintptr_t)(object->dlpi_addr + header->p_vaddr + header->p_memsz) + page_mask) & ~page_mask;
        madvise((void *)from, to - from, MADV_DONTNEED); /* of a file that was not written to: no content is lost */
    }
    return 0;
}

void mem_give_back(void) {
    dl_iterate_phdr(give_back, NULL);
}
