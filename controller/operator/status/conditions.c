/* The conditions of a JobGoodput. Their times come from facts where there are any, so that the same recording gives the
 * same status however often it was evaluated; where none does, the time up to which it was so is remembered while the
 * target runs, and is the end once it ended. */
#include "operator/status/conditions.h"
#include "ledger/evaluate.h"
#include "operator/job/forbidden.h"
#include "operator/job/formats.h"
#include "operator/job/job.h"
#include "operator/job/log_pods.h"
#include "operator/job/log_work.h"
#include "operator/job/logs.h"
#include "operator/store/kinds.h"
#include "operator/store/node_chips.h"
#include "operator/store/pod.h"
#include "steplog/step_samples.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define UNRECOGNIZED_LINES 200 /* after this many lines without a step the format is not recognized */
#define MIN_EVIDENCE_PPM 950000

enum { READY, STEP_LOG_ATTACHED, EVIDENCE_COMPLETE, CLOCK_SKEW, FINISHED, PERMISSION_MISSING };

static const char *const types[JOB_CONDITIONS] = {"Ready",     "StepLogAttached", "EvidenceComplete",
                                                  "ClockSkew", "Finished",        "PermissionMissing"};

__attribute__((format(printf, 6, 7))) static void set(struct view *v, int which, bool is_true, const char *reason,
                                                      int64_t at_ms, const char *format, ...) {
    struct condition_view *c = &v->conditions[which];
    va_list args;
    c->type = types[which];
    c->status = is_true ? "True" : "False";
    c->reason = reason;
    c->at_ms = at_ms;
    va_start(args, format);
    vsnprintf(c->message, sizeof c->message, format, args);
    va_end(args);
}

/* ---- Ready ---- */

static void set_ready(struct view *v) {
    const struct model_job *job = v->job;
    const struct forbidden *blocked = job_blocked(job);
    const char *kind = kind_name(job->spec.target_kind);
    if (job->links.duplicate_of)
        set(v, READY, false, "Duplicate", job->created_ms, "%s %s is already measured by JobGoodput %s, which is older",
            kind, job->spec.target_name, job->links.duplicate_of->name);
    else if (blocked && !v->is_final)
        set(v, READY, false, "Forbidden", TIME_UNKNOWN, "%s", blocked->words);
    else if ((job->target == NULL || !job->target->is_seen) &&
             job->store->is_absent[kind_row(job->spec.target_kind)->resource])
        set(v, READY, false, "KindNotServed", job->created_ms,
            "the cluster does not serve %s (%s): install its controller; waiting for %s", kind,
            kind_row(job->spec.target_kind)->api_version, job->spec.target_name);
    else if (job->target == NULL || !job->target->is_seen)
        set(v, READY, false, "TargetNotFound", job->created_ms, "there is no %s %s in namespace %s yet; waiting for it",
            kind, job->spec.target_name, job->namespace_);
    else if (v->target == NULL)
        set(v, READY, false, "ManagedElsewhere", job->target->created_ms,
            "%s %s is managed by %s: measure it in the cluster where its pods run", kind, job->spec.target_name,
            job->target->spec.managed_by);
    else if (v->result.slots_required == 0 && !v->has_ended)
        set(v, READY, false, "NothingRequired", v->target->created_ms,
            "%s %s has no required pods: check spec.requiredReplicatedJobs", kind, job->spec.target_name);
    else if (v->target->spec.left_out > 0)
        set(v, READY, false, "TooManyReplicatedJobs", v->target->created_ms,
            "%s %s has more replicated jobs than the %d that are measured: %d that should be required are left out",
            kind, job->spec.target_name, OBJECT_REPLICATED_JOBS, v->target->spec.left_out);
    else if (store_sharing_nodes(v->target) != NULL)
        set(v, READY, true, "Accounted", v->target->created_ms,
            "%s %s is measured without chip hours: pods of %s share a node and ask for no chips; let them ask, or give "
            "each a node",
            kind, job->spec.target_name, store_sharing_nodes(v->target)->name);
    else if (job->spec.log_generation > 0)
        set(v, READY, true, "Accounted", v->target->created_ms,
            "%s %s is measured; its steps were read again for generation %lld of the spec", kind, job->spec.target_name,
            (long long)job->spec.log_generation);
    else
        set(v, READY, true, "Accounted", v->target->created_ms, "%s %s is measured", kind, job->spec.target_name);
}

/* ---- the step log ---- */

static const char *disabled_pattern(const struct model_job *job) {
    for (int i = 0; i < job->log.process_count; i++) {
        const struct steplog *parser = job->log.processes[i]->parser;
        if (parser && steplog_disabled_pattern(parser))
            return steplog_disabled_pattern(parser);
    }
    return NULL;
}

