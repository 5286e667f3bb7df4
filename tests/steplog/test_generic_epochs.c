/* Counters and bars of epochs, of trainers that no format names. */
#include "harness.h"

#include "base/buf.h"
#include "base/mem.h"
#include "steplog/generic_bar.h"

#include <stdio.h>

struct seen {
    int64_t steps, last_step, unread;
    bool counts_lines;
    int64_t evaluations, evaluated_ms, evaluation_ended_ms; /* the last one */
};

static void on_record(void *context, const struct record *r) {
    struct seen *seen = context;
    seen->unread += r->kind == RECORD_UNREAD_STEPS && seen->steps == 0;
    if (r->kind == RECORD_EVALUATION_END) {
        seen->evaluations++;
        seen->evaluated_ms = r->duration_ms;
        seen->evaluation_ended_ms = r->at_ms;
    }
    if (r->kind != RECORD_STEP_END)
        return;
    seen->steps++;
    seen->last_step = r->step;
    seen->counts_lines = r->counts_lines;
}

/* An epoch's bar is one line of any length: drawings are left out, the last ones are not. */
TEST(a_bar_longer_than_any_line_is_read_to_its_end) {
    enum { STEPS = 5000 };
    for (int piece = 1000; piece <= 1000000; piece *= 1000) {
        struct seen seen = {0};
        struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
        CLEANUP_BUF struct buf bar;
        buf_init(&bar, 1 << 20);
        buf_append_text(&bar, "2026-11-21T02:00:00Z ");
        for (int i = 0; i <= STEPS; i++)
            buf_format(&bar, "\rEpoch 1:  4%%|4         | %d/%d [%02d:%02d<01:01,  1.6it/s, loss=3.2]", i, STEPS,
                       i / 60, i % 60);
        buf_append_text(&bar, "\n");
        for (struct slice rest = buf_slice(&bar); rest.size_bytes > 0; rest = slice_skip(rest, (size_t)piece))
            steplog_feed(
                s, (struct slice){rest.data, rest.size_bytes < (size_t)piece ? rest.size_bytes : (size_t)piece}, true);
        steplog_end(s);
        CHECK_INT(seen.last_step, STEPS); /* the first epoch */
        CHECK(seen.steps >= GENERIC_DRAWINGS / 2);
        CHECK_INT(steplog_counts_get(s).too_long, 0);
        steplog_free(s);
    }
}

/* yunjey/pytorch-tutorial: the second of 23 epochs begins with a share of all that a counter over all would have. */
TEST(a_counter_that_went_back_with_the_epoch_counts_within_it) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    for (int i = 0; i < 99; i++) {
        char line[100];
        snprintf(line, sizeof line, "Epoch [%d/23], Step [%d/33], Loss: 0.5", i / 33 + 1, i % 33 + 1);
        steplog_line(s, slice_of(line), 1763690400000 + i * INT64_C(1000));
    }
    CHECK_INT(seen.steps, 99);
    CHECK_INT(seen.last_step, 99);
    CHECK(!seen.counts_lines);
    steplog_free(s);
}

/* The last step after `count` lines of `per_epoch` lines an epoch from `first` on; the format's numbers are the epoch,
 * the number within it and the number over all. */
static int64_t last_step(const char *format, int first, int per_epoch, int count, struct steplog **before) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    if (*before != NULL)
        steplog_continue(s, *before);
    for (int i = 0; i < count; i++) {
        char line[100];
        int done = (first - 1) * per_epoch + i;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(line, sizeof line, format, done / per_epoch + 1, done % per_epoch + 1, done + 1);
#pragma GCC diagnostic pop
        steplog_line(s, slice_of(line), 1763690400000 + i * INT64_C(1000));
    }
    steplog_end(s);
    steplog_free(*before);
    *before = s;
    return seen.last_step;
}

/* biubug6/Pytorch_Retinaface train.py, PaddlePaddle/PaddleSeg paddleseg/core/train.py, Megvii-BaseDetection/YOLOX
 * yolox/core/trainer.py */
