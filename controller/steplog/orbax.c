/* Orbax's lines next to any trainer's (orbax checkpoint/_src/logging/event_tracking.py and checkpoint_manager.py, 0.6.4
 * to 0.12.8). One save is logged several times: the lines below, and the statistics dictionary that recorder.c reads.
 * Its checkpoint_manager_blocking_duration_secs is the whole time the loop was blocked and contains the shorter
 * "Finished blocking save". Both are emitted as intervals that end at their own times: nested intervals are counted
 * once by the ledger, so that the longer, better one wins where it was logged and the shorter is not lost where it was
 * not. */
#include "steplog/emit.h"
#include "steplog/text.h"

static bool emit(struct steplog *s, struct record r) {
    steplog_emit(s, &r, STEPLOG_AUTO);
    return true;
}

/* "[step=20]" in the prefix. */
static bool step_tag(struct slice text, int64_t *step) {
    struct slice rest;
    return text_after(text, "[step=", &rest) && take_step(&rest, step) && slice_starts(rest, "]");
}

/* "0.03 seconds. Continuing save @ PATH." or "0.65 seconds @ PATH" */
static bool duration_and_path(struct slice rest, struct record *r) {
    struct slice path;
    if (!take_duration_ms(&rest, &r->duration_ms) || !slice_starts(rest, " seconds"))
        return false;
    if (text_after(rest, " @ ", &path))
        r->step = step_of_path(slice_trim(path));
    return true;
}

/* "[process=0] [async] Started save checkpoint @ PATH." */
static bool started(struct steplog *s, struct slice text) {
    struct slice path;
    struct record r = steplog_record(s, RECORD_SAVE_START);
    if (text_after(text, "Started save checkpoint @ ", &path)) {
        r.is_async = slice_contains(text, "[async]");
        r.step = s->saving_step = step_of_path(slice_trim(path));
        return emit(s, r);
    }
    if (text_after(text, "Started load checkpoint @ ", &path) ||
        text_after(text, "Restoring checkpoint from ", &path)) {
        r.kind = RECORD_RESTORE_START;
        r.step = step_of_path(slice_trim(path));
        return emit(s, r);
    }
    return false;
}

/* The blocking part of a load says nothing: the load continues, and its end has another line. That of a [sync] save
 * likewise: training stays blocked until "Finished save in". */
static bool finished(struct steplog *s, struct slice text) {
    struct slice rest;
    struct record r = steplog_record(s, RECORD_SAVE_BLOCKED);
    r.is_async = true;
    if (text_after(text, "Finished blocking save in ", &rest)) {
        if (!slice_contains(text, "[sync]") && duration_and_path(rest, &r))
            emit(s, r);
        return true;
    }
    if (text_after(text, "Finished save (blocking + background) in ", &rest)) {
        r.kind = RECORD_SAVE_WRITTEN;
        return duration_and_path(rest, &r) && emit(s, r);
    }
    if (text_after(text, "Finished save in ", &rest)) {
        r.is_async = false;
        return duration_and_path(rest, &r) && emit(s, r);
    }
    r.is_async = false;
    r.kind = RECORD_RESTORE_END;
    if (text_after(text, "Finished load in ", &rest))
        return duration_and_path(rest, &r) && emit(s, r);
    if (text_after(text, "Finished restoring checkpoint from ", &rest)) {
        r.step = step_of_path(slice_trim(rest));
        return emit(s, r);
    }
    return false;
}

/* "[step=20] CheckpointManager Save Finalize is done on all hosts." and, for a save without a background thread,
 * "[step=20] Finished synchronous save.", which comes after the same finalization. */
static bool durable(struct steplog *s, struct slice text) {
    bool is_async = slice_contains(text, "CheckpointManager Save Finalize is done on all hosts");
    if (!is_async && !slice_contains(text, "Finished synchronous save"))
        return false;
    struct record r = steplog_record(s, RECORD_SAVE_DURABLE);
    r.is_async = is_async;
    if (!step_tag(text, &r.step))
        r.step = s->saving_step;
    return emit(s, r);
}

/* "[process=0] Saving checkpoint at step 20 due to preemption." Without the last words it only names the step. */
static bool saving(struct steplog *s, struct slice text) {
    struct slice rest;
    struct record r = steplog_record(s, RECORD_SAVE_ON_SIGTERM);
    if (!text_after(text, "Saving checkpoint at step ", &rest) || !take_step(&rest, &r.step))
        return false;
    if (slice_starts(rest, " due to preemption"))
        return emit(s, r);
    s->saving_step = r.step;
    return true;
}

/* The main thread waiting for a background save (at the end of training, or before the next save) is blocked by it:
 * "[thread=MainThread][step=29][wait_until_finished] Waiting for Save Finalize thread (...) to complete." until
 * "... Done waiting for Save Finalize thread ...". Only the two lines' stamps show how long. */
static bool waiting(struct steplog *s, struct slice text) {
    struct slice rest;
    if (!text_after(text, "[wait_until_finished] ", &rest) || !slice_contains(text, "[thread=MainThread]"))
        return false;
    if (slice_starts(rest, "Waiting for Save Finalize")) {
        s->wait_started_ms = s->stamp_ms;
        return true;
    }
    if (slice_starts(rest, "Done waiting for Save Finalize") && s->wait_started_ms != TIME_UNKNOWN &&
        s->stamp_ms != TIME_UNKNOWN && s->stamp_ms >= s->wait_started_ms) {
        struct record r = steplog_record(s, RECORD_SAVE_BLOCKED);
        r.is_async = true;
        r.duration_ms = s->stamp_ms - s->wait_started_ms;
        if (r.duration_ms > STEPLOG_MAX_DURATION_MS)
            r.duration_ms = RECORD_NONE;
        step_tag(text, &r.step);
        emit(s, r);
    }
    s->wait_started_ms = TIME_UNKNOWN;
    return true;
}

static enum line_result read_line(struct steplog *s, struct slice text) {
    bool mine = started(s, text) || finished(s, text) || durable(s, text) || saving(s, text) || waiting(s, text);
    return mine ? LINE_TAKEN : LINE_NOT_MINE;
}

static const char *const words[] = {"Started save checkpoint @ ",
                                    "Started load checkpoint @ ",
                                    "Restoring checkpoint from ",
                                    "Finished blocking save in ",
                                    "Finished save (blocking + background) in ",
                                    "Finished save in ",
                                    "Finished load in ",
                                    "Finished restoring checkpoint from ",
                                    "CheckpointManager Save Finalize is done on all hosts",
                                    "Finished synchronous save",
                                    "Saving checkpoint at step ",
                                    "[wait_until_finished] ",
                                    NULL};

extern const struct format steplog_orbax;
const struct format steplog_orbax = {.id = STEPLOG_AUTO, .is_always_read = true, .words = words, .line = read_line};
