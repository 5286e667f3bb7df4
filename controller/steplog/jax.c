/* JAX with JAX_LOG_COMPILES=1 (jax/_src/dispatch.py): "Finished XLA compilation of jit(train_step) in 45.15 sec". */
#include "steplog/emit.h"
#include "steplog/text.h"

static enum line_result read_line(struct steplog *s, struct slice text) {
    struct slice rest;
    if (!text_after(text, "Finished XLA compilation of ", &rest))
        return LINE_NOT_MINE;
    struct record r = steplog_record(s, RECORD_COMPILE_END);
    /* A function's name may itself hold " in ": the last one counts. */
    bool found = false;
    while (text_after(rest, " in ", &rest))
        found = true;
    if (!found || !take_duration_ms(&rest, &r.duration_ms) || !slice_starts(rest, " sec"))
        return LINE_MALFORMED;
    steplog_emit(s, &r, STEPLOG_AUTO);
    return LINE_TAKEN;
}

static const char *const words[] = {"Finished XLA compilation of ", NULL};

extern const struct format steplog_jax;
const struct format steplog_jax = {.id = STEPLOG_AUTO, .is_always_read = true, .words = words, .line = read_line};
