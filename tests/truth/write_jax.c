/* The goodput recorder's entries (ml-goodput-measurement 0.2.3, with Orbax's statistics) and MaxText's lines. */
#include "write.h"

#include <stdlib.h>

static void entry(struct log *log, int64_t at_ms, const char *field, int64_t time_ms) {
    log_line(log, at_ms, "{\"job_name\": \"j\", \"%s\": %.6f}", field, log_seconds(log, time_ms));
}

static void custom(struct log *log, const struct event *e, const char *which) {
    log_line(log, e->at_ms,
             "{\"job_name\": \"j\", \"custom_badput_event_type\": \"eval_step\", "
             "\"custom_badput_event_%s_time\": %.6f}",
             which, log_seconds(log, e->at_ms));
}

/* As JSON in the recorder's log, as Python's repr() on MaxText's standard error. */
static void save_statistics(struct log *log, const struct event *e) {
    bool is_json = log->job->format == STEPLOG_RECORDER, is_sync = !log->job->is_async;
    const char *q = is_json ? "\"" : "'", *sync = is_json ? (is_sync ? "true" : "false") : (is_sync ? "True" : "False");
    double start = log_seconds(log, e->at_ms - e->ms), seconds = (double)e->ms / 1000;
    log_line(log, e->at_ms,
             "%s{%sstep%s: %d, %sevent_type%s: %ssave%s, %sdirectory%s: %s/ck%s, %ssynchronous%s: %s, "
             "%scheckpointer_blocking_start_time%s: %.6f, %scheckpointer_blocking_duration_secs%s: %.6f, "
             "%scheckpoint_manager_blocking_start_time%s: %.6f, %scheckpoint_manager_blocking_duration_secs%s: %.6f}",
             is_json ? "" : "I1121 02:17:45.441223 140094710811520 standard_logger.py:34] ", q, q, (int)e->step, q, q,
             q, q, q, q, q, q, q, q, sync, q, q, start + seconds / 10, q, q, seconds * 0.8, q, q, start, q, q, seconds);
}

static void restore_statistics(struct log *log, const struct event *e) {
    bool is_json = log->job->format == STEPLOG_RECORDER;
    const char *q = is_json ? "\"" : "'";
    double start = log_seconds(log, e->at_ms - e->ms), seconds = (double)e->ms / 1000;
    log_line(log, e->at_ms,
             "%s{%sstep%s: %d, %sevent_type%s: %srestore%s, %sdirectory%s: %s/ck%s, %scheckpointer_start_time%s: %.6f, "
             "%scheckpointer_duration_secs%s: %.6f, %scheckpoint_manager_start_time%s: %.6f, "
             "%scheckpoint_manager_duration_secs%s: %.6f}",
             is_json ? "" : "I1121 02:17:33.980755 140094710811520 standard_logger.py:34] ", q, q, (int)e->step, q, q,
             q, q, q, q, q, q, q, q, start, q, q, seconds, q, q, start, q, q, seconds);
}

/* Up to two seconds of entries are lost where a process is killed. */
static int64_t lost_from(struct log *log) {
    bool loses = log->attempt->has_failed && sim_chance(log->job, 30);
    return loses ? log->attempt->end_ms - sim_between(log->job, 0, 2000) : INT64_MAX;
}

