/* What a controller sees of a life: its writes by stream, each stream in order but late, with a late start or a gap,
 * after which the streams are listed. */
#include "base/mem.h"
#include "sim.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sight {
    int64_t at_ms;
    size_t order;
    const struct sim_write *write;
    enum observed what;
};

struct sights {
    struct sight *items;
    size_t count, capacity;
};

static void add(struct sights *s, int64_t at_ms, const struct sim_write *w, enum observed what) {
    MEM_GROW(s->items, s->count, s->capacity);
    s->items[s->count] = (struct sight){at_ms, s->count, w, what};
    s->count++;
}

static int compare(const void *a, const void *b) {
    const struct sight *x = a, *y = b;
    if (x->at_ms != y->at_ms)
        return x->at_ms < y->at_ms ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static bool is_seen(const struct sim_sight *s, const struct sim_write *w) {
    return w->at_ms >= s->begin_ms && !(w->at_ms >= s->gap_from_ms && w->at_ms < s->gap_to_ms) &&
           !(s->loses_events && w->resource == RESOURCE_EVENT);
}

/* All that exists at that time; what was seen before and is gone has vanished. */
static void list(struct sights *sights, const struct sim_life *l, const struct sim_sight *s, int64_t at_ms) {
    for (size_t i = 0; i < l->write_count && l->writes[i].at_ms < at_ms; i++) {
        const struct sim_write *w = &l->writes[i];
        bool is_last = true, was_seen = is_seen(s, w);
        for (size_t k = i + 1; k < l->write_count && l->writes[k].at_ms < at_ms && is_last; k++)
            is_last = l->writes[k].resource != w->resource || strcmp(l->writes[k].uid, w->uid) != 0;
        if (!is_last || (w->resource == RESOURCE_EVENT && s->loses_events))
            continue;
        for (size_t k = 0; k < i && !was_seen; k++)
            was_seen = l->writes[k].resource == w->resource && strcmp(l->writes[k].uid, w->uid) == 0 &&
                       is_seen(s, &l->writes[k]);
        if (w->what == OBSERVED_PRESENT)
            add(sights, at_ms, w, OBSERVED_PRESENT);
        else if (was_seen && !is_seen(s, w))
            add(sights, at_ms, w, OBSERVED_VANISHED);
    }
}

static int64_t random_lag(struct sim_sight *s, int64_t most_ms) {
    s->rng = s->rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((s->rng >> 33) % (uint64_t)(most_ms + 1));
}

static struct sights see(const struct sim_life *l, struct sim_sight *s) {
    struct sights sights = {0};
    int64_t last_ms[RESOURCE_COUNT];
    for (int r = 0; r < RESOURCE_COUNT; r++)
        last_ms[r] = INT64_MIN;
    if (s->begin_ms > INT64_MIN)
        list(&sights, l, s, s->begin_ms);
    if (s->gap_to_ms > s->gap_from_ms)
        list(&sights, l, s, s->gap_to_ms);
    for (size_t i = 0; i < l->write_count; i++) {
        const struct sim_write *w = &l->writes[i];
        if (!is_seen(s, w))
            continue;
        int64_t at_ms = w->at_ms + random_lag(s, s->lag_ms[w->resource]);
        if (w->at_ms < s->gap_from_ms && at_ms >= s->gap_from_ms)
            at_ms = s->gap_from_ms - 1;
        if (at_ms < last_ms[w->resource])
            at_ms = last_ms[w->resource];
        last_ms[w->resource] = at_ms;
        add(&sights, at_ms, w, w->what);
    }
    qsort(sights.items, sights.count, sizeof *sights.items, compare);
    return sights;
}

static void tell_jobgoodput(struct model *m, const struct sim_life *l) {
    char json[512];
    snprintf(
        json, sizeof json,
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"js\",\"uid\":\"jgp\",\"resourceVersion\":\"1\",\"generation\":"
        "1,"
        "\"creationTimestamp\":\"%s\"},\"spec\":{\"targetRef\":{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"name\":\"js\"},"
        "\"stepLog\":{\"source\":\"None\"}}}",
        sim_stamp(l->start_ms), l->shape.is_plain_job ? "batch/v1" : "jobset.x-k8s.io/v1alpha2",
        l->shape.is_plain_job ? "Job" : "JobSet");
    int r = model_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_PRESENT, slice_of("ns"), slice_of("js"), slice_of("jgp"),
                          slice_of(json), l->start_ms);
    assert(r == 0);
}

static void evaluate(struct model *m, int64_t now_ms) {
    CLEANUP_BUF struct buf out;
    struct model_summary summary;
    buf_init(&out, 1 << 20);
    for (enum resource r = 0; r < RESOURCE_COUNT; r++)
        model_watermark(m, r, now_ms, false);
    model_job_status(model_job_find(m, "ns", "js"), now_ms, &out, &summary);
}

struct model *sim_watch(const struct sim_life *l, struct sim_sight s) {
    struct model *m = model_new(&(struct model_options){.version = "sim"});
    struct sights sights = see(l, &s);
    tell_jobgoodput(m, l);
    for (size_t i = 0; i < sights.count; i++) {
        const struct sight *x = &sights.items[i];
        bool is_named = x->write->resource == RESOURCE_NODE;
        int r = model_observe(m, x->write->resource, x->what, slice_of(is_named ? "" : "ns"), slice_of(x->write->name),
                              slice_of(x->write->uid),
                              x->what == OBSERVED_VANISHED ? slice_of("") : slice_of(x->write->json), x->at_ms);
        assert(r == 0);
        if (s.evaluates_often && random_lag(&s, 9) == 0)
            evaluate(m, x->at_ms);
    }
    free(sights.items);
    evaluate(m, (s.gap_to_ms > l->end_ms ? s.gap_to_ms : l->end_ms) + 20000);
    return m;
}
