/* pack: packs JSON objects against a similar one: an object of the same kind differs from it in names, times
 * and a few states. */
#ifndef BASE_PACK_H
#define BASE_PACK_H

#include "base/slice.h"

#include <stdint.h>

struct packer;

struct pack_sample { /* an object that others are packed against; counts who refers to it */
    int64_t uses;
    size_t size_bytes;
    char bytes[];
};

struct packer *packer_new(void);
void packer_free(struct packer *p);

struct pack_sample *pack_sample_new(struct slice object); /* with one use */
struct pack_sample *pack_sample_ref(struct pack_sample *sample);
void pack_sample_unref(struct pack_sample *sample);

/* Into memory of the packer, valid until its next call. sample: NULL for none. */
struct slice packer_pack(struct packer *p, const struct pack_sample *sample, struct slice object);
/* The object, of size_bytes, on the heap; the caller frees it. NULL: it is damaged. */
char *packer_unpack(struct packer *p, const struct pack_sample *sample, struct slice packed, size_t size_bytes);

#endif