void write_recorder(struct log *log) {
    int64_t lost_ms = lost_from(log);
    for (int i = 0; i < log->attempt->event_count; i++) {
        const struct event *e = &log->attempt->events[i];
        int64_t at = e->at_ms;
        if (at >= lost_ms)
            break;
        switch (e->kind) {
        case EVENT_INIT:
            entry(log, at, "job_start_time", at);
            entry(log, at, "tpu_init_start_time", at);
            break;
        case EVENT_INIT_END:
            entry(log, at, "tpu_init_end_time", at);
            entry(log, at, "training_prep_start_time", at);
            break;
        case EVENT_RESTORED:
            restore_statistics(log, e);
            break;
        case EVENT_PREPARED:
            entry(log, at, "training_prep_end_time", at);
            break;
        case EVENT_DATA:
            entry(log, at, "data_loading_start_time", at);
            break;
        case EVENT_DATA_END:
            entry(log, at, "data_loading_end_time", at);
            break;
        case EVENT_STEP:
            log_line(log, at, "{\"job_name\": \"j\", \"step_count\": %d, \"step_start_time\": %.6f}", (int)e->step,
                     log_seconds(log, at));
            break;
        case EVENT_EVALUATE:
            custom(log, e, "start");
            break;
        case EVENT_EVALUATED:
            custom(log, e, "end");
            break;
        case EVENT_SAVED:
            save_statistics(log, e);
            break;
        case EVENT_END:
            if (sim_chance(log->job, 70)) /* over REST it often does not arrive */
                entry(log, at, "job_end_time", at);
            break;
        default:
            break;
        }
    }
}

/* ---- MaxText ---- */

#define ABSL "I1121 02:17:41.048881 140094710811520 "

struct host { /* the loop that dispatches: a step's line comes within the next step */
    struct {
        int64_t step, ms;
    } waiting[2];
    int waiting_count, steps;
    int64_t printed_ms, apart_ms[4]; /* of the last lines: the time of the loop */
};

static void print_steps(struct log *log, struct host *h, int64_t at_ms, int keep) {
    while (h->waiting_count > keep) {
        log_line(log, at_ms,
                 ABSL
                 "metric_logger.py:265] completed step: %d, seconds: %.3f, TFLOP/s/device: 100.123, Tokens/s/device: "
                 "9434.658, total_weights: 512, loss: 7.905, lm_loss: 7.905, perplexity: 2709.466",
                 (int)h->waiting[0].step, (double)h->waiting[0].ms / 1000);
        h->apart_ms[h->waiting[0].step % 4] = at_ms - h->printed_ms;
        h->printed_ms = at_ms;
        h->waiting[0] = h->waiting[1];
        h->waiting_count--;
    }
}

/* A line's seconds are those of the host's loop: the first is compilation, if it was not done ahead, the second next
 * to nothing, and from then on they are those between the lines, two steps behind, with all that was waited for
 * (tests/data/trainer-logs/maxtext). */
static void queue_step(struct log *log, struct host *h, const struct event *e) {
    bool is_compiled = log->job->compiles_ahead;
    int64_t ms = h->steps == 0   ? (is_compiled ? 54 : log->job->compile_ms)
                 : h->steps == 1 ? 2
                 : h->steps == 2 ? log->job->ideal_ms
                                 : h->apart_ms[(e->step + 2) % 4];
    if (h->waiting_count == 2)
        print_steps(log, h, e->at_ms, 1);
    h->waiting[h->waiting_count].step = e->step;
    h->waiting[h->waiting_count++].ms = ms;
    h->steps++;
}

/* The host enters a save or an evaluation of a step before it prints the line of the one before. */
static bool is_followed_by_a_block(const struct attempt *a, int i) {
    int64_t step = a->events[i].step;
    for (int k = i + 1; k < a->event_count && a->events[k].kind != EVENT_STEP; k++)
        if (a->events[k].step == step && (a->events[k].kind == EVENT_SAVE || a->events[k].kind == EVENT_EVALUATE))
            return true;
    return false;
}

static void begin_save(struct log *log, const struct event *e) {
    log_line(log, e->at_ms,
             ABSL "checkpointing.py:1314] Waited 0.86 seconds for step %d to finish before starting "
                  "checkpointing.",
             (int)e->step);
    log_line(log, e->at_ms, ABSL "checkpoint_manager.py:1527] [process=0] Saving checkpoint at step %d", (int)e->step);
    log_line(log, e->at_ms, ABSL "event_tracking.py:76] [process=0] [%s] Started save checkpoint @ /ck/%d.",
             log->job->is_async ? "async" : "sync", (int)e->step);
}

