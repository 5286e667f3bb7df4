#include "export/fleet_brief.h"

#include "base/buf.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Behind it, without padding: the values that are known, the queue, the phase, then for each bucket its times, its name
 * and its family. Texts end with a NUL. */
struct fleet_brief {
    uint64_t known; /* a bit for each value */
    int16_t bucket_count;
    bool is_log_unreadable;
    char packed[];
};
static_assert(FLEET_VALUE_COUNT <= 64, "a bit for each value");

struct times {
    int64_t ms, chip_seconds;
};

static void pack_text(struct buf *packed, const char *text) {
    buf_append(packed, text, strlen(text) + 1);
}

static void unpack_text(const char **at, char *to) {
    size_t size = strlen(*at) + 1;
    memcpy(to, *at, size);
    *at += size;
}

static struct fleet_brief *pack(const struct fleet_numbers *n) {
    CLEANUP_BUF struct buf packed;
    uint64_t known = 0;
    buf_init(&packed, sizeof *n);
    for (int i = 0; i < FLEET_VALUE_COUNT; i++)
        if (n->values[i] != FLEET_NONE) {
            known |= UINT64_C(1) << i;
            buf_append(&packed, &n->values[i], sizeof n->values[i]);
        }
    pack_text(&packed, n->queue);
    pack_text(&packed, n->phase);
    for (int i = 0; i < n->bucket_count; i++) {
        const struct times times = {n->buckets[i].ms, n->buckets[i].chip_seconds};
        buf_append(&packed, &times, sizeof times);
        pack_text(&packed, n->buckets[i].bucket);
        pack_text(&packed, n->buckets[i].family);
    }
    struct fleet_brief *brief = mem_alloc(sizeof *brief + packed.size_bytes);
    brief->known = known;
    brief->bucket_count = (int16_t)n->bucket_count;
    brief->is_log_unreadable = false;
    for (int i = 0; i < n->condition_count; i++)
        if (fleet_is_log_unreadable(&n->conditions[i]))
            brief->is_log_unreadable = true;
    memcpy(brief->packed, packed.data, packed.size_bytes);
    return brief;
}

struct fleet_brief *fleet_brief_new(struct slice object) {
    struct fleet_numbers *n = mem_new(struct fleet_numbers);
    struct fleet_brief *brief = fleet_read_numbers(object, n) ? pack(n) : NULL;
    free(n);
    return brief;
}

void fleet_brief_get(const struct fleet_brief *brief, struct fleet_numbers *numbers) {
    const char *at = brief->packed;
    memset(numbers, 0, offsetof(struct fleet_numbers, buckets));
    for (int i = 0; i < FLEET_VALUE_COUNT; i++) {
        numbers->values[i] = FLEET_NONE;
        if ((brief->known >> i & 1) == 0)
            continue;
        memcpy(&numbers->values[i], at, sizeof numbers->values[i]);
        at += sizeof numbers->values[i];
    }
    unpack_text(&at, numbers->queue);
    unpack_text(&at, numbers->phase);
    for (; numbers->bucket_count < brief->bucket_count; numbers->bucket_count++) {
        struct fleet_bucket *b = &numbers->buckets[numbers->bucket_count];
        struct times times;
        memcpy(&times, at, sizeof times);
        at += sizeof times;
        *b = (struct fleet_bucket){.ms = times.ms, .chip_seconds = times.chip_seconds, .cost_cents = FLEET_NONE};
        unpack_text(&at, b->bucket);
        unpack_text(&at, b->family);
    }
    if (brief->is_log_unreadable)
        numbers->conditions[numbers->condition_count++] = fleet_log_unreadable;
}
