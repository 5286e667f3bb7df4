#include "operator/model/evaluate.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "ledger/doubt.h"
#include "ledger/rest.h"

#include "operator/facts/facts.h"
#include "operator/facts/loss.h"
#include "operator/facts/node_evidence.h"
#include "operator/facts/owner.h"
#include "operator/facts/root_cause.h"
#include "operator/job/chip.h"
#include "operator/job/final.h"
#include "operator/job/forbidden.h"
#include "operator/job/free.h"
#include "operator/job/job.h"
#include "operator/job/last_words.h"
#include "operator/job/log_pods.h"
#include "operator/job/log_work.h"
#include "operator/job/logs.h"
#include "operator/job/required.h"
#include "operator/model/archive.h"
#include "operator/model/checkpoint.h"
#include "operator/model/forget.h"
#include "operator/model/model.h"
#include "operator/model/notices.h"
#include "operator/status/observed.h"
#include "operator/status/records.h"
#include "operator/status/status.h"
#include "operator/store/pod.h"
#include "operator/store/unwatched.h"

#include <string.h>

/* ---- logs that cannot be read ---- */

/* A log that cannot be read this long after the end became known is lost; an outage does not count. */
#define GIVE_UP_MS 60000

/* Ends a log as lost: its content is unknown, which differs from empty. */
static void give_up(struct model_job *job, struct pod *p) {
    const char *why = job->log.trouble != NULL ? job->log.trouble : "the pod was deleted before its log was read";
    int restart_count = 0;
    for (int c = 0; c < p->container_count; c++)
        if (strcmp(p->containers[c].name, job_log_container(job, p)) == 0)
            restart_count = container_now(&p->containers[c])->restart_count;
    for (int k = 0; k < job->log.process_count; k++)
        if (job->log.processes[k]->pod == p && job->log.processes[k]->restart_count > restart_count)
            restart_count = job->log.processes[k]->restart_count;
    model_job_log_end(job, pod_uid(p), restart_count, why);
}

enum reading { LOG_NOT_STARTED, LOG_UNREAD, LOG_READ };

static enum reading reading_of(const struct model_job *job, const struct pod *p) {
    for (int k = job->log.process_count - 1; k >= 0; k--)
        if (job->log.processes[k]->pod == p)
            return job->log.processes[k]->has_ended ? LOG_READ : LOG_UNREAD;
    for (int c = 0; c < p->container_count; c++)
        if (container_now(&p->containers[c])->started_ms != TIME_UNKNOWN)
            return LOG_UNREAD;
    return LOG_NOT_STARTED;
}

/* Called before the ledger is evaluated. */
static void give_up_logs(struct model_job *job, int64_t now_ms) {
    if (job->observation.end_ms == TIME_UNKNOWN ||
        view_objects_known(job, now_ms) <= job->observation.end_ms + GIVE_UP_MS)
        return;
    for (int i = 0; i < job->log_pods.count; i++)
        if ((job->log_pods.items[i]->is_deleted || job->log.trouble != NULL) &&
            reading_of(job, job->log_pods.items[i]) == LOG_UNREAD)
            give_up(job, job->log_pods.items[i]);
}

/* ---- the end ---- */

/* All lines of the log are read, or lost. */
static bool is_log_read(const struct view *v) {
    const struct model_job *job = v->job;
    if (v->log == LOG_NONE || v->log == LOG_TROUBLE) /* no line can follow */
        return true;
    for (int i = 0; i < job->log_pods.count; i++)
        if (reading_of(job, job->log_pods.items[i]) == LOG_UNREAD)
            return false;
    return true;
}

/* The job succeeded, and the success of the pod whose log is read is not observed yet. */
static bool is_success_coming(const struct view *v) {
    const struct model_job *job = v->job;
    const struct pod *last = job->log_pods.count > 0 ? job->log_pods.items[job->log_pods.count - 1] : NULL;
    return v->log != LOG_NONE && v->target->end.outcome == OUTCOME_SUCCEEDED && last != NULL && !last->is_deleted &&
           last->phase != POD_SUCCEEDED;
}

/* Nothing will change the numbers any more: the end is known, all events up to it, and the log. Each kind of object has
 * a separate watch, so what led to the end may be observed after it. The job waits APART_MS for that before its numbers
 * are final. */