static void end_save(struct log *log, const struct event *e) {
    double seconds = (double)e->ms / 1000;
    bool is_async = log->job->is_async;
    if (is_async)
        log_line(log, e->at_ms,
                 ABSL "event_tracking.py:171] [process=0] [async] Finished blocking save in %.2f seconds. Continuing "
                      "save @ /ck/%d.",
                 seconds, (int)e->step);
    else
        log_line(log, e->at_ms, ABSL "event_tracking.py:184] [process=0] [sync] Finished save in %.2f seconds @ /ck/%d",
                 seconds, (int)e->step);
    save_statistics(log, e);
    if (is_async)
        log_line(log, e->at_ms, ABSL "checkpointing.py:596] Started an asynchronous checkpoint save for step %d",
                 (int)e->step);
}

static void end_behind(struct log *log, const struct event *e) {
    if (!log->job->is_async) {
        log_line(log, e->at_ms,
                 ABSL "checkpoint_manager.py:1600] [process=0][thread=MainThread][step=%d] Finished "
                      "synchronous save.",
                 (int)e->step);
        return;
    }
    log_line(log, e->at_ms,
             ABSL "event_tracking.py:184] [process=0] [async] Finished save (blocking + background) in %.2f seconds @ "
                  "/ck/%d",
             (double)(log->job->background_ms + log->job->save_ms) / 1000, (int)e->step);
    log_line(log, e->at_ms,
             ABSL "checkpoint_manager.py:2211] [process=0][thread=save_finalize][step=%d] "
                  "CheckpointManager Save Finalize is done on all hosts.",
             (int)e->step);
}

static void wait_line(struct log *log, const struct event *e, const char *words) {
    log_line(log, e->at_ms,
             ABSL "checkpoint_manager.py:2085] [process=0][thread=MainThread][step=%d]"
                  "[wait_until_finished] %s Save Finalize thread (save_finalize)",
             (int)e->step, words);
}

static void maxtext_event(struct log *log, struct host *h, int i) {
    const struct event *e = &log->attempt->events[i];
    switch (e->kind) {
    case EVENT_INIT:
        log_line(log, e->at_ms, ABSL "pyconfig.py:591] Config param checkpoint_period: 10");
        break;
    case EVENT_RESTORE:
        log_line(log, e->at_ms, ABSL "event_tracking.py:76] [process=0] [sync] Started load checkpoint @ /ck/%d.",
                 (int)e->step);
        break;
    case EVENT_RESTORED:
        log_line(log, e->at_ms, ABSL "event_tracking.py:184] [process=0] [sync] Finished load in %.2f seconds @ /ck/%d",
                 (double)e->ms / 1000, (int)e->step);
        restore_statistics(log, e);
        break;
    case EVENT_TRAIN:
        log_line(log, e->at_ms, ABSL "metric_logger.py:425] number parameters: 0.006 billion");
        break;
    case EVENT_STEP_END:
        queue_step(log, h, e);
        break;
    case EVENT_STEP: /* dispatched: now the host waits for the one before */
        if (!is_followed_by_a_block(log->attempt, i))
            print_steps(log, h, e->at_ms + 1, 0);
        break;
    case EVENT_END:
        print_steps(log, h, e->at_ms + 2, 0);
        break;
    case EVENT_EVALUATED:
        log_line(log, e->at_ms, ABSL "metric_logger.py:300] Completed eval after train step %d, loss=9.011",
                 (int)e->step);
        print_steps(log, h, e->at_ms + 1, 1);
        break;
    case EVENT_SAVE:
        begin_save(log, e);
        break;
    case EVENT_SAVED:
        end_save(log, e);
        print_steps(log, h, e->at_ms + 1, 1);
        break;
    case EVENT_DURABLE:
        end_behind(log, e);
        break;
    case EVENT_WAIT:
        print_steps(log, h, e->at_ms + 2, 0);
        wait_line(log, e, "Waiting for");
        break;
    case EVENT_WAITED:
        wait_line(log, e, "Done waiting for");
        break;
    default:
        break;
    }
}

void write_maxtext(struct log *log) {
    struct host h = {0};
    for (int i = 0; i < log->attempt->event_count; i++)
        maxtext_event(log, &h, i);
}