TEST(a_counter_that_rises_into_the_next_epoch_counts_all) {
    static const struct {
        const char *format;
        bool counts_all;
    } trainers[] = {{"Epoch:%d/5 || Epochiter: %d/311 || Iter: %d/1555 || Loc: 2.1 || LR: 0.1", true},
                    {"[TRAIN] epoch: %1$d, iter: %3$d/1555, loss: 9.%2$d, batch_cost: 1.0", true},
                    {"epoch: %1$d/5, iter: %2$d/311, total_loss: 2.1, lr: 0.1%3$d", false}};
    for (size_t i = 0; i < ARRAY_SIZE(trainers); i++) {
        struct steplog *s = NULL;
        CHECK_INT(last_step(trainers[i].format, 1, 311, 300, &s), 300);
        CHECK_INT(last_step(trainers[i].format, 1, 311, 1244, &s), 1244);
        CHECK_INT(last_step(trainers[i].format, 3, 311, 40, &s), 662);
        steplog_free(s);
        s = NULL; /* a log that starts in a later epoch shows it by the share of all, else by the next epoch */
        if (i != 1)
            CHECK_INT(last_step(trainers[i].format, 3, 311, 400, &s), 1022);
        steplog_free(s);
    }
}

/* Feeds the bars of the epochs from `first` to `last`. */
static int64_t last_step_of_bars(int first, int last, struct steplog **before) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    if (*before != NULL)
        steplog_continue(s, *before);
    for (int epoch = first; epoch <= last; epoch++) {
        char text[2000];
        int n = snprintf(text, sizeof text, "2026-11-21T02:%02d:00Z ", epoch);
        for (int i = 0; i <= 10; i++)
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "\rEpoch %d:  10%%|#  | %d/10 [00:%02d<00:10,  1.00s/it, loss=2.1]", epoch, i, i);
        snprintf(text + n, sizeof text - (size_t)n, "\n");
        steplog_feed(s, slice_of(text), true);
    }
    steplog_end(s);
    steplog_free(*before);
    *before = s;
    return seen.last_step;
}

/* The first epoch is 0 if one of the job's was. */
TEST(bars_count_from_the_first_epoch_on) {
    struct steplog *s = NULL;
    CHECK_INT(last_step_of_bars(1, 4, &s), 40);
    CHECK_INT(last_step_of_bars(3, 5, &s), 50);
    steplog_free(s);
    s = NULL;
    CHECK_INT(last_step_of_bars(0, 3, &s), 40);
    CHECK_INT(last_step_of_bars(2, 4, &s), 50);
    steplog_free(s);
}

/* scvi-tools' train/_progress.py: the bar counts epochs, and its description names them, too. */
TEST(a_description_that_counts_what_the_bar_counts_names_no_epoch) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    char text[8000];
    int n = snprintf(text, sizeof text, "2026-11-21T02:10:00Z   0%%|  | 0/40 [00:00<?, ?it/s]");
    for (int i = 1; i <= 40; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "\rEpoch %d/40:  10%%|#  | %d/40 [00:%02d<00:40,  1.00s/it, train_loss=2]", i, i - 1, i - 1);
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "\rEpoch %d/40:  10%%|#  | %d/40 [00:%02d<00:40,  1.00s/it, train_loss=2]", i, i, i);
    }
    snprintf(text + n, sizeof text - (size_t)n, "\n");
    steplog_feed(s, slice_of(text), true);
    steplog_end(s);
    CHECK_INT(seen.last_step, 40);
    steplog_free(s);
}

/* Habitat's updates have a rate and no loss; the traceback between two processes in one file names train.py. */
TEST(steps_before_a_counter_that_went_back_were_no_preparation) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    for (int i = 0; i < 60; i++) {
        char line[120];
        snprintf(line, sizeof line, "2026-11-21T02:00:%02dZ update: %d\tfps: 40.5\n", i, i < 30 ? i : i - 10);
        if (i == 30)
            steplog_feed(s, SLICE("2026-11-21T02:00:29Z   File \"/app/train.py\", line 412, in <module>\n"), true);
        steplog_feed(s, slice_of(line), true);
    }
    steplog_end(s);
    CHECK_INT(seen.last_step, 49);
    CHECK(seen.steps < 60);
    CHECK_INT(seen.unread, 1);
    steplog_free(s);
}

