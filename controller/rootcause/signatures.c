/* Rows are found by the first four bytes of their pattern: one multiplication and one look-up for each byte of a line,
 * and a comparison where the hash fits. The few rows for frames are tried one by one. */
#include "rootcause/signatures.h"

#include "base/mem.h"

#include <assert.h>

/* C17 has no #embed, so the assembler reads the table. Paths start at the repository's root, where make runs. */
__asm__(".section .rodata,\"a\"\n"
        ".type signature_table, %object\n"
        "signature_table:\n"
        ".incbin \"controller/rootcause/signatures.tsv\"\n"
        ".type signature_table_end, %object\n"
        "signature_table_end:\n"
        ".byte 0\n"
        ".previous\n");
__attribute__((visibility("hidden"))) extern const char signature_table[], signature_table_end[];

enum { HASH_BITS = 13, KEY_BYTES = 4, MAX_FITS = 1024 };
#define NONE UINT16_MAX

struct matcher {
    struct signature *rows;
    size_t count, capacity;
    uint16_t first[PLACE_COUNT][1 << HASH_BITS];
};

/* ---- the table ---- */

static int index_of(struct slice name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (slice_is(name, names[i]))
            return (int)i;
    return -1;
}

static int class_of(struct slice name) {
    for (int i = 0; i < CLASS_COUNT; i++)
        if (slice_is(name, rootcause_class_name((enum rootcause_class)i)))
            return i;
    return -1;
}

static int role_of(struct slice name) {
    static const char *const names[] = {
#define X(id, text) text,
        ROOTCAUSE_ROLES(X)
#undef X
    };
    return index_of(name, names, ARRAY_SIZE(names));
}

static int owner_of(struct slice name, int class_) {
    for (int i = 0; i < OWNER_COUNT; i++)
        if (slice_is(name, rootcause_owner_name((enum rootcause_owner)i)))
            return i;
    return slice_is(name, "-") ? (int)rootcause_class_owner((enum rootcause_class)class_) : -1;
}

static size_t literal_size(struct slice pattern) {
    size_t n = 0;
    while (n < pattern.size_bytes && pattern.data[n] != '*' && pattern.data[n] != '#')
        n++;
    return n;
}

/* A row that breaks the rules of the table is our own mistake: the tests read it, too. */
static struct signature read_row(struct slice line) {
    static const char *const places[] = {"line", "exception", "frame"};
    struct slice class_name, role, place, owner;
    struct signature row = {0};
    bool is_whole = slice_take_until(&line, '\t', &class_name) && slice_take_until(&line, '\t', &role) &&
                    slice_take_until(&line, '\t', &place) && slice_take_until(&line, '\t', &owner) &&
                    slice_take_until(&line, '\t', &row.reason) && slice_take_until(&line, '\t', &row.pattern);
    assert(is_whole && slice_find_char(line, '\t') == NULL);
    int class_ = class_of(class_name), role_found = role_of(role),
        owner_found = owner_of(owner, class_ < 0 ? 0 : class_);
    int place_found = index_of(place, places, ARRAY_SIZE(places));
    assert(class_ >= 0 && role_found >= 0 && owner_found >= 0 && place_found >= 0);
    row.class_ = (enum rootcause_class)class_;
    row.role = (enum rootcause_role)role_found;
    row.owner = (enum rootcause_owner)owner_found;
    row.place = (enum signature_place)place_found;
    row.source = line;
    row.head = (struct slice){row.pattern.data, literal_size(row.pattern)};
    assert(row.head.size_bytes >= KEY_BYTES);
    return row;
}

static uint32_t hash_of(const char *bytes) {
    uint32_t key;
    memcpy(&key, bytes, KEY_BYTES);
    return key * UINT32_C(2654435761) >> (32 - HASH_BITS);
}

