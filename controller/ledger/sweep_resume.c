/* Starts a sweep where the settled part ends. */
#include "ledger/sweep_resume.h"
#include "ledger/sweep.h"
#include "ledger/sweep_entries.h"

#include "base/minmax.h"

#include <string.h>

static void resume(struct sweep *s) {
    const struct settled *old = s->settled;
    const struct view *view = s->training->view_count > 0 ? s->training->views : NULL;
    s->sums = old->sums;
    if (old->phases != NULL)
        memcpy(s->phase_ms, old->phases->ms, sizeof s->phase_ms);
    for (int i = 0; i < ACCOUNT_COUNT; i++)
        if (!s->sums.accounts[i].is_settled)
            s->sums.accounts[i].largest.view = view;
    s->sums.span.origin.view = view;
    s->sums.down.view = view;
    if (view == NULL)
        s->sums.down.from_ms = TIME_UNKNOWN;
    s->at.is_series_started = s->training->series_first_run == 0;
    for (size_t i = 0; i <= old->listed_count; i++) {
        s->executions[i] = old->executions[i];
        s->productive_before_ms[i] = old->productive_before_ms[i];
        if (i < old->listed_count)
            s->recoveries[i] = old->listed[i].recovery;
    }
    s->at.interruption = (int)old->listed_count - 1;
    for (size_t i = 0; i < s->training->settled_loss_count; i++) {
        const struct settled_loss *loss = &s->training->settled_losses[i];
        if (loss->loss.interruption < 0)
            continue;
        struct recovery *r = &s->recoveries[loss->loss.interruption];
        struct account *wasted = &s->sums.accounts[BUCKET_WASTED_PROGRESS];
        wasted->interrupted_ms += loss->ms;
        wasted->interrupted_chip_ms += loss->chip_ms;
        r->tch_ms += loss->ms;
        r->cost_ms += loss->ms;
        r->chip_ms += loss->chip_ms;
        r->lost_steps += loss->steps;
        r->is_assumed |= loss->loss.is_assumed && loss->ms > 0;
    }
    if (!s->at_end && s->training->series_first_run == 0) {
        bool is_exact;
        int64_t durable = s->training->durable_step;
        struct progress p = durable == RECORD_NONE ? old->sums.series : settled_progress(old, durable, &is_exact);
        s->provisional_ms = max_of(0, s->sums.accounts[BUCKET_PRODUCTIVE].ms - p.productive_ms);
    }
}

/* Adds the settled part to the windows that reach back into it. */
static void resume_windows(struct sweep *s) {
    const struct ledger_options *options = &s->ledger->options;
    int64_t sums[ACCOUNT_COUNT], interruptions;
    for (int w = 0; w < options->window_count; w++) {
        int64_t from = s->through_ms - options->windows_ms[w];
        if (from >= s->settled->through_ms)
            continue;
        settled_sums_at(s->settled, s->start_ms, max_of(from, s->start_ms), sums, &interruptions);
        for (int i = 0; i < ACCOUNT_COUNT; i++) {
            s->sums.accounts[i].window_ms[w] = s->sums.accounts[i].ms - sums[i];
            if (i >= BUCKET_COUNT || bucket_family((enum bucket)i) != FAMILY_SCHEDULING)
                s->window_available_ms[w] += s->sums.accounts[i].window_ms[w];
        }
    }
}

void sweep_resume(struct sweep *s) {
    resume(s);
    resume_windows(s);
    sweep_start_entries(s);
}
