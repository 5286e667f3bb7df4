#include "operator/model/model.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "operator/job/chip.h"
#include "operator/job/final.h"
#include "operator/job/formats.h"
#include "operator/job/free.h"
#include "operator/job/job.h"
#include "operator/job/target.h"
#include "operator/model/checkpoint.h"
#include "operator/model/formats.h"
#include "operator/status/observed.h"
#include "operator/store/forget.h"
#include "operator/store/observe_cluster.h"
#include "operator/store/observe_pod.h"
#include "operator/store/observe_target.h"
#include "operator/store/sweep.h"
#include "operator/store/unwatched.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct model *model_new(const struct model_options *options) {
    struct model *m = mem_new(struct model);
    slice_copy(m->version, sizeof m->version, slice_of(options->version));
    m->keeps_checkpoints = options->keeps_checkpoints;
    m->forget_after_ms = options->forget_after_ms > 0 ? options->forget_after_ms : MODEL_FORGET_AFTER_MS;
    m->chip_peaks = options->chip_peaks ? slice_dup(slice_of(options->chip_peaks)) : NULL;
    m->chip_prices = options->chip_prices ? slice_dup(slice_of(options->chip_prices)) : NULL;
    struct slice documentation =
        slice_of(options->documentation_url ? options->documentation_url : MODEL_DOCUMENTATION);
    while (documentation.size_bytes > 0 && documentation.data[documentation.size_bytes - 1] == '/')
        documentation.size_bytes--;
    m->documentation_url = slice_dup(documentation);
    slice_copy(m->currency, sizeof m->currency, slice_of(options->currency ? options->currency : "USD"));
    map_init(&m->targets, NULL);
    map_init(&m->names, NULL);
    map_init(&m->pods, NULL);
    map_init(&m->kube_jobs, NULL);
    map_init(&m->workloads, NULL);
    map_init(&m->nodes, NULL);
    map_init(&m->events, store_events_free);
    map_init(&m->refusals, free);
    map_init(&m->strings, free);
    map_init(&m->jobs, NULL);
    map_init(&m->by_target, NULL);
    map_init(&m->formats, format_free);
    map_init(&m->log_work, free);
    for (int r = 0; r < RESOURCE_COUNT; r++)
        m->watermark_ms[r] = TIME_UNKNOWN;
    m->pods_complete_ms = m->receipt_ms = m->received_ms = TIME_UNKNOWN;
    m->watching_ms = TIME_OPEN;
    return m;
}

void model_free(struct model *m) {
    if (m == NULL)
        return;
    for (size_t i = 0; i < m->dirty_count; i++)
        if (m->dirty[i]->is_deleted)
            job_free(m->dirty[i]);
    for (size_t i = 0; i < m->jobs.count; i++)
        job_free(m->jobs.entries[i].value);
    if (m->gone)
        job_free(m->gone);
    map_done(&m->jobs);
    map_done(&m->by_target);
    map_done(&m->formats);
    map_done(&m->log_work);
    store_done(m);
    free(m->dirty);
    free(m->chip_peaks);
    free(m->chip_prices);
    free(m->documentation_url);
    free(m);
}

/* ---- JobGoodputs ---- */

static struct slice job_key(char out[static 520], const char *namespace_, const char *name) {
    int n = snprintf(out, 520, "%s/%s", namespace_, name);
    return (struct slice){out, n < 520 ? (size_t)n : 519};
}

static uint64_t mixed(uint64_t hash, const void *data, size_t size) {
    return hash * UINT64_C(1099511628211) ^ slice_hash((struct slice){data, size});
}

/* How the ledger counts. */
static uint64_t counting_hash(const struct model_job *job) {
    uint64_t hash = mixed(1, &job->spec.options, sizeof job->spec.options);
    return mixed(hash, job->spec.required, sizeof job->spec.required); /* interned: the same text is the same pointer */
}

