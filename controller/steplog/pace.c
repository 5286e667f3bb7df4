#include "steplog/pace.h"

#include "steplog/text.h"

static int64_t median_ms(const struct pace *p) {
    int64_t sorted[PACE_STEPS];
    int n = p->count < PACE_STEPS ? p->count : PACE_STEPS;
    if (n == 0)
        return RECORD_NONE;
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && sorted[k - 1] > p->step_ms[i]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = p->step_ms[i];
    }
    return sorted[n / 2];
}

static void add_sample(struct pace *p, int64_t ms) {
    if (ms < 0 || ms > STEPLOG_MAX_DURATION_MS)
        return;
    p->step_ms[p->count++ % PACE_STEPS] = ms;
    if (p->count == 2 * PACE_STEPS)
        p->count = PACE_STEPS;
}

void pace_note(struct steplog *s, const struct record *r) {
    struct pace *p = &s->pace;
    if (r->kind == RECORD_JOB_START || r->kind == RECORD_RESTORE_START || r->kind == RECORD_RESTORE_END)
        s->unproved_step = RECORD_NONE; /* a new process may continue in the same log */
    /* A save in the background says nothing about the loop. */
    bool ends_save = r->kind == RECORD_SAVE_BLOCKED ||
                     (r->kind == RECORD_SAVE_DURABLE && s->blocking_step == r->step && r->step != RECORD_NONE);
    if (r->kind != RECORD_STEP_END) {
        p->is_broken |= r->kind != RECORD_SIGN_OF_LIFE;
        if (ends_save || r->kind == RECORD_EVALUATION_END)
            p->free_ms = r->at_ms;
        return;
    }
    bool is_next = s->last_step != RECORD_NONE && r->step > s->last_step && p->step_at_ms != TIME_UNKNOWN &&
                   r->at_ms != TIME_UNKNOWN && r->at_ms >= p->step_at_ms;
    if (is_next && !p->is_broken && !p->is_reported)
        add_sample(p, (r->at_ms - p->step_at_ms) / (r->step - s->last_step));
    p->is_broken = false;
    p->step_at_ms = p->free_ms = r->at_ms;
}

void pace_reported(struct steplog *s, int64_t mean_ms) {
    if (s->counts.steps == 0 || mean_ms == RECORD_NONE) /* the first includes compilation */
        return;
    s->pace.is_reported = true;
    add_sample(&s->pace, mean_ms);
}

/* When the work that follows a step was free to begin; TIME_UNKNOWN. */
static int64_t free_after(const struct steplog *s, int64_t step) {
    const struct pace *p = &s->pace;
    if (p->free_ms == TIME_UNKNOWN || s->last_step == RECORD_NONE || step < s->last_step)
        return TIME_UNKNOWN;
    int64_t untold = step - s->last_step, each_ms = untold > 0 ? median_ms(p) : 0;
    if (each_ms == RECORD_NONE || untold > PACE_MAX_UNREPORTED)
        return TIME_UNKNOWN;
    return p->free_ms + untold * each_ms;
}

void pace_evaluation_end(const struct steplog *s, int64_t step, struct record *r) {
    int64_t from_ms = free_after(s, step);
    if (from_ms != TIME_UNKNOWN && r->at_ms != TIME_UNKNOWN && r->at_ms > from_ms &&
        r->at_ms - from_ms <= STEPLOG_MAX_DURATION_MS)
        r->duration_ms = r->at_ms - from_ms;
    r->is_derived = r->duration_ms != RECORD_NONE;
    r->kind = RECORD_EVALUATION_END;
}

bool pace_save_end(struct steplog *s, const struct record *step, struct record *ret) {
    if (s->save_started_ms == TIME_UNKNOWN || step->at_ms == TIME_UNKNOWN || s->last_step == RECORD_NONE ||
        step->step <= s->last_step)
        return false;
    bool is_stated = step->duration_ms != RECORD_NONE && step->step > s->last_step;
    int64_t from_ms = s->save_started_ms,
            each_ms = is_stated ? step->duration_ms / (step->step - s->last_step) : median_ms(&s->pace);
    int64_t untold = step->step - (s->saving_step > s->last_step ? s->saving_step : s->last_step);
    s->save_started_ms = TIME_UNKNOWN;
    if (each_ms == RECORD_NONE || untold <= 0 || untold > PACE_MAX_UNREPORTED)
        return false;
    int64_t to_ms = step->at_ms - untold * each_ms;
    if (to_ms <= from_ms || to_ms - from_ms > STEPLOG_MAX_DURATION_MS)
        return false;
    *ret = *step;
    ret->kind = RECORD_SAVE_BLOCKED;
    ret->step = s->saving_step;
    ret->at_ms = to_ms;
    ret->duration_ms = to_ms - from_ms;
    ret->tflops_milli = RECORD_NONE;
    ret->is_derived = true;
    ret->is_async = true; /* it does not say that the save is final */
    return true;
}
