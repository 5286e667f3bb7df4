#include "rootcause/mask.h"

#include "base/buf.h"
#include "base/mem.h"

#include <ctype.h>

enum { BEFORE_BYTES = 100, MIN_SECRET_BYTES = 8, MIN_BARE_BYTES = 32, MIN_BASE64_BYTES = 40 };

static bool is_token_byte(char c) {
    return isalnum((unsigned char)c) || (c != '\0' && strchr("_-.+/=~%", c) != NULL);
}

/* Words after which a secret follows, with "=" or ":" between, in any case. */
static const char *const names[] = {"password",        "passwd",
                                    "secret",          "api_key",
                                    "apikey",          "api-key",
                                    "access_key",      "accesskey",
                                    "token",           "signature",
                                    "credential",      "sig",
                                    "private_key",     "secretkey",
                                    "accountkey",      "private-key",
                                    "authorization",   "cookie",
                                    "sharedaccesskey", "pwd",
                                    "passphrase",      "passwort",
                                    "kennwort",        "contrase\u00f1a",
                                    "senha",           "\u043f\u0430\u0440\u043e\u043b\u044c",
                                    "\u5bc6\u7801",    "\u5bc6\u94a5",
                                    "\u53e3\u4ee4",    "\u30d1\u30b9\u30ef\u30fc\u30c9"};
/* Of these a longer word may end as well, as in "authToken": where "=" follows, or ":" after a quote. */
static const char *const ends[] = {"password",  "passwd", "secret",    "apikey",
                                   "accesskey", "token",  "secretkey", "passphrase"};
/* What precedes the secret in an Authorization header. */
static const char *const schemes[] = {"bearer", "basic", "token", "digest", "negotiate", "apikey", "bot"};
/* Starts of tokens that are known by themselves. */
static const char *const starts[] = {"hf_",
                                     "ghp_",
                                     "gho_",
                                     "ghs_",
                                     "ghu_",
                                     "ghr_",
                                     "github_pat_",
                                     "glpat-",
                                     "sk-",
                                     "sk_live_",
                                     "sk_test_",
                                     "SG.",
                                     "glsa_",
                                     "ATATT",
                                     "tskey-",
                                     "AGE-SECRET-KEY-",
                                     "rk_live_",
                                     "AKIA",
                                     "ASIA",
                                     "AIza",
                                     "ya29.",
                                     "1//0",
                                     "GOCSPX-",
                                     "xoxa-",
                                     "xoxb-",
                                     "xoxp-",
                                     "xoxr-",
                                     "xoxs-",
                                     "xapp-",
                                     "eyJ",
                                     "nvapi-",
                                     "pypi-",
                                     "npm_",
                                     "dckr_pat_",
                                     "hvs.",
                                     "wandb_v1_",
                                     "gsk_",
                                     "hooks.slack.com/services/",
                                     "discord.com/api/webhooks/"};

static bool starts_fold(struct slice s, const char *word) {
    enum { CASE = 0x20 }; /* most places differ in the first byte */
    if (s.size_bytes == 0 || (s.data[0] | CASE) != (word[0] | CASE))
        return false;
    size_t n = strlen(word);
    return s.size_bytes >= n && strncasecmp(s.data, word, n) == 0;
}

static size_t token_size(struct slice s) {
    size_t n = 0;
    while (n < s.size_bytes && is_token_byte(s.data[n]))
        n++;
    return n;
}

/* "=", ": ", "\":\"": the size of the separator between a name and its value. */
static size_t sign_size(struct slice s, bool *ret_has_equals, bool *ret_has_colon) {
    size_t n = 0;
    *ret_has_equals = *ret_has_colon = false;
    static const char wide_colon[] = "\uff1a";
    while (n < s.size_bytes) {
        bool is_wide = slice_starts(slice_skip(s, n), wide_colon);
        if (!is_wide && (s.data[n] == '\0' || strchr("=:\"'\\ ", s.data[n]) == NULL))
            break;
        *ret_has_equals |= s.data[n] == '=';
        *ret_has_colon |= is_wide || s.data[n] == ':';
        n += is_wide ? strlen(wide_colon) : 1;
    }
    return n;
}

