#include "rootcause/mask.h"

#include "base/buf.h"
#include "base/mem.h"

#include <ctype.h>

enum {
    BEFORE_BYTES = 100,
    MIN_SECRET_BYTES = 8,
    MIN_BARE_BYTES = 32,
    MIN_BASE64_BYTES = 40,
    MAX_LITERAL_BYTES = 2,
    MAX_WORDS_BEFORE = 5
};

static bool is_token_byte(char c) {
    return isalnum((unsigned char)c) || (c != '\0' && strchr("_-.+/=~%", c) != NULL);
}

/* Words after which a secret follows. "_" stands for that, for "-", for a blank, or for nothing. */
struct secret_name {
    const char *text;
    enum { WITHIN = 1, ASSIGNED = 2, OPTION = 4, PAIR = 8 } where;
    /* WITHIN: a longer word may end so, as in "authToken". ASSIGNED: "=" follows, or ":" after a quote; the word means
     * other things as well. OPTION: only after "--", or in the query of a URL.
     * PAIR: of a user and a secret, both in quotes. */
};
static const struct secret_name names[] = {{"secret_access_key", WITHIN},
                                           {"shared_access_key", 0},
                                           {"access_key_id", 0},
                                           {"access_key", WITHIN},
                                           {"account_key", 0},
                                           {"private_key", 0},
                                           {"encryption_key", 0},
                                           {"secret_key", WITHIN},
                                           {"api_key", WITHIN},
                                           {"password", WITHIN},
                                           {"passwd", WITHIN},
                                           {"passphrase", WITHIN},
                                           {"secret", WITHIN},
                                           {"token", WITHIN},
                                           {"db_pass", 0},
                                           {"smtp_pass", 0},
                                           {"pass", WITHIN | ASSIGNED},
                                           {"signature", 0},
                                           {"httpbasicauth", PAIR},
                                           {"credentials", PAIR},
                                           {"auth", PAIR},
                                           {"credential", 0},
                                           {"sig", 0},
                                           {"authorization", 0},
                                           {"bearer", 0},
                                           {"cookie", 0},
                                           {"pwd", 0},
                                           {"login(key", 0},
                                           {"key", OPTION},
                                           {"auth", OPTION},
                                           {"passwort", 0},
                                           {"kennwort", 0},
                                           {"contrase\u00f1a", 0},
                                           {"senha", 0},
                                           {"\u043f\u0430\u0440\u043e\u043b\u044c", 0},
                                           {"\u5bc6\u7801", 0},
                                           {"\u5bc6\u94a5", 0},
                                           {"\u53e3\u4ee4", 0},
                                           {"\u30d1\u30b9\u30ef\u30fc\u30c9", 0}};
/* Commands, and the option whose value is a secret. */
static const struct command {
    const char *name, *option;
    char after;    /* in the value; '\0': all of the value */
    bool is_apart; /* a blank may stand between option and value */
} commands[] = {{"mysql", "-p", '\0', false},
                {"mysqldump", "-p", '\0', false},
                {"mysqladmin", "-p", '\0', false},
                {"mariadb", "-p", '\0', false},
                {"sshpass", "-p", '\0', true},
                {"docker login", "-p", '\0', true},
                {"podman login", "-p", '\0', true},
                {"az login", "-p", '\0', true},
                {"redis-cli", "-a", '\0', true},
                {"zip", "-P", '\0', true},
                {"unzip", "-P", '\0', true},
                {"7z", "-p", '\0', false},
                {"ssh-keygen", "-N", '\0', true},
                {"ldapsearch", "-w", '\0', true},
                {"smbclient", "-U", '%', true},
                {"curl", "--user", ':', true},
                {"openssl", "pass:", '\0', false},
                {"wandb login", "", '\0', false},
                {"vault login", "", '\0', false},
                {"kubectl", "--from-literal=", '=', false},
                {"", "-u", ':', true}};
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
                                     "xoxe-",
                                     "xoxe.",
                                     "ak-",
                                     "as-",
                                     "glrt-",
                                     "gldt-",
                                     "glptt-",
                                     "sq0atp-",
                                     "sq0csp-",
                                     "vast-",
                                     "LTAI",
                                     "AGPA",
                                     "NRAK-",
                                     "dapi",
                                     "shpat_",
                                     "rpa_",
                                     "xai-",
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