static struct log_process *best_process(const struct model_job *job) {
    struct log_process *best = NULL;
    for (int i = 0; i < job->log.process_count; i++) {
        struct log_process *p = job->log.processes[i];
        if (p->parser && steplog_counts_get(p->parser).steps > 0 &&
            (best == NULL || p->first_line_ms < best->first_line_ms))
            best = p;
    }
    return best;
}

static bool set_spec_trouble(struct view *v, int64_t at_ms) {
    const struct model_job *job = v->job;
    int format = steplog_format_of_name(slice_of(job->spec.log.format));
    enum model_source_kind kind = model_job_source_kind(job);
    if (kind == MODEL_SOURCE_NONE) { /* one of a CRD that is newer */
        set(v, STEP_LOG_ATTACHED, false, "SourceUnsupported", at_ms,
            "reading steps from source %s is not built in; use PodLog, File, CloudLogging or Push",
            job->spec.log.source);
        return true;
    }
    if (job->spec.log.pattern_error) {
        set(v, STEP_LOG_ATTACHED, false, "PatternInvalid", at_ms, "spec.stepLog.%s", job->spec.log.pattern_error);
        return true;
    }
    const char *trouble = NULL;
    bool is_user = job_has_user_format(job);
    const struct forbidden *forbidden = job_forbidden(job, RESOURCE_STEPLOGFORMAT);
    if (is_user && job_user_format(job, &trouble) == NULL) {
        if (trouble == NULL && forbidden)
            set(v, STEP_LOG_ATTACHED, false, "FormatForbidden", at_ms, "%s", forbidden->words);
        else if (trouble == NULL)
            set(v, STEP_LOG_ATTACHED, false, "FormatMissing", at_ms,
                "there is no StepLogFormat %s; the log is read when it appears", job->spec.log.format);
        else
            set(v, STEP_LOG_ATTACHED, false, "FormatInvalid", at_ms, "StepLogFormat %s: %s", job->spec.log.format,
                trouble);
        return true;
    }
    if (!is_user && format < 0) { /* one of a CRD that is newer */
        set(v, STEP_LOG_ATTACHED, false, "FormatUnsupported", at_ms,
            "this version does not know the format %s: use one that its documentation lists, or Regex",
            job->spec.log.format);
        return true;
    }
    if (job_log_replicated_job(job) == NULL) {
        set(v, STEP_LOG_ATTACHED, false, "NoSuchReplicatedJob", at_ms, "%s has no replicated job %s",
            job->spec.target_name,
            job->spec.log.replicated_job[0] ? job->spec.log.replicated_job
            : job->target->spec.coordinator ? job->target->spec.coordinator
                                            : "");
        return true;
    }
    for (int i = 0; i < job->log_pods.count; i++)
        if (job->log_pods.items[i]->container_count > 0 && job_log_container(job, job->log_pods.items[i])[0] == '\0') {
            set(v, STEP_LOG_ATTACHED, false, "ContainerNotFound", at_ms, "pod %s has no container %s",
                job->log_pods.items[i]->name, job->spec.log.container);
            return true;
        }
    return false;
}

/* The message of FormatNotRecognized: a pattern to try, then why each format found nothing. Lines of the log stay in
 * the log. Their number changes with every status, so it is not in it. */
static void set_not_recognized(struct view *v, int64_t at_ms) {
    const struct model_job *job = v->job;
    const struct log_process *last = NULL;
    struct steplog_explanation e;
    char pattern[STEPLOG_MAX_PATTERN_BYTES + 1];
    set(v, STEP_LOG_ATTACHED, false, "FormatNotRecognized", at_ms,
        "no line of the log reports a step; set spec.stepLog.format, or describe the lines in a StepLogFormat");
    for (int i = 0; i < job->log.process_count; i++)
        if (job->log.processes[i]->parser != NULL)
            last = job->log.processes[i];
    if (last == NULL)
        return;
    steplog_explain(last->parser, &e);
    if (last->samples != NULL)
        step_samples_fill(last->samples, &e);
    if (step_samples_suggest(&e, pattern))
        set(v, STEP_LOG_ATTACHED, false, "FormatNotRecognized", at_ms,
            "no line of the log reports a step; lines %s match spec.stepLog {format: Regex, regex: {step: '%s'}}",
            e.is_by_number ? "whose number rises as that of steps may" : "that look like steps", pattern);
    char *message = v->conditions[STEP_LOG_ATTACHED].message;
    for (int i = 0; i < e.tried_count; i++) {
        size_t used = strlen(message), room = sizeof v->conditions[0].message - used;
        if (snprintf(message + used, room, "; %s: %s", e.tried[i].format, e.tried[i].why) >= (int)room)
            message[used] = '\0'; /* whole reasons only */
    }
}

