/* What is left of pods that are forgotten, written and read by the same functions: field by field, since most of them
 * are 0 or small and alike, which packs well. */
#include "base/mem.h"
#include "operator/model/checkpoint_internal.h"

#define MOST_TIMES 200000
#define MOST_PODS 1000000

#define VISIT_FIELD(v, past, field, most)                                                                              \
    for (size_t i_ = 0; i_ < (past)->count; i_++)                                                                      \
    CODEC_INT((v)->codec, &(past)->items[i_].field, -(most), (most))

static void visit_past(struct visitor *v, struct past *past) {
    visit_name(v, &past->replicated_job);
    past->count = codec_count(v->codec, past->count, MOST_TIMES);
    if (codec_is_reading(v->codec)) {
        past->capacity = past->count;
        past->items = mem_alloc((past->count + 1) * sizeof *past->items);
    }
    for (size_t i = 0; i < past->count; i++) {
        int64_t *at_ms = &past->items[i].all.at_ms;
        codec_time(v->codec, at_ms);
        v->codec->failed |= *at_ms == TIME_UNKNOWN || *at_ms == TIME_OPEN;
        v->codec->failed |= i > 0 && *at_ms <= past->items[i - 1].all.at_ms;
    }
    VISIT_FIELD(v, past, all.available, MOST_PODS);
    VISIT_FIELD(v, past, all.running, MOST_PODS);
    VISIT_FIELD(v, past, all.pulling, MOST_PODS);
    VISIT_FIELD(v, past, all.silent, MOST_PODS);
    VISIT_FIELD(v, past, all.known, MOST_PODS);
    VISIT_FIELD(v, past, all.chips, INT32_MAX);
    VISIT_FIELD(v, past, all.largest_chips, INT32_MAX);
    VISIT_FIELD(v, past, all.replaced, MOST_PODS);
    VISIT_FIELD(v, past, all.restarted, MOST_PODS);
    VISIT_FIELD(v, past, all.lost, MOST_PODS);
    VISIT_FIELD(v, past, ready, MOST_PODS);
}

void visit_pasts(struct visitor *v, struct target *t) {
    int count = (int)codec_count(v->codec, (size_t)t->past_count, OBJECT_REPLICATED_JOBS);
    if (codec_is_reading(v->codec)) {
        t->pasts = mem_alloc(((size_t)count + 1) * sizeof *t->pasts);
        t->past_count = count;
        for (int i = 0; i < count; i++)
            t->pasts[i].replicated_job = "";
    }
    for (int i = 0; i < count; i++)
        visit_past(v, &t->pasts[i]);
}

static void visit_slots(struct visitor *v, struct settled_slots *s) {
    visit_name(v, &s->replicated_job);
    CODEC_INT(v->codec, &s->stride, 0, MOST_PODS);
    s->count = codec_count(v->codec, s->count, MOST_PODS);
    if (codec_is_reading(v->codec))
        s->are_held = mem_alloc(s->count + 1);
    for (size_t i = 0; i < s->count; i++)
        CODEC_INT(v->codec, &s->are_held[i], 0, 1);
}

void visit_settled(struct visitor *v, struct target *t) {
    int count = (int)codec_count(v->codec, (size_t)t->settled_count, OBJECT_REPLICATED_JOBS);
    if (codec_is_reading(v->codec)) {
        t->settled = mem_alloc(((size_t)count + 1) * sizeof *t->settled);
        t->settled_count = count;
        t->settled_ms = v->written_ms;
        t->settled_created_ms = v->extent == EXTENT_NUMBERS ? v->written_ms : v->written_ms - STORE_SOON_MS;
    }
    for (int i = 0; i < count; i++)
        visit_slots(v, &t->settled[i]);
}