static int kind_of(char c) {
    return isdigit((unsigned char)c) ? 0 : isupper((unsigned char)c) ? 1 : islower((unsigned char)c) ? 2 : 3;
}

static size_t token_size(struct slice s) {
    size_t n = 0;
    while (n < s.size_bytes && is_token_byte(s.data[n]))
        n++;
    return n;
}

struct place {                     /* in the line */
    bool is_start;                 /* of a word */
    bool is_apart;                 /* after a blank */
    bool is_option;                /* within a word that starts with "--": a blank is enough between name and value */
    bool is_query;                 /* after "?" or "&" */
    const struct command *command; /* NULL: none that takes a secret */
};

/* What stands between a name and its value. */
struct sign {
    size_t size;
    bool has_equals, has_colon, is_tag;
};

/* An "=" or a ":", as it is or as escapes write it: its size; 0: none. */
static size_t mark_size(struct slice s, struct sign *sign) {
    static const char *const equals[] = {"=>", "->", "=", "%3D", "%3d", "&#61;", "u003d", "u003D"};
    static const char *const colons[] = {":", "\uff1a"};
    for (size_t i = 0; i < ARRAY_SIZE(equals); i++)
        if (slice_starts(s, equals[i])) {
            sign->has_equals = true;
            return strlen(equals[i]);
        }
    for (size_t i = 0; i < ARRAY_SIZE(colons); i++)
        if (slice_starts(s, colons[i])) {
            sign->has_colon = true;
            return strlen(colons[i]);
        }
    return 0;
}

/* "=", ": ", "\":\"", "(", ": [\"". place: of the name. */
static struct sign find_sign(struct slice s, struct place place) {
    struct sign sign = {0};
    if (s.size_bytes > 1 && place.is_start && (s.data[0] == '(' || s.data[0] == '>') && s.data[1] != ' ')
        return (struct sign){.size = s.data[1] == '"' || s.data[1] == '\'' ? 2 : 1, .is_tag = true};
    while (sign.size < s.size_bytes) {
        struct slice rest = slice_skip(s, sign.size);
        size_t n = mark_size(rest, &sign);
        bool is_open = sign.has_equals || sign.has_colon;
        const char *fillers = is_open ? "\"'\\ [{(" : place.is_option ? "\"'\\ ," : "\"'\\ ]";
        if (n == 0 && (rest.data[0] == '\0' || strchr(fillers, rest.data[0]) == NULL))
            break;
        sign.size += n > 0 ? n : 1;
    }
    return sign;
}

/* The size of a name at the start of s; 0: another text. */
static size_t match_name(struct slice s, const char *name) {
    size_t n = 0;
    for (; *name != '\0'; name++) {
        if (*name == '_')
            n += n < s.size_bytes && strchr("_- ", s.data[n]) != NULL && s.data[n] != '\0';
        else if (n == s.size_bytes || tolower((unsigned char)s.data[n++]) != tolower((unsigned char)*name))
            return 0;
    }
    return n;
}

/* The word at the start of s has digits, capitals and small letters, as one that a machine made. */
static bool is_made_up(struct slice s) {
    size_t of_kind[3] = {0}, n = 0;
    for (; n < s.size_bytes && isalnum((unsigned char)s.data[n]); n++)
        of_kind[kind_of(s.data[n])]++;
    return n >= MIN_SECRET_BYTES && of_kind[0] > 0 && of_kind[1] > 0 && of_kind[2] > 0;
}

