#include "base/literals.h"

#include "base/mem.h"

#include <assert.h>

enum { MIN_HASH_BITS = 6, MAX_HASH_BITS = 13, BLOCK_BITS_MORE = 3, MAX_STRIDE = 8 };
#define NONE UINT16_MAX

struct literals {
    struct slice *texts;
    struct head {
        uint64_t bytes, mask;
    } * heads;        /* the first eight bytes of each text, or all of them */
    uint16_t *next;   /* text with the same hash, in the order of their numbers */
    size_t stride;    /* how far a block that no text begins with carries the search */
    uint64_t *occurs; /* a bit for each hash of a block among the first ones of a text */
    int hash_bits, block_bits;
    uint16_t first[]; /* of each hash; NONE: no text */
};

static uint32_t block_at(const char *bytes) {
    uint32_t block;
    memcpy(&block, bytes, LITERALS_MIN_BYTES);
    return block;
}

static uint64_t head_of(struct slice text) {
    uint64_t bytes = 0;
    memcpy(&bytes, text.data, text.size_bytes < sizeof bytes ? text.size_bytes : sizeof bytes);
    return bytes;
}

static struct head make_head(struct slice text) {
    char mask[sizeof(uint64_t)];
    memset(mask, 0xff, sizeof mask);
    return (struct head){head_of(text), head_of((struct slice){mask, text.size_bytes})};
}

static uint32_t hash_of(uint32_t block, int bits) {
    return block * UINT32_C(2654435761) >> (32 - bits);
}

/* 1 if a text may have the block there. */
static uint64_t may_occur(const struct literals *l, uint32_t block) {
    uint32_t bit = hash_of(block, l->block_bits);
    return l->occurs[bit / 64] >> bit % 64 & 1;
}

static void note_blocks(struct literals *l, struct slice text) {
    for (size_t i = 0; i < l->stride; i++) {
        uint32_t bit = hash_of(block_at(text.data + i), l->block_bits);
        l->occurs[bit / 64] |= UINT64_C(1) << bit % 64;
    }
}

/* Some four places a text: a controller has ten of these tables, most of few texts. */
static int bits_for(size_t count) {
    int bits = MIN_HASH_BITS;
    while (bits < MAX_HASH_BITS && (size_t)1 << bits < 4 * count)
        bits++;
    return bits;
}

struct literals *literals_new(const struct slice *texts, size_t count) {
    int bits = bits_for(count);
    size_t first_bytes = sizeof(uint16_t) << bits;
    struct literals *l = mem_alloc(sizeof *l + first_bytes);
    assert(count <= LITERALS_MAX);
    *l = (struct literals){.hash_bits = bits, .block_bits = bits + BLOCK_BITS_MORE};
    l->occurs = mem_alloc(((size_t)1 << l->block_bits) / 8);
    l->texts = mem_resize(NULL, count + 1, sizeof *l->texts);
    l->heads = mem_resize(NULL, count + 1, sizeof *l->heads);
    l->next = mem_resize(NULL, count + 1, sizeof *l->next);
    l->stride = MAX_STRIDE;
    memset(l->first, 0xff, first_bytes);
    for (size_t i = count; i-- > 0;) {
        assert(texts[i].size_bytes >= LITERALS_MIN_BYTES);
        size_t stride = texts[i].size_bytes - LITERALS_MIN_BYTES + 1;
        l->stride = stride < l->stride ? stride : l->stride;
        l->texts[i] = texts[i];
        l->heads[i] = make_head(texts[i]);
        uint16_t *first = &l->first[hash_of(block_at(texts[i].data), bits)];
        l->next[i] = *first;
        *first = (uint16_t)i;
    }
    for (size_t i = 0; i < count; i++)
        note_blocks(l, texts[i]);
    return l;
}

void literals_free(struct literals *l) {
    if (l == NULL)
        return;
    free(l->texts);
    free(l->heads);
    free(l->next);
    free(l->occurs);
    free(l);
}

/* The first of the texts from k on, which have the same hash, that the text begins with; NONE: none. */
static inline uint16_t fitting(const struct literals *l, uint16_t k, struct slice text) {
    uint64_t head = k != NONE ? head_of(text) : 0;
    while (k != NONE &&
           (((head ^ l->heads[k].bytes) & l->heads[k].mask) != 0 || text.size_bytes < l->texts[k].size_bytes ||
            memcmp(text.data, l->texts[k].data, l->texts[k].size_bytes) != 0))
        k = l->next[k];
    return k;
}

/* How far the search is carried at once, four blocks after the other, as no text begins with one of them. */
static inline size_t skipped(const struct literals *l, const char *block, size_t left) {
    size_t far = 0, stride = l->stride;
    for (; left - far > 4 * stride &&
           (may_occur(l, block_at(block)) | may_occur(l, block_at(block + stride)) |
            may_occur(l, block_at(block + 2 * stride)) | may_occur(l, block_at(block + 3 * stride))) == 0;
         far += 4 * stride)
        block += 4 * stride;
    return far;
}

/* The next one that starts before `end`, from where all texts are too long. */
static bool search(const struct literals *l, struct slice text, struct literals_hit *hit, size_t end) {
    size_t at = hit->at;
    uint16_t k = NONE;
    if (hit->is_found)
        k = fitting(l, l->next[hit->number], slice_skip(text, at++));
    while (k == NONE && at < end) {
        at += skipped(l, text.data + at + l->stride - 1, end - at);
        const char *from = text.data + at;
        if (may_occur(l, block_at(from + l->stride - 1)) == 0) {
            at += l->stride;
            continue;
        }
        struct slice rest = {from, text.size_bytes - at++};
        k = fitting(l, l->first[hash_of(block_at(from), l->hash_bits)], rest);
    }
    *hit = (struct literals_hit){.at = k != NONE ? at - 1 : at, .number = k, .is_found = k != NONE};
    return hit->is_found;
}

static bool has_room(const struct literals *l, struct slice text) {
    return text.size_bytes >= l->stride + LITERALS_MIN_BYTES - 1;
}

bool literals_next(const struct literals *l, struct slice text, struct literals_hit *hit) {
    return search(l, text, hit, has_room(l, text) ? text.size_bytes - l->stride - LITERALS_MIN_BYTES + 2 : 0);
}

bool literals_next_at_start(const struct literals *l, struct slice text, struct literals_hit *hit) {
    return search(l, text, hit, has_room(l, text));
}
