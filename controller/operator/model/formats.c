/* StepLogFormats: whether they are valid, and the jobs that use them. A change of a format applies to lines read later.
 * Without a valid format nothing is read; when it becomes valid, the log is read from its start, as far as it still
 * exists. */
#include "operator/model/formats.h"
#include "base/jwrite.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "operator/job/formats.h"
#include "operator/job/job.h"
#include "operator/job/target.h"
#include "operator/model/model_internal.h"
#include "operator/objects/steplogformat.h"
#include "steplog/shipped.h"

#include <stdio.h>
#include <string.h>

/* Tries its patterns and examples, once for each generation. */
static void read_spec(struct format *f, struct slice spec) {
    CLEANUP_ERROR struct error *err = NULL;
    userformat_free(f->user);
    f->user = userformat_parse(spec, &err);
    f->trouble[0] = '\0';
    f->patterns = f->user != NULL ? f->user->count : 0;
    f->examples = 0;
    for (int i = 0; i < f->patterns; i++)
        f->examples += f->user->patterns[i].example_count;
    if (f->user != NULL && userformat_check(f->user, &err) == 0)
        return;
    slice_copy(f->trouble, sizeof f->trouble, slice_of(error_text(err)));
    userformat_free(f->user);
    f->user = NULL;
}

static void change_job(struct model_job *job, const struct userformat *user, bool was_usable) {
    if (user != NULL && (!was_usable || job->log.costly_pattern != NULL))
        job_read_again(job);
    for (int i = 0; i < job->log.process_count; i++) {
        struct log_process *p = job->log.processes[i];
        if (user != NULL && p->parser != NULL)
            steplog_change_user(p->parser, user, NULL);
        if (user == NULL && p->parser != NULL) {
            steplog_free(p->parser);
            p->parser = NULL;
        }
    }
    job_mark_dirty(job);
}

static void change_jobs(struct jobs *jobs, const char *name, const struct userformat *user, bool was_usable) {
    for (size_t i = 0; i < jobs->by_name.count; i++) {
        struct model_job *job = map_at(&jobs->by_name, i);
        if (strcmp(job->spec.log.format, name) == 0 && job->final.status == NULL)
            change_job(job, user, was_usable);
    }
}

int observe_steplogformat(struct jobs *jobs, enum observed what, struct slice name, struct slice json,
                          int64_t received_ms) {
    struct object_steplogformat o;
    struct format *f = map_get(&jobs->formats, name);
    if (what != OBSERVED_PRESENT) {
        bool was_usable = f != NULL && f->user != NULL;
        CLEANUP_FREE char *text = slice_dup(name);
        format_free(map_take(&jobs->formats, name));
        const struct shipped *shipped = shipped_find(name);
        change_jobs(jobs, text, shipped == NULL ? NULL : shipped->format, was_usable);
        return 0;
    }
    int err = object_steplogformat_parse(json, &o);
    if (err < 0)
        return err;
    bool was_usable = f != NULL ? f->user != NULL : shipped_find(o.meta.name) != NULL;
    if (f == NULL) {
        f = mem_new(struct format);
        f->name = slice_dup(o.meta.name);
        f->generation = INT64_MIN;
        map_put(&jobs->formats, o.meta.name, f);
    }
    f->is_installed = slice_is(o.managed_by, OBJECT_FORMAT_MANAGER);
    if (f->generation == o.meta.generation)
        return 0; /* our own status came back */
    f->generation = o.meta.generation;
    read_spec(f, o.spec);
    const struct object_condition *ready = object_condition_find(&o.conditions, "Ready");
    bool is_same = ready != NULL && slice_is(ready->status, f->user != NULL ? "True" : "False");
    f->since_ms = is_same && ready->at_ms != TIME_UNKNOWN ? ready->at_ms : received_ms;
    f->is_unreported = !is_same || o.observed_generation != f->generation;
    change_jobs(jobs, f->name, f->user, was_usable);
    return 0;
}

bool model_may_install_format(const struct model *m, const char *name) {
    const struct format *f = map_get(&m->jobs.formats, slice_of(name));
    return f == NULL || f->is_installed;
}

bool model_next_format(struct model *m, char name[static MODEL_FORMAT_NAME_SIZE], struct buf *status) {
    for (size_t i = 0; i < m->jobs.formats.count; i++) {
        struct format *f = map_at(&m->jobs.formats, i);
        char since[RFC3339_SIZE], message[300];
        struct jwrite w;
        if (!f->is_unreported)
            continue;
        f->is_unreported = false;
        slice_copy(name, MODEL_FORMAT_NAME_SIZE, slice_of(f->name));
        snprintf(message, sizeof message, "%d patterns, %d examples give what they must", f->patterns, f->examples);
        jwrite_init(&w, status);
        jwrite_object(&w);
        jwrite_member_int(&w, "observedGeneration", f->generation);
        jwrite_member_int(&w, "patterns", f->patterns);
        jwrite_member_int(&w, "examples", f->examples);
        jwrite_member_array(&w, "conditions");
        jwrite_object(&w);
        jwrite_member_text(&w, "type", "Ready");
        jwrite_member_text(&w, "status", f->user != NULL ? "True" : "False");
        jwrite_member_int(&w, "observedGeneration", f->generation);
        jwrite_member_text(&w, "lastTransitionTime", rfc3339_format_s(since, f->since_ms));
        jwrite_member_text(&w, "reason", f->user != NULL ? "Valid" : "Invalid");
        jwrite_member_text(&w, "message", f->user != NULL ? message : f->trouble);
        jwrite_object_end(&w);
        jwrite_array_end(&w);
        jwrite_object_end(&w);
        return true;
    }
    return false;
}

void model_format_again(struct model *m, const char *name) {
    struct format *f = map_get(&m->jobs.formats, slice_of(name));
    if (f != NULL)
        f->is_unreported = true;
}
