#include "base/gzip.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Each part has a compressor of 64 KiB. Lines of metrics are alike and near each other: a larger window or a higher
 * level makes them no smaller. */
enum { LEVEL = 1, RAW_WINDOW = -13, MEMORY = 6, CHUNK_BYTES = 16384 };

void gzip_part_init(struct gzip_part *part, size_t maximum_bytes) {
    *part = (struct gzip_part){0};
    buf_init(&part->out, maximum_bytes);
}

static void end_deflate(struct gzip_part *part) {
    if (part->deflate != NULL)
        deflateEnd(part->deflate);
    free(part->deflate);
    part->deflate = NULL;
    part->crc = part->size_bytes = 0;
}

void gzip_part_done(struct gzip_part *part) {
    end_deflate(part);
    buf_done(&part->out);
}

static void squeeze(struct gzip_part *part, struct slice bytes, int flush) {
    unsigned char chunk[CHUNK_BYTES];
    z_stream *z = part->deflate;
    z->next_in = (z_const Bytef *)(uintptr_t)bytes.data;
    z->avail_in = (uInt)bytes.size_bytes;
    do {
        z->next_out = chunk;
        z->avail_out = sizeof chunk;
        deflate(z, flush); /* Z_BUF_ERROR: nothing is left to do */
        buf_append(&part->out, chunk, sizeof chunk - z->avail_out);
    } while (z->avail_out == 0);
}

void gzip_part_add(struct gzip_part *part, struct slice bytes) {
    if (part->deflate == NULL) {
        part->deflate = mem_new(z_stream);
        if (deflateInit2(part->deflate, LEVEL, Z_DEFLATED, RAW_WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
            abort(); /* out of memory */
    }
    part->crc = crc32_z(part->crc, (const Bytef *)bytes.data, bytes.size_bytes);
    part->size_bytes += bytes.size_bytes;
    for (size_t at = 0; at < bytes.size_bytes; at += CHUNK_BYTES) {
        size_t left = bytes.size_bytes - at;
        squeeze(part, (struct slice){bytes.data + at, left < CHUNK_BYTES ? left : CHUNK_BYTES}, Z_NO_FLUSH);
    }
}

void gzip_begin(struct gzip *gzip, struct buf *out) {
    static const unsigned char header[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}; /* deflate, no time, any system */
    *gzip = (struct gzip){.out = out};
    buf_append(out, header, sizeof header);
}

/* A flush ends at a whole byte, and no part refers back beyond its own start: parts follow each other as they are. */
void gzip_join(struct gzip *gzip, struct gzip_part *part) {
    if (part->deflate == NULL)
        return;
    squeeze(part, (struct slice){0}, Z_SYNC_FLUSH);
    if (buf_append_slice(gzip->out, buf_slice(&part->out)) < 0 || part->out.truncated)
        gzip->out->truncated = true;
    gzip->crc = crc32_combine(gzip->crc, part->crc, (z_off_t)part->size_bytes);
    gzip->size_bytes += part->size_bytes;
    size_t maximum_bytes = part->out.maximum_bytes;
    gzip_part_done(part);
    gzip_part_init(part, maximum_bytes);
}

static void append_le32(struct buf *out, uint64_t value) {
    const unsigned char bytes[] = {value & 0xff, value >> 8 & 0xff, value >> 16 & 0xff, value >> 24 & 0xff};
    buf_append(out, bytes, sizeof bytes);
}

void gzip_end(struct gzip *gzip) {
    static const unsigned char last_block[] = {3, 0}; /* final, empty */
    buf_append(gzip->out, last_block, sizeof last_block);
    append_le32(gzip->out, gzip->crc);
    append_le32(gzip->out, gzip->size_bytes);
}