static void set_reading(struct view *v, int64_t at_ms) {
    const struct model_job *job = v->job;
    int64_t lines = 0;
    const char *lost = "";
    for (int i = 0; i < job->log.process_count; i++) {
        if (job->log.processes[i]->parser)
            lines += steplog_counts_get(job->log.processes[i]->parser).lines;
        if (job->log.processes[i]->lost != NULL)
            lost = job->log.processes[i]->lost;
    }
    const struct pod *last = job->log_pods.count > 0 ? job->log_pods.items[job->log_pods.count - 1] : NULL;
    if (job->log.trouble != NULL)
        set(v, STEP_LOG_ATTACHED, false, "LogUnreadable", at_ms, "%s", job->log.trouble);
    else if (lines >= UNRECOGNIZED_LINES || (lines > 0 && v->has_ended))
        set_not_recognized(v, at_ms);
    else if (!lost[0] && v->has_ended && job_has_source(job) && job->log.early_lines > 0)
        set(v, STEP_LOG_ATTACHED, false, "LogUnreadable", at_ms,
            "no step: the %lld lines read are from before %s was created: an earlier job's, or a clock is wrong",
            (long long)job->log.early_lines, job->spec.target_name);
    else if (lost[0] || v->has_ended)
        set(v, STEP_LOG_ATTACHED, false, "LogUnreadable", at_ms, "%s",
            lost[0] ? lost : "the log was not read before the target ended");
    else if (job_has_source(job) && job->log.early_lines > 0)
        set(v, STEP_LOG_ATTACHED, false, "Waiting", at_ms,
            "no step yet: the %lld lines read so far are from before %s was created", (long long)job->log.early_lines,
            job->spec.target_name);
    else if (job_has_source(job))
        set(v, STEP_LOG_ATTACHED, false, "Waiting", at_ms, "no step yet from source %s", job->spec.log.source);
    else if (last == NULL)
        set(v, STEP_LOG_ATTACHED, false, "Waiting", at_ms, "the pod whose log is read does not exist yet");
    else
        set(v, STEP_LOG_ATTACHED, false, "Waiting", at_ms, "no step yet in the log of pod %s", last->name);
    v->log = strcmp(v->conditions[STEP_LOG_ATTACHED].reason, "Waiting") == 0 ? LOG_WAITING : LOG_DOUBT;
}

const char *view_log_format(const struct view *v) {
    bool is_user = v->log_format == STEPLOG_REGEX && steplog_format_of_name(slice_of(v->job->spec.log.format)) < 0;
    bool has_name = v->log_format_name != NULL && v->log_format_name[0] != '\0';
    if (is_user)
        return v->job->spec.log.format;
    return has_name ? v->log_format_name : steplog_format_name(v->log_format);
}

/* Two formats report other steps: which are the job's, only a person can say. */
static bool set_rivals(struct view *v, int64_t at_ms) {
    const struct model_job *job = v->job;
    enum steplog_format two[2];
    if (!job_log_rivals(job, two))
        return false;
    set(v, STEP_LOG_ATTACHED, false, "FormatNotRecognized", at_ms,
        "%s and %s are equally likely, and report different steps; set spec.stepLog.format to one of them",
        steplog_format_name(two[0]), steplog_format_name(two[1]));
    return true;
}

void view_log(struct view *v) {
    if (strcmp(v->job->spec.log.source, "None") == 0 || v->target == NULL) {
        v->log = LOG_NONE;
        return;
    }
    const struct log_process *best = best_process(v->job);
    const char *disabled = disabled_pattern(v->job);
    int64_t at_ms = v->target->created_ms;
    v->log = LOG_TROUBLE;
    if (v->job->log.costly_pattern != NULL) {
        set(v, STEP_LOG_ATTACHED, false, "PatternTooExpensive", at_ms,
            "%s took more work than a job has in a minute: the log is not read until the pattern is changed; simplify "
            "it",
            v->job->log.costly_pattern);
        return;
    }
    if (job_is_log_barred(v->job)) {
        set(v, STEP_LOG_ATTACHED, false, "PatternTooExpensive", at_ms,
            "the patterns before this change took all work of this minute: the log is read from the next one on");
        return;
    }
    if (disabled) {
        set(v, STEP_LOG_ATTACHED, false, "PatternTooExpensive", at_ms,
            "%s was too expensive to match on 20 lines and is not tried on further lines; simplify it", disabled);
        return;
    }
    if (best == NULL) {
        if (!set_spec_trouble(v, at_ms))
            set_reading(v, at_ms);
        return;
    }
    v->log_format = steplog_counts_get(best->parser).recognized;
    v->log_format_name = steplog_recognized_name(best->parser);
    v->attached_ms = best->first_line_ms;
    v->log = LOG_ATTACHED;
    if (v->job->log.trouble != NULL && !v->has_ended)
        set(v, STEP_LOG_ATTACHED, false, "LogUnreadable", TIME_UNKNOWN, "%s", v->job->log.trouble);
    else if (!set_rivals(v, at_ms))
        set(v, STEP_LOG_ATTACHED, true, "Attached", best->first_line_ms == TIME_UNKNOWN ? at_ms : best->first_line_ms,
            "steps are read as %s", view_log_format(v));
}

