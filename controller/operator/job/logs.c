/* The step log's side: lines of the log pods' containers through a parser per process into the ledger. */
#include "operator/job/logs.h"
#include "base/jscan.h"
#include "base/mem.h"
#include "operator/job/followed_words.h"
#include "operator/job/formats.h"
#include "operator/job/job.h"
#include "operator/job/log_pods.h"
#include "operator/job/log_work.h"
#include "operator/store/pod.h"
#include "steplog/heads.h"

#include <stdio.h>
#include <string.h>

static struct container *log_container(const struct model_job *job, const struct pod *p) {
    const char *name = job_log_container(job, p);
    for (int i = 0; i < p->container_count; i++)
        if (name[0] && strcmp(p->containers[i].name, name) == 0)
            return &p->containers[i];
    return NULL;
}

/* ---- format Regex ---- */

void job_free_patterns(struct model_job *job) {
    for (int i = 0; i < OBJECT_REGEXES; i++) {
        free(job->spec.log.patterns[i]);
        job->spec.log.patterns[i] = NULL;
    }
    free(job->spec.log.pattern_error);
    job->spec.log.pattern_error = NULL;
}

static struct steplog *parser_new(const struct model_job *job, void (*on_record)(void *context, const struct record *r),
                                  void *context, struct error **err) {
    int format = steplog_format_of_name(slice_of(job->spec.log.format));
    struct steplog_patterns patterns = {.step = job->spec.log.patterns[0],
                                        .checkpoint_start = job->spec.log.patterns[1],
                                        .checkpoint_saved = job->spec.log.patterns[2],
                                        .checkpoint_restored = job->spec.log.patterns[3]};
    if (format == STEPLOG_REGEX)
        return steplog_new_regex(&patterns, on_record, context, err);
    const struct userformat *user = format < 0 ? job_user_format(job, NULL) : NULL;
    if (format < 0)
        return user == NULL ? NULL : steplog_new_user(user, on_record, context, err);
    return steplog_new((enum steplog_format)format, NULL, on_record, context);
}

/* Compiles the patterns of the spec at once, so that an error is reported before there is a log. */
void job_set_patterns(struct model_job *job, const struct object_jobgoodput *o) {
    job_free_patterns(job);
    if (strcmp(job->spec.log.format, steplog_format_name(STEPLOG_REGEX)) != 0)
        return;
    for (int i = 0; i < OBJECT_REGEXES; i++) {
        char text[STEPLOG_MAX_PATTERN_BYTES + 8]; /* room for one that is too long, so that it is refused */
        if (o->regex[i].size_bytes > 0 && jscan_unescape(o->regex[i], text, sizeof text))
            job->spec.log.patterns[i] = mem_strdup(text);
    }
    CLEANUP_ERROR struct error *err = NULL;
    struct steplog *parser = parser_new(job, NULL, NULL, &err);
    if (parser == NULL)
        job->spec.log.pattern_error = mem_strdup(error_text(err));
    steplog_free(parser);
}

/* ---- processes ---- */

static void add_process(struct log_process *p);

/* The trainer restarted in the same container: to the ledger that is a new process. */
static void begin_next_run(struct log_process *p, const struct record *r) {
    if (p->earlier == JOB_MAX_EARLIER_RUNS)
        memmove(&p->runs[0], &p->runs[1], (size_t)--p->earlier * sizeof *p->runs);
    STORE_GROW(p->runs, p->earlier, p->runs_capacity);
    p->runs[p->earlier++] = (struct log_run){p->run_from_ms, p->trainer.last_ms, p->last_step, r->line};
    p->run++;
    p->run_from_ms = r->at_ms;
    p->last_step = RECORD_NONE;
    p->trainer = (struct trainer_run){.last_ms = TIME_UNKNOWN};
    add_process(p);
}

static void on_record(void *context, const struct record *r) {
    struct log_process *process = context;
    struct record mine = *r;
    if (process->pod != NULL && r->at_ms != TIME_UNKNOWN && trainer_run_restarts(&process->trainer, r))
        begin_next_run(process, r);
    if (r->at_ms != TIME_UNKNOWN)
        trainer_run_note(&process->trainer, r);
    if (r->kind == RECORD_STEP_START || r->kind == RECORD_STEP_END) {
        process->last_step = r->step;
        process->step_records++;
    }
    mine.process = process->ordinal;
    ledger_add_record(process->job->ledger, &mine);
    process->job->log.backlog += r->kind != RECORD_SIGN_OF_LIFE;
    trace_add(&process->job->log.trace, &mine);
}

