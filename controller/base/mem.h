/* mem: allocation that cannot fail. Out of memory ends the process (exit code 1) with one line: the truth is in the
 * cluster, and a restart reads it again. Callers check sizes from outside before they pass them. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

void *mem_alloc(size_t size);                           /* zeroed */
void *mem_resize(void *old, size_t count, size_t size); /* ends it on overflow of count * size; new part not zeroed */
char *mem_strdup(const char *text);                     /* NULL gives NULL */
char *mem_strndup(const char *text, size_t n);
char *mem_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *mem_vformat(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

#define mem_new(type) ((type *)mem_alloc(sizeof(type)))

/* Makes room for one more element in a growing array: MEM_GROW(list->items, list->count, list->capacity). */
#define MEM_GROW(items, count, capacity)                                                                               \
    do {                                                                                                               \
        if ((count) == (capacity)) {                                                                                   \
            (capacity) = (capacity) ? (capacity)*2 : 2;                                                                \
            (items) = mem_resize((items), (capacity), sizeof *(items));                                                \
        }                                                                                                              \
    } while (0)

/* Takes the item out of a list that starts at `first` and is linked by `next`; leaves a list without it alone. */
#define MEM_UNLINK(first, item)                                                                                        \
    do {                                                                                                               \
        __typeof__(item) *at_ = &(first);                                                                              \
        while (*at_ != NULL && *at_ != (item))                                                                         \
            at_ = &(*at_)->next;                                                                                       \
        if (*at_ != NULL)                                                                                              \
            *at_ = (item)->next;                                                                                       \
    } while (0)

static inline void mem_freep(void *p) {
    free(*(void **)p);
}
#define CLEANUP_FREE __attribute__((cleanup(mem_freep)))

#endif
