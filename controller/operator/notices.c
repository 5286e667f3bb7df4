/* What is worth an Event on the JobGoodput: each thing once. */
#include "operator/view.h"

#include <stdio.h>
#include <string.h>

#define SETTLING_MS 5000 /* so long an interruption without a cause waits for one */

static void tell_interruptions(struct view *v) {
    const struct ledger_result *r = &v->result;
    while (v->job->told_interruptions < r->interruption_count) {
        const struct ledger_interruption *i = &r->interruptions[v->job->told_interruptions];
        if (i->cause == CAUSE_UNKNOWN && v->through_ms < i->at_ms + SETTLING_MS && !v->has_ended)
            return;
        job_notice(v->job, "Warning", "Interrupted", "%s%s%s: %s", cause_name(i->cause), i->reason[0] ? "/" : "",
                   i->reason, i->evidence[0] ? i->evidence : "no object or line tells why");
        v->job->told_interruptions++;
    }
}

void view_notices(struct view *v) {
    struct model_job *job = v->job;
    if (v->target == NULL)
        return;
    if (v->result.has_steps && !job->told_first_step) {
        job->told_first_step = true;
        job_notice(job, "Normal", "TrainingStarted", "the first step is in; steps are read as %s",
                   steplog_format_name(v->log_format));
    }
    tell_interruptions(v);
    if (v->has_ended && !job->told_end) {
        job->told_end = true;
        job_notice(job, v->target->outcome == OUTCOME_FAILED ? "Warning" : "Normal", v->phase,
                   "ended after %lld s, %lld s of them available", (long long)(v->result.wall_ms / 1000),
                   (long long)(v->result.available_ms / 1000));
    }
}