struct job_log_faults job_log_faults(const struct model_job *job) {
    struct job_log_faults f = {.pod = ""};
    for (int i = 0; i < job->log.process_count; i++) {
        const struct log_process *p = job->log.processes[i];
        if (p->parser == NULL)
            continue;
        struct steplog_counts counts = steplog_counts_get(p->parser);
        f.steps += counts.steps;
        f.burst_steps += counts.burst_steps;
        if (f.set_back_ms == 0 && counts.forward.largest_ms > f.forward.largest_ms)
            f.pod = p->pod != NULL ? p->pod->name : "";
        forward_add(&f.forward, &counts.forward);
        if (counts.set_back_ms > f.set_back_ms) {
            f.set_back_ms = counts.set_back_ms;
            f.pod = p->pod != NULL ? p->pod->name : "";
        }
    }
    return f;
}

bool job_log_rivals(const struct model_job *job, enum steplog_format ret[static 2]) {
    struct steplog_rivals all = {0};
    for (int i = 0; i < job->log.process_count; i++)
        if (job->log.processes[i]->parser != NULL) {
            struct steplog_counts counts = steplog_counts_get(job->log.processes[i]->parser);
            steplog_rivals_add(&all, &counts.rivals);
        }
    return steplog_rivals_find(&all, ret);
}

static void process_free(struct log_process *p) {
    followed_words_drop(p);
    steplog_free(p->parser);
    if (p->heads != NULL)
        heads_drop_held(p->heads);
    free(p->heads);
    free(p->samples);
    free(p->runs);
    free(p->lost);
    free(p);
}

void job_logs_done(struct model_job *job) {
    for (int i = 0; i < job->log.process_count; i++)
        process_free(job->log.processes[i]);
    job->log.process_count = 0;
    job->log.early_lines = 0;
    free(job->log.save_errors);
    job->log.save_errors = NULL;
    free(job->log.cursor);
    job->log.cursor = NULL;
    trace_clear(&job->log.trace);
    free(job->log.costly_pattern);
    job->log.costly_pattern = NULL;
    job->log.generation++;
    job_set_text(&job->log.trouble, JOB_TROUBLE_BYTES, NULL);
}

/* A run without a known pod: before the known runs, or after all that will be known. */
static void add_process_without_pod(struct log_process *p) {
    p->ordinal = ledger_add_process(p->job->ledger, 1, NULL, TIME_UNKNOWN, TIME_OPEN);
    ledger_await(p->job->ledger, p->ordinal, !p->has_ended && p->job->log.trouble == NULL);
}

/* One run of the trainer; its number identifies it within the container. The ids of a pod's runs ascend. */
static int add_run(const struct log_process *p, int run, int64_t started_ms, int64_t ended_ms) {
    uint64_t id = p->pod->id / 2 + ((uint64_t)p->restart_count << 24) + (uint64_t)run;
    int ordinal = ledger_add_process(p->job->ledger, id, p->pod->name, started_ms, ended_ms);
    int lag = p->parser != NULL ? steplog_format_line_lag(steplog_counts_get(p->parser).recognized) : -1;
    if (lag >= 0)
        ledger_set_line_lag(p->job->ledger, ordinal, lag);
    return ordinal;
}

/* Those before the present one ended in the log, with their last record. */
static void add_earlier_runs(const struct log_process *p, int64_t started_ms) {
    for (int i = 0; i < p->earlier; i++) {
        const struct log_run *x = &p->runs[i];
        int64_t from_ms = x->from_ms == TIME_UNKNOWN ? started_ms : x->from_ms;
        int ordinal = add_run(p, p->run - p->earlier + i, from_ms, x->ended_ms);
        ledger_set_read_to_end(p->job->ledger, ordinal);
        ledger_await(p->job->ledger, ordinal, false);
    }
}