#define APART_MS 2000

static bool is_final(struct model_job *job, const struct view *v) {
    if (!v->has_ended || job->publication.is_final) /* a watch that is refused later takes nothing back */
        return v->has_ended;
    if (job->observation.end_ms == TIME_UNKNOWN)
        job->observation.end_ms = v->now_ms;
    int64_t known_ms = view_objects_known(job, v->now_ms);
    if (known_ms > job->observation.end_ms + GIVE_UP_MS)
        return is_log_read(v);
    int64_t enough_ms = job->observation.end_ms + APART_MS;
    return known_ms >= enough_ms && store_known_ms(job->store, RESOURCE_EVENT, v->now_ms) >= enough_ms &&
           !is_success_coming(v) && is_log_read(v) && !job_any_words_are_pending(job);
}

/* The objects that decide could never be read: that none is known does not mean that there is none. */
static bool is_blind(const struct model_job *job) {
    bool is_so = false;
    for (int r = 0; r < RESOURCE_COUNT && job->observation.through_ms == TIME_UNKNOWN; r++) {
        const struct forbidden *f = job_blocked_by(job, (enum resource)r);
        is_so |= f != NULL && f->through_ms == TIME_UNKNOWN;
    }
    return is_so;
}

/* ---- earlier targets ---- */

static struct job_previous *previous_of(struct model_job *job, const char *uid) {
    for (int i = 0; i < job->publication.previous_count; i++)
        if (strcmp(job->publication.previous[i].uid, uid) == 0)
            return &job->publication.previous[i];
    return NULL;
}

/* Of two counters of steps only a person knows which is the job's. */
static void doubt_steps(const struct model_job *job, struct ledger_result *result, struct ledger_entries *entries) {
    enum steplog_format two[2];
    if (job_log_rivals(job, two))
        ledger_doubt_steps(result, entries, "two formats report different steps in the log: set spec.stepLog.format");
}

static struct job_previous result_of(struct model_job *job) {
    struct ledger_result result;
    struct ledger_entries none = {0};
    const struct target *t = job->target;
    ledger_set_sink(job->ledger, &(struct ledger_sink){0}); /* its archive ended with its target */
    job_update_facts(job);
    int64_t end_ms = t->end.at_ms != TIME_UNKNOWN ? job_end_ms(job) : t->created_ms;
    ledger_evaluate(job->ledger, end_ms, &result);
    doubt_steps(job, &result, &none);
    struct job_previous p = {.start_ms = t->created_ms,
                             .end_ms = end_ms,
                             .wall_ms = result.wall_ms,
                             .available_ms = result.available_ms,
                             .productive_ms = result.has_steps ? result.productive_ms : RECORD_NONE};
    slice_copy(p.uid, sizeof p.uid, slice_of(t->uid));
    ledger_result_done(&result);
    return p;
}

static void report_earlier(struct model_job *job, int64_t known_ms) {
    for (struct model_job **at = &job->links.earlier, *e; (e = *at) != NULL;) {
        const struct target *t = e->target;
        struct job_previous *p = previous_of(job, t->uid);
        if (p && e->is_dirty)
            *p = result_of(e);
        e->is_dirty = false;
        if (p && !e->publication.is_final && known_ms <= t->end.at_ms + job->jobs->settings.forget_after_ms) {
            at = &e->links.earlier;
            continue;
        }
        *at = e->links.earlier;
        job_free(e);
    }
}

/* ---- an evaluation ---- */

/* EvidenceComplete says how far to trust the running totals, and is written with them. */
static uint64_t conditions_hash(const struct view *v) {
    uint64_t hash = 0;
    for (int i = 0; i < JOB_CONDITIONS; i++) {
        const struct condition_view *c = &v->conditions[i];
        if (c->type == NULL || strcmp(c->type, "EvidenceComplete") == 0)
            continue;
        const char *texts[] = {c->type, c->status, c->reason};
        for (size_t k = 0; k < ARRAY_SIZE(texts); k++)
            hash = hash_local(hash, slice_of(texts[k]));
    }
    return hash;
}

