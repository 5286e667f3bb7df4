#include "operator/model/model.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "formulas/owners.h"
#include "operator/job/formats.h"
#include "operator/job/free.h"
#include "operator/job/job.h"
#include "operator/job/target.h"
#include "operator/model/formats.h"
#include "operator/model/jobgoodput.h"
#include "operator/model/model_internal.h"
#include "operator/status/observed.h"
#include "operator/store/forget.h"
#include "operator/store/observe.h"
#include "operator/store/observe_pod.h"
#include "operator/store/unwatched.h"
#include "rootcause/signatures.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static struct jobs_settings settings_of(const struct model_options *options) {
    struct jobs_settings s = {.keeps_checkpoints = options->keeps_checkpoints,
                              .archives = options->archives,
                              .reads_last_words = options->reads_last_words,
                              .forget_after_ms =
                                  options->forget_after_ms > 0 ? options->forget_after_ms : MODEL_FORGET_AFTER_MS,
                              .chip_peaks = options->chip_peaks ? mem_strdup(options->chip_peaks) : NULL,
                              .chip_prices = options->chip_prices ? mem_strdup(options->chip_prices) : NULL,
                              .cluster_name = options->cluster_name ? mem_strdup(options->cluster_name) : NULL};
    s.owner_policy = options->owner_policy ? owners_policy_parse(slice_of(options->owner_policy), NULL) : NULL;
    struct slice url = slice_of(options->documentation_url ? options->documentation_url : MODEL_DOCUMENTATION);
    while (url.size_bytes > 0 && url.data[url.size_bytes - 1] == '/')
        url.size_bytes--;
    s.documentation_url = slice_dup(url);
    slice_copy(s.currency, sizeof s.currency, slice_of(options->currency ? options->currency : "USD"));
    return s;
}

struct model *model_new(const struct model_options *options) {
    struct model *m = mem_new(struct model);
    store_init(&m->store);
    m->node_signals = node_signals_new();
    int r = options->node_signals ? node_signals_add(m->node_signals, slice_of(options->node_signals), NULL) : 0;
    assert(r == 0); /* it was read before */
    (void)r;
    m->store.signals = m->node_signals;
    m->jobs = (struct jobs){.store = &m->store, .settings = settings_of(options), .receipt_ms = TIME_UNKNOWN};
    map_init(&m->jobs.by_name, NULL);
    map_init(&m->jobs.by_target, NULL);
    map_init(&m->jobs.formats, format_free);
    map_init(&m->jobs.log_work, free);
    return m;
}

static void jobs_done(struct jobs *jobs) {
    for (size_t i = 0; i < jobs->dirty_count; i++)
        if (jobs->dirty[i]->is_deleted)
            job_free(jobs->dirty[i]);
    for (size_t i = 0; i < jobs->by_name.count; i++)
        job_free(map_at(&jobs->by_name, i));
    map_done(&jobs->by_name);
    map_done(&jobs->by_target);
    map_done(&jobs->formats);
    map_done(&jobs->log_work);
    free(jobs->dirty);
    matcher_free(jobs->matcher);
    free(jobs->settings.chip_peaks);
    free(jobs->settings.chip_prices);
    free(jobs->settings.documentation_url);
    free(jobs->settings.cluster_name);
    owners_policy_free(jobs->settings.owner_policy);
}

void model_free(struct model *m) {
    if (m == NULL)
        return;
    if (m->deleted)
        job_free(m->deleted);
    jobs_done(&m->jobs);
    store_done(&m->store);
    node_signals_free(m->node_signals);
    free(m);
}

bool model_knows_pod(const struct model *m, struct slice uid) {
    return observe_knows_pod(&m->store, uid);
}

int model_observe(struct model *m, enum resource resource, enum observed what, struct slice namespace_,
                  struct slice name, struct slice uid, struct slice object, int64_t received_ms) {
    int r;
    if (resource >= RESOURCE_COUNT)
        return -EINVAL;
    m->jobs.receipt_ms = received_ms;
    store_receive(&m->store, resource, received_ms);
    /* JSON holds no NUL byte (RFC 8259), and a uid that ends at one in C is not the key that it was as bytes. */
    if (object.size_bytes > 0 && memchr(object.data, '\0', object.size_bytes) != NULL)
        r = -EINVAL;
    else if (resource == RESOURCE_JOBGOODPUT)
        r = observe_jobgoodput(&m->jobs, what, namespace_, name, object, received_ms);
    else if (resource == RESOURCE_STEPLOGFORMAT)
        r = observe_steplogformat(&m->jobs, what, name, object, received_ms);
    else
        r = store_observe(&m->store, resource, what, namespace_, name, uid, object, received_ms);
    jobs_take_touched(&m->jobs);
    m->jobs.receipt_ms = TIME_UNKNOWN;
    return r;
}

