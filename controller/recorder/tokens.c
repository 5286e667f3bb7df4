#include "recorder/tokens.h"

#include "base/jsonlog.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_AGAIN_US INT64_C(10000000)
#define MAX_FILE_BYTES 65536

struct token {
    unsigned char digest[TOKENS_DIGEST_BYTES];
    char namespace_[64], job[256];
};

struct tokens {
    char *folder;
    struct token *items;
    size_t count, capacity, left_out;
    int64_t read_us;
    bool was_read, is_in_trouble;
};

struct tokens *tokens_new(const char *folder) {
    struct tokens *t = mem_new(struct tokens);
    t->folder = mem_strdup(folder);
    return t;
}

void tokens_free(struct tokens *tokens) {
    if (tokens == NULL)
        return;
    free(tokens->folder);
    free(tokens->items);
    free(tokens);
}

static bool is_label(struct slice s) {
    for (size_t i = 0; i < s.size_bytes; i++) {
        char c = s.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c == '-' && i > 0)))
            return false;
    }
    return s.size_bytes > 0 && s.size_bytes < 64;
}

bool tokens_read_name(struct slice name, char namespace_[static 64], char job[static 256]) {
    struct slice label;
    return slice_take_until(&name, '.', &label) && is_label(label) && name.size_bytes > 0 &&
           slice_copy(namespace_, 64, label) && slice_copy(job, 256, name);
}

static void add(struct tokens *t, const struct token *whose, struct slice text) {
    struct token token = *whose;
    unsigned size;
    if (text.size_bytes == 0)
        return;
    if (text.size_bytes < TOKENS_MIN_BYTES || t->count == TOKENS_MAX ||
        EVP_Digest(text.data, text.size_bytes, token.digest, &size, EVP_sha256(), NULL) != 1) {
        t->left_out++;
        return;
    }
    MEM_GROW(t->items, t->count, t->capacity);
    t->items[t->count++] = token;
}

/* A Secret's files are links into the folder "..data" next to them: they are followed. */
static void read_one(struct tokens *t, int dir, const char *name) {
    struct token whose;
    char text[MAX_FILE_BYTES];
    struct stat st;
    ssize_t size = -1;
    int fd = openat(dir, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        size = read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    if (size < 0 || size == MAX_FILE_BYTES || !tokens_read_name(slice_of(name), whose.namespace_, whose.job)) {
        t->left_out++;
        return;
    }
    struct slice rest = {text, (size_t)size}, line;
    while (slice_take_line(&rest, &line))
        add(t, &whose, slice_trim(line));
    OPENSSL_cleanse(text, sizeof text);
}

static void read_all(struct tokens *t) {
    DIR *dir = opendir(t->folder);
    struct dirent *e;
    size_t left_out = t->left_out;
    if (dir == NULL) { /* what was known stays: a Secret that is replaced is away for a moment */
        if (!t->is_in_trouble)
            jsonlog(JSONLOG_ERROR, "tokens of jobs cannot be read", "folder", LOG_S(t->folder), "error",
                    LOG_S(strerrordesc_np(errno)), NULL);
        t->is_in_trouble = true;
        return;
    }
    t->is_in_trouble = false;
    t->count = t->left_out = 0;
    while ((e = readdir(dir)) != NULL)
        if (e->d_name[0] != '.')
            read_one(t, dirfd(dir), e->d_name);
    closedir(dir);
    if (t->left_out != left_out)
        jsonlog(t->left_out > 0 ? JSONLOG_WARNING : JSONLOG_INFO, "tokens of jobs left out", "count",
                LOG_I(t->left_out), "why",
                LOG_S("a file is not named NAMESPACE.JOB or too large, or a token has less than 32 characters"), NULL);
}

bool tokens_find(struct tokens *t, const unsigned char digest[static TOKENS_DIGEST_BYTES], int64_t now_us,
                 char namespace_[static 64], char job[static 256]) {
    if (t == NULL)
        return false;
    if (!t->was_read || now_us - t->read_us >= READ_AGAIN_US) {
        t->was_read = true;
        t->read_us = now_us;
        read_all(t);
    }
    const struct token *found = NULL;
    for (size_t i = 0; i < t->count; i++)
        if (CRYPTO_memcmp(t->items[i].digest, digest, TOKENS_DIGEST_BYTES) == 0) /* all of them, whichever it is */
            found = &t->items[i];
    if (found == NULL)
        return false;
    slice_copy(namespace_, 64, slice_of(found->namespace_));
    slice_copy(job, 256, slice_of(found->job));
    return true;
}
