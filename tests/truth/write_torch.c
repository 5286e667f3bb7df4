/* Megatron-LM, NeMo 2, torchtitan and DeepSpeed. */
#include "write.h"

#include <stdio.h>

/* How long the steps since the last line took, and how many they are. */
struct mean {
    int64_t ms, steps;
};

static bool is_due(const struct log *log, const struct event *e, bool first_too) {
    bool is_first = e->step == log->attempt->first_step;
    return e->step % log->job->log_every == 0 || (first_too && is_first);
}

/* ---- Megatron-LM ---- */

static const char *bracketed(const struct log *log, int64_t at_ms, char text[48]) {
    char time[32];
    int ms;
    log_local_time(log, at_ms, time, &ms);
    snprintf(text, 48, "[%s.%03d000]", time, ms);
    return text;
}

/* The elapsed time is the mean since the last line; the second line averages the first iteration in once more. */
static void megatron_step(struct log *log, const struct event *e, struct mean *mean) {
    char time[48];
    mean->ms += e->ms;
    mean->steps++;
    if (!is_due(log, e, true))
        return;
    bool is_first = e->step == log->attempt->first_step;
    log_line(log, e->at_ms,
             " %s iteration %8d/%8d | consumed samples: %12d | elapsed time per iteration (ms): %.1f | throughput per "
             "GPU (TFLOP/s/GPU): 138.5 | learning rate: 1.000000E-03 | global batch size:     8 | lm loss: "
             "7.326069E+00 | loss scale: 1.0 | grad norm: 1.323 | number of skipped iterations:   0 | number of nan "
             "iterations:   0 |",
             bracketed(log, e->at_ms, time), (int)e->step, (int)log->job->steps, (int)e->step * 8,
             (double)mean->ms / (double)mean->steps);
    if (!is_first)
        *mean = (struct mean){0};
}

static void megatron_save(struct log *log, const struct event *e) {
    char time[48];
    if (e->kind == EVENT_SAVE)
        log_line(log, e->at_ms, "%s saving checkpoint at iteration %7d to /ck in torch_dist format",
                 bracketed(log, e->at_ms, time), (int)e->step);
    else if (e->kind == EVENT_DURABLE)
        log_line(log, e->at_ms, "  %s successfully saved checkpoint from iteration %7d to /ck [ t 1/1, p 1/1 ]",
                 bracketed(log, e->at_ms, time), (int)e->step);
    else if (log->job->is_async)
        log_line(log, e->at_ms, "  %s scheduled an async checkpoint save at iteration %7d to /ck",
                 bracketed(log, e->at_ms, time), (int)e->step);
}

void write_megatron(struct log *log) {
    struct mean mean = {0};
    char time[48];
    for (int i = 0; i < log->attempt->event_count; i++) {
        const struct event *e = &log->attempt->events[i];
        switch (e->kind) {
        case EVENT_INIT:
            log_line(log, e->at_ms, "> initializing torch distributed ...");
            break;
        case EVENT_INIT_END:
            log_line(log, e->at_ms, "[after megatron is initialized] datetime: %s", bracketed(log, e->at_ms, time));
            break;
        case EVENT_RESTORE:
            log_line(log, e->at_ms, " loading distributed checkpoint from /ck at iteration %d", (int)e->step);
            break;
        case EVENT_RESTORED:
            log_line(log, e->at_ms, "  successfully loaded checkpoint from /ck [ t 1/1, p 1/1 ] at iteration %d",
                     (int)e->step);
            break;
        case EVENT_PREPARED:
            log_line(log, e->at_ms, "[before the start of training step] datetime: %s", bracketed(log, e->at_ms, time));
            break;
        case EVENT_STEP_END:
            megatron_step(log, e, &mean);
            break;
        case EVENT_EVALUATED:
            log_line(log, e->at_ms,
                     " validation loss at iteration %d | lm loss value: 7.1E+00 | lm loss PPL: 1.2E+03 |",
                     (int)e->step);
            break;
        default:
            megatron_save(log, e);
        }
        if (e->kind == EVENT_DATA_END) /* part of the iteration */
            mean.ms += e->ms;
    }
}