/* " is aB3dE6gH9": in a sentence, what stands between a name and a word that a machine made; 0: no such word. */
static size_t sentence_size(struct slice s) {
    size_t n = 0;
    for (int words = 0; words < MAX_WORDS_BEFORE && n < s.size_bytes && s.data[n] == ' '; words++) {
        n++;
        n += n < s.size_bytes && strchr("\"'`", s.data[n]) != NULL;
        if (is_made_up(slice_skip(s, n)))
            return n;
        while (n < s.size_bytes && (islower((unsigned char)s.data[n]) || s.data[n] == ':'))
            n++;
    }
    return 0;
}

/* 'b"', 'Token("', 'value": "': what opens a value, after the sign of its name. */
static size_t opening_size(struct slice s, bool is_quoted, bool is_pair) {
    size_t n = 0;
    while (n < s.size_bytes && (isalnum((unsigned char)s.data[n]) || s.data[n] == '_'))
        n++;
    struct slice rest = slice_skip(s, n);
    static const char *const openings[] = {"('", "(\"", "'", "\""}, *const keys[] = {"\": \"", "': '", "\":\""},
                             *const pairs[] = {"', '", "\", \""};
    for (size_t i = 0; i < ARRAY_SIZE(pairs) && is_pair; i++)
        if (slice_starts(rest, pairs[i]))
            return n + strlen(pairs[i]);
    for (size_t i = 0; i < ARRAY_SIZE(openings) && n > 0 && !is_quoted; i++)
        if (slice_starts(rest, openings[i]) && (n <= MAX_LITERAL_BYTES || openings[i][0] == '('))
            return n + strlen(openings[i]);
    for (size_t i = 0; i < ARRAY_SIZE(keys) && n > 0 && is_quoted; i++)
        if (slice_starts(rest, keys[i]))
            return n + strlen(keys[i]);
    return 0;
}

/* "password=", "--token ": the size of the name and what stands between it and the secret; 0: none. */
static size_t name_size(struct slice s, struct place place) {
    int initial = s.size_bytes > 0 ? tolower((unsigned char)s.data[0]) : 0;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if ((unsigned char)names[i].text[0] != initial || (!place.is_start && !(names[i].where & WITHIN)))
            continue;
        size_t size = match_name(s, names[i].text);
        if (size == 0)
            continue;
        struct slice after = slice_skip(s, size);
        struct sign sign = find_sign(after, place);
        char last = sign.size > 0 ? after.data[sign.size - 1] : '\0';
        bool is_quoted = sign.size > 0 && strchr("\"'\\", after.data[0]) != NULL;
        bool has_quote = sign.size > 1 && (last == '"' || last == '\'');
        bool is_plain = place.is_start && !(names[i].where & ASSIGNED);
        if ((names[i].where & OPTION) && !place.is_option && !place.is_query)
            continue;
        bool is_pair = (names[i].where & PAIR) != 0;
        size_t opening = opening_size(slice_skip(after, sign.size), has_quote, is_pair);
        if (is_pair && (opening == 0 || !has_quote))
            continue;
        if (sign.has_equals || ((sign.has_colon || has_quote) && (is_plain || is_quoted)) ||
            (place.is_option && sign.size > 0) || (sign.is_tag && is_plain))
            return size + sign.size + opening;
        size_t words = sentence_size(after);
        if (words > 0 && is_plain)
            return size + words;
    }
    return 0;
}

