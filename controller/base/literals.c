#include "base/literals.h"

#include "base/mem.h"

#include <assert.h>

enum { HASH_BITS = 13 };
#define NONE UINT16_MAX

struct literals {
    struct slice *texts;
    uint16_t *next;                 /* text with the same hash, in the order of their numbers */
    uint16_t first[1 << HASH_BITS]; /* NONE: no text */
};

static uint32_t hash_of(const char *bytes) {
    uint32_t key;
    memcpy(&key, bytes, LITERALS_MIN_BYTES);
    return key * UINT32_C(2654435761) >> (32 - HASH_BITS);
}

struct literals *literals_new(const struct slice *texts, size_t count) {
    struct literals *l = mem_new(struct literals);
    assert(count <= LITERALS_MAX);
    l->texts = mem_resize(NULL, count + 1, sizeof *l->texts);
    l->next = mem_resize(NULL, count + 1, sizeof *l->next);
    memset(l->first, 0xff, sizeof l->first);
    for (size_t i = count; i-- > 0;) {
        assert(texts[i].size_bytes >= LITERALS_MIN_BYTES);
        uint16_t *first = &l->first[hash_of(texts[i].data)];
        l->texts[i] = texts[i];
        l->next[i] = *first;
        *first = (uint16_t)i;
    }
    return l;
}

void literals_free(struct literals *l) {
    if (l == NULL)
        return;
    free(l->texts);
    free(l->next);
    free(l);
}

/* The first of the texts from k on, which have the same hash, that the text begins with; NONE: none. */
static inline uint16_t fitting(const struct literals *l, uint16_t k, struct slice text) {
    while (k != NONE && (text.size_bytes < l->texts[k].size_bytes ||
                         memcmp(text.data, l->texts[k].data, l->texts[k].size_bytes) != 0))
        k = l->next[k];
    return k;
}

/* The next one that starts before `end`. */
static bool search(const struct literals *l, struct slice text, struct literals_hit *hit, size_t end) {
    size_t at = hit->at;
    uint16_t k = NONE;
    if (hit->is_found)
        k = fitting(l, l->next[hit->number], slice_skip(text, at++));
    for (; k == NONE && at < end; at++) {
        struct slice rest = {text.data + at, text.size_bytes - at};
        k = fitting(l, l->first[hash_of(rest.data)], rest);
    }
    *hit = (struct literals_hit){.at = k != NONE ? at - 1 : end, .number = k, .is_found = k != NONE};
    return hit->is_found;
}

bool literals_next(const struct literals *l, struct slice text, struct literals_hit *hit) {
    return search(l, text, hit, text.size_bytes >= LITERALS_MIN_BYTES ? text.size_bytes - LITERALS_MIN_BYTES + 1 : 0);
}

bool literals_next_at_start(const struct literals *l, struct slice text, struct literals_hit *hit) {
    return search(l, text, hit, text.size_bytes >= LITERALS_MIN_BYTES);
}
