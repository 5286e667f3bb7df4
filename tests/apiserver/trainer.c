/* The trainer of a gang: MaxText's and Orbax's lines with its own times, into the log of job 0 pod 0. The line of step
 * N comes when N's loss is fetched, that is during N + 1; a checkpoint holds the line of the step before back until its
 * blocking part is over. (Shapes and order: tests/data/trainer-logs/maxtext/restarts.) */
#include "base/mem.h"
#include "base/rfc3339.h"
#include "life.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char directory[] = "gs://ml-checkpoints/llama3-70b/checkpoints";

static void say(struct life *g, const char *where, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(struct life *g, const char *where, const char *format, ...) {
    const struct gang_pod *pod = &g->pods[0][0];
    struct log_container *log = logs_get(&g->srv->logs, pod->uid, g->container, false);
    int64_t now_us = srv_now_us(g->srv);
    char stamp[RFC3339_SIZE];
    va_list args;
    if (log == NULL)
        return;
    va_start(args, format);
    CLEANUP_FREE char *text = mem_vformat(format, args);
    va_end(args);
    rfc3339_format(stamp, now_us * 1000, 6); /* 2026-11-21T02:16:46.408374Z */
    CLEANUP_FREE char *line =
        mem_format("I%.2s%.2s %.15s 140152745220992 %s] %s", stamp + 5, stamp + 8, stamp + 11, where, text);
    logs_append(log, now_us * 1000 + 155000, line, strlen(line));
}

static void say_step(struct life *g, int step, double seconds) {
    double loss = 7.2 + 4.0 / (1 + step / 40.0);
    say(g, "metric_logger.py:265",
        "completed step: %d, seconds: %.3f, TFLOP/s/device: %.3f, Tokens/s/device: %.3f, total_weights: 65536, loss: "
        "%.3f",
        step, seconds, 43.2 / seconds, 819.2 / seconds, loss);
}

static void on_finalize(void *context) {
    struct life *g = context;
    struct trainer *t = &g->trainer;
    say(g, "event_tracking.py:184", "[process=0] [async] Finished save (blocking + background) in %.2f seconds @ %s/%d",
        g->save_s + g->persist_s, directory, t->saving);
    say(g, "checkpoint_manager.py:2211",
        "[process=0][thread=save_finalize][step=%d] CheckpointManager Save Finalize is done on all hosts.", t->saving);
    t->durable = t->saving;
    t->saving = -1;
}

static void advance(void *context);

static void next_phase(struct life *g, enum trainer_phase phase, double seconds) {
    g->trainer.phase = phase;
    g->trainer.due_us = srv_now_us(g->srv) + (int64_t)(seconds * 1e6);
    timer_start(g->srv, &g->trainer.timer, seconds, advance, g);
}

static void begin_step(struct life *g) {
    g->trainer.step_start_us = srv_now_us(g->srv);
    next_phase(g, TRAINER_STEP, g->step_s);
}

static void boot(struct life *g) {
    struct trainer *t = &g->trainer;
    say(g, "pyconfig.py:591", "Config param run_name: %s", g->name);
    say(g, "pyconfig.py:591", "Config param steps: %d", g->steps);
    say(g, "pyconfig.py:591", "Config param checkpoint_period: %d", g->checkpoint_every);
    say(g, "maxtext_utils.py:2098", "Num_devices: %d, shape (%d, 1, %d, 1)", g->slices * g->hosts * g->chips, g->slices,
        g->hosts * g->chips);
    say(g, "checkpointing.py:557", "Creating checkpointer with ocdbt=True and zarr3=True");
    say(g, "checkpointing.py:590", "Checkpoint manager created!");
    say(g, "checkpointing.py:701", "checkpoint manager exists so trying to load this run's existing checkpoint");
    if (t->durable < 0) {
        say(g, "checkpointing.py:803", "No existing checkpoints found, not restoring checkpoint.");
        t->step = 0;
        next_phase(g, TRAINER_COMPILE, 0.1);
        return;
    }
    say(g, "checkpointing.py:705", "restoring from this run's directory step %d", t->durable);
    say(g, "event_tracking.py:76", "[process=0] [sync] Started load checkpoint @ %s/%d.", directory, t->durable);
    t->step = t->durable + 1;
    next_phase(g, TRAINER_RESTORE, g->restore_s);
}

static void save(struct life *g) {
    struct trainer *t = &g->trainer;
    say(g, "checkpoint_manager.py:1527", "[process=0] Saving checkpoint at step %d", t->step);
    say(g, "event_tracking.py:76", "[process=0] [async] Started save checkpoint @ %s/%d.", directory, t->step);
    t->saving = t->step;
    next_phase(g, TRAINER_SAVE, g->save_s);
}

static void next_step(struct life *g) {
    struct trainer *t = &g->trainer;
    if (t->step < t->until) {
        t->step++;
        begin_step(g);
        return;
    }
    t->phase = TRAINER_DONE;
    fprintf(stderr, "test-apiserver: the phases of the trainer of %s took %.3f s too long in all\n", g->name,
            (double)t->late_us / 1e6);
}

/* A step's work is done: its line, unless a checkpoint comes between. */
static void end_step(struct life *g) {
    struct trainer *t = &g->trainer;
    double seconds = (double)(srv_now_us(g->srv) - t->step_start_us) / 1e6;
    if (t->printed < 0) /* the first line has the host's time: it compiled, and the device runs the step after that */
        seconds -= g->step_s;
    if (t->step > 0 && t->step % g->checkpoint_every == 0 && t->saving < 0) {
        save(g);
        return;
    }
    say_step(g, t->step, seconds);
    t->printed = t->step;
    next_step(g);
}

static void end_save(struct life *g) {
    struct trainer *t = &g->trainer;
    say(g, "event_tracking.py:171",
        "[process=0] [async] Finished blocking save in %.2f seconds. Continuing save @ %s/%d.", g->save_s, directory,
        t->saving);
    say(g, "checkpointing.py:596", "Started an asynchronous checkpoint save for step %d", t->saving);
    say_step(g, t->step, g->step_s);
    t->printed = t->step;
    timer_start(g->srv, &t->finalize, g->persist_s, on_finalize, g);
    next_step(g);
}

static void advance(void *context) {
    struct life *g = context;
    struct trainer *t = &g->trainer;
    t->late_us += srv_now_us(g->srv) - t->due_us;
    switch (t->phase) {
    case TRAINER_BOOT:
        boot(g);
        return;
    case TRAINER_RESTORE:
        say(g, "event_tracking.py:184", "[process=0] [sync] Finished load in %.2f seconds @ %s/%d", g->restore_s,
            directory, t->durable);
        next_phase(g, TRAINER_COMPILE, 0.1);
        return;
    case TRAINER_COMPILE: /* tracing and compiling happen within the first step */
        say(g, "max_utils.py:823", "[train] Total estimated memory size: 13.2 GB, estimated output size: 9.8 GB");
        say(g, "metric_logger.py:425", "number parameters: 70.554 billion");
        t->step_start_us = srv_now_us(g->srv);
        next_phase(g, TRAINER_STEP, g->compile_s + g->step_s);
        return;
    case TRAINER_STEP:
        end_step(g);
        return;
    case TRAINER_SAVE:
        end_save(g);
        return;
    default:
        return;
    }
}

void trainer_start(struct life *g, int until) {
    struct trainer *t = &g->trainer;
    t->until = until;
    if (t->phase == TRAINER_DONE) { /* continues */
        t->step++;
        begin_step(g);
        return;
    }
    t->saving = -1;
    t->printed = -1;
    next_phase(g, TRAINER_BOOT, 0.3);
}

void trainer_stop(struct life *g) {
    timer_stop(&g->trainer.timer);
    timer_stop(&g->trainer.finalize);
    g->trainer.phase = TRAINER_OFF;
    g->trainer.saving = -1;
}