/* What its records come from: of another log none of them holds. The same in every process: checkpoints have it. */
static uint64_t log_hash(const struct model_job *job) {
    const char *texts[] = {job->spec.log.source,         job->spec.log.format,  job->spec.log.container,
                           job->spec.log.replicated_job, job->spec.target_name, job->spec.log.path,
                           job->spec.log.project,        job->spec.log.logger,  job->spec.log.job_name};
    uint64_t hash = 1;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        hash = mixed(hash, texts[i], strlen(texts[i]));
    for (int i = 0; i < OBJECT_REGEXES; i++)
        hash =
            mixed(hash, job->spec.log.patterns[i], job->spec.log.patterns[i] ? strlen(job->spec.log.patterns[i]) : 0);
    int64_t numbers[] = {job->spec.log.job_index, job->spec.log.completion_index, (int64_t)job->spec.target_kind};
    return mixed(hash, numbers, sizeof numbers);
}

/* The longest name that an object may have. */
static struct slice bounded(struct slice name) {
    name.size_bytes = name.size_bytes < 253 ? name.size_bytes : 253;
    return name;
}

static void own_text(char **to, struct slice text) {
    free(*to);
    *to = slice_dup(bounded(text));
}

static void apply_spec(struct model *m, struct model_job *job, const struct object_jobgoodput *o) {
    job_aim(job, slice_is(o->target_kind, "Job") ? TARGET_JOB : TARGET_JOBSET, bounded(o->target_name));
    memset(job->spec.required, 0, sizeof job->spec.required);
    job->spec.required_count = o->required_count;
    for (int i = 0; i < o->required_count; i++)
        job->spec.required[i] = store_intern(m, o->required[i]);
    job->spec.log.source = store_intern(m, o->source);
    job->spec.log.kind = model_source_kind_of(o->source);
    job->spec.log.format = store_intern(m, o->format);
    job->spec.log.container = store_intern(m, o->container);
    job->spec.log.replicated_job = store_intern(m, o->log_job);
    own_text(&job->spec.log.path, o->log_path);
    own_text(&job->spec.log.project, o->log_project);
    own_text(&job->spec.log.logger, o->log_logger);
    own_text(&job->spec.log.job_name, o->log_job_name);
    job->spec.log.job_index = o->log_job_index;
    job->spec.log.completion_index = o->log_completion_index;
    job_set_patterns(job, o);
    memset(&job->spec.options, 0, sizeof job->spec.options);
    job->spec.options.ideal_step_ms = o->ideal_step_ms;
    job->spec.options.hang_after_ms = o->hang_after_ms;
    memcpy(job->spec.options.windows_ms, o->windows_ms, sizeof o->windows_ms);
    job->spec.options.window_count = o->window_count;
    job->spec.options.has_log = strcmp(job->spec.log.source, "None") != 0;
    job->spec.program = o->program;
    job->spec.total_steps = o->total_steps;
    job->spec.price = o->cost.price;
    slice_copy(job->spec.currency, sizeof job->spec.currency, o->cost.currency);
}

static void delete_job(struct model *m, struct model_job *job) {
    char key[520];
    job->is_deleted = true;
    map_take(&m->jobs, job_key(key, job->namespace_, job->name));
    job_set_target(job, NULL);
    job_free_earlier(job);
    job_take_aim_off(job);
    job_mark_dirty(m, job);
    store_trim(m);
}

static struct model_job *new_job(struct model *m, const struct object_meta *meta, int64_t received_ms) {
    char key[520];
    struct model_job *job = mem_new(struct model_job);
    job->model = m;
    job->namespace_ = slice_dup(meta->namespace_);
    job->name = slice_dup(meta->name);
    job->uid = slice_dup(meta->uid);
    job->created_ms = meta->created_ms != TIME_UNKNOWN ? meta->created_ms : received_ms;
    job->log.watermark_ms = job->observation.newest_ms = job->observation.through_ms = job->facts.hold_end_ms =
        job->observation.end_ms = TIME_UNKNOWN;
    job->facts.hold.kind = BUCKET_COUNT;
    job->log.trace.max_points = JOB_TRACE_POINTS;
    for (int i = 0; i < JOB_CONDITIONS; i++)
        job->publication.conditions[i].at_ms = TIME_UNKNOWN;
    map_put(&m->jobs, job_key(key, job->namespace_, job->name), job);
    return job;
}