struct matcher *matcher_new(void) {
    struct matcher *m = mem_new(struct matcher);
    struct slice line, table = slice_range(signature_table, signature_table_end);
    while (slice_take_line(&table, &line)) {
        if (line.size_bytes == 0 || line.data[0] == '#')
            continue;
        MEM_GROW(m->rows, m->count, m->capacity);
        m->rows[m->count++] = read_row(line);
    }
    assert(m->count < NONE);
    memset(m->first, 0xff, sizeof m->first);
    for (size_t i = m->count; i-- > 0;) {
        bool is_frame = m->rows[i].place == IN_FRAME;
        uint16_t *first = &m->first[m->rows[i].place][is_frame ? 0 : hash_of(m->rows[i].pattern.data)];
        m->rows[i].next = *first;
        *first = (uint16_t)i;
    }
    return m;
}

void matcher_free(struct matcher *m) {
    if (m == NULL)
        return;
    free(m->rows);
    free(m);
}

const struct signature *matcher_rows(const struct matcher *m, size_t *count) {
    *count = m->count;
    return m->rows;
}

/* ---- matching ---- */

static bool take_digits(struct slice *text) {
    size_t n = 0;
    while (n < text->size_bytes && text->data[n] >= '0' && text->data[n] <= '9')
        n++;
    *text = slice_skip(*text, n);
    return n > 0;
}

/* Whether the text begins with the pattern. Each '*' takes the shortest text after which its literal fits. */
static bool fits(struct slice pattern, struct slice text) {
    while (pattern.size_bytes > 0) {
        if (slice_take_char(&pattern, '#')) {
            if (!take_digits(&text))
                return false;
            continue;
        }
        bool is_any = slice_take_char(&pattern, '*');
        struct slice piece = {pattern.data, literal_size(pattern)};
        pattern = slice_skip(pattern, piece.size_bytes);
        if (piece.size_bytes == 0)
            continue;
        const char *at = text.size_bytes < piece.size_bytes ? NULL
                         : is_any ? memmem(text.data, text.size_bytes, piece.data, piece.size_bytes)
                                  : (memcmp(text.data, piece.data, piece.size_bytes) == 0 ? text.data : NULL);
        if (at == NULL)
            return false;
        text = slice_range(at + piece.size_bytes, text.data + text.size_bytes);
    }
    return true;
}

static bool starts_with(struct slice text, struct slice head) {
    return text.size_bytes >= head.size_bytes && memcmp(text.data, head.data, head.size_bytes) == 0;
}

const struct signature *matcher_find(const struct matcher *m, struct slice line, size_t *at) {
    uint16_t best = NONE;
    int tries = 0;
    for (size_t i = 0; i + KEY_BYTES <= line.size_bytes; i++)
        for (uint16_t k = m->first[IN_LINE][hash_of(line.data + i)]; k < best; k = m->rows[k].next) {
            const struct signature *row = &m->rows[k];
            struct slice text = slice_skip(line, i);
            if (!starts_with(text, row->head))
                continue;
            if (text.size_bytes > SIGNATURE_REACH)
                text.size_bytes = SIGNATURE_REACH;
            if (row->head.size_bytes < row->pattern.size_bytes && (++tries > MAX_FITS || !fits(row->pattern, text)))
                continue;
            best = k;
            if (at != NULL)
                *at = i;
            break;
        }
    return best == NONE ? NULL : &m->rows[best];
}

const struct signature *matcher_exception(const struct matcher *m, struct slice text) {
    if (text.size_bytes < KEY_BYTES)
        return NULL;
    if (text.size_bytes > SIGNATURE_REACH)
        text.size_bytes = SIGNATURE_REACH;
    const char *colon = slice_find_char(text, ':');
    struct slice name = colon != NULL ? slice_range(text.data, colon) : text;
    for (uint16_t k = m->first[IN_EXCEPTION][hash_of(text.data)]; k != NONE; k = m->rows[k].next) {
        const struct signature *row = &m->rows[k];
        bool is_name = slice_find_char(row->pattern, ':') == NULL;
        if (is_name ? slice_equal(name, row->pattern) : fits(row->pattern, text))
            return row;
    }
    return NULL;
}

const struct signature *matcher_frame(const struct matcher *m, struct slice frame) {
    for (uint16_t k = m->first[IN_FRAME][0]; k != NONE; k = m->rows[k].next) {
        struct slice pattern = m->rows[k].pattern;
        if (frame.size_bytes > 0 && memmem(frame.data, frame.size_bytes, pattern.data, pattern.size_bytes) != NULL)
            return &m->rows[k];
    }
    return NULL;
}
