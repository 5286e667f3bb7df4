#include "rootcause/mask.h"

#include "base/buf.h"
#include "base/mem.h"

#include <ctype.h>

enum { BEFORE_BYTES = 100, MIN_SECRET_BYTES = 8, MIN_BARE_BYTES = 32 };

static bool is_token_byte(char c) {
    return isalnum((unsigned char)c) || (c != '\0' && strchr("_-.+/=~%", c) != NULL);
}

/* Words after which a secret follows, with "=" or ":" or a blank between, in any case. */
static const char *const names[] = {
    "password",   "passwd",        "secret", "api_key", "apikey",    "api-key",    "access_key", "accesskey",
    "token",      "authorization", "bearer", "basic",   "signature", "credential", "sig",        "x-amz-security-token",
    "private_key"};
/* Starts of tokens that are known by themselves. */
static const char *const starts[] = {"hf_",    "ghp_",  "gho_", "ghs_",   "ghu_",  "github_pat_",
                                     "glpat-", "sk-",   "AKIA", "ASIA",   "AIza",  "ya29.",
                                     "xoxb-",  "xoxp-", "eyJ",  "nvapi-", "pypi-", "wandb_v1_"};

static bool starts_fold(struct slice s, const char *word) {
    size_t n = strlen(word);
    return s.size_bytes >= n && strncasecmp(s.data, word, n) == 0;
}

static size_t token_size(struct slice s) {
    size_t n = 0;
    while (n < s.size_bytes && is_token_byte(s.data[n]))
        n++;
    return n;
}

/* "password=", "Authorization: Bearer ": the size of the name and what stands between it and the secret; 0: none. */
static size_t name_size(struct slice s) {
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (!starts_fold(s, names[i]))
            continue;
        size_t n = strlen(names[i]), from = n;
        while (n < s.size_bytes && strchr("=:\"' ", s.data[n]) != NULL && s.data[n] != '\0')
            n++;
        bool has_sign = memchr(s.data + from, '=', n - from) != NULL || memchr(s.data + from, ':', n - from) != NULL;
        bool is_scheme = n > from && (starts_fold(s, "bearer") || starts_fold(s, "basic"));
        if (has_sign || is_scheme)
            return n;
    }
    return 0;
}

static bool is_bare_secret(struct slice token) {
    size_t digits = 0, letters = 0, n = 0;
    for (; n < token.size_bytes && isalnum((unsigned char)token.data[n]); n++) {
        digits += isdigit((unsigned char)token.data[n]) != 0;
        letters += isalpha((unsigned char)token.data[n]) != 0;
    }
    return n >= MIN_BARE_BYTES && digits >= 3 && letters >= 3;
}

/* The size of a secret at the start of s; 0: none. */
static size_t secret_size(struct slice s) {
    size_t n = token_size(s);
    for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
        if (n >= strlen(starts[i]) + MIN_SECRET_BYTES && slice_starts(s, starts[i]))
            return n;
    return is_bare_secret((struct slice){s.data, n}) ? n : 0;
}

/* "://user:password@host": the size up to the "@"; 0: none. */
static size_t user_size(struct slice s) {
    size_t n = 3;
    if (!slice_starts(s, "://"))
        return 0;
    while (n < s.size_bytes && s.data[n] != '\0' && strchr("/ \"'?", s.data[n]) == NULL && s.data[n] != '@')
        n++;
    return n < s.size_bytes && s.data[n] == '@' ? n : 0;
}

static void mask(struct slice s, struct buf *out) {
    bool is_start = true; /* of a word */
    while (s.size_bytes > 0) {
        size_t user = user_size(s), name = is_start ? name_size(s) : 0,
               secret = is_start && name == 0 ? secret_size(s) : 0;
        size_t kept = user ? 3 : name;
        size_t hidden = user ? user - 3 : name ? token_size(slice_skip(s, name)) : secret;
        if (name > 0 && name_size(slice_skip(s, name)) > 0) /* "Authorization: Bearer X" */
            hidden = 0;
        if (kept + hidden > 0) {
            buf_append(out, s.data, kept);
            if (hidden > 0)
                buf_append_text(out, "***");
            s = slice_skip(s, kept + hidden);
            is_start = hidden == 0;
            continue;
        }
        unsigned char c = (unsigned char)s.data[0];
        buf_append_char(out, c < 0x20 || c == 0x7f ? ' ' : s.data[0]);
        is_start = !isalnum(c);
        s = slice_skip(s, 1);
    }
}

void quote_line(char out[static QUOTE_BYTES], struct slice line, size_t at) {
    if (line.size_bytes < QUOTE_BYTES || at < BEFORE_BYTES)
        at = 0;
    else
        at -= BEFORE_BYTES;
    struct slice part = slice_skip(line, at);
    if (part.size_bytes > 2 * QUOTE_BYTES)
        part.size_bytes = 2 * QUOTE_BYTES;
    while (at > 0 && part.size_bytes > 0 && is_token_byte(part.data[0])) /* half a word may be half a secret */
        part = slice_skip(part, 1);
    while (part.size_bytes > 0 && ((unsigned char)part.data[0] & 0xc0) == 0x80)
        part = slice_skip(part, 1);
    CLEANUP_BUF struct buf text;
    buf_init(&text, 8 * QUOTE_BYTES);
    mask(part, &text);
    slice_copy(out, QUOTE_BYTES, slice_trim(buf_slice(&text)));
}

void quote_clean(char *text) {
    for (struct slice rest = slice_of(text); rest.size_bytes > 0;) {
        size_t n = slice_utf8_size(rest);
        if (n == 0)
            text[rest.data - text] = '?';
        rest = slice_skip(rest, n > 0 ? n : 1);
    }
}