/* Feeds the bar of an epoch, then that of a validation of `drawings` seconds on a line by itself. */
static void read_bar_of(const char *name, int trained, int validated, int drawings, struct seen *seen) {
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, seen);
    CLEANUP_BUF struct buf text;
    *seen = (struct seen){0};
    buf_init(&text, 1 << 20);
    for (int epoch = 0; epoch < 2; epoch++) {
        buf_format(&text, "2026-11-21T02:0%d:00Z ", 1 + epoch);
        for (int i = 0; i <= (epoch == 0 ? 20 : trained); i++)
            buf_format(&text, "\rEpoch %d:  10%%|#  | %d/20 [00:%02d<00:20,  1.00s/it, loss=2]", epoch, i, i);
        buf_append_text(&text, "\n");
    }
    buf_append_text(&text, "2026-11-21T03:00:00Z ");
    for (int i = 0; i <= validated; i++)
        buf_format(&text, "\r%s:  10%%|#  | %d/%d [%02d:%02d<00:00,  1.00it/s]", name, i, drawings, i / 60, i % 60);
    buf_append_text(&text, "\n");
    steplog_feed(s, buf_slice(&text), true);
    steplog_end(s);
    steplog_free(s);
}

static void read_validation(int trained, int validated, int drawings, struct seen *seen) {
    read_bar_of("Validation", trained, validated, drawings, seen);
}

/* A bar of an evaluation that reached its end on a line by itself, after an epoch's last step, took what its clock
 * says. Where the line is longer than a container runtime's part, its stamp is that of the part. */
TEST(a_bar_of_a_validation_is_an_evaluation_of_its_own_clock) {
    const int64_t stamp_ms = 1795230000000;
    struct seen seen;
    read_validation(20, 7, 7, &seen);
    CHECK_INT(seen.last_step, 40);
    CHECK_INT(seen.evaluations, 1);
    CHECK_INT(seen.evaluated_ms, 7000);
    CHECK_INT(seen.evaluation_ended_ms, stamp_ms);
    read_validation(20, 600, 600, &seen);
    CHECK_INT(seen.evaluated_ms, 600000);
    CHECK(seen.evaluation_ended_ms > stamp_ms + 200000 && seen.evaluation_ended_ms < stamp_ms + 400000);
    read_validation(20, 6, 7, &seen);
    CHECK_INT(seen.evaluations, 0); /* not at its end */
    read_validation(19, 7, 7, &seen);
    CHECK_INT(seen.evaluations, 0); /* the line of the epoch's bar is not over: its steps come later */
}

/* ultralytics/yolov5 val.py: the heads of the columns are where others write "Validation". */
TEST(a_bar_under_the_heads_of_mean_precisions_is_a_validation) {
    struct seen seen;
    read_bar_of("    Class     Images  Instances          P          R      mAP50   mAP50-95", 20, 7, 7, &seen);
    CHECK_INT(seen.last_step, 40);
    CHECK_INT(seen.evaluated_ms, 7000);
}

/* huggingface/datasets 4.0 arrow_dataset.py map(): its bars count examples of "train dataset", before the trainer's
 * begins. */
TEST(a_bar_of_examples_prepares_data) {
    static const char *const units[] = {"it", " examples"};
    for (int unit = 0; unit < 2; unit++) {
        struct seen seen = {0};
        struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
        for (int bar = 0; bar < 3; bar++) {
            char text[2000];
            int n = snprintf(text, sizeof text, "2026-11-21T02:00:%02dZ ", bar);
            for (int i = 0; i <= 10; i++)
                n += snprintf(text + n, sizeof text - (size_t)n,
                              "\rTokenizing train dataset:  10%%|#  | %d00/1000 [00:%02d<00:01, 432.16%s/s]", i, i / 5,
                              units[unit]);
            snprintf(text + n, sizeof text - (size_t)n, "\n");
            steplog_feed(s, slice_of(text), true);
        }
        steplog_end(s);
        CHECK_INT(seen.steps > 0, unit == 0);
        steplog_free(s);
    }
}