static uint64_t causes_hash(const struct job_root_causes *causes) {
    uint64_t hash = 0;
    for (int i = 0; i < causes->count; i++) {
        const struct root_cause *c = &causes->items[i];
        uint64_t parts[] = {hash, (uint64_t)c->number, (uint64_t)c->unread, root_cause_hash(c)};
        hash = hash_local(0, HASH_BYTES(&parts));
    }
    return hash;
}

static void summarize(const struct view *v, struct model_summary *summary) {
    const struct model_job *job = v->job;
    summary->phase = v->phase;
    summary->interruptions = view_interruptions(v);
    summary->executions = view_interruptions(v) + 1;
    summary->conditions_hash = conditions_hash(v);
    summary->waiting_hash = v->waiting_hash;
    summary->causes_hash = causes_hash(&job->root_causes);
    summary->has_new_steps = v->result.step_count > job->publication.step_count;
    summary->has_ended = v->has_ended;
    summary->is_final = v->is_final;
    summary->awaits_ms = v->target && !v->is_final ? view_awaits_ms(job, v->now_ms) : TIME_UNKNOWN;
}

/* For what the target waits for now: notes all pods again when the number of slots changed. Otherwise the slots are up
 * to date. */
static void find_newest_pods(struct model_job *job, const struct view *v) {
    bool is_whole = v->result.slots_required > 0 && v->result.slots_available >= v->result.slots_required;
    if (is_whole || v->has_ended || job->facts.hold != NULL)
        return;
    size_t count = job_slot_count(job);
    if (job->facts.slots.count == count)
        return;
    job_slots_begin(&job->facts.slots, count);
    for (size_t i = 0; i < job->target->pods.count; i++)
        job_slots_note(&job->facts.slots, job->target->pods.items[i],
                       fact_is_pod_available(job->target->pods.items[i]));
    job->jobs->pods_looked_at += (int64_t)job->target->pods.count;
}

/* For the next evaluation. */
static void remember(struct model_job *job, const struct view *v) {
    for (int i = 0; i < JOB_CONDITIONS; i++) {
        const struct condition_view *c = &v->conditions[i];
        struct job_condition *known = &job->publication.conditions[i];
        slice_copy(known->status, sizeof known->status, slice_of(c->type ? c->status : ""));
        known->at_ms = c->type ? c->at_ms : known->at_ms;
    }
    job->publication.step_count = v->result.step_count;
    job->publication.is_final = v->is_final;
}

static bool is_measured(const struct model_job *job) {
    return job->target && job->target->is_seen && !job_is_managed_elsewhere(job) && !is_blind(job);
}

static void evaluate_ledger(struct model_job *job, struct view *v, struct ledger_entries *entries) {
    enum steplog_format two[2];
    if (job->archive.is_started && v->has_ended) {
        entries->keeps_changes = !job_log_rivals(job, two);
        ledger_evaluate_entries(job->ledger, v->through_ms, &v->result, entries);
    } else {
        ledger_evaluate(job->ledger, v->through_ms, &v->result);
    }
    doubt_steps(job, &v->result, entries);
}

/* It may be minutes until the next evaluation. */
static void rest(struct model_job *job) {
    job->log.backlog = 0;
    if (job->ledger != NULL)
        ledger_rest(job->ledger);
}

void model_job_status(struct model_job *job, int64_t now_ms, struct buf *out, struct model_summary *summary) {
    struct view v;
    struct ledger_entries entries = {0};
    jobs_tick_log_work(job->jobs, now_ms);
    if (job->final.status) {
        job_write_final(job, out, summary);
        return;
    }
    job->publication.is_own = true;
    report_earlier(job, view_objects_known(job, now_ms));
    view_make(&v, job, now_ms);
    if (is_measured(job)) {
        give_up_logs(job, now_ms);
        job_update_facts(job);
        job_archive_listen(job);
        job_find_chip(job);
        int64_t before_ms = job->publication.is_final ? job->observation.through_ms : TIME_UNKNOWN;
        v.through_ms = job->observation.through_ms = max_of(view_observed_through(job, now_ms), before_ms);
        v.has_ended = v.through_ms >= job_end_ms(job);
        evaluate_ledger(job, &v, &entries);
        job_update_node_evidence(job, &v.result);
        job_update_root_causes(job, &v.result);
        job_update_owners(job, &v.result);
        trace_add_interruptions(&job->log.trace, &v.result);
        v.through_ms = max_of(v.through_ms, v.result.start_ms); /* an object may have ended before it was created */
        find_newest_pods(job, &v);
        view_numbers(&v);
    }
    view_words(&v);
    v.is_final = is_final(job, &v);
    view_end(&v);
    notices_add(job, &v);
    view_write(&v, out);
    if (v.is_final && v.has_numbers)
        job_archive_end(job, &v, &entries, buf_slice(out));
    ledger_entries_done(&entries);
    if (summary)
        summarize(&v, summary);
    remember(job, &v);
    if (v.target)
        job_forget_pods(job, v.through_ms);
    rest(job);
    view_done(&v);
}

