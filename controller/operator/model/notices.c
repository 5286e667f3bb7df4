/* Events on the JobGoodput: training started, each interruption and its root cause, the end. When the facts of one
 * change, it is sent again under the same ID, which updates it. Times come from the job, so that another controller
 * sends the same Events.
 */
#include "operator/model/notices.h"
#include "base/hash.h"

#include "ledger/evaluate.h"
#include "operator/job/job.h"
#include "operator/status/conditions.h"

#include <stdio.h>
#include <string.h>

#define SETTLING_MS 5000        /* how long an interruption without a cause waits for one */
#define REPEAT_MS 10000         /* how long a change of final numbers (by a late log line) waits */
#define OLD_MS INT64_C(3600000) /* an API server keeps Events this long: no Event for what ended before */

/* "45s", "1m40s", "2h05m", "3d4h": as kubectl writes ages. */
static const char *short_duration(char out[static 32], int64_t ms) {
    long long s = (ms + 500) / 1000;
    if (ms < 10000)
        snprintf(out, 32, "%lld.%llds", (long long)(ms / 1000), (long long)(ms / 100 % 10));
    else if (s < 60)
        snprintf(out, 32, "%llds", s);
    else if (s < 600)
        snprintf(out, 32, "%lldm%llds", s / 60, s % 60);
    else if (s < 3600)
        snprintf(out, 32, "%lldm", s / 60);
    else if (s < 86400)
        snprintf(out, 32, "%lldh%02lldm", s / 3600, s / 60 % 60);
    else
        snprintf(out, 32, "%lldd%lldh", s / 86400, s / 3600 % 24);
    return out;
}

static void append_lost(struct buf *out, const struct ledger_interruption *i) {
    char text[32];
    if (i->lost_steps > 0 && i->lost_steps != RECORD_NONE)
        buf_format(out, "; lost %lld step%s (%s)", (long long)i->lost_steps, i->lost_steps == 1 ? "" : "s",
                   short_duration(text, i->tch_ms == RECORD_NONE ? 0 : i->tch_ms));
    else if (i->lost_steps == 0)
        buf_append_text(out, i->saved_on_sigterm == SAVED_YES ? "; lost no step (saved on SIGTERM)" : "; lost no step");
}

/* "NodeFailure gke-tpu-07; lost 412 steps (14m); rescheduled in 1m40s. EVIDENCE": as far as it is known. */
static void describe(const struct ledger_interruption *i, bool has_steps, struct buf *out) {
    char text[32];
    buf_append_text(out, cause_name(i->cause));
    if (i->cause == CAUSE_KUEUE_EVICTION && i->reason[0])
        buf_format(out, "/%s", i->reason);
    if (i->node[0])
        buf_format(out, " %s", i->node);
    if (has_steps && i->is_settled)
        append_lost(out, i);
    if (i->wait_ms != RECORD_NONE && i->wait_ms > 0)
        buf_format(out, "; waited %s", short_duration(text, i->wait_ms));
    if (i->until_ms != TIME_OPEN && i->tre_ms != RECORD_NONE && i->tre_ms > 0)
        buf_format(out, "; rescheduled in %s", short_duration(text, i->tre_ms));
    buf_format(out, ". %s", i->evidence[0] ? i->evidence : "No object or line gives the cause");
}

/* Numbers are final when the next execution has its slots and, if steps are read, has started to train. */
static bool is_over(const struct view *v, const struct ledger_interruption *i, bool is_newest) {
    return !is_newest || v->has_ended || (i->until_ms != TIME_OPEN && (i->is_settled || !v->result.has_steps));
}

static void notice_interruption(struct model_job *job, const struct view *v, int index) {
    const struct ledger_result *r = &v->result;
    const struct ledger_interruption *i = &r->interruptions[index];
    struct job_interruption_notice *last = &job_interruption_notices(job)[i->number % JOB_MAX_INTERRUPTION_NOTICES];
    if (i->cause == CAUSE_UNKNOWN && v->through_ms < i->at_ms + SETTLING_MS && !v->has_ended)
        return;
    CLEANUP_BUF struct buf note;
    buf_init(&note, MODEL_NOTE_SIZE);
    bool over = is_over(v, i, index == r->interruption_count - 1);
    struct ledger_interruption known = *i;
    if (!over) { /* one Event at the start, and one when all is known */
        known.until_ms = TIME_OPEN;
        known.wait_ms = RECORD_NONE;
    }
    describe(&known, r->has_steps && over, &note);
    /* While it is open, only another cause is sent: evidence arrives in several steps. */
    uint64_t hash = over ? hash_stable(0, buf_slice(&note)) : (uint64_t)i->cause + 1;
    if (last->number == i->number && (last->hash == hash || (!over && i->cause == CAUSE_UNKNOWN)))
        return;
    bool is_refined = last->number == i->number && last->is_over && over;
    if (is_refined && v->now_ms < last->at_ms + REPEAT_MS && !v->is_final)
        return;
    *last = (struct job_interruption_notice){.number = i->number, .hash = hash, .at_ms = v->now_ms, .is_over = over};
    struct model_notice notice = {.type = cause_is_excluded(i->cause) ? "Normal" : "Warning",
                                  .reason = "Interrupted",
                                  .note = buf_text(&note),
                                  .first_ms = i->at_ms,
                                  .last_ms = known.until_ms == TIME_OPEN ? i->at_ms : i->until_ms};
    snprintf(notice.id, sizeof notice.id, "%.8s.interruption-%d", v->target->uid, i->number);
    job_notice(job, &notice);
}