/* ---- the others ---- */

/* Logs that the new spec asks for, of pods that were deleted when it came. */
static int unread_logs(const struct model_job *job) {
    int count = 0;
    for (int i = 0; i < job->log_pods.count && job->spec.log_generation > 0; i++) {
        bool is_read = !job->log_pods.items[i]->is_deleted;
        for (int k = 0; k < job->log.process_count && !is_read; k++)
            is_read = job->log.processes[k]->pod == job->log_pods.items[i];
        count += !is_read;
    }
    return count;
}

/* Why lines are missing; NULL: none are. */
static const char *lost_lines(const struct model_job *job) {
    for (int i = 0; i < job->log.process_count; i++)
        if (job->log.processes[i]->lost != NULL)
            return job->log.processes[i]->lost;
    return NULL;
}

static bool set_bursts(struct view *v) {
    struct job_log_faults faults = job_log_faults(v->job);
    if (2 * faults.burst_steps <= faults.steps)
        return false;
    set(v, EVIDENCE_COMPLETE, false, "WrittenInBursts", TIME_UNKNOWN,
        "%lld of %lld steps were written many at once, so that their stamps do not say when they ended; set "
        "PYTHONUNBUFFERED=1 in the container, or print with flush=True",
        (long long)faults.burst_steps, (long long)faults.steps);
    return true;
}

static void set_evidence(struct view *v) {
    const struct ledger_result *r = &v->result;
    int unread = unread_logs(v->job);
    if (unread > 0) {
        set(v, EVIDENCE_COMPLETE, false, "SpecChanged", TIME_UNKNOWN,
            "generation %lld of the spec reads another log: those of %d deleted pods cannot be read any more",
            (long long)v->job->spec.log_generation, unread);
        return;
    }
    if (v->job->observation.trouble != NULL) {
        set(v, EVIDENCE_COMPLETE, false, "CheckpointIncomplete", v->target->created_ms, "%s",
            v->job->observation.trouble);
        return;
    }
    if (store_is_cut(v->target)) {
        set(v, EVIDENCE_COMPLETE, false, "HistoryTooLong", TIME_UNKNOWN,
            "more was observed than is kept (%d suspensions, restarts or evictions of the target, %d restarts of a "
            "container): earlier interruptions are not counted, and their time is not in its bucket",
            STORE_MAX_TRANSITIONS, STORE_MAX_INSTANCES);
        return;
    }
    if (v->log == LOG_NONE || r->available_ms == 0)
        return;
    int64_t ppm = ledger_ppm(r->available_ms - v->unattributed_ms, r->available_ms);
    const char *lost = lost_lines(v->job);
    if (lost != NULL && v->unattributed_ms > 0) {
        set(v, EVIDENCE_COMPLETE, ppm >= MIN_EVIDENCE_PPM, "LogLost", TIME_UNKNOWN,
            "a part of the log was not read: %s", lost);
        return;
    }
    if (r->headless_ms > 0) {
        set(v, EVIDENCE_COMPLETE, false, "LogLost", TIME_UNKNOWN,
            "a part of the log was not read: the first %lld s of it, which were rotated away before this controller "
            "came",
            (long long)((r->headless_ms + 500) / 1000));
        return;
    }
    if (set_bursts(v))
        return;
    if (ppm >= MIN_EVIDENCE_PPM && r->late_records > 0)
        set(v, EVIDENCE_COMPLETE, false, "LateRecords", TIME_UNKNOWN,
            "%lld records of the log came when their time was settled already and are counted nowhere",
            (long long)r->late_records);
    else if (ppm >= MIN_EVIDENCE_PPM && r->overlapped_records > 0)
        set(v, EVIDENCE_COMPLETE, true, "RecordsOverlapped", TIME_UNKNOWN,
            "at least 95 %% of the available time is explained; %lld records of a process that kept training next to "
            "its "
            "successor are counted nowhere",
            (long long)r->overlapped_records);
    else if (ppm >= MIN_EVIDENCE_PPM && r->retained_without_checkpoint)
        set(v, EVIDENCE_COMPLETE, true, "NoCheckpointSeen", TIME_UNKNOWN,
            "no checkpoint was seen: work before an interruption is taken to be kept");
    else if (ppm >= MIN_EVIDENCE_PPM)
        set(v, EVIDENCE_COMPLETE, true, "Explained", TIME_UNKNOWN, "at least 95 %% of the available time is explained");
    else
        set(v, EVIDENCE_COMPLETE, false, "Unattributed", TIME_UNKNOWN,
            "%lld.%02lld %% of the available time has no evidence what it was used for",
            (long long)((1000000 - ppm) / 10000), (long long)((1000000 - ppm) / 100 % 100));
}