/* ---- what was read of its log since the last status ---- */

/* Not before the first status: until then the objects may not all be known. */
bool model_job_has_backlog(const struct model_job *job) {
    return job->log.backlog >= MODEL_BACKLOG && job->publication.is_own && !model_job_is_final(job) &&
           is_measured(job) && job->observation.through_ms != TIME_UNKNOWN;
}

void model_job_fold_backlog(struct model_job *job, int64_t now_ms) {
    struct ledger_result result;
    job_update_facts(job);
    job_archive_listen(job);
    ledger_evaluate(job->ledger, max_of(view_observed_through(job, now_ms), job->observation.through_ms), &result);
    ledger_result_done(&result);
    rest(job);
}

/* ---- the ledger of the last status ---- */

/* Of a status that an earlier controller wrote last: of its time no sum is known but those in the status. */
static void write_final_ledger(const struct model_job *job, const struct records_job *named, struct buf *out) {
    const struct job_previous *numbers = &job->final.numbers;
    struct ledger_entries entries = {.complete_from_ms = numbers->end_ms};
    struct view v;
    view_init(&v);
    v.seen.uid = numbers->uid;
    v.has_ended = true;
    v.result.start_ms = numbers->start_ms;
    v.through_ms = numbers->end_ms;
    records_write(&v, &entries, named, out);
    records_write_status(slice_of(job->final.status), out);
}

/* The result, span by span. Nothing but the ledger's settled part changes, and no number does. */
static void write_ledger(struct model_job *job, const struct records_job *named, int64_t now_ms, struct buf *out) {
    CLEANUP_BUF struct buf status;
    struct ledger_entries entries = {0};
    struct view v;
    buf_init(&status, RECORDS_MAX_BYTES);
    view_make(&v, job, now_ms);
    if (is_measured(job) && job->observation.through_ms != TIME_UNKNOWN) {
        v.through_ms = job->observation.through_ms;
        v.has_ended = v.through_ms >= job_end_ms(job);
        ledger_evaluate_entries(job->ledger, v.through_ms, &v.result, &entries);
        doubt_steps(job, &v.result, &entries);
        v.through_ms = max_of(v.through_ms, v.result.start_ms);
        view_numbers(&v);
    }
    view_words(&v);
    v.is_final = job->publication.is_final;
    view_end(&v);
    view_write(&v, &status);
    records_write(&v, &entries, named, out);
    records_write_status(buf_slice(&status), out);
    ledger_entries_done(&entries);
    rest(job);
    view_done(&v);
}

bool model_job_ledger(struct model_job *job, int64_t now_ms, struct buf *out) {
    const struct records_job named = {job->jobs->settings.cluster_name, job->namespace_, job->name, job->uid,
                                      job->labels};
    if (job->final.status != NULL)
        write_final_ledger(job, &named, out);
    else if (job->publication.is_own)
        write_ledger(job, &named, now_ms, out);
    return job->final.status != NULL || job->publication.is_own;
}

void model_job_add_checkpoint(struct model_job *job, int64_t now_ms, struct buf *status) {
    CLEANUP_BUF struct buf text;
    buf_init(&text, CHECKPOINT_MAX_BYTES);
    if (!job->jobs->settings.keeps_checkpoints || model_job_is_final(job) || status->size_bytes < 2)
        return;
    checkpoint_write(job, store_known_ms(job->store, RESOURCE_POD, now_ms), &text);
    rest(job);
    if (text.size_bytes == 0)
        return;
    status->size_bytes--; /* the closing brace */
    buf_append_text(status, ",\"checkpoint\":\"");
    buf_append_slice(status, buf_slice(&text));
    buf_append_text(status, "\"}");
}
