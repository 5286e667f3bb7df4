#include "archive/members.h"

#include "base/clock.h"
#include "base/jmembers.h"
#include "base/jwrite.h"
#include "base/minmax.h"
#include "base/rfc3339.h"

#include <zlib.h>

#define GZIP_BITS (16 + MAX_WBITS)
#define CHUNK_BYTES 65536

static void write_part_line(const struct archive_part *part, struct buf *out) {
    char text[RFC3339_SIZE];
    struct jwrite w;
    jwrite_init(&w, out);
    jwrite_object(&w);
    jwrite_member_text(&w, "record", "part");
    jwrite_member_text(&w, "from", rfc3339_format_ms(text, part->from_ms));
    jwrite_member_text(&w, "to", rfc3339_format_ms(text, part->to_ms));
    if (part->is_final)
        jwrite_member_bool(&w, "final", true);
    jwrite_object_end(&w);
    buf_append_char(out, '\n');
}

static bool deflate_all(z_stream *z, struct slice in, int flush, struct buf *out) {
    char chunk[CHUNK_BYTES];
    z->next_in = (Bytef *)in.data;
    z->avail_in = (uInt)in.size_bytes;
    do {
        z->next_out = (Bytef *)chunk;
        z->avail_out = sizeof chunk;
        if (deflate(z, flush) == Z_STREAM_ERROR || buf_append(out, chunk, sizeof chunk - z->avail_out) < 0)
            return false;
    } while (z->avail_out == 0);
    return true;
}

bool archive_member_write(const struct archive_part *part, struct slice lines, struct buf *out) {
    CLEANUP_BUF struct buf head;
    z_stream z = {0};
    buf_init(&head, 512);
    write_part_line(part, &head);
    if (lines.size_bytes > ARCHIVE_MAX_BYTES - head.size_bytes ||
        deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_BITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    bool is_fine = deflate_all(&z, buf_slice(&head), Z_NO_FLUSH, out) && deflate_all(&z, lines, Z_FINISH, out);
    deflateEnd(&z);
    return is_fine;
}

static bool read_part_line(struct slice text, struct archive_part *part) {
    struct line {
        char record[8];
        int64_t from_ms, to_ms;
        bool is_final;
    } line = {.from_ms = TIME_UNKNOWN, .to_ms = TIME_UNKNOWN};
    static const struct jmember rows[] = {
        JMEMBER(struct line, record, "record"), JMEMBER_TIME(struct line, from_ms, "from"),
        JMEMBER_TIME(struct line, to_ms, "to"), JMEMBER(struct line, is_final, "final")};
    struct slice first;
    if (!slice_take_line(&text, &first) || !jmembers_parse(first, JMEMBERS(rows), &line) ||
        !slice_is(slice_of(line.record), "part") || line.from_ms == TIME_UNKNOWN || line.to_ms < line.from_ms)
        return false;
    *part = (struct archive_part){line.from_ms, line.to_ms, line.is_final};
    return true;
}

static bool inflate_member(z_stream *z, struct buf *text) {
    char chunk[CHUNK_BYTES];
    for (;;) {
        z->next_out = (Bytef *)chunk;
        z->avail_out = sizeof chunk;
        int r = inflate(z, Z_NO_FLUSH);
        if ((r != Z_OK && r != Z_STREAM_END) || buf_append(text, chunk, sizeof chunk - z->avail_out) < 0)
            return false;
        if (r == Z_STREAM_END)
            return true;
        if (z->avail_in == 0 && z->avail_out > 0)
            return false;
    }
}

bool archive_member_take(struct slice *in, struct buf *text, struct archive_part *part) {
    z_stream z = {.next_in = (Bytef *)in->data, .avail_in = (uInt)min_of((int64_t)in->size_bytes, INT32_MAX)};
    if (in->size_bytes == 0 || inflateInit2(&z, GZIP_BITS) != Z_OK)
        return false;
    buf_clear(text);
    bool is_whole = inflate_member(&z, text) && read_part_line(buf_slice(text), part);
    if (is_whole)
        *in = slice_skip(*in, in->size_bytes - z.avail_in);
    inflateEnd(&z);
    return is_whole;
}