/* From what a predecessor knew; if that cannot be, from what the cluster still shows. */
static void go_on(struct model_job *job, struct object_jobgoodput *o) {
    CLEANUP_ERROR struct error *err = NULL;
    struct slice rest = o->checkpoint, checkpoint;
    if (!slice_take_until(&rest, MODEL_CHECKPOINT_END, &checkpoint))
        checkpoint = o->checkpoint;
    if (checkpoint_read(job, checkpoint, &err) == 0)
        return;
    snprintf(job->observation.trouble, sizeof job->observation.trouble,
             "status.checkpoint is set aside: %s; what is counted is what the cluster still shows", error_text(err));
    o->checkpoint.size_bytes = 0;
    job_find_final(job, o);
}

static int observe_jobgoodput(struct model *m, enum observed what, struct slice namespace_, struct slice name,
                              struct slice json, int64_t received_ms) {
    char key[520];
    CLEANUP_FREE char *ns = slice_dup(namespace_);
    CLEANUP_FREE char *n = slice_dup(name);
    struct model_job *job = map_get(&m->jobs, job_key(key, ns, n));
    if (what != OBSERVED_PRESENT) {
        if (job)
            delete_job(m, job);
        return 0;
    }
    struct object_jobgoodput o;
    int err = object_jobgoodput_parse(json, &o);
    if (err < 0)
        return err;
    if (job && !slice_is(o.meta.uid, job->uid)) {
        delete_job(m, job);
        job = NULL;
    }
    bool is_new = job == NULL;
    if (is_new)
        job = new_job(m, &o.meta, received_ms);
    if (is_new)
        job_find_previous(job, &o);
    job_remember_chip(job, &o);
    job_find_final(job, &o);
    job_drop_final(job, job->target);
    if (!is_new && o.meta.generation == job->spec.generation)
        return 0; /* our own status came back */
    job->spec.generation = o.meta.generation;
    apply_spec(m, job, &o);
    uint64_t counting = counting_hash(job), log = log_hash(job);
    if (!is_new && log != job->spec.log_hash)
        job_begin_anew(job);
    else if (!is_new && counting != job->spec.counting_hash)
        job_count_otherwise(job);
    job->spec.log_hash = log;
    job->spec.counting_hash = counting;
    if (is_new && m->keeps_checkpoints && o.checkpoint.size_bytes > 0)
        go_on(job, &o);
    job_find_target(job);
    job_mark_dirty(m, job);
    return 0;
}

/* ---- model.h ---- */