/* True with the final numbers, in the same write: who waits for it reads what stays. */
static void set_finished(struct view *v) {
    const struct target *t = v->target;
    if (!v->has_ended)
        return;
    const char *reason = t->end.outcome == OUTCOME_SUCCEEDED ? "Succeeded"
                         : t->end.outcome == OUTCOME_FAILED  ? "Failed"
                                                             : "Deleted";
    if (!v->is_final)
        set(v, FINISHED, false, "Settling", v->through_ms,
            "%s %s has ended; the last of its log and of its objects is being read, until then the numbers may change",
            kind_name(v->job->spec.target_kind), v->job->spec.target_name);
    else if (t->end.outcome == OUTCOME_DELETED)
        set(v, FINISHED, true, reason, v->through_ms, "the target was deleted before it ended");
    else
        set(v, FINISHED, true, reason, v->through_ms, "%s%s%s", t->end.reason, t->end.message ? ": " : "",
            t->end.message ? t->end.message : "");
}

/* ---- permissions ---- */

/* Of all that the job depends on, each refusal once: two watches of one kind are refused in the same words. */
static void set_permission(struct view *v) {
    char words[sizeof v->conditions[0].message] = "";
    if (v->is_final || v->job->links.duplicate_of)
        return;
    for (int r = 0; r < RESOURCE_COUNT; r++) {
        const struct forbidden *f = job_forbidden(v->job, (enum resource)r);
        size_t used = strlen(words);
        if (f != NULL && strstr(words, f->words) == NULL)
            snprintf(words + used, sizeof words - used, "%s%s", used > 0 ? "; " : "", f->words);
    }
    if (words[0] != '\0')
        set(v, PERMISSION_MISSING, true, "Forbidden", TIME_UNKNOWN, "%s", words);
}

/* Where no fact gives the time of a condition, the last status does. */
static void settle_times(struct view *v) {
    for (int i = 0; i < JOB_CONDITIONS; i++) {
        struct condition_view *c = &v->conditions[i];
        const struct job_condition *known = &v->job->publication.conditions[i];
        if (c->type == NULL)
            continue;
        if (c->at_ms == TIME_UNKNOWN && v->has_ended)
            c->at_ms = v->through_ms;
        else if (c->at_ms == TIME_UNKNOWN)
            c->at_ms = strcmp(known->status, c->status) == 0 ? known->at_ms : v->through_ms;
    }
}

static void set_clock_skew(struct view *v) {
    struct job_log_faults faults = job_log_faults(v->job);
    if (faults.set_back_ms > 0)
        set(v, CLOCK_SKEW, true, "ClockSet", TIME_UNKNOWN,
            "the clock that stamped the log of pod %s was set back by %lld ms; its lines before that may be too late",
            faults.pod, (long long)faults.set_back_ms);
    else if (forward_ms(&faults.forward) > 0)
        set(v, CLOCK_SKEW, true, "StampsAhead", TIME_UNKNOWN,
            "the stamps in the log of pod %s went %lld ms further than its steps state: the clock was set forward, or "
            "the trainer paused; that time is Unattributed",
            faults.pod, (long long)forward_ms(&faults.forward));
    else if (v->result.clipped_ms > 0)
        set(v, CLOCK_SKEW, true, "RecordsClipped", TIME_UNKNOWN,
            "%lld ms of step records lie outside their container's or the target's life",
            (long long)v->result.clipped_ms);
}

void view_conditions(struct view *v) {
    set_ready(v);
    if (v->target) {
        set_evidence(v);
        set_clock_skew(v);
        set_finished(v);
    }
    set_permission(v);
    settle_times(v);
}