struct place {      /* in the line */
    bool is_start;  /* of a word */
    bool is_option; /* within a word that starts with "--": a blank is enough between name and value */
};

/* "password=", "--token ": the size of the name and what stands between it and the secret; 0: none. */
static size_t name_size(struct slice s, struct place place) {
    bool has_equals, has_colon;
    for (size_t i = 0; i < (place.is_start ? ARRAY_SIZE(names) : ARRAY_SIZE(ends)); i++) {
        const char *name = place.is_start ? names[i] : ends[i];
        if (!starts_fold(s, name))
            continue;
        struct slice after = slice_skip(s, strlen(name));
        size_t n = sign_size(after, &has_equals, &has_colon);
        bool is_quoted = n > 0 && strchr("\"'\\", after.data[0]) != NULL;
        bool has_quote = n > 1 && strchr("\"'", after.data[n - 1]) != NULL;
        if (has_equals || ((has_colon || has_quote) && (place.is_start || is_quoted)) || (place.is_option && n > 0))
            return strlen(name) + n;
    }
    return 0;
}

/* "Bearer ", where a token follows; 0: none. */
static size_t scheme_size(struct slice s, bool is_header) {
    for (size_t i = 0; i < (is_header ? ARRAY_SIZE(schemes) : 2); i++) {
        size_t n = strlen(schemes[i]);
        if (starts_fold(s, schemes[i]) && s.size_bytes > n && s.data[n] == ' ' && token_size(slice_skip(s, n + 1)) > 0)
            return n + 1;
    }
    return 0;
}

/* A long word of letters and digits: a hash, a key in hexadecimal digits. */
static bool is_bare_secret(struct slice token) {
    size_t digits = 0, letters = 0, n = 0;
    for (; n < token.size_bytes && isalnum((unsigned char)token.data[n]); n++) {
        digits += isdigit((unsigned char)token.data[n]) != 0;
        letters += isalpha((unsigned char)token.data[n]) != 0;
    }
    return n >= MIN_BARE_BYTES && digits >= 3 && letters >= 3;
}

static int kind_of(char c) {
    return isdigit((unsigned char)c) ? 0 : isupper((unsigned char)c) ? 1 : islower((unsigned char)c) ? 2 : 3;
}

/* Base64 of 30 bytes or more, such as a secret key of AWS. At random, neighbors are of different kinds (digit, capital,
 * small letter, sign) 64 times in 100; in words and paths less than half as often: test_mask.c. */
static bool is_base64_secret(struct slice token) {
    size_t n = 0, changes = 0, of_kind[4] = {0};
    for (; n < token.size_bytes && (isalnum((unsigned char)token.data[n]) || strchr("+/", token.data[n]) != NULL);
         n++) {
        of_kind[kind_of(token.data[n])]++;
        changes += n > 0 && kind_of(token.data[n]) != kind_of(token.data[n - 1]);
    }
    return n >= MIN_BASE64_BYTES && of_kind[0] > 0 && of_kind[1] >= 3 && of_kind[2] >= 3 && changes * 5 >= n * 2;
}

/* The size of a secret at the start of s; 0: none. */
static size_t secret_size(struct slice s) {
    size_t n = token_size(s);
    for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
        size_t start = strlen(starts[i]);
        if (n < start + MIN_SECRET_BYTES || !slice_starts(s, starts[i]))
            continue;
        if (i == 0 && memchr(s.data + start, '_', n - start) != NULL) /* hf_hub_download */
            continue;
        return n;
    }
    return is_bare_secret((struct slice){s.data, n}) || is_base64_secret((struct slice){s.data, n}) ? n : 0;
}

/* "://user:password@host": the size up to the last "@", as a password may have one; 0: none. */
static size_t user_size(struct slice s) {
    size_t at = 0;
    if (!slice_starts(s, "://"))
        return 0;
    for (size_t n = 3; n < s.size_bytes && s.data[n] != '\0' && strchr("/ \"'?", s.data[n]) == NULL; n++)
        at = s.data[n] == '@' ? n : at;
    return at;
}