/* ---- NeMo 2 (logs of public runs: see tests/data/steplog/nemo.tsv) ---- */

static const char *nemo(const struct log *log, int64_t at_ms, char text[64]) {
    char time[32];
    int ms;
    snprintf(text, 64, "[NeMo I %s nemo_logging:393]", log_local_time(log, at_ms, time, &ms));
    return text;
}

static void nemo_save(struct log *log, const struct event *e) {
    char head[64];
    if (e->kind == EVENT_SAVED) {
        log_line(log, e->at_ms,
                 "%s Global Checkpoint Save : Rank: 0 : Iteration: %d : Start time: %.3fs : Save duration: %.3fs",
                 nemo(log, e->at_ms, head), (int)e->step, log_seconds(log, e->at_ms - e->ms), (double)e->ms / 1000);
        if (log->job->is_async)
            log_line(log, e->at_ms, "%s Scheduled async checkpoint save for /ck/step=%d-last.ckpt", head, (int)e->step);
    } else if (e->kind == EVENT_DURABLE) {
        log_line(log, e->at_ms, "%s Successfully saved checkpoint from iteration %7d to /ck/step=%d-last.ckpt",
                 nemo(log, e->at_ms, head), (int)e->step, (int)e->step);
        if (log->job->is_async)
            log_line(log, e->at_ms,
                     "%s Async checkpoint save for step %d (/ck/step=%d-last.ckpt) finalized "
                     "successfully.",
                     head, (int)e->step + 1, (int)e->step);
    }
}

void write_nemo(struct log *log) {
    char head[64];
    for (int i = 0; i < log->attempt->event_count; i++) {
        const struct event *e = &log->attempt->events[i];
        switch (e->kind) {
        case EVENT_INIT:
            log_line(log, e->at_ms, "%s Experiments will be logged at /ck", nemo(log, e->at_ms, head));
            break;
        case EVENT_RESTORED:
            log_line(log, e->at_ms,
                     "%s Global Checkpoint Load : Rank : 0 : Start time : %.3fs : Time spent in load_checkpoint: %.3fs",
                     nemo(log, e->at_ms, head), log_seconds(log, e->at_ms - e->ms), (double)e->ms / 1000);
            break;
        case EVENT_STEP_END:
            if (is_due(log, e, false))
                log_line(log, e->at_ms,
                         "Training epoch 0, iteration %d/%d | lr: 3e-05 | global_batch_size: 4 | global_step: %d | "
                         "reduced_train_loss: 1.29 | train_step_timing in s: %.4g | consumed_samples: 212",
                         (int)e->step, (int)log->job->steps - 1, (int)e->step, (double)e->ms / 1000);
            break;
        case EVENT_EVALUATE:
            for (int k = 1; k <= WRITE_VALIDATION_LINES; k++)
                log_line(log, e->at_ms + log->job->evaluate_ms * k / WRITE_VALIDATION_LINES,
                         "Validation: iteration %d/%d", k, WRITE_VALIDATION_LINES);
            break;
        case EVENT_END:
            log_line(log, e->at_ms, "`Trainer.fit` stopped: `max_steps=%d` reached.", (int)log->job->steps);
            break;
        default:
            nemo_save(log, e);
        }
    }
}

/* ---- torchtitan ---- */

#define RED "\033[31m"
#define GREEN "\033[32m"

static void titan(struct log *log, int64_t at_ms, const char *words) {
    char time[32];
    int ms;
    log_local_time(log, at_ms, time, &ms);
    log_line(log, at_ms, "[rank0]:[titan] %s,%03d - root - INFO - %s", time, ms, words);
}

