#include "steplog/steplog_state.h"

#include "base/codec.h"
#include "steplog/ahead.h"
#include "steplog/heads.h"
#include "steplog/parser.h"
#include "steplog/text.h"

static void visit_step(struct codec *c, int64_t *step) {
    codec_time(c, step); /* RECORD_NONE is TIME_UNKNOWN: both are INT64_MIN */
}

static void visit_counts(struct codec *c, struct steplog_counts *counts) {
    codec_i64(c, &counts->lines);
    codec_i64(c, &counts->bytes);
    codec_i64(c, &counts->records);
    codec_i64(c, &counts->steps);
    codec_i64(c, &counts->too_long);
    codec_i64(c, &counts->other_job);
    codec_i64(c, &counts->malformed);
    codec_time(c, &counts->last_stamp_ms);
    counts->burst_steps = codec_within(c, counts->burst_steps, 0, INT64_MAX / 4096);
    counts->set_back_ms = codec_within(c, counts->set_back_ms, 0, INT64_MAX);
    counts->forward.largest_ms = codec_within(c, counts->forward.largest_ms, 0, INT64_MAX);
    counts->forward.second_ms = codec_within(c, counts->forward.second_ms, 0, counts->forward.largest_ms);
    CODEC_INT(c, &counts->recognized, STEPLOG_AUTO, STEPLOG_FORMAT_COUNT - 1);
    for (int i = 0; i < STEPLOG_FORMAT_COUNT; i++)
        counts->rivals.steps[i] = codec_within(c, counts->rivals.steps[i], 0, INT64_MAX / 4096);
}

static void visit_bar(struct codec *c, struct steplog_bar *bar) {
    visit_step(c, &bar->total);
    visit_step(c, &bar->last);
    visit_step(c, &bar->length);
}

static void visit_job(struct steplog *s, struct codec *c) {
    visit_bar(c, &s->bar);
    visit_bar(c, &s->bar_before);
    codec_bool(c, &s->is_bar_zero_based);
    codec_u64(c, &s->counter.kind);
    s->counter.unit = codec_within(c, s->counter.unit, 0, STEPLOG_MAX_STEP);
    s->counter.delta = codec_within(c, s->counter.delta, 0, STEPLOG_MAX_STEP);
    CODEC_INT(c, &s->counter.time_place, 0, INT32_MAX);
    CODEC_INT(c, &s->counter.scope, SCOPE_UNKNOWN, SCOPE_ALL);
    codec_bool(c, &s->counter.leaves_out);
    codec_bool(c, &s->counter.is_zero_based);
    codec_u64(c, &s->epochs.kind);
    visit_step_number(c, &s->epochs.first);
    visit_step_number(c, &s->epochs.length);
    codec_bool(c, &s->epochs.is_batch_of_epoch);
}

static void visit_pace(struct codec *c, struct pace *p) {
    CODEC_INT(c, &p->count, 0, 2 * PACE_STEPS - 1);
    for (int i = 0; i < PACE_STEPS && i < p->count; i++)
        p->step_ms[i] = codec_within(c, p->step_ms[i], 0, STEPLOG_MAX_DURATION_MS);
    codec_time(c, &p->step_at_ms);
    codec_time(c, &p->free_ms);
    codec_bool(c, &p->is_reported);
    codec_bool(c, &p->is_broken);
}

void steplog_visit(struct steplog *s, struct codec *c) {
    visit_counts(c, &s->counts);
    s->unread_lines = codec_within(c, s->unread_lines, 0, INT64_MAX / 2);
    codec_time(c, &s->last_record_ms);
    visit_step(c, &s->saving_step);
    codec_time(c, &s->save_started_ms);
    codec_time(c, &s->wait_started_ms);
    visit_step(c, &s->live_slices);
    visit_step(c, &s->loading_step);
    visit_step(c, &s->last_step);
    visit_step(c, &s->blocking_step);
    visit_step(c, &s->unproved_step);
    codec_time(c, &s->burst.at_ms);
    s->burst.steps = codec_within(c, s->burst.steps, 0, INT64_MAX / 4096);
    codec_time(c, &s->burst.last_ms);
    codec_bool(c, &s->burst.is_after_pause);
    codec_bool(c, &s->is_saving);
    codec_bool(c, &s->is_evaluating);
    visit_pace(c, &s->pace);
    ahead_visit(&s->ahead, c);
    visit_job(s, c);
    if (s->heads != NULL)
        heads_visit(s->heads, c);
    for (int i = 0; s->formats[i] != NULL; i++)
        if (s->states[i] != NULL && s->formats[i]->state_visit != NULL)
            s->formats[i]->state_visit(s->states[i], c);
}