/* "-u user:", "sshpass -p ": what precedes a password that a command is given; 0: none. */
static size_t command_size(struct slice s) {
    if (slice_starts(s, "sshpass -p"))
        return strlen("sshpass -p") + (slice_starts(slice_skip(s, strlen("sshpass -p")), " ") ? 1 : 0);
    if (!slice_starts(s, "-u "))
        return 0;
    size_t n = strlen("-u ") + token_size(slice_skip(s, strlen("-u ")));
    return n < s.size_bytes && s.data[n] == ':' ? n + 1 : 0;
}

/* The size of a name's value, whatever comes before it in s: a quoted one ends where the quote does, so it may have
 * blanks. */
static size_t value_size(struct slice s, size_t before) {
    char quote = before > 0 ? s.data[before - 1] : '\0';
    struct slice value = slice_skip(s, before);
    const char *end = quote == '"' || quote == '\'' ? memchr(value.data, quote, value.size_bytes) : NULL;
    return end != NULL ? (size_t)(end - value.data) : token_size(value);
}

/* What follows the head of a private key, up to its end or that of the line. */
static size_t key_block_size(struct slice s, size_t *ret_kept) {
    static const char mark[] = "PRIVATE KEY-----";
    if (!slice_starts(s, "-----BEGIN "))
        return 0;
    const char *head = memmem(s.data, s.size_bytes, mark, sizeof mark - 1);
    if (head == NULL)
        return 0;
    struct slice body = slice_range(head + sizeof mark - 1, s.data + s.size_bytes);
    const char *end = memmem(body.data, body.size_bytes, "-----END ", strlen("-----END "));
    *ret_kept = (size_t)(body.data - s.data);
    return end != NULL ? (size_t)(end - body.data) : body.size_bytes;
}

/* How much of s is kept, and how much after it is hidden; both 0: its first byte is as any other. */
static void find_secret(struct slice s, struct place place, size_t *kept, size_t *hidden) {
    *kept = *hidden = 0;
    size_t user = user_size(s), name = name_size(s, place);
    if (user > 0) {
        *kept = 3;
        *hidden = user - 3;
    } else if (name > 0) {
        bool is_header = starts_fold(s, "authorization");
        struct slice value = slice_skip(s, name);
        size_t scheme = scheme_size(value, is_header), size = value_size(s, name);
        *kept = name + scheme;
        if (!slice_starts(value, "-----BEGIN ") && name_size(value, (struct place){.is_start = true}) == 0)
            *hidden = size > scheme ? size - scheme : token_size(slice_skip(s, *kept));
    } else if (place.is_start) {
        *hidden = key_block_size(s, kept);
        if (*hidden == 0) {
            *kept = command_size(s);
            if (*kept == 0)
                *kept = scheme_size(s, false);
            *hidden = *kept > 0 ? token_size(slice_skip(s, *kept)) : secret_size(s);
        }
    }
}

static void mask(struct slice s, struct buf *out) {
    struct place place = {.is_start = true};
    while (s.size_bytes > 0) {
        size_t kept, hidden;
        find_secret(s, place, &kept, &hidden);
        if (kept + hidden > 0) {
            buf_append(out, s.data, kept);
            if (hidden > 0)
                buf_append_text(out, "***");
            s = slice_skip(s, kept + hidden);
            place = (struct place){.is_start = hidden == 0};
            continue;
        }
        unsigned char c = (unsigned char)s.data[0];
        if (slice_starts(s, "--"))
            place.is_option = true;
        else if (c == ' ' || c == '=')
            place.is_option = false;
        buf_append_char(out, c < 0x20 || c == 0x7f ? ' ' : s.data[0]);
        place.is_start = !isalnum(c);
        s = slice_skip(s, 1);
    }
}

void quote_line(char out[static QUOTE_BYTES], struct slice line, size_t at) {
    if (line.size_bytes < QUOTE_BYTES || at < BEFORE_BYTES)
        at = 0;
    else
        at -= BEFORE_BYTES;
    struct slice part = slice_skip(line, at);
    if (part.size_bytes > 2 * QUOTE_BYTES) {
        part.size_bytes = 2 * QUOTE_BYTES;
        while (part.size_bytes > QUOTE_BYTES && is_token_byte(part.data[part.size_bytes - 1]))
            part.size_bytes--;
    }
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
