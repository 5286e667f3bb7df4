/* sparse: a copy of a struct of which most words are zero, in less room: only the other words, and a bit for each word
 * that says which. */
#ifndef BASE_SPARSE_H
#define BASE_SPARSE_H

#include <stddef.h>

/* A copy on the heap. size_bytes is a multiple of 8. */
void *sparse_pack(const void *from, size_t size_bytes);
/* Writes all size_bytes. */
void sparse_unpack(const void *packed, void *to, size_t size_bytes);

#endif
