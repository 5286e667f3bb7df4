#include "fleet/lives.h"

#include "base/mem.h"

uint64_t lives_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    return *seed ^= *seed << 17;
}

int64_t lives_below(uint64_t *seed, int64_t max) {
    return max <= 0 ? 0 : (int64_t)(lives_random(seed) % (uint64_t)max);
}

struct member *lives_begin(uint64_t *seed, int number, int64_t start_ms) {
    struct member *m = mem_new(struct member);
    m->life = mem_new(struct sums);
    m->namespace_ = mem_format("team-%d", number % 5);
    m->name = mem_format("job-%d", number);
    m->full_name = mem_format("%s/%s", m->namespace_, m->name);
    m->id = slice_hash(slice_of(m->full_name)) & MEMBER_ID_MASK;
    m->created_ms = m->start_ms = m->through_ms = start_ms;
    m->end_ms = TIME_UNKNOWN;
    m->last_execution = -1;
    m->weight = (struct sums_weight){1 + lives_below(seed, 512), 1 + lives_below(seed, 64)};
    m->has_steps = lives_below(seed, 4) > 0;
    return m;
}

static void lose(uint64_t *seed, struct member *m, int64_t ms) {
    int bucket =
        (int)((m->id + 3 * (uint64_t)lives_below(seed, 8)) % SUMS_BUCKETS); /* a job meets some kinds of loss */
    m->life->of[SUMS_LOST(bucket)] += ms;
    m->life->of[SUMS_PAID_LOST(bucket)] += ms * m->weight.chips;
    m->life->of[SUMS_AVAILABLE] += bucket > BUCKET_BINDING ? ms : 0;
}

void lives_go_on(uint64_t *seed, struct member *m, int64_t until_ms) {
    int64_t *of = m->life->of, gained_ms = until_ms - m->through_ms;
    if (gained_ms <= 0 || m->end_ms != TIME_UNKNOWN)
        return;
    int64_t productive_ms = m->has_steps ? lives_below(seed, gained_ms + 1) : 0;
    m->has_time = true;
    m->through_ms = until_ms;
    of[SUMS_WALL] += gained_ms;
    of[SUMS_PRODUCTIVE] += productive_ms;
    of[SUMS_PAID_PRODUCTIVE] += productive_ms * m->weight.chips;
    of[SUMS_AVAILABLE] += productive_ms;
    lose(seed, m, gained_ms - productive_ms);
    if (m->has_steps && lives_below(seed, 5) == 0) { /* provisional time that a failure takes back */
        int64_t lost_ms = lives_below(seed, of[SUMS_PRODUCTIVE] / 4 + 1);
        of[SUMS_PRODUCTIVE] -= lost_ms;
        of[SUMS_LOST(BUCKET_WASTED_PROGRESS)] += lost_ms;
        of[SUMS_FAILURES]++;
        of[SUMS_INTERRUPTIONS]++;
        of[SUMS_OWNED(m->id % OWNER_COUNT)]++;
        of[SUMS_OF_CLASS(CLASS_UNKNOWN)]++;
        enum rootcause_class class = m->id % CLASS_COUNT;
        of[SUMS_PAID_OWNED(rootcause_class_owner(class))] += lost_ms * m->weight.chips;
        of[SUMS_PAID_OF_CLASS(rootcause_class_owner(class), class)] += lost_ms * m->weight.chips;
    } else if (of[SUMS_OF_CLASS(CLASS_UNKNOWN)] > 0) { /* what it was is found out later */
        of[SUMS_OF_CLASS(CLASS_UNKNOWN)]--;
        of[SUMS_OF_CLASS(1 + m->id % (CLASS_COUNT - 1))]++;
    }
    of[SUMS_SLOT_TIME] = of[SUMS_AVAILABLE];
    of[SUMS_KNOWN_WALL] = m->has_steps ? of[SUMS_WALL] : 0;
    of[SUMS_KNOWN_AVAILABLE] = m->has_steps ? of[SUMS_AVAILABLE] : 0;
    if (m->has_steps) {
        of[SUMS_PROGRAMMED] = of[SUMS_PRODUCTIVE];
        of[SUMS_PROGRAMMED_WALL] = of[SUMS_WALL];
        of[SUMS_IDEAL] = of[SUMS_PRODUCTIVE] / 2;
    }
}

void lives_end(struct member *m) {
    if (m->has_time && m->end_ms == TIME_UNKNOWN)
        m->end_ms = m->through_ms;
}

void lives_roll(struct roll *r, struct roll_member *members, size_t count, int64_t now_ms, struct outcome *o) {
    struct roll_input in = {.members = members, .count = count, .now_ms = now_ms};
    roll_up(r, &in);
    outcome_make(r, &in, o);
}
