/* A new format is one file and one row, also of checkpoints: this is one that remembers something, and its table. */
#include "harness.h"

#include "steplog/emit.h"
#include "steplog/formats.h"
#include "steplog/steplog_state.h"
#include "steplog/text.h"

/* "tick" is a step, "from N" says which one came last. */
struct ticks {
    int64_t count;
};

static enum line_result read_line(struct steplog *s, struct slice text) {
    struct ticks *t = s->state;
    struct slice rest;
    if (step_after(text, "from ", &t->count, &rest))
        return LINE_TAKEN;
    if (!slice_is(text, "tick"))
        return LINE_NOT_MINE;
    struct record r = steplog_record(s, RECORD_STEP_END);
    r.step = ++t->count;
    steplog_emit_step(s, r, RECORD_NONE, STEPLOG_MAXTEXT);
    return LINE_TAKEN;
}

static void visit_state(void *state, struct codec *c) {
    codec_i64(c, &((struct ticks *)state)->count);
}

static const struct format ticks = {
    .id = STEPLOG_MAXTEXT, .line = read_line, .state_bytes = sizeof(struct ticks), .state_visit = visit_state};
extern const struct format steplog_keras;
static const struct format *const table[] = {&steplog_keras, &ticks, NULL};

static void on_record(void *context, const struct record *r) {
    if (r->kind == RECORD_STEP_END)
        *(int64_t *)context = r->step;
}

TEST(a_new_format_is_one_file_and_one_row) {
    int64_t last = 0;
    CLEANUP_BUF struct buf state;
    buf_init(&state, 1 << 16);
    struct steplog *before = steplog_new_table(table, STEPLOG_AUTO, NULL, on_record, &last);
    steplog_feed(before, SLICE("from 41\ntick\n"), false);
    CHECK_INT(last, 42);
    struct codec writing = codec_writing(&state);
    steplog_visit(before, &writing);
    steplog_free(before);

    struct steplog *after = steplog_new_table(table, STEPLOG_AUTO, NULL, on_record, &last);
    struct codec reading = codec_reading(buf_slice(&state));
    steplog_visit(after, &reading);
    CHECK(codec_is_done(&reading));
    steplog_feed(after, SLICE("tick\n"), false);
    CHECK_INT(last, 43);
    CHECK_INT(steplog_counts_get(after).steps, 2);
    steplog_free(after);
}

TEST(another_format_has_no_state) {
    int64_t last = 0;
    struct steplog *s = steplog_new_table(table, STEPLOG_KERAS, NULL, on_record, &last);
    steplog_feed(s, SLICE("from 41\ntick\n"), false);
    CHECK_INT(last, 0);
    CHECK(s->states[0] != NULL && s->states[1] == NULL);
    steplog_free(s);
}
