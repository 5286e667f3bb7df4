/* Trainers with progress bars: Hugging Face's (tqdm and dictionaries), Keras (verbose 2) and Lightning (tqdm). */
#include "write.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNTIME_LINE_BYTES 16384 /* container runtimes write a longer line in parts, the first with its stamp */

static void write_part(struct bar *bar, int64_t at_ms, bool is_part) {
    struct log *log = bar->log;
    size_t from = log->text.size_bytes;
    if (at_ms > log->attempt->end_ms)
        return;
    buf_append_slice(&log->text, buf_slice(&bar->text));
    MEM_GROW(log->lines, (size_t)log->count, log->capacity);
    log->lines[log->count] = (struct log_line){at_ms, log->count, from, bar->text.size_bytes, is_part};
    log->count++;
    buf_clear(&bar->text);
}

static void draw(struct bar *bar, int64_t at_ms, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void draw(struct bar *bar, int64_t at_ms, const char *format, ...) {
    va_list args;
    char text[256];
    if (at_ms >= bar->log->attempt->end_ms || at_ms > bar->log->attempt->silent_ms)
        return;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t room = RUNTIME_LINE_BYTES - bar->text.size_bytes, first = (size_t)n < room ? (size_t)n : room;
    buf_append(&bar->text, text, first);
    if (bar->text.size_bytes < RUNTIME_LINE_BYTES)
        return;
    write_part(bar, at_ms, true);
    buf_append(&bar->text, text + first, (size_t)n - first);
}

void bar_flush(struct bar *bar, int64_t at_ms) {
    if (bar->text.size_bytes > 0)
        write_part(bar, at_ms, false);
}

/* " 28%|##        | 11/40 [00:07<00:21,  1.38it/s" without its end. */
void bar_draw_progress(struct bar *bar, const char *head, int64_t done, int64_t total, int64_t since_ms, int64_t at_ms,
                       const char *tail) {
    int percent = (int)(100 * done / total), full = (int)(10 * done / total);
    const struct log *log = bar->log; /* tqdm reads the clock of the day */
    int64_t s = (sim_clock_ms(log->job, log->attempt, at_ms) - sim_clock_ms(log->job, log->attempt, since_ms)) / 1000;
    char blocks[64] = "";
    for (int i = 0; i < 10; i++)
        strcat(blocks, i < full ? "\xE2\x96\x88" : " ");
    char elapsed[32];
    if (s >= 3600)
        snprintf(elapsed, sizeof elapsed, "%d:%02d:%02d", (int)(s / 3600), (int)(s / 60 % 60), (int)(s % 60));
    else
        snprintf(elapsed, sizeof elapsed, "%02d:%02d", (int)(s / 60), (int)(s % 60));
    draw(bar, at_ms, "\r%s%3d%%|%s| %d/%d [%s<00:01,  1.61it/s%s]", head, percent, blocks, (int)done, (int)total,
         elapsed, tail);
}

/* ---- Hugging Face ---- */

/* Standard output is a pipe of its own and unbuffered; each dictionary is printed through the bar. */
static void huggingface_dict(struct log *log, struct bar *bar, const struct event *e, int64_t since_ms) {
    draw(bar, e->at_ms, "\r                                               \r");
    log_line(log, e->at_ms, "{'loss': '8.26', 'grad_norm': '2.89', 'learning_rate': '2.875e-05', 'epoch': '%.4g'}",
             (double)e->step / 1000);
    bar_draw_progress(bar, "", e->step, log->job->steps, since_ms, e->at_ms, "");
}

static void huggingface_event(struct log *log, struct bar *bar, const struct event *e, int64_t *since_ms) {
    int64_t total = log->job->steps;
    switch (e->kind) {
    case EVENT_TRAIN:
        *since_ms = e->at_ms;
        draw(bar, e->at_ms, "\r  0%%|          | 0/%d [00:00<?, ?it/s]", (int)total);
        break;
    case EVENT_STEP_END:
        bar_draw_progress(bar, "", e->step, total, *since_ms, e->at_ms, "");
        if (e->step % log->job->log_every == 0)
            huggingface_dict(log, bar, e, *since_ms);
        break;
    case EVENT_EVALUATED:
        draw(bar, e->at_ms, "\r                                               \r");
        log_line(log, e->at_ms,
                 "{'eval_loss': '8.1', 'eval_runtime': '%.3f', 'eval_samples_per_second': '61.9', "
                 "'epoch': '%.4g'}",
                 (double)e->ms / 1000, (double)e->step / 1000);
        bar_draw_progress(bar, "", e->step, total, *since_ms, e->at_ms, "");
        break;
    case EVENT_SAVE:
        bar_flush(bar, e->at_ms);
        log_line(log, e->at_ms, "\rWriting model shards:   0%%|          | 0/1 [00:00<?, ?it/s]\033[A");
        break;
    case EVENT_SAVED:
        log_line(log, e->at_ms, "\rWriting model shards: 100%%|##########| 1/1 [00:00<00:00,  6.53it/s]");
        break;
    case EVENT_END:
        log_line(log, e->at_ms,
                 "{'train_runtime': '2457.0', 'train_samples_per_second': '1.058', "
                 "'train_steps_per_second': '0.132', 'train_loss': '1.359', 'epoch': '2.01'}");
        break;
    default:
        break;
    }
}

void write_huggingface(struct log *log) {
    struct bar bar = {.log = log};
    int64_t since_ms = 0;
    buf_init(&bar.text, 8 << 20);
    for (int i = 0; i < log->attempt->event_count; i++)
        huggingface_event(log, &bar, &log->attempt->events[i], &since_ms);
    bar_flush(&bar, log->attempt->end_ms);
    buf_done(&bar.text);
}

/* ---- Keras, verbose 2 with ModelCheckpoint(verbose=1) ---- */

static void keras_event(struct log *log, const struct event *e, int64_t *epoch_ms, bool *is_open) {
    int64_t batches = log->job->epoch_steps, epochs = log->job->steps / batches;
    int64_t epoch = (e->step - 1) / batches + 1;
    bool ends_epoch = e->step % batches == 0;
    switch (e->kind) {
    case EVENT_TRAIN:
    case EVENT_DATA:
    case EVENT_STEP:
        if (*is_open)
            return;
        *is_open = true;
        *epoch_ms = e->at_ms;
        log_line(log, e->at_ms, "Epoch %d/%d", (int)epoch, (int)epochs);
        break;
    case EVENT_SAVE:
        log_line(log, e->at_ms, "%s", "");
        log_line(log, e->at_ms, "Epoch %d: loss improved from None to 1.92492, saving model to /ck/best.weights.h5",
                 (int)epoch);
        break;
    case EVENT_SAVED:
        log_line(log, e->at_ms, "%s", "");
        log_line(log, e->at_ms, "Epoch %d: finished saving model to /ck/best.weights.h5", (int)epoch);
        break;
    default:
        break;
    }
    bool closes = e->kind == EVENT_SAVED || (e->kind == EVENT_EVALUATED && !log->job->has_saves) ||
                  (e->kind == EVENT_STEP_END && !log->job->has_saves && log->job->evaluate_every == 0);
    if (!closes || !ends_epoch)
        return;
    int64_t ms = e->at_ms - *epoch_ms;
    *is_open = false;
    log_line(log, e->at_ms, "%d/%d - %ds - %dms/step - accuracy: 0.7266 - loss: 1.9249", (int)batches, (int)batches,
             (int)((ms + 500) / 1000), (int)(ms / batches));
}

void write_keras(struct log *log) {
    int64_t epoch_ms = 0;
    bool is_open = false;
    for (int i = 0; i < log->attempt->event_count; i++)
        keras_event(log, &log->attempt->events[i], &epoch_ms, &is_open);
}

/* ---- Lightning ---- */

struct lightning {
    struct bar bar;
    int64_t epoch_ms, epoch; /* -1: none yet */
};

static void lightning_validation(struct log *log, struct bar *bar, const struct event *e) {
    int64_t begin = e->at_ms, ms = log->job->evaluate_ms;
    bar_flush(bar, begin);
    log_line(log, begin, "\rValidation: |          | 0/? [00:00<?, ?it/s]\033[A");
    log_line(log, begin, "\rValidation DataLoader 0:   0%%|          | 0/3 [00:00<?, ?it/s]\033[A");
    for (int k = 1; k <= 3; k++)
        log_line(log, begin + ms * k / 3,
                 "\rValidation DataLoader 0: %3d%%|###       | %d/3 [00:00<00:00, 11.01it/s]\033[A", 100 * k / 3, k);
    draw(bar, begin + ms, "\r                                                        \033[A");
}

static void lightning_event(struct log *log, struct lightning *l, const struct event *e) {
    int64_t batches = log->job->epoch_steps, epoch = (e->step - 1) / batches, batch = (e->step - 1) % batches + 1;
    char head[48];
    snprintf(head, sizeof head, "Epoch %d: ", (int)epoch);
    switch (e->kind) {
    case EVENT_INIT:
        log_line(log, e->at_ms, "GPU available: True, used: True");
        break;
    case EVENT_RESTORE:
    case EVENT_RESTORED:
        log_line(log, e->at_ms,
                 e->kind == EVENT_RESTORE ? "Restoring states from the checkpoint path at /ck/epoch=%d-step=%d.ckpt"
                                          : "Restored all states from the checkpoint at /ck/epoch=%d-step=%d.ckpt",
                 (int)epoch, (int)e->step);
        break;
    case EVENT_TRAIN:
        draw(&l->bar, e->at_ms, "\rTraining: |          | 0/? [00:00<?, ?it/s]");
        break;
    case EVENT_STEP_END:
        bar_draw_progress(&l->bar, head, batch, batches, l->epoch_ms, e->at_ms, ", train_loss=3.630");
        break;
    case EVENT_EVALUATE:
        lightning_validation(log, &l->bar, e);
        break;
    case EVENT_EVALUATED:
        bar_draw_progress(&l->bar, head, batch, batches, l->epoch_ms, e->at_ms, ", train_loss=3.630, val_loss=5.8");
        break;
    case EVENT_DATA:
    case EVENT_STEP:
        if (epoch == l->epoch)
            return;
        l->epoch = epoch;
        l->epoch_ms = e->at_ms;
        draw(&l->bar, e->at_ms, "\r%s  0%%|          | 0/%d [00:00<?, ?it/s]", head, (int)batches);
        break;
    case EVENT_END:
        bar_flush(&l->bar, e->at_ms);
        log_line(log, e->at_ms, "`Trainer.fit` stopped: `max_epochs=2` reached.");
        break;
    default:
        break;
    }
}

void write_lightning(struct log *log) {
    struct lightning l = {.bar = {.log = log}, .epoch = -1};
    buf_init(&l.bar.text, 8 << 20);
    for (int i = 0; i < log->attempt->event_count; i++)
        lightning_event(log, &l, &log->attempt->events[i]);
    bar_flush(&l.bar, log->attempt->end_ms);
    buf_done(&l.bar.text);
}