void model_watermark(struct model *m, enum resource resource, int64_t received_ms, bool is_absent) {
    bool was_absent = m->store.is_absent[resource];
    m->jobs.receipt_ms = received_ms;
    store_complete(&m->store, resource, received_ms, is_absent);
    jobs_take_touched(&m->jobs);
    for (size_t i = 0; i < m->jobs.by_name.count && was_absent != is_absent; i++) {
        struct model_job *job = map_at(&m->jobs.by_name, i);
        if (job->target == NULL && kind_is_of(job->spec.target_kind, resource))
            job_mark_dirty(job);
    }
    m->jobs.receipt_ms = TIME_UNKNOWN;
}

void model_forbidden(struct model *m, enum resource resource, struct slice namespace_, const char *words,
                     int64_t through_ms) {
    bool has_changed = store_forbid(&m->store, resource, namespace_, words, through_ms);
    jobs_take_touched(&m->jobs);
    if (!has_changed)
        return;
    for (size_t i = 0; i < m->jobs.by_name.count; i++) {
        struct model_job *job = map_at(&m->jobs.by_name, i);
        if (namespace_.size_bytes == 0 || slice_is(namespace_, job->namespace_))
            job_mark_dirty(job);
    }
}

void model_unwatched(struct model *m, int64_t from_ms, int64_t to_ms) {
    store_cut(&m->store, from_ms, to_ms);
    jobs_take_touched(&m->jobs);
}

void model_unreachable(struct model *m, int64_t from_ms, int64_t to_ms) {
    store_unreachable(&m->store, from_ms, to_ms);
    jobs_take_touched(&m->jobs);
}

int64_t model_working_nodes(const struct model *m, const char *pool) {
    int64_t count = 0;
    for (size_t i = 0; i < m->store.nodes.count; i++) {
        const struct node *n = map_at(&m->store.nodes, i);
        count += n->pods != NULL && strcmp(n->pool, pool) == 0;
    }
    return count;
}

struct model_job *model_next_dirty(struct model *m) {
    if (m->deleted) { /* returned by the call before: its holder is done with it */
        job_free(m->deleted);
        m->deleted = NULL;
    }
    assert(m->store.touched_count == 0);
    if (m->jobs.dirty_count == 0)
        return NULL;
    struct model_job *job = m->jobs.dirty[--m->jobs.dirty_count];
    job->is_dirty = false;
    if (job->is_deleted)
        m->deleted = job;
    return job;
}

size_t model_job_count(const struct model *m) {
    return m->jobs.by_name.count;
}

struct model_job *model_job_at(struct model *m, size_t index) {
    return map_at(&m->jobs.by_name, index);
}

struct model_job *model_job_find(struct model *m, const char *namespace_, const char *name) {
    char key[JOBS_NAME_KEY];
    return map_get(&m->jobs.by_name, jobs_name_key(key, namespace_, name));
}

const char *model_job_namespace(const struct model_job *job) {
    return job->namespace_;
}

const char *model_job_name(const struct model_job *job) {
    return job->name;
}

const char *model_job_uid(const struct model_job *job) {
    return job->uid;
}

const char *model_job_target_uid(const struct model_job *job) {
    return job->target != NULL ? job->target->uid : "";
}

void model_job_resume(struct model_job *job, int64_t missed_until_ms, int64_t now_ms) {
    struct target *t = job->target;
    if (t == NULL)
        return;
    t->watch.resumed_ms = missed_until_ms != TIME_UNKNOWN ? min_of(missed_until_ms, now_ms) : t->watch.known_ms;
    t->is_restored &= missed_until_ms != TIME_UNKNOWN;
}

bool model_job_is_deleted(const struct model_job *job) {
    return job->is_deleted;
}

bool model_job_is_final(const struct model_job *job) {
    return job->publication.is_final || job->final.status != NULL;
}

void *model_job_user(const struct model_job *job) {
    return job->user;
}

void model_job_set_user(struct model_job *job, void *user) {
    job->user = user;
}

int64_t model_known_ms(const struct model *m, int64_t now_ms) {
    return view_known_ms(&m->store, now_ms);
}
