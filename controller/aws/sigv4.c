#include "aws/sigv4.h"

#include "base/rfc3339.h"
#include "base/sha256.h"

#include <assert.h>
#include <ctype.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CANONICAL_BYTES ((size_t)64 << 10)
#define DATE_BYTES 8

static void write_hex(char out[static SIGV4_HASH_SIZE], const unsigned char digest[static SHA256_BYTES]) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        out[2 * i] = digits[digest[i] >> 4];
        out[2 * i + 1] = digits[digest[i] & 15];
    }
    out[2 * SHA256_BYTES] = '\0';
}

void sigv4_hash(char out[static SIGV4_HASH_SIZE], struct slice content) {
    unsigned char digest[SHA256_BYTES];
    sha256(content, digest);
    write_hex(out, digest);
}

void sigv4_format_time(char out[static SIGV4_TIME_SIZE], int64_t unix_s) {
    char text[RFC3339_SIZE];
    size_t n = 0;
    for (const char *p = rfc3339_format_s(text, unix_s * 1000); *p != '\0' && n + 1 < SIGV4_TIME_SIZE; p++)
        if (*p != '-' && *p != ':')
            out[n++] = *p;
    out[n] = '\0';
}

/* ---- the canonical request ---- */

struct header {
    char *name; /* lower case; heap */
    struct slice value;
};

static int compare_headers(const void *a, const void *b) {
    return strcmp(((const struct header *)a)->name, ((const struct header *)b)->name);
}

static size_t sort_headers(struct header sorted[static SIGV4_MAX_HEADERS], const char *const *headers) {
    size_t count = 0;
    for (; headers[count] != NULL; count++) {
        struct slice name, value = slice_of(headers[count]);
        assert(count < SIGV4_MAX_HEADERS);
        if (!slice_take_until(&value, ':', &name))
            name = value;
        sorted[count] = (struct header){slice_dup(name), slice_trim(value)};
        for (char *p = sorted[count].name; *p != '\0'; p++)
            *p = (char)tolower((unsigned char)*p);
    }
    qsort(sorted, count, sizeof *sorted, compare_headers); // cppcheck-suppress uninitvar ; the loop wrote them
    return count;
}

/* Runs of blanks are one. */
static void append_value(struct buf *out, struct slice value) {
    for (size_t i = 0; i < value.size_bytes; i++)
        if (value.data[i] != ' ' || i == 0 || value.data[i - 1] != ' ')
            buf_append_char(out, value.data[i]);
}

static void append_canonical(struct buf *out, struct buf *signed_names, const struct sigv4_request *r) {
    struct header sorted[SIGV4_MAX_HEADERS];
    size_t count = sort_headers(sorted, r->headers);
    buf_format(out, "%s\n%s\n%s\n", r->method, r->path, r->query);
    for (size_t i = 0; i < count; i++) {
        buf_format(out, "%s:", sorted[i].name);
        append_value(out, sorted[i].value);
        buf_append_char(out, '\n');
        buf_format(signed_names, "%s%s", i > 0 ? ";" : "", sorted[i].name);
        free(sorted[i].name);
    }
    buf_format(out, "\n%s\n%s", buf_text(signed_names), r->content_hash);
}

/* ---- the signature ---- */

static void hmac(unsigned char out[static SHA256_BYTES], struct slice key, struct slice text) {
    unsigned int size = SHA256_BYTES;
    const void *done = HMAC(EVP_sha256(), key.data, (int)key.size_bytes, (const unsigned char *)text.data,
                            text.size_bytes, out, &size);
    assert(done != NULL);
    (void)done;
}

static void sign(char out[static SIGV4_HASH_SIZE], const struct sigv4_keys *keys, const char *time, const char *region,
                 const char *service, struct slice text) {
    CLEANUP_BUF struct buf secret;
    unsigned char key[SHA256_BYTES], next[SHA256_BYTES];
    const struct slice steps[] = {{time, DATE_BYTES}, slice_of(region), slice_of(service), SLICE("aws4_request"), text};
    buf_init(&secret, MAX_CANONICAL_BYTES);
    buf_format(&secret, "AWS4%s", keys->secret_access_key);
    struct slice with = buf_slice(&secret);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        hmac(next, with, steps[i]);
        memcpy(key, next, sizeof key);
        with = (struct slice){(const char *)key, sizeof key};
    }
    write_hex(out, key);
}

void sigv4_authorization(struct buf *out, const struct sigv4_request *request, const struct sigv4_keys *keys,
                         const char *time, const char *region, const char *service) {
    CLEANUP_BUF struct buf canonical, names, text;
    char hash[SIGV4_HASH_SIZE], signature[SIGV4_HASH_SIZE];
    buf_init(&canonical, MAX_CANONICAL_BYTES);
    buf_init(&names, MAX_CANONICAL_BYTES);
    buf_init(&text, MAX_CANONICAL_BYTES);
    append_canonical(&canonical, &names, request);
    sigv4_hash(hash, buf_slice(&canonical));
    buf_format(&text, "AWS4-HMAC-SHA256\n%s\n%.*s/%s/%s/aws4_request\n%s", time, DATE_BYTES, time, region, service,
               hash);
    sign(signature, keys, time, region, service, buf_slice(&text));
    buf_format(out, "AWS4-HMAC-SHA256 Credential=%s/%.*s/%s/%s/aws4_request, SignedHeaders=%s, Signature=%s",
               keys->access_key_id, DATE_BYTES, time, region, service, buf_text(&names), signature);
}
