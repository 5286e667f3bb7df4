/* What earlier lines told, for a parser that goes on in another process. */
#include "steplog/formats.h"

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
    CODEC_INT(c, &counts->recognised, STEPLOG_AUTO, STEPLOG_FORMAT_COUNT - 1);
}

static void visit_huggingface(struct codec *c, struct huggingface *h) {
    h->dict_count = (int)codec_count(c, (size_t)h->dict_count, HUGGINGFACE_DICTS);
    for (int i = 0; i < h->dict_count; i++) {
        codec_time(c, &h->dicts[i].stamp_ms);
        visit_step(c, &h->dicts[i].step);
        visit_step(c, &h->dicts[i].evaluation_ms);
        codec_bool(c, &h->dicts[i].is_step);
        codec_bool(c, &h->dicts[i].is_evaluation);
    }
    h->redraw_count = (int)codec_count(c, (size_t)h->redraw_count, HUGGINGFACE_DICTS);
    for (int i = 0; i < h->redraw_count; i++) {
        visit_step(c, &h->redraws[i].step);
        codec_i64(c, &h->redraws[i].elapsed_s);
    }
    CODEC_INT(c, &h->held, 0, HUGGINGFACE_DICTS);
    codec_time(c, &h->held_since_ms);
    codec_i64(c, &h->logging_steps);
    codec_i64(c, &h->total);
    codec_i64(c, &h->done);
    codec_i64(c, &h->done_s);
    codec_time(c, &h->began_ms);
    codec_bool(c, &h->has_dict);
    codec_bool(c, &h->has_bar);
    codec_bool(c, &h->is_cleared);
    codec_bool(c, &h->is_written);
}

static void visit_pace(struct codec *c, struct pace *p) {
    CODEC_INT(c, &p->count, 0, 2 * PACE_STEPS - 1);
    for (int i = 0; i < PACE_STEPS && i < p->count; i++)
        p->step_ms[i] = codec_within(c, p->step_ms[i], 0, STEPLOG_MAX_DURATION_MS);
    codec_time(c, &p->step_at_ms);
    codec_time(c, &p->free_ms);
    codec_bool(c, &p->is_told);
    codec_bool(c, &p->is_broken);
}

void steplog_visit(struct steplog *s, struct codec *c) {
    visit_counts(c, &s->counts);
    codec_time(c, &s->last_said_ms);
    visit_step(c, &s->saving_step);
    codec_time(c, &s->save_started_ms);
    codec_time(c, &s->wait_started_ms);
    visit_step(c, &s->live_slices);
    visit_step(c, &s->loading_step);
    visit_step(c, &s->last_step);
    visit_step(c, &s->blocking_step);
    visit_step(c, &s->unproved_step);
    codec_bool(c, &s->is_saving);
    visit_pace(c, &s->pace);
    codec_time(c, &s->nemo.validation_ms);
    visit_huggingface(c, &s->huggingface);
    codec_i64(c, &s->lightning.batches);
    codec_i64(c, &s->lightning.epoch);
    codec_time(c, &s->lightning.epoch_ms);
    codec_time(c, &s->lightning.here_ms);
    codec_bool(c, &s->lightning.is_here);
    codec_bool(c, &s->lightning.is_validating);
    codec_i64(c, &s->keras.epoch);
    codec_i64(c, &s->keras.batches);
    visit_step(c, &s->keras.told_step);
    codec_i64(c, &s->keras.duration_ms);
    codec_i64(c, &s->keras.saved_epoch);
}
