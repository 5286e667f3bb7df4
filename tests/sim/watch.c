/* What a controller sees of a life: its writes by stream, each stream in order but late, with a late start or a gap,
 * after which the streams are listed. */
#include "base/mem.h"
#include "base/minmax.h"
#include "fake_objects.h"
#include "operator/model/evaluate.h"
#include "sim.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOOKMARK_MS 60000

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
    bool is_hidden = s->loses_events && w->resource == RESOURCE_EVENT;
    for (int g = 0; g < s->gap_count; g++)
        is_hidden |= w->at_ms >= s->gaps[g].from_ms && w->at_ms < s->gaps[g].to_ms;
    return !is_hidden;
}

static bool is_same_object(const struct sim_write *a, const struct sim_write *b) {
    return a->resource == b->resource && strcmp(a->uid, b->uid) == 0;
}

/* All that exists at its end. A controller that lives on also learns what vanished of what it knew. */
static void list(struct sights *sights, const struct sim_life *l, const struct sim_sight *s,
                 const struct sim_gap *gap) {
    for (size_t i = 0; i < l->write_count && l->writes[i].at_ms < gap->to_ms; i++) {
        const struct sim_write *w = &l->writes[i];
        bool is_last = true, was_known = false;
        for (size_t k = i + 1; k < l->write_count && l->writes[k].at_ms < gap->to_ms && is_last; k++)
            is_last = !is_same_object(&l->writes[k], w);
        if (!is_last || (w->resource == RESOURCE_EVENT && s->loses_events))
            continue;
        for (size_t k = 0; k < i && !was_known; k++)
            was_known = is_same_object(&l->writes[k], w) && l->writes[k].at_ms < gap->from_ms;
        if (w->what == OBSERVED_PRESENT)
            add(sights, gap->to_ms, w, OBSERVED_PRESENT);
        else if (was_known && w->at_ms >= gap->from_ms && !gap->is_kill)
            add(sights, gap->to_ms, w, OBSERVED_VANISHED);
    }
}

static int64_t random_lag(struct sim_sight *s, int64_t max_ms) {
    s->rng = s->rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((s->rng >> 33) % (uint64_t)(max_ms + 1));
}

static struct sights see(const struct sim_life *l, struct sim_sight *s) {
    struct sights sights = {0};
    int64_t last_ms[RESOURCE_COUNT];
    for (int r = 0; r < RESOURCE_COUNT; r++)
        last_ms[r] = INT64_MIN;
    for (int g = 0; g < s->gap_count; g++)
        list(&sights, l, s, &s->gaps[g]);
    for (size_t i = 0; i < l->write_count; i++) {
        const struct sim_write *w = &l->writes[i];
        if (!is_seen(s, w))
            continue;
        int64_t at_ms = w->at_ms + random_lag(s, s->lag_ms[w->resource]);
        for (int g = 0; g < s->gap_count; g++)
            if (w->at_ms < s->gaps[g].from_ms && at_ms >= s->gaps[g].from_ms)
                at_ms = s->gaps[g].from_ms - 1;
        if (at_ms < last_ms[w->resource])
            at_ms = last_ms[w->resource];
        last_ms[w->resource] = at_ms;
        add(&sights, at_ms, w, w->what);
    }
    qsort(sights.items, sights.count, sizeof *sights.items, compare);
    return sights;
}

/* status: of a predecessor; "" */
static void observe_jobgoodput(struct model *m, const struct sim_life *l, const char *status) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"js\",\"uid\":\"jgp\",\"labels\":{\"team\":\"%s\"},"
        "\"resourceVersion\":\"1\",\"generation\":"
        "1,"
        "\"creationTimestamp\":\"%s\"},\"spec\":{\"targetRef\":{\"apiGroup\":\"%s\",\"kind\":\"%s\",\"name\":\"js\"},"
        "%s\"stepLog\":{\"source\":\"None\"}}%s%s}",
        l->seed % 3 == 0 ? "ads" : "search", sim_stamp(l->start_ms),
        l->shape.is_plain_job ? "batch" : "jobset.x-k8s.io", l->shape.is_plain_job ? "Job" : "JobSet",
        l->shape.names_required ? "\"requiredReplicatedJobs\":[\"slice0\"]," : "", status[0] ? ",\"status\":" : "",
        status);
    int r = model_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_PRESENT, slice_of("ns"), slice_of("js"), slice_of("jgp"),
                          slice_of(json), l->start_ms);
    assert(r == 0);
}

static void deliver_all(struct model *m, int64_t at_ms) {
    for (enum resource r = 0; r < RESOURCE_COUNT; r++)
        model_watermark(m, r, at_ms, false);
}

static char *evaluate(struct model *m, int64_t now_ms, bool for_successor) {
    struct buf out;
    struct model_summary summary;
    buf_init(&out, 1 << 20);
    deliver_all(m, now_ms);
    model_job_status(model_job_find(m, "ns", "js"), now_ms, &out, &summary);
    if (for_successor)
        model_job_add_checkpoint(model_job_find(m, "ns", "js"), now_ms, &out);
    return buf_take(&out);
}

static void observe(struct model *m, const struct sight *x, bool has_other_uids, int64_t at_ms) {
    bool is_named = x->write->resource == RESOURCE_NODE;
    struct slice uid = slice_of(x->write->uid);
    struct slice json = x->what == OBSERVED_VANISHED ? slice_of("") : slice_of(x->write->json);
    CLEANUP_FREE char *other_uid = has_other_uids ? fake_other_uid(uid) : NULL;
    CLEANUP_FREE char *other_json = has_other_uids ? fake_other_uids(json) : NULL;
    int r = model_observe(m, x->write->resource, x->what, slice_of(is_named ? "" : "ns"), slice_of(x->write->name),
                          other_uid != NULL ? slice_of(other_uid) : uid,
                          other_json != NULL ? slice_of(other_json) : json, at_ms);
    assert(r == 0);
}

