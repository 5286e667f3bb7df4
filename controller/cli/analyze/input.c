#include "cli/analyze/input.h"

#include "base/mem.h"
#include "base/portable.h"
#include "cli/analyze/array.h"
#include "cli/analyze/encoding.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { PACKED_BYTES = 1 << 16, WIDE_BYTES = 1 << 15, ROOM_BYTES = 8 };
#define PROGRESS_EVERY_BYTES ((int64_t)64 << 20)

struct analyze_input {
    const char *path;
    int fd;
    char *bytes;              /* ANALYZE_MAX_LINE_BYTES, and ROOM_BYTES for a newline and a decoded character */
    size_t given, size_bytes; /* given: returned by the last call */
    bool is_at_end, is_cutting;
    struct analyze_array array;
    struct analyze_encoding encoding;
    int64_t file_bytes, read_bytes, shown_bytes; /* file_bytes: 0 if not known */
    bool is_shown;

    /* gzip */
    bool is_packed, is_in_member;
    unsigned char *packed;
    z_stream z;
};

const char *analyze_name(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

void analyze_note(const char *path, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "kubectl-goodput: %s: ", analyze_name(path));
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

static ssize_t read_some(struct analyze_input *in, void *out, size_t size, struct error **err) {
    ssize_t n;
    do
        n = read(in->fd, out, size);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return error_set(err, errno, "%s: %s", analyze_name(in->path), strerror(errno));
    in->read_bytes += n;
    return n;
}

static const char *foreign_compression(const char *head, size_t size) {
    static const struct {
        const char *magic, *command;
        size_t size;
    } known[] = {{"\x28\xb5\x2f\xfd", "zstdcat", 4},
                 {"BZh", "bzcat", 3},
                 {"\xfd"
                  "7zXZ",
                  "xzcat", 5},
                 {"PK\x03\x04", "unzip -p", 4}};
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (size >= known[i].size && memcmp(head, known[i].magic, known[i].size) == 0)
            return known[i].command;
    return NULL;
}

/* Detects compression by the first bytes. */
static int begin(struct analyze_input *in, struct error **err) {
    while (in->size_bytes < 6) {
        ssize_t n = read_some(in, in->bytes + in->size_bytes, 6 - in->size_bytes, err);
        if (n < 0)
            return (int)n;
        if (n == 0)
            break;
        in->size_bytes += (size_t)n;
    }
    const char *command = foreign_compression(in->bytes, in->size_bytes);
    if (command != NULL)
        return error_set(err, EINVAL, "%s: unsupported compression; use: %s %s | kubectl goodput analyze -", in->path,
                         command, in->path);
    if (in->size_bytes < 2 || memcmp(in->bytes, "\x1f\x8b", 2) != 0)
        return 0;
    in->is_packed = in->is_in_member = true;
    in->packed = mem_alloc(PACKED_BYTES);
    memcpy(in->packed, in->bytes, in->size_bytes);
    in->z.next_in = in->packed;
    in->z.avail_in = (uInt)in->size_bytes;
    in->size_bytes = 0;
    return inflateInit2(&in->z, 16 + MAX_WBITS) == Z_OK ? 0 : error_set(err, ENOMEM, "zlib cannot be started");
}

struct analyze_input *analyze_input_open(const char *path, struct error **err) {
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        error_set(err, errno, "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct stat st;
    struct analyze_input *in = mem_new(struct analyze_input);
    in->path = is_stdin ? "standard input" : path;
    in->fd = fd;
    in->bytes = mem_resize(NULL, ANALYZE_MAX_LINE_BYTES + ROOM_BYTES, 1);
    int r = fstat(fd, &st) < 0    ? 0
            : S_ISDIR(st.st_mode) ? error_set(err, EISDIR, "%s: is a folder; name the files in it", path)
                                  : 0;
    if (r == 0) {
        in->file_bytes = S_ISREG(st.st_mode) ? st.st_size : 0;
        r = begin(in, err);
    }
    if (r == 0)
        return in;
    analyze_input_close(in);
    return NULL;
}

void analyze_input_close(struct analyze_input *in) {
    if (in == NULL)
        return;
    if (in->is_shown)
        fputs("\r\033[K", stderr);
    if (in->is_packed)
        inflateEnd(&in->z);
    if (in->fd != STDIN_FILENO)
        close(in->fd);
    free(in->packed);
    free(in->bytes);
    free(in);
}

/* The compressed data is damaged from here on: reports it once; the data before it counts. */
static ssize_t give_up(struct analyze_input *in, const char *why) {
    analyze_note(in->path, "the compressed data %s after %lld bytes; the data before counts, the rest is missing", why,
                 (long long)(in->read_bytes - in->z.avail_in));
    return 0;
}

/* A file may have several members, and zeros at its end. */
static ssize_t inflate_some(struct analyze_input *in, char *out, size_t size, struct error **err) {
    in->z.next_out = (unsigned char *)out;
    in->z.avail_out = (uInt)size;
    while (in->z.avail_out == size) {
        if (in->z.avail_in == 0) {
            ssize_t n = read_some(in, in->packed, PACKED_BYTES, err);
            if (n < 0)
                return n;
            if (n == 0)
                return in->is_in_member ? give_up(in, "is cut off") : 0;
            in->z.next_in = in->packed;
            in->z.avail_in = (uInt)n;
        }
        if (!in->is_in_member) {
            if (*in->z.next_in == 0) {
                in->z.next_in++;
                in->z.avail_in--;
                continue;
            }
            inflateReset(&in->z);
            in->is_in_member = true;
        }
        int r = inflate(&in->z, Z_NO_FLUSH);
        if (r == Z_STREAM_END)
            in->is_in_member = false;
        else if (r != Z_OK && r != Z_BUF_ERROR && in->z.avail_out == size)
            return give_up(in, "is damaged");
        else if (r != Z_OK && r != Z_BUF_ERROR)
            break; /* the next call reports it */
    }
    return (ssize_t)(size - in->z.avail_out);
}

static ssize_t read_raw(struct analyze_input *in, char *out, size_t size, struct error **err) {
    return in->is_packed ? inflate_some(in, out, size, err) : read_some(in, out, size, err);
}

/* UTF-16 as UTF-8. Bytes that make no character yet are not the end. */
static ssize_t read_wide(struct analyze_input *in, char *out, size_t room, struct error **err) {
    char wide[WIDE_BYTES];
    size_t size = room / 2 < 2 ? 2 : room / 2 > WIDE_BYTES ? WIDE_BYTES : room / 2, written = 0;
    ssize_t n = 1;
    while (written == 0 && n > 0) {
        n = read_raw(in, wide, size, err);
        written = n > 0 ? analyze_encoding_decode(&in->encoding, wide, (size_t)n, out) : 0;
    }
    return n < 0 ? n : (ssize_t)written;
}

static ssize_t fill(struct analyze_input *in, struct error **err) {
    char *out = in->bytes + in->size_bytes;
    size_t room = in->encoding.is_known ? ANALYZE_MAX_LINE_BYTES - in->size_bytes : 1; /* the mark, byte by byte */
    ssize_t n = in->encoding.is_utf16 ? read_wide(in, out, room, err) : read_raw(in, out, room, err);
    in->is_at_end = n == 0;
    if (n <= 0)
        return n;
    if (in->array.is_array)
        in->size_bytes += analyze_array_unfold(&in->array, out, (size_t)n);
    else
        in->size_bytes += (size_t)n;
    return n;
}

static int look_at_encoding(struct analyze_input *in, struct error **err) {
    while (!in->encoding.is_known) {
        size_t mark = analyze_encoding_look(&in->encoding, in->bytes, in->size_bytes, in->is_at_end);
        in->size_bytes -= mark;
        memmove(in->bytes, in->bytes + mark, in->size_bytes);
        if (in->encoding.is_utf16) { /* a few bytes, as room was for the mark only */
            char wide[ROOM_BYTES];
            memcpy(wide, in->bytes, in->size_bytes);
            in->size_bytes = analyze_encoding_decode(&in->encoding, wide, in->size_bytes, in->bytes);
        }
        ssize_t n = in->encoding.is_known ? 0 : fill(in, err);
        if (n < 0)
            return (int)n;
    }
    return 0;
}

/* Returns no lines until it is known how the file is encoded, and whether it is one array. */
static int look_at_head(struct analyze_input *in, struct error **err) {
    int r = look_at_encoding(in, err);
    if (r < 0)
        return r;
    while (!in->array.is_known) {
        analyze_array_look(&in->array, in->bytes, in->size_bytes);
        if (in->array.is_array)
            in->size_bytes = analyze_array_unfold(&in->array, in->bytes, in->size_bytes);
        in->array.is_known |= in->is_at_end || in->size_bytes >= ANALYZE_MAX_LINE_BYTES;
        ssize_t n = in->array.is_known ? 0 : fill(in, err);
        if (n < 0)
            return (int)n;
    }
    return 0;
}

/* Drops the rest of the line that was cut. */
static void drop_rest_of_line(struct analyze_input *in) {
    char *end = memchr(in->bytes, '\n', in->size_bytes);
    size_t dropped = end ? (size_t)(end - in->bytes) + 1 : in->size_bytes;
    memmove(in->bytes, in->bytes + dropped, in->size_bytes - dropped);
    in->size_bytes -= dropped;
    in->is_cutting = end == NULL;
}

static int give(struct analyze_input *in, struct slice *lines, size_t size) {
    *lines = (struct slice){in->bytes, analyze_encoding_drop_marks(in->bytes, size)};
    in->given = size;
    return size > 0;
}

int analyze_input_next(struct analyze_input *in, struct slice *lines, struct error **err) {
    if (in->given > 0) {
        in->size_bytes -= in->given > in->size_bytes ? in->size_bytes : in->given;
        memmove(in->bytes, in->bytes + in->given, in->size_bytes);
        in->given = 0;
    }
    int r = look_at_head(in, err);
    if (r < 0)
        return r;
    /* As much as there is room for: the order of lines and their ranks are judged by the first piece, which shall not
     * depend on how a pipe delivers it. */
    while (!in->is_at_end && !in->is_cutting && in->size_bytes < ANALYZE_MAX_LINE_BYTES) {
        ssize_t n = fill(in, err);
        if (n < 0)
            return (int)n;
    }
    for (;;) {
        const char *last = in->is_cutting ? NULL : portable_find_last((struct slice){in->bytes, in->size_bytes}, '\n');
        if (last != NULL)
            return give(in, lines, (size_t)(last - in->bytes) + 1);
        if (in->is_at_end)
            return give(in, lines, in->is_cutting ? 0 : in->size_bytes);
        if (in->size_bytes >= ANALYZE_MAX_LINE_BYTES) {
            in->is_cutting = true;
            in->bytes[in->size_bytes] = '\n';
            return give(in, lines, in->size_bytes + 1);
        }
        ssize_t n = fill(in, err);
        if (n < 0)
            return (int)n;
        if (in->is_cutting)
            drop_rest_of_line(in);
    }
}

bool analyze_input_has_cut(const struct analyze_input *in) {
    return in->is_cutting;
}

bool analyze_input_is_response(const struct analyze_input *in) {
    return in->array.is_response;
}

void analyze_input_show_progress(struct analyze_input *in) {
    if (in->read_bytes - in->shown_bytes < PROGRESS_EVERY_BYTES || !isatty(STDERR_FILENO))
        return;
    in->shown_bytes = in->read_bytes;
    in->is_shown = true;
    fprintf(stderr, "\r%s: %lld MiB", analyze_name(in->path), (long long)(in->read_bytes >> 20));
    if (in->file_bytes > 0)
        fprintf(stderr, " of %lld MiB (%lld%%)", (long long)(in->file_bytes >> 20),
                (long long)(in->read_bytes * 100 / in->file_bytes));
    fputs("\033[K", stderr);
}
