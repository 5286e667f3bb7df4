#include "base/pack.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* zlib looks back over 32 KiB at most; metadata and status, which differ least, are at an object's two ends. */
#define SAMPLE_MAX_BYTES ((size_t)32 << 10)
#define LEVEL 4        /* twice as fast as the default, 5 % larger */
#define RAW_WINDOW -15 /* without zlib's header and checksum */

struct packer {
    z_stream deflate, inflate;
    char *scratch;
    size_t scratch_bytes;
};

struct packer *packer_new(void) {
    struct packer *p = mem_new(struct packer);
    int r = deflateInit2(&p->deflate, LEVEL, Z_DEFLATED, RAW_WINDOW, 8, Z_DEFAULT_STRATEGY);
    r = r == Z_OK ? inflateInit2(&p->inflate, RAW_WINDOW) : r;
    if (r != Z_OK)
        abort(); /* out of memory */
    return p;
}

void packer_free(struct packer *p) {
    if (p == NULL)
        return;
    deflateEnd(&p->deflate);
    inflateEnd(&p->inflate);
    free(p->scratch);
    free(p);
}

struct pack_sample *pack_sample_new(struct slice object) {
    size_t size = object.size_bytes < SAMPLE_MAX_BYTES ? object.size_bytes : SAMPLE_MAX_BYTES;
    struct pack_sample *sample = mem_alloc(sizeof *sample + size);
    sample->uses = 1;
    sample->size_bytes = size;
    memcpy(sample->bytes, object.data, size);
    return sample;
}

struct pack_sample *pack_sample_ref(struct pack_sample *sample) {
    if (sample != NULL)
        sample->uses++;
    return sample;
}

void pack_sample_unref(struct pack_sample *sample) {
    if (sample != NULL && --sample->uses == 0)
        free(sample);
}

struct slice packer_pack(struct packer *p, const struct pack_sample *sample, struct slice object) {
    z_stream *z = &p->deflate;
    int r = deflateReset(z);
    if (sample != NULL)
        deflateSetDictionary(z, (const Bytef *)sample->bytes, (uInt)sample->size_bytes);
    size_t bound = deflateBound(z, (uLong)object.size_bytes);
    if (bound > p->scratch_bytes) {
        p->scratch = mem_resize(p->scratch, bound, 1);
        p->scratch_bytes = bound;
    }
    z->next_in = (z_const Bytef *)(uintptr_t)object.data;
    z->avail_in = (uInt)object.size_bytes;
    z->next_out = (Bytef *)p->scratch;
    z->avail_out = (uInt)p->scratch_bytes;
    r = r == Z_OK ? deflate(z, Z_FINISH) : r;
    assert(r == Z_STREAM_END); /* there is room for it */
    return (struct slice){p->scratch, p->scratch_bytes - z->avail_out};
}

char *packer_unpack(struct packer *p, const struct pack_sample *sample, struct slice packed, size_t size_bytes) {
    z_stream *z = &p->inflate;
    char *object = mem_alloc(size_bytes + 1);
    int r = inflateReset(z);
    if (sample != NULL)
        inflateSetDictionary(z, (const Bytef *)sample->bytes, (uInt)sample->size_bytes);
    z->next_in = (z_const Bytef *)(uintptr_t)packed.data;
    z->avail_in = (uInt)packed.size_bytes;
    z->next_out = (Bytef *)object;
    z->avail_out = (uInt)size_bytes;
    r = r == Z_OK ? inflate(z, Z_FINISH) : r;
    if (r == Z_STREAM_END && z->avail_out == 0)
        return object;
    free(object);
    return NULL;
}