int model_observe(struct model *m, enum resource resource, enum observed what, struct slice namespace_,
                  struct slice name, struct slice uid, struct slice object, int64_t received_ms) {
    int r = -EINVAL;
    m->receipt_ms = received_ms;
    if (resource != RESOURCE_JOBGOODPUT && resource != RESOURCE_STEPLOGFORMAT)
        store_watching(m, received_ms);
    if (resource < RESOURCE_COUNT && received_ms > m->watermark_ms[resource] &&
        m->watermark_ms[resource] != TIME_UNKNOWN)
        m->watermark_ms[resource] = received_ms;
    /* JSON holds no NUL byte (RFC 8259), and a uid that ends at one in C is not the key that it was as bytes. */
    bool has_nul = object.size_bytes > 0 && memchr(object.data, '\0', object.size_bytes) != NULL;
    switch (has_nul ? RESOURCE_COUNT : resource) {
    case RESOURCE_JOBGOODPUT:
        r = observe_jobgoodput(m, what, namespace_, name, object, received_ms);
        break;
    case RESOURCE_JOBSET:
        r = observe_jobset(m, what, uid, object, received_ms);
        break;
    case RESOURCE_JOB:
        r = observe_job(m, what, uid, object, received_ms);
        break;
    case RESOURCE_POD:
        r = observe_pod(m, what, uid, object, received_ms);
        break;
    case RESOURCE_NODE:
        r = observe_node(m, what, name, object, received_ms);
        break;
    case RESOURCE_WORKLOAD:
        r = observe_workload(m, what, uid, object, received_ms);
        break;
    case RESOURCE_EVENT:
        r = observe_event(m, what, object);
        break;
    case RESOURCE_NODE_LEASE:
        r = observe_lease(m, what, object);
        break;
    case RESOURCE_STEPLOGFORMAT:
        r = observe_steplogformat(m, what, name, object, received_ms);
        break;
    case RESOURCE_COUNT:
        break;
    }
    job_take_touched(m);
    m->receipt_ms = TIME_UNKNOWN;
    m->malformed += r < 0;
    return r;
}

void model_watermark(struct model *m, enum resource resource, int64_t received_ms, bool is_absent) {
    m->is_absent[resource] = is_absent;
    if (!is_absent && resource != RESOURCE_JOBGOODPUT && resource != RESOURCE_STEPLOGFORMAT)
        store_watching(m, received_ms);
    if (!is_absent && !m->is_swept[resource]) {
        m->is_swept[resource] = true;
        m->receipt_ms = received_ms;
        store_sweep(m, resource, received_ms);
        job_take_touched(m);
        m->receipt_ms = TIME_UNKNOWN;
    }
    if (!is_absent && resource == RESOURCE_POD && received_ms > m->pods_complete_ms)
        m->pods_complete_ms = received_ms;
    if (!is_absent && received_ms > m->watermark_ms[resource])
        m->watermark_ms[resource] = received_ms;
    job_take_touched(m);
}

void model_forbidden(struct model *m, enum resource resource, struct slice namespace_, const char *words,
                     int64_t through_ms) {
    bool has_changed = store_forbid(m, resource, namespace_, words, through_ms);
    job_take_touched(m);
    if (!has_changed)
        return;
    for (size_t i = 0; i < m->jobs.count; i++) {
        struct model_job *job = m->jobs.entries[i].value;
        if (namespace_.size_bytes == 0 || slice_is(namespace_, job->namespace_))
            job_mark_dirty(m, job);
    }
}

void model_unwatched(struct model *m, int64_t from_ms, int64_t to_ms) {
    store_cut(m, from_ms, to_ms);
    job_take_touched(m);
}

void model_unreachable(struct model *m, int64_t from_ms, int64_t to_ms) {
    if (from_ms >= to_ms)
        return;
    spans_add(&m->unreachable, from_ms, to_ms);
    for (size_t i = 0; i < m->nodes.count; i++)
        if (node_past(m->nodes.entries[i].value)->trouble_count > 0)
            store_touch_node(m, m->nodes.entries[i].value);
    job_take_touched(m);
}

struct model_job *model_next_dirty(struct model *m) {
    if (m->gone) { /* returned by the call before: nobody holds it any more */
        job_free(m->gone);
        m->gone = NULL;
    }
    assert(m->touched_count == 0);
    if (m->dirty_count == 0)
        return NULL;
    struct model_job *job = m->dirty[--m->dirty_count];
    job->is_dirty = false;
    if (job->is_deleted)
        m->gone = job;
    return job;
}

size_t model_job_count(const struct model *m) {
    return m->jobs.count;
}

struct model_job *model_job_at(struct model *m, size_t index) {
    return m->jobs.entries[index].value;
}

struct model_job *model_job_find(struct model *m, const char *namespace_, const char *name) {
    char key[520];
    return map_get(&m->jobs, job_key(key, namespace_, name));
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
    return view_known_ms(m, now_ms);
}
