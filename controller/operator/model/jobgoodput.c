#include "operator/model/jobgoodput.h"
#include "base/hash.h"
#include "base/mem.h"
#include "operator/job/chip.h"
#include "operator/job/final.h"
#include "operator/job/free.h"
#include "operator/job/job.h"
#include "operator/job/target.h"
#include "operator/model/checkpoint.h"
#include "operator/model/model.h"
#include "operator/store/forget.h"
#include "operator/store/kinds.h"

#include <stdio.h>
#include <string.h>

#define LABELS_MAX_BYTES ((size_t)32 << 10)
#define TRACE_POINTS 256 /* of steps, and of saves: 12 KiB at most, for a picture */

/* Of the options that decide how the ledger counts. */
static uint64_t counting_hash(const struct model_job *job) {
    uint64_t hash = hash_local(0, HASH_BYTES(&job->spec.options));
    return hash_local(hash, slice_of(job->spec.required));
}

/* Identifies the log: records of another log do not count. Checkpoints store it, so every process computes the same. */
static uint64_t log_hash(const struct model_job *job) {
    const char *texts[] = {job->spec.log.source,         job->spec.log.format,  job->spec.log.container,
                           job->spec.log.replicated_job, job->spec.target_name, job->spec.log.path,
                           job->spec.log.project,        job->spec.log.logger,  job->spec.log.job_name};
    uint64_t hash = 0;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        hash = hash_stable(hash, slice_of(texts[i]));
    for (int i = 0; i < OBJECT_REGEXES; i++)
        hash = hash_stable(hash, slice_of(job->spec.log.patterns[i]));
    int64_t numbers[] = {job->spec.log.job_index, job->spec.log.completion_index, (int64_t)job->spec.target_kind};
    return hash_stable(hash, HASH_BYTES(&numbers));
}

/* To the greatest length of an object's name. */
static struct slice bounded(struct slice name) {
    name.size_bytes = name.size_bytes < 253 ? name.size_bytes : 253;
    return name;
}

static void own_text(char **to, struct slice text) {
    free(*to);
    *to = slice_dup(bounded(text));
}

static void own_labels(struct model_job *job, struct slice labels) {
    free(job->labels);
    job->labels = labels.size_bytes > 0 && labels.size_bytes <= LABELS_MAX_BYTES ? slice_dup(labels) : NULL;
}

static void own_required(struct model_job *job, const struct object_jobgoodput *o) {
    CLEANUP_BUF struct buf names;
    buf_init(&names, OBJECT_REPLICATED_JOBS * 256);
    for (int i = 0; i < o->required_count; i++) {
        buf_append_slice(&names, bounded(o->required[i]));
        buf_append_char(&names, '\n');
    }
    free(job->spec.required);
    job->spec.required = o->required_count > 0 ? slice_dup(buf_slice(&names)) : NULL;
}

static void apply_spec(struct jobs *jobs, struct model_job *job, const struct object_jobgoodput *o) {
    enum target_kind kind = TARGET_JOBSET; /* the schema lets no kind pass that is not known */
    kind_find(o->target_kind, &kind);
    job_aim(job, kind, bounded(o->target_name));
    own_required(job, o);
    job->spec.log.source = store_intern(jobs->store, o->source);
    job->spec.log.kind = model_source_kind_of(o->source);
    job->spec.log.format = store_intern(jobs->store, o->format);
    job->spec.log.container = store_intern(jobs->store, o->container);
    job->spec.log.replicated_job = store_intern(jobs->store, o->log_job);
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

static void delete_job(struct jobs *jobs, struct model_job *job) {
    char key[JOBS_NAME_KEY];
    job->is_deleted = true;
    map_take(&jobs->by_name, jobs_name_key(key, job->namespace_, job->name));
    job_set_target(job, NULL);
    job_free_earlier(job);
    job_take_aim_off(job);
    job_mark_dirty(job);
    store_trim(jobs->store);
}

static struct model_job *new_job(struct jobs *jobs, const struct object_meta *meta, int64_t received_ms) {
    char key[JOBS_NAME_KEY];
    struct model_job *job = mem_new(struct model_job);
    job->jobs = jobs;
    job->store = jobs->store;
    job->namespace_ = slice_dup(meta->namespace_);
    job->name = slice_dup(meta->name);
    job->uid = slice_dup(meta->uid);
    job->created_ms = meta->created_ms != TIME_UNKNOWN ? meta->created_ms : received_ms;
    job->observation.newest_ms = job->observation.through_ms = job->facts.hold_end_ms = job->observation.end_ms =
        TIME_UNKNOWN;
    job->log.trace.max_points = TRACE_POINTS;
    for (int i = 0; i < JOB_CONDITIONS; i++)
        job->publication.conditions[i].at_ms = TIME_UNKNOWN;
    map_put(&jobs->by_name, jobs_name_key(key, job->namespace_, job->name), job);
    return job;
}

/* Continues from the checkpoint of a predecessor, or, if it cannot be read, from what the cluster still shows. */
static void go_on(struct model_job *job, struct object_jobgoodput *o) {
    CLEANUP_ERROR struct error *err = NULL;
    struct slice rest = o->checkpoint, checkpoint;
    if (!slice_take_until(&rest, MODEL_CHECKPOINT_END, &checkpoint))
        checkpoint = o->checkpoint;
    if (checkpoint_read(job, checkpoint, &err) == 0) {
        evidence_read(&job->evidence, job->store, o->executions);
        root_causes_read(&job->root_causes, job->store, o->executions, o->interruptions);
        return;
    }
    CLEANUP_FREE char *text = mem_format(
        "status.checkpoint is set aside: %s; what is counted is what the cluster still shows", error_text(err));
    job_set_text(&job->observation.trouble, JOB_TROUBLE_BYTES, text);
    o->checkpoint.size_bytes = 0;
    job_find_final(job, o);
}

int observe_jobgoodput(struct jobs *jobs, enum observed what, struct slice namespace_, struct slice name,
                       struct slice json, int64_t received_ms) {
    char key[JOBS_NAME_KEY];
    CLEANUP_FREE char *ns = slice_dup(namespace_);
    CLEANUP_FREE char *n = slice_dup(name);
    struct model_job *job = map_get(&jobs->by_name, jobs_name_key(key, ns, n));
    if (what != OBSERVED_PRESENT) {
        if (job)
            delete_job(jobs, job);
        return 0;
    }
    struct object_jobgoodput o;
    int err = object_jobgoodput_parse(json, &o);
    if (err < 0)
        return err;
    if (job && !slice_is(o.meta.uid, job->uid)) {
        delete_job(jobs, job);
        job = NULL;
    }
    bool is_new = job == NULL;
    if (is_new)
        job = new_job(jobs, &o.meta, received_ms);
    if (is_new)
        job_find_previous(job, &o);
    own_labels(job, o.labels);
    job_remember_chip(job, &o);
    job_find_final(job, &o);
    job_drop_final(job, job->target);
    if (!is_new && o.meta.generation == job->spec.generation)
        return 0; /* our own status came back */
    job->spec.generation = o.meta.generation;
    apply_spec(jobs, job, &o);
    uint64_t counting = counting_hash(job), log = log_hash(job);
    if (!is_new && log != job->spec.log_hash)
        job_read_again(job);
    else if (!is_new && counting != job->spec.counting_hash)
        job_count_otherwise(job);
    job->spec.log_hash = log;
    job->spec.counting_hash = counting;
    if (is_new && jobs->settings.keeps_checkpoints && o.checkpoint.size_bytes > 0)
        go_on(job, &o);
    job_find_target(job);
    job_mark_dirty(job);
    return 0;
}