static void notice_interruptions(struct model_job *job, const struct view *v) {
    const struct ledger_result *r = &v->result;
    int first =
        r->interruption_count > JOB_MAX_INTERRUPTION_NOTICES ? r->interruption_count - JOB_MAX_INTERRUPTION_NOTICES : 0;
    for (int k = first; k < r->interruption_count; k++) {
        int64_t over_ms = r->interruptions[k].until_ms;
        if (over_ms == TIME_OPEN || over_ms > v->through_ms - OLD_MS)
            notice_interruption(job, v, k);
    }
}

/* "GPUHardware (Xid79); owner Provider; first failed slot slice/0/3, container train, node n1". The line of the log is
 * in the JobGoodput alone: clusters often forward Events to where others read them. */
static void describe_root_cause(const struct root_cause *c, enum rootcause_owner owner, struct buf *out) {
    buf_append_text(out, rootcause_class_name(c->class_));
    if (c->reason[0])
        buf_format(out, " (%s)", c->reason);
    if (c->is_symptom_only)
        buf_append_text(out, ", only a symptom");
    if (c->is_symptom_only && c->waits_for[0])
        buf_format(out, ": it waits for %s", c->waits_for);
    buf_format(out, "; owner %s", rootcause_owner_name(owner));
    if (c->replicated_job[0])
        buf_format(out, "; first failed slot %s/%lld/%lld", c->replicated_job, (long long)c->job_index,
                   (long long)c->completion_index);
    if (c->container[0])
        buf_format(out, ", container %s", c->container);
    if (c->node[0])
        buf_format(out, "%s node %s", c->replicated_job[0] ? "," : ";", c->node);
}

/* NULL: that execution was not interrupted. */
static const struct ledger_interruption *interruption_of(const struct ledger_result *r, int number) {
    for (int k = r->interruption_count + r->has_own_end - 1; k >= 0; k--)
        if (r->interruptions[k].number == number)
            return &r->interruptions[k];
    return NULL;
}

static void notice_root_cause(struct model_job *job, const struct view *v, struct root_cause *c) {
    const struct ledger_interruption *i = interruption_of(&v->result, c->number);
    uint64_t hash = root_cause_hash(c);
    if (c->class_ == CLASS_UNKNOWN || c->noticed == hash || c->at_ms <= v->through_ms - OLD_MS)
        return;
    c->noticed = hash;
    CLEANUP_BUF struct buf note;
    buf_init(&note, MODEL_NOTE_SIZE);
    describe_root_cause(c, i != NULL ? i->owner : c->owner, &note);
    struct model_notice notice = {
        .type = "Warning", .reason = "RootCause", .note = buf_text(&note), .first_ms = c->at_ms, .last_ms = c->at_ms};
    snprintf(notice.id, sizeof notice.id, "%.8s.rootcause-%d", v->target->uid, c->number);
    job_notice(job, &notice);
}

static void notice_start(struct model_job *job, const struct view *v) {
    const struct ledger_execution *e = &v->result.executions[0];
    if (job->notices.has_first_step || !v->result.has_steps || v->result.execution_count == 0)
        return;
    job->notices.has_first_step = true;
    if (e->number != 1 || e->first_step_ms == TIME_UNKNOWN || e->first_step_ms < v->through_ms - OLD_MS)
        return;
    char note[128];
    snprintf(note, sizeof note, "the first step is in; steps are read as %s", view_log_format(v));
    struct model_notice notice = {
        .type = "Normal", .reason = "TrainingStarted", .note = note, .first_ms = e->first_step_ms};
    notice.last_ms = notice.first_ms;
    snprintf(notice.id, sizeof notice.id, "%.8s.started", v->target->uid);
    job_notice(job, &notice);
}

static void notice_end(struct model_job *job, const struct view *v) {
    char wall[32], available[32], note[256];
    if (!v->is_final || job->notices.has_end)
        return;
    job->notices.has_end = true;
    snprintf(note, sizeof note, "ended after %s, %s of them available, %d interruption%s",
             short_duration(wall, v->result.wall_ms), short_duration(available, v->result.available_ms),
             (int)view_interruptions(v), view_interruptions(v) == 1 ? "" : "s");
    struct model_notice notice = {.type = v->target->end.outcome == OUTCOME_FAILED ? "Warning" : "Normal",
                                  .reason = v->phase,
                                  .note = note,
                                  .first_ms = v->through_ms,
                                  .last_ms = v->through_ms};
    snprintf(notice.id, sizeof notice.id, "%.8s.ended", v->target->uid);
    job_notice(job, &notice);
}

void notices_add(struct model_job *job, const struct view *v) {
    if (v->target == NULL)
        return;
    notice_start(job, v);
    notice_interruptions(job, v);
    for (int i = 0; i < job->root_causes.count; i++)
        notice_root_cause(job, v, &job->root_causes.items[i]);
    notice_end(job, v);
}