/* "Bearer ", where a token follows; 0: none. */
static size_t scheme_size(struct slice s, bool is_header) {
    for (size_t i = 0; i < (is_header ? ARRAY_SIZE(schemes) : 2); i++) {
        size_t n = strlen(schemes[i]);
        if (!starts_fold(s, schemes[i]))
            continue;
        size_t blanks = 0;
        while (n + blanks < s.size_bytes && s.data[n + blanks] == ' ')
            blanks++;
        if (blanks > 0 && token_size(slice_skip(s, n + blanks)) > 0)
            return n + blanks;
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

/* The command that a word starts; the one before it if it starts none. "|", ";" and "&" end a command. */
static const struct command *command_of(struct slice s, const struct command *before) {
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        size_t n = strlen(commands[i].name);
        if (n > 0 && n < s.size_bytes && s.data[n] == ' ' && slice_starts(s, commands[i].name))
            return &commands[i];
    }
    return strchr("|;&", s.data[0]) != NULL ? NULL : before;
}

/* "-u user:", "-p ": what precedes a password that a command is given; 0: none. */
static size_t option_size(struct slice s, const struct command *c) {
    bool is_word = c->option[0] == '\0'; /* the word after the command's name */
    if (!slice_starts(s, is_word ? c->name : c->option))
        return 0;
    size_t n = is_word ? strlen(c->name) + 1 : strlen(c->option);
    if (c->is_apart)
        n += n < s.size_bytes && s.data[n] == ' ';
    n += n < s.size_bytes && (s.data[n] == '"' || s.data[n] == '\'');
    if (n >= s.size_bytes || s.data[n] == ' ' || (is_word && s.data[n] == '-'))
        return 0;
    size_t user = 0;
    while (c->after != '\0' && n + user < s.size_bytes && is_token_byte(s.data[n + user]) &&
           s.data[n + user] != c->after)
        user++;
    if (c->after != '\0')
        return n + user < s.size_bytes && s.data[n + user] == c->after ? n + user + 1 : 0;
    return n;
}

static size_t command_size(struct slice s, const struct command *c) {
    size_t n = c != NULL ? option_size(s, c) : 0;
    return n > 0 ? n : option_size(s, &commands[ARRAY_SIZE(commands) - 1]);
}

/* The size of a name's value, whatever comes before it in s: a quoted one ends where the quote does, so it may have
 * blanks. */
static size_t value_size(struct slice s, size_t before) {
    char quote = before > 0 ? s.data[before - 1] : '\0';
    struct slice value = slice_skip(s, before);
    const char *end = quote == '"' || quote == '\'' ? memchr(value.data, quote, value.size_bytes) : NULL;
    if (end == NULL && starts_fold(s, "cookie"))
        return value.size_bytes;
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
        bool is_name = scheme == 0 && name_size(value, (struct place){.is_start = true}) > 0;
        if (!is_name && !slice_starts(value, "-----BEGIN "))
            *hidden = size > scheme ? size - scheme : token_size(slice_skip(s, *kept));
    } else if (place.is_start) {
        *hidden = key_block_size(s, kept);
        if (*hidden == 0) {
            *kept = place.is_apart || (place.command != NULL && place.command->option[0] == '\0')
                        ? command_size(s, place.command)
                        : 0;
            if (*kept == 0)
                *kept = scheme_size(s, false);
            *hidden = *kept > 0 ? value_size(s, *kept) : secret_size(s);
        }
    }
}

static void mask(struct slice s, struct buf *out) {
    struct place place = {.is_start = true, .is_apart = true};
    while (s.size_bytes > 0) {
        size_t kept, hidden;
        if (place.is_start)
            place.command = command_of(s, place.command);
        find_secret(s, place, &kept, &hidden);
        if (kept + hidden > 0) {
            buf_append(out, s.data, kept);
            if (hidden > 0)
                buf_append_text(out, "***");
            s = slice_skip(s, kept + hidden);
            place = (struct place){.is_start = hidden == 0, .command = place.command};
            continue;
        }
        unsigned char c = (unsigned char)s.data[0];
        if (slice_starts(s, "--"))
            place.is_option = true;
        else if (c == ' ' || c == '=')
            place.is_option = false;
        buf_append_char(out, c < 0x20 || c == 0x7f ? ' ' : s.data[0]);
        place.is_start = !isalnum(c);
        place.is_apart = c == ' ';
        place.is_query = c == '?' || c == '&';
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