static void add_process(struct log_process *p) {
    if (p->pod == NULL) {
        add_process_without_pod(p);
        return;
    }
    struct container *c = log_container(p->job, p->pod);
    struct instance *i = c ? container_instance(c, p->restart_count) : NULL;
    int64_t finished_ms = TIME_UNKNOWN;
    if (i) {
        if (p->last_line_ms > i->last_line_ms)
            i->last_line_ms = p->last_line_ms;
        finished_ms = instance_finished_ms(i);
    }
    if (finished_ms == TIME_UNKNOWN && p->pod->is_deleted)
        finished_ms = p->pod->removed_ms;
    int64_t started_ms = i ? i->started_ms : TIME_UNKNOWN;
    add_earlier_runs(p, started_ms);
    p->ordinal = add_run(p, p->run, p->run > 0 ? p->run_from_ms : started_ms,
                         finished_ms == TIME_UNKNOWN ? TIME_OPEN : finished_ms);
    if (p->has_ended && p->lost == NULL)
        ledger_set_read_to_end(p->job->ledger, p->ordinal);
    if (i && i == container_now(c))
        ledger_set_signaled(p->job->ledger, p->ordinal, instance_signaled_ms(p->pod, i));
    if (p->lost != NULL)
        ledger_set_lost(p->job->ledger, p->ordinal);
    ledger_await(p->job->ledger, p->ordinal,
                 !p->has_ended && (!p->pod->is_deleted || job_has_source(p->job)) && p->job->log.trouble == NULL);
}

/* Its parser continues the count of the process before it, and finds where the trainer starts again. */
static void begin_parser(struct model_job *job, struct log_process *p) {
    p->parser = parser_new(job, on_record, p, NULL); /* NULL: a condition says why */
    if (p->parser == NULL)
        return;
    p->heads = mem_new(struct heads);
    heads_begin(p->heads);
    steplog_find_processes(p->parser, p->heads);
    if (job->log.process_count > 0 && job->log.processes[job->log.process_count - 1]->parser != NULL)
        steplog_continue(p->parser, job->log.processes[job->log.process_count - 1]->parser);
}

/* The process of that log, created with its first line. The ledger and its processes are freed together. */
struct log_process *job_log_process(struct model_job *job, struct pod *pod, int restart_count) {
    for (int i = job->log.process_count - 1; i >= 0; i--)
        if (job->log.processes[i]->pod == pod && job->log.processes[i]->restart_count == restart_count)
            return job->log.processes[i];
    struct log_process *p = mem_new(struct log_process);
    p->job = job;
    p->pod = pod;
    p->restart_count = restart_count;
    p->first_line_ms = p->last_line_ms = p->run_from_ms = p->trainer.last_ms = TIME_UNKNOWN;
    p->last_step = RECORD_NONE;
    p->last_stamp_ns = INT64_MIN;
    begin_parser(job, p);
    STORE_GROW(job->log.processes, job->log.process_count, job->log.process_capacity);
    job->log.processes[job->log.process_count++] = p;
    add_process(p);
    return p;
}

void job_add_processes(struct model_job *job) {
    for (int i = 0; i < job->log.process_count; i++)
        add_process(job->log.processes[i]);
}

/* ---- model.h ---- */

/* If the pod belongs to an earlier target, *job becomes its job. */
static struct pod *log_pod(struct model_job **job, const char *pod_uid) {
    if ((*job)->ledger == NULL || (*job)->spec.log.kind == MODEL_SOURCE_NONE || job_is_log_barred(*job))
        return NULL;
    struct pod *p = map_get(&(*job)->store->pods, slice_of(pod_uid));
    struct model_job *of = p ? job_of_pod(*job, p) : NULL;
    if (of)
        *job = of;
    return of ? p : NULL;
}

void model_job_trace(const struct model_job *job, struct buf *json) {
    trace_write(&job->log.trace, json);
}

int64_t model_job_log_work(const struct model_job *job) {
    return job->log.work;
}

uint64_t model_job_log_generation(const struct model_job *job) {
    return job->log.generation;
}

/* Logs of earlier targets follow its own: their pods may still write while they terminate. */
int model_job_log_count(const struct model_job *job) {
    int count = 0;
    if (job_is_log_barred(job))
        return 0;
    for (; job; job = job->links.earlier) {
        job_find_log_pods((struct model_job *)job); /* it only updates a cache */
        count += job->log_pods.count;
    }
    return count;
}

