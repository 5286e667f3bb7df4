#include "base/literals.h"

#include "base/mem.h"

#include <assert.h>

enum { MIN_HASH_BITS = 6, MAX_HASH_BITS = 13, BLOCK_BITS_MORE = 3, MAX_STRIDE = 8, HEAD_BYTES = 8 };
#define NONE UINT16_MAX

/* Texts by what they start with: those of eight bytes and more by eight, as many texts may have four in common. */
struct chains {
    uint16_t *first; /* of each hash; NONE: no text */
    int bits;
};

struct literals {
    struct slice *texts;
    uint16_t *next; /* text with the same hash, in the order of their numbers */
    struct chains by_block, by_head;
    size_t stride;    /* how far a block that no text begins with carries the search */
    uint64_t *occurs; /* a bit for each hash of a block among the first ones of a text */
    int block_bits;
};

static uint32_t block_at(const char *bytes) {
    uint32_t block;
    memcpy(&block, bytes, LITERALS_MIN_BYTES);
    return block;
}

static uint64_t head_at(const char *bytes) {
    uint64_t head;
    memcpy(&head, bytes, HEAD_BYTES);
    return head;
}

static uint32_t hash_of(uint32_t block, int bits) {
    return block * UINT32_C(2654435761) >> (32 - bits);
}

static inline uint16_t *chain_by_block(const struct literals *l, const char *bytes) {
    return &l->by_block.first[hash_of(block_at(bytes), l->by_block.bits)];
}

static inline uint16_t *chain_by_head(const struct literals *l, const char *bytes) {
    return &l->by_head.first[head_at(bytes) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - l->by_head.bits)];
}

/* Odd if a text may have the block there. */
static inline uint64_t may_occur(const struct literals *l, uint32_t block) {
    uint32_t bit = hash_of(block, l->block_bits);
    return l->occurs[bit / 64] >> bit % 64;
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

static void chains_init(struct chains *chains, size_t count) {
    chains->bits = bits_for(count);
    size_t size = sizeof *chains->first << chains->bits;
    chains->first = mem_alloc(size);
    memset(chains->first, 0xff, size);
}

static size_t count_long(const struct slice *texts, size_t count) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += texts[i].size_bytes >= HEAD_BYTES;
    return n;
}

struct literals *literals_new(const struct slice *texts, size_t count) {
    struct literals *l = mem_new(struct literals);
    size_t long_count = count_long(texts, count);
    assert(count <= LITERALS_MAX);
    chains_init(&l->by_block, count - long_count);
    chains_init(&l->by_head, long_count);
    l->block_bits = bits_for(count) + BLOCK_BITS_MORE;
    l->occurs = mem_alloc(((size_t)1 << l->block_bits) / 8);
    l->texts = mem_resize(NULL, count + 1, sizeof *l->texts);
    l->next = mem_resize(NULL, count + 1, sizeof *l->next);
    l->stride = MAX_STRIDE;
    for (size_t i = count; i-- > 0;) {
        assert(texts[i].size_bytes >= LITERALS_MIN_BYTES);
        size_t stride = texts[i].size_bytes - LITERALS_MIN_BYTES + 1;
        l->stride = stride < l->stride ? stride : l->stride;
        l->texts[i] = texts[i];
        const char *bytes = texts[i].data;
        uint16_t *first = texts[i].size_bytes < HEAD_BYTES ? chain_by_block(l, bytes) : chain_by_head(l, bytes);
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
    free(l->next);
    free(l->by_block.first);
    free(l->by_head.first);
    free(l->occurs);
    free(l);
}

/* The first one of a chain, from a number on, that the text begins with; NONE: none. */
static inline uint16_t first_of(const struct literals *l, uint16_t k, size_t from, struct slice text) {
    while (k != NONE && (k < from || text.size_bytes < l->texts[k].size_bytes ||
                         memcmp(text.data, l->texts[k].data, l->texts[k].size_bytes) != 0))
        k = l->next[k];
    return k;
}

static inline uint16_t fitting(const struct literals *l, size_t from, struct slice text) {
    uint16_t found = first_of(l, *chain_by_block(l, text.data), from, text);
    if (text.size_bytes < HEAD_BYTES)
        return found;
    uint16_t longer = first_of(l, *chain_by_head(l, text.data), from, text);
    return longer < found ? longer : found;
}

/* Whether one of four blocks, a stride apart, may occur. */
static inline bool may_start(const struct literals *l, const char *block) {
    size_t stride = l->stride;
    return ((may_occur(l, block_at(block)) | may_occur(l, block_at(block + stride)) |
             may_occur(l, block_at(block + 2 * stride)) | may_occur(l, block_at(block + 3 * stride))) &
            1) != 0;
}

/* The next one that starts before `end`, from where all texts are too long. */
static bool search(const struct literals *l, struct slice text, struct literals_hit *hit, size_t end) {
    size_t at = hit->at, stride = l->stride;
    uint16_t k = NONE;
    if (hit->is_found)
        k = fitting(l, hit->number + 1, slice_skip(text, at++));
    while (k == NONE && at < end) {
        const char *block = text.data + at + stride - 1;
        if (end - at > 3 * stride && !may_start(l, block))
            at += 4 * stride;
        else if ((may_occur(l, block_at(block)) & 1) == 0)
            at += stride;
        else
            k = fitting(l, 0, slice_skip(text, at++));
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