static struct model *begin(const struct sim_life *l, const struct sim_sight *s, const char *status) {
    struct model *m = model_new(&(struct model_options){
        .keeps_checkpoints = true, .archives = getenv("SIM_ARCHIVE") != NULL, .forget_after_ms = s->forget_after_ms});
    observe_jobgoodput(m, l, status);
    return m;
}

struct watcher {
    const struct sim_life *life;
    struct sim_sight *sight;
    struct sights sights;
    struct model *model;
    int kills;
    bool is_blind; /* it has listed nothing yet */
};

/* Another controller, which finds the status and lists what there is after the first n sights. While the watches are
 * cut the status is of before, and the list is the one that comes next. */
static struct model *succeed(struct model *old, const struct watcher *w, size_t n, int64_t at_ms, bool is_cut) {
    const struct sim_life *l = w->life;
    const struct sights *s = &w->sights;
    CLEANUP_FREE char *status = evaluate(old, at_ms, true);
    model_free(old);
    struct model *m = begin(l, w->sight, status);
    if (is_cut)
        return m;
    for (size_t i = 0; i < n; i++) {
        bool is_last = s->items[i].what == OBSERVED_PRESENT;
        for (size_t k = i + 1; k < n && is_last; k++)
            is_last = s->items[k].write->resource != s->items[i].write->resource ||
                      strcmp(s->items[k].write->uid, s->items[i].write->uid) != 0;
        if (is_last)
            observe(m, &s->items[i], w->sight->has_other_uids, at_ms);
    }
    free(evaluate(m, at_ms, false));
    return m;
}

/* Once a minute, while it watches, everything before is known to be delivered. */
static void bookmark(struct model *m, const struct sim_sight *s, int64_t now_ms) {
    int64_t at_ms = now_ms / BOOKMARK_MS * BOOKMARK_MS - 1000; /* no event lags as much */
    for (int g = 0; g < s->gap_count; g++)
        if (at_ms >= s->gaps[g].from_ms && at_ms < s->gaps[g].to_ms)
            return;
    deliver_all(m, at_ms);
}

/* The list after a gap begins. Until the gap its watches were connected, so everything before it was delivered. */
static void begin_list(struct watcher *w, const struct sim_gap *gap) {
    if (gap->from_ms == INT64_MIN)
        return;
    deliver_all(w->model, gap->from_ms);
    if (!gap->is_kill) {
        model_unwatched(w->model, gap->from_ms, gap->to_ms);
        return;
    }
    CLEANUP_FREE char *status = evaluate(w->model, gap->from_ms, true);
    model_free(w->model);
    w->model = begin(w->life, w->sight, status);
}

static const struct sim_gap *gap_listed_at(const struct sim_sight *s, int64_t at_ms) {
    for (int g = 0; g < s->gap_count; g++)
        if (s->gaps[g].to_ms == at_ms)
            return &s->gaps[g];
    return NULL;
}

/* One sight, and who sees it. A successor that has listed nothing yet writes nothing. */
static void watch_one(struct watcher *w, size_t i) {
    const struct sim_sight *s = w->sight;
    const struct sight *x = &w->sights.items[i];
    const struct sim_gap *gap = gap_listed_at(s, x->at_ms);
    bool is_to_die = false;
    for (; w->kills < SIM_KILLS && s->killed_ms[w->kills] > 0 && x->at_ms >= s->killed_ms[w->kills]; w->kills++)
        is_to_die = true;
    if (gap && (i == 0 || w->sights.items[i - 1].at_ms != x->at_ms))
        begin_list(w, gap);
    if (!w->is_blind && !gap)
        bookmark(w->model, s, x->at_ms);
    if (is_to_die && !w->is_blind && !(gap && gap->from_ms == INT64_MIN)) {
        int64_t written_ms = gap ? gap->from_ms : x->at_ms;
        if (!s->survives)
            w->model = succeed(w->model, w, i, written_ms, gap != NULL);
        else /* the last status shows until when it watched, to both */
            free(evaluate(w->model, written_ms, true));
        w->is_blind = gap != NULL && !s->survives;
    }
    observe(w->model, x, s->has_other_uids, x->at_ms);
    if (i + 1 < w->sights.count && w->sights.items[i + 1].at_ms == x->at_ms)
        return;
    if (gap)
        deliver_all(w->model, x->at_ms);
    w->is_blind &= gap == NULL;
    if (s->evaluates_often && random_lag(w->sight, 9) == 0)
        free(evaluate(w->model, x->at_ms, false));
}

struct model *sim_watch(const struct sim_life *l, struct sim_sight s, char **ret_status) {
    struct watcher w = {.life = l, .sight = &s, .sights = see(l, &s), .model = begin(l, &s, "")};
    for (size_t i = 0; i < w.sights.count; i++)
        watch_one(&w, i);
    free(w.sights.items);
    int64_t last_ms = s.gap_count > 0 ? s.gaps[s.gap_count - 1].to_ms : 0;
    char *status = evaluate(w.model, max_of(last_ms, l->end_ms) + 20000, false);
    if (ret_status)
        *ret_status = status;
    else
        free(status);
    return w.model;
}
