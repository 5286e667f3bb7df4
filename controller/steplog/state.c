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
        codec_bool(c, &h->dicts[i].is_step);
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
    codec_bool(c, &h->has_dict);
    codec_bool(c, &h->has_bar);
    codec_bool(c, &h->is_cleared);
    codec_bool(c, &h->is_written);
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
    visit_huggingface(c, &s->huggingface);
    codec_i64(c, &s->lightning.batches);
    visit_step(c, &s->lightning.told_step);
    codec_bool(c, &s->lightning.is_here);
    codec_bool(c, &s->lightning.is_validating);
    codec_i64(c, &s->keras.epoch);
    codec_i64(c, &s->keras.batches);
    visit_step(c, &s->keras.told_step);
    codec_i64(c, &s->keras.duration_ms);
}