/* Where a follower of the pod's log starts to read. */
static void find_unread(const struct model_job *job, const struct pod *p, struct model_log *log) {
    for (int i = 0; i < job->log.process_count; i++)
        if (job->log.processes[i]->pod == p && job->log.processes[i]->has_ended &&
            job->log.processes[i]->restart_count >= log->first_unread)
            log->first_unread = job->log.processes[i]->restart_count + 1;
    for (int i = 0; i < job->log.process_count; i++) {
        const struct log_process *process = job->log.processes[i];
        if (process->pod != p || process->restart_count < log->first_unread || process->last_stamp_ns == INT64_MIN)
            continue;
        log->first_unread = process->restart_count;
        log->read_through_ns = process->last_stamp_ns;
        return;
    }
}

void model_job_log_get(const struct model_job *job, int index, struct model_log *log) {
    for (; index >= job->log_pods.count; job = job->links.earlier)
        index -= job->log_pods.count;
    const struct pod *p = job->log_pods.items[index];
    struct container *c = log_container(job, p);
    *log = (struct model_log){.namespace_ = p->target->namespace_,
                              .pod = p->name,
                              .pod_uid = pod_uid(p),
                              .container = c ? c->name : "",
                              .finished_ms = TIME_UNKNOWN,
                              .read_through_ns = INT64_MIN,
                              .pod_exists = !p->is_deleted};
    find_unread(job, p, log);
    if (c == NULL)
        return;
    const struct instance *now = container_now(c);
    log->restart_count = now->restart_count;
    log->is_running = now->is_running;
    log->has_started = now->started_ms != TIME_UNKNOWN;
    log->finished_ms = now->finished_ms;
}

/* Keeps lines for the condition, while no step is read. */
static void sample_line(struct log_process *p, struct slice line) {
    if (steplog_counts_get(p->parser).steps > 0) {
        free(p->samples);
        p->samples = NULL;
        return;
    }
    if (p->samples == NULL)
        p->samples = mem_new(struct step_samples);
    step_samples_line(p->samples, line);
}

static void note_stamp(struct model_job *job, struct log_process *p, int64_t stamp_ms) {
    if (stamp_ms != TIME_UNKNOWN) {
        if (p->first_line_ms == TIME_UNKNOWN)
            p->first_line_ms = stamp_ms;
        if (stamp_ms > p->last_line_ms)
            p->last_line_ms = stamp_ms;
    }
    if (p->pod)
        store_mark_pod(p->pod);
    job_mark_dirty(job);
}

void model_job_log_line(struct model_job *job, const char *pod_uid, int restart_count, int64_t stamp_ns,
                        struct slice line) {
    struct pod *pod = log_pod(&job, pod_uid);
    if (pod == NULL)
        return;
    struct log_process *p = job_log_process(job, pod, restart_count);
    int64_t stamp_ms = stamp_ns == INT64_MIN ? TIME_UNKNOWN : stamp_ns / 1000000 - (stamp_ns % 1000000 < 0);
    int64_t steps = p->step_records;
    if (p->parser) {
        steplog_line(p->parser, line, stamp_ms);
        sample_line(p, line);
        job_charge_log(job, p->parser);
    }
    followed_words_line(p, stamp_ns, line, p->step_records > steps);
    if (stamp_ns > p->last_stamp_ns)
        p->last_stamp_ns = stamp_ns;
    note_stamp(job, p, stamp_ms);
}

void job_log_stored_line(struct model_job *job, struct log_process *p, int64_t stored_ms, struct slice line) {
    if (p->parser) {
        steplog_stored_line(p->parser, line, stored_ms);
        sample_line(p, line);
        job_charge_log(job, p->parser);
    }
    note_stamp(job, p, stored_ms);
}

void job_log_process_end(struct model_job *job, struct log_process *p, const char *lost) {
    if (p->has_ended && lost == NULL)
        return;
    if (!p->has_ended && p->parser)
        steplog_end(p->parser);
    p->has_ended = true;
    if (lost)
        job_set_text(&p->lost, JOB_LOST_BYTES, lost);
    if (p->pod)
        store_mark_pod(p->pod);
    job_mark_dirty(job);
}

void model_job_log_end(struct model_job *job, const char *pod_uid, int restart_count, const char *lost) {
    struct pod *pod = log_pod(&job, pod_uid);
    if (pod != NULL)
        job_log_process_end(job, job_log_process(job, pod, restart_count), lost);
}

void model_job_log_trouble(struct model_job *job, const char *pod_uid, const char *text) {
    if (log_pod(&job, pod_uid) == NULL)
        return;
    job_set_text(&job->log.trouble, JOB_TROUBLE_BYTES, text);
    job_mark_dirty(job);
}