static void titan_event(struct log *log, const struct event *e) {
    char words[256];
    bool is_last = e->step == log->job->steps;
    switch (e->kind) {
    case EVENT_RESTORE:
        snprintf(words, sizeof words, "Loading the checkpoint from /ck/checkpoint/step-%d.", (int)e->step);
        break;
    case EVENT_RESTORED:
        snprintf(words, sizeof words, "Finished loading the checkpoint in %.2f seconds.", (double)e->ms / 1000);
        break;
    case EVENT_TRAIN:
        snprintf(words, sizeof words, "Training starts at step %d", (int)e->step);
        break;
    case EVENT_STEP_END:
        if (e->step != 1 && !is_due(log, e, false))
            return;
        snprintf(words, sizeof words,
                 RED "step: %2d  " GREEN "loss:  7.28179  grad_norm:  1.0008  memory:  0.00GiB(0.00%%)  tps: 1,111  "
                     "tflops: 1,253.41  mfu: 25.62%%\033[39m",
                 (int)e->step);
        break;
    case EVENT_EVALUATED:
        snprintf(words, sizeof words,
                 RED "validate step: %2d  " GREEN "loss:  7.28179  memory:  0.00GiB(0.00%%)  tps: 1,111\033[39m",
                 (int)e->step);
        break;
    case EVENT_SAVE:
        snprintf(words, sizeof words,
                 is_last && !log->job->is_async ? "Saving a full checkpoint at last step, step %d."
                                                : "Saving the checkpoint.",
                 (int)e->step);
        break;
    case EVENT_SAVED:
        snprintf(words, sizeof words,
                 is_last && !log->job->is_async ? "Last step checkpoint completed in %.2fs"
                                                : "Finished saving the checkpoint in %.2f seconds.",
                 (double)e->ms / 1000);
        break;
    case EVENT_END:
        snprintf(words, sizeof words, "Training completed");
        break;
    default:
        return;
    }
    titan(log, e->at_ms, words);
}

void write_torchtitan(struct log *log) {
    for (int i = 0; i < log->attempt->event_count; i++)
        titan_event(log, &log->attempt->events[i]);
}

/* ---- DeepSpeed, at log level INFO ---- */

static void deepspeed(struct log *log, int64_t at_ms, const char *words) {
    char time[32];
    int ms;
    log_local_time(log, at_ms, time, &ms);
    log_line(log, at_ms, "[%s,%03d] [INFO] [logging.py:123:log_dist] [Rank 0] %s", time, ms, words);
}

static void deepspeed_event(struct log *log, const struct event *e, int taken) {
    char words[256];
    switch (e->kind) {
    case EVENT_INIT_END:
        deepspeed(log, e->at_ms, "step=0, skipped=0, lr=[0.001], mom=[(0.9, 0.999)]");
        break;
    case EVENT_RESTORE:
    case EVENT_RESTORED:
        snprintf(words, sizeof words, "[Torch] %s Load checkpoint from /ck/global_step%d/mp_rank_00_model_states.pt...",
                 e->kind == EVENT_RESTORE ? "Begin" : "End", (int)e->step);
        deepspeed(log, e->at_ms, words);
        break;
    case EVENT_STEP_END:
        if (!is_due(log, e, false))
            break;
        snprintf(words, sizeof words, "step=%d, skipped=0, lr=[0.001], mom=[(0.9, 0.999)]", (int)e->step);
        deepspeed(log, e->at_ms, words);
        log_line(log, e->at_ms,
                 "[INFO] [timer.py:264:stop] epoch=0/micro_step=%d/global_step=%d, RunningAvgSamplesPerSec=18.9, "
                 "CurrSamplesPerSec=18.9, MemAllocated=0.95GB, MaxMemAllocated=0.95GB",
                 taken, taken);
        break;
    case EVENT_SAVE:
        snprintf(words, sizeof words, "[Torch] Checkpoint global_step%d is about to be saved!", (int)e->step);
        deepspeed(log, e->at_ms, words);
        snprintf(words, sizeof words, "Saving model checkpoint: /ck/global_step%d/mp_rank_00_model_states.pt",
                 (int)e->step);
        deepspeed(log, e->at_ms, words);
        break;
    default:
        break;
    }
}

void write_deepspeed(struct log *log) {
    int taken = 0;
    for (int i = 0; i < log->attempt->event_count; i++) {
        taken += log->attempt->events[i].kind == EVENT_STEP_END;
        deepspeed_event(log, &log->attempt->events[i], taken);
    }
}
