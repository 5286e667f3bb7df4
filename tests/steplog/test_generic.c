/* Logs that no format names. Whole logs of many trainers and programs: make styles (tests/data/styles). */
#include "harness.h"

#include "base/buf.h"
#include "base/mem.h"
#include "steplog/explain.h"

#include <string.h>

struct seen {
    int64_t steps, first_step, last_step, first_ms, resumed_step, lives, lives_before_steps, evaluations;
    bool counts_lines;
    int64_t unread, first_duration_ms, duration_ms; /* of the last step */
};

static void on_record(void *context, const struct record *r) {
    struct seen *seen = context;
    if (r->kind == RECORD_SIGN_OF_LIFE) {
        seen->lives++;
        seen->lives_before_steps += seen->steps == 0;
    }
    seen->evaluations += r->kind == RECORD_EVALUATION_END;
    seen->unread += r->kind == RECORD_UNREAD_STEPS;
    if (r->kind == RECORD_RESUME)
        seen->resumed_step = r->step;
    if (r->kind != RECORD_STEP_END)
        return;
    if (seen->steps++ == 0) {
        seen->first_step = r->step;
        seen->first_ms = r->at_ms;
        seen->first_duration_ms = r->duration_ms;
    }
    seen->last_step = r->step;
    seen->counts_lines = r->counts_lines;
    seen->duration_ms = r->duration_ms;
}

/* Reads `count` lines, a second apart from 02:00:00 on, but ten seconds before line `late`; the format's first two
 * numbers are the line's, from 0. */
static const char *read_late_lines(const char *format, int count, int late, struct seen *seen) {
    static char name[80];
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, seen);
    *seen = (struct seen){0};
    for (int i = 0; i < count; i++) {
        char line[300];
        snprintf(line, sizeof line, "2026-11-21T02:00:%02dZ ", i + (i >= late ? 9 : 0));
        size_t n = strlen(line);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(line + n, sizeof line - n, format, i, i);
#pragma GCC diagnostic pop
        strcat(line, "\n");
        steplog_feed(s, slice_of(line), true);
    }
    steplog_end(s);
    snprintf(name, sizeof name, "%s", steplog_recognized_name(s));
    steplog_free(s);
    return name;
}

static const char *read_lines(const char *format, int count, struct seen *seen) {
    return read_late_lines(format, count, count, seen);
}

#define AT_MS INT64_C(1795226400000) /* 02:00:00 */

TEST(a_counter_is_accepted_after_four_lines_from_its_first_on) {
    struct seen seen;
    CHECK_TEXT(read_lines("iter %d: loss 3.1, time 12.3ms", 3, &seen), "");
    CHECK_INT(seen.steps, 0);
    CHECK_TEXT(read_lines("iter %d: loss 3.1, time 12.3ms", 9, &seen), "Generic(iter N)");
    CHECK_INT(seen.steps, 9);
    CHECK_INT(seen.first_step, 0);
    CHECK_INT(seen.first_ms, AT_MS);
}

/* Held lines are signs of life when they come, not when they are accepted. */
TEST(held_lines_do_not_delay_liveness) {
    struct seen seen;
    read_lines("iter %d: loss 3.1, time 12.3ms", 4, &seen);
    CHECK_INT(seen.lives_before_steps, 3);
}

TEST(numbers_with_a_fraction_count_no_steps) {
    struct seen seen;
    CHECK_TEXT(read_lines("{'loss': 1.5, 'gradient': 0.1, 'epoch': %d.5}", 20, &seen), "");
    CHECK_TEXT(read_lines("step %d.25 loss 0.5", 20, &seen), "");
    CHECK_INT(seen.steps, 0);
}

/* The last component of a key says what it is. */
TEST(keys_with_a_path_are_read_by_their_components) {
    struct seen seen;
    CHECK_TEXT(read_lines("new step:%d - actor/pg_loss:0.123 - perf/throughput:%d.5 - timing_s/step:12.3", 9, &seen),
               "Generic(step N)");
    CHECK_INT(seen.steps, 9);
    CHECK_TEXT(read_lines("train/global_step: %d, train/loss: 0.5, time/step: 3", 9, &seen),
               "Generic(train/global_step N)");
    CHECK_TEXT(read_lines("policy_step=%d policy_loss=0.5 sec_per_step=3", 9, &seen), "Generic(policy_step N)");
    CHECK_TEXT(read_lines("max_step=%d loss_step=%d loss=0.5 sec/step=3 tokens/step: 5", 20, &seen), "");
    CHECK_INT(seen.steps, 0);
}

/* A counter's number has no name, or another place than behind it. Of each, a trainer that prints it. */
TEST(a_counter_may_be_anywhere_in_the_line) {
    static const struct {
        const char *line, *name;
    } trainers[] = {
        {"[%d]\ttrain-rmse:10.99\teval-rmse:12.09", "Generic(step N)"},                        /* XGBoost */
        {"[%d]\tvalid_0's l2: 1.02973", "Generic(step N)"},                                    /* LightGBM */
        {"%d:\tlearn: 10.87\ttest: 11.95\ttotal: 46s\tremaining: 3m 5s", "Generic(step N)"},   /* CatBoost */
        {" %d: 10.8, 10.8 avg loss, 0.000008 rate, 35.255386 seconds", "Generic(step N)"},     /* darknet */
        {"Ep. 1 : Up. %d : Sen. 640 : Cost 10.6 : Time 78.82s : gNorm 1.1", "Generic(up. N)"}, /* marian */
        {"%d/1251 train_loss: 3.0046 train_time: 0.8m tok/s: 79", "Generic(step N)"},          /* parameter-golf */
        {"Train loss %d 10.966693 Grad Norm 1.356559 26.63s/it", "Generic(step N)"},           /* tacotron2 */
        {"tick %d     kimg %d.0      time 0:00:46", "Generic(kimg N)"},                        /* stylegan3 */
        {"Train: [3/300][%d/1251] eta 1:02:03 lr 0.01 loss 5.1", "Generic(batch N)"},          /* Swin-Transformer */
        {"[PAX STATUS] step_i: %d, training loss: 2.3456", "Generic(step_i N)"},               /* paxml */
        {"[proc 0][Train](%d/1000) average loss: 0.512", "Generic(step N)"},                   /* DGL-KE */
        {"1epoch:train:1-%dbatch: iter_time=2.878e-04, loss=8.091", "Generic(batch N)"},       /* espnet2 */
        {"Epoch[0] Batch [0-%d] Speed: 175.88 samples/sec accuracy=0.5", "Generic(batch N)"},  /* mxnet */
        {"fps step: 19764 fps total: 15203 epoch: %d/246 loss: 0.5", "Generic(epoch N)"},      /* rl_games */
    };
    struct seen seen;
    for (size_t i = 0; i < sizeof trainers / sizeof trainers[0]; i++) {
        CHECK_TEXT(read_lines(trainers[i].line, 30, &seen), trainers[i].name);
        CHECK(seen.last_step % 1251 == 29);
    }
    CHECK_TEXT(read_lines("%d: loss of all packets", 30, &seen), "");    /* a row has a figure with a fraction */
    CHECK_TEXT(read_lines("[%d]\tsize:10.5\trate:12.5", 30, &seen), ""); /* a word of training or validation */
    CHECK_TEXT(read_lines("loss of node%depoch 12.5", 30, &seen), "");   /* the end of an identifier */
    CHECK_TEXT(read_lines("2026-11-%dbatch loss 12.5", 30, &seen), "");  /* a date */
    CHECK_TEXT(read_lines("picked up. %d files, loss 0.5", 9, &seen), "");
}

/* openai/guided-diffusion guided_diffusion/logger.py: three digits of each number. */
TEST(a_counter_may_have_an_exponent) {
    struct seen seen;
    CHECK_TEXT(read_lines("step 1.%d2e+02 loss 0.5", 8, &seen), "Generic(step N)");
    CHECK_INT(seen.first_step, 102);
    CHECK_INT(seen.last_step, 172);
    CHECK_TEXT(read_lines("step %de+01 loss 0.5", 8, &seen), "Generic(step N)");
    CHECK_INT(seen.last_step, 70);
    CHECK_TEXT(read_lines("step 1.%d21e+01 loss 0.5", 8, &seen), ""); /* not whole */
}

/* wenet-e2e/wespeaker wespeaker/utils/executor.py:81; explosion/spaCy spacy/training/loggers.py; chainer/chainer
 * extensions/print_report.py, which leaves cells empty */
TEST(rows_below_a_head_are_read_by_its_names) {
    static const struct {
        const char *head, *row;
        int64_t last;
    } tables[] = {
        {"[ INFO : 02:00:00,1 ] - |     Epoch |      Batch |       Loss |",
         "[ INFO : 02:00:00,1 ] - |         1 |          %d |       9.12 |", 9},
        {"E    #       LOSS TOK2VEC  LOSS NER  SCORE ", "  0      %d         54.01    180.03    0.71", 9},
        {"epoch       iteration   main/loss   validation/main/loss  elapsed_time",
         "1           %d           2.31                              12.5", 9},
        {"step 1 | epoch 0 | loss 9.1234 | lr 1e-04", "step %d | epoch 0 | loss 9.1234 | lr 1e-04", 9}, /* no head */
        {"NAME        READY       STATUS      RESTARTS    AGE", "trainer-%d  1/1         Running     0           12m",
         0},
        {"PID         CPU         MEM         TIME", "%d          0.5         0.1         0:12", 0},
    };
    struct seen seen;
    for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
        char text[300];
        snprintf(text, sizeof text, "%s", tables[i].row);
        struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
        seen = (struct seen){0};
        steplog_line(s, slice_of(tables[i].head), 1763690400000);
        for (int row = 1; row < 10; row++) {
            size_t n = (size_t)(strchr(text, '%') - text);
            char line[300];
            snprintf(line, sizeof line, "%.*s%d%s", (int)n, text, row, text + n + 2);
            steplog_line(s, slice_of(line), 1763690400000 + row * 1000);
        }
        steplog_end(s);
        CHECK_INT(seen.last_step, tables[i].last);
        steplog_free(s);
    }
}

/* The counter is known from the process before: one line is enough. */
TEST(a_counter_that_was_read_before_is_accepted_at_once) {
    struct seen seen = {0};
    struct steplog *first = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    for (int i = 1; i <= 5; i++) {
        char line[100];
        snprintf(line, sizeof line, "step %d loss 0.5", i * 10);
        steplog_line(first, slice_of(line), 1763690400000 + i * 10000);
    }
    struct steplog *second = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    steplog_continue(second, first);
    seen = (struct seen){0};
    steplog_line(second, SLICE("step 40 loss 0.5"), 1763690500000);
    CHECK_INT(seen.steps, 1);
    CHECK_INT(seen.first_step, 40);
    CHECK_INT(seen.duration_ms, RECORD_NONE); /* how many steps it did is not known */
    steplog_line(second, SLICE("iter 50 loss 0.5"), 1763690510000);
    CHECK_INT(seen.steps, 1);
    steplog_free(second);
    steplog_free(first);
}

/* A process that ended before its lines were enough did not only prepare. */
TEST(the_end_reports_lines_that_look_like_steps_and_are_too_few) {
    struct seen seen;
    read_lines("step %d loss 1", 3, &seen);
    CHECK_INT(seen.steps, 0);
    CHECK_INT(seen.unread, 1);
    read_lines("step %d loss 1", 10, &seen);
    CHECK_INT(seen.steps, 10);
    CHECK_INT(seen.unread, 0);
    read_lines("step=%d, lr=[0.001]", 1, &seen); /* DeepSpeed's first line, of step 0 */
    CHECK_INT(seen.unread, 0);
    read_lines("loading shard %d", 10, &seen);
    CHECK_INT(seen.unread, 0);
}

/* A pause in the first lines does not make tokens steps. */
TEST(a_counter_of_tokens_counts_its_moves_also_behind_a_pause) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    for (int i = 1; i <= 8; i++) {
        char line[100];
        snprintf(line, sizeof line, "global_step=%d, loss=0.5", i * 2048);
        steplog_line(s, slice_of(line), 1763690400000 + i * INT64_C(1000) + (i > 2 ? 3600000 : 0));
    }
    CHECK_INT(seen.steps, 8);
    CHECK_INT(seen.last_step, 8);
    steplog_free(s);
}

TEST(one_rank_of_several_is_read_and_named) {
    struct seen seen;
    CHECK_TEXT(read_lines("[rank%1$d]: step 5 loss 1", 20, &seen), "");
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    seen = (struct seen){0};
    for (int i = 0; i < 10; i++)
        for (int rank = 3; rank >= 2; rank--) {
            char line[160];
            snprintf(line, sizeof line, "2026-11-21T02:00:%02dZ [rank%d]: step %d loss 1\n", i, rank, i);
            steplog_feed(s, slice_of(line), true);
        }
    CHECK_TEXT(steplog_recognized_name(s), "Generic(step N, rank 3)");
    CHECK_INT(seen.steps, 10);
    steplog_free(s);
}

TEST(samples_are_counted_by_the_line) {
    struct seen seen;
    CHECK_TEXT(read_lines("Train Epoch: 0 [%d00/60000 (1%%)]\tLoss: 2.3", 20, &seen), "Generic(batch N / 100)");
    CHECK_INT(seen.last_step, 19);
    CHECK(seen.counts_lines);
}

TEST(a_named_format_is_not_read_by_the_way) {
    struct seen seen;
    CHECK_TEXT(read_lines("completed step: %d, seconds: 1.0, loss: 2", 9, &seen), "MaxText");
    CHECK_TEXT(read_lines("time step %d took 1.5 s", 40, &seen), ""); /* nothing says that it trains */
    CHECK_INT(seen.steps, 0);
}

TEST(a_byte_order_mark_hides_no_line) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    steplog_feed(s,
                 SLICE("\xEF\xBB\xBF"
                       "2026-11-21T02:00:00Z completed step: 9, seconds: 1.0, loss: 2\n"),
                 true);
    CHECK_INT(seen.first_ms, AT_MS);
    CHECK_INT(seen.steps, 1);
    steplog_free(s);
}

/* A number of the line that is the time since the line before, in the first lines, is how long its steps took. */
TEST(durations_that_agree_with_the_distance_of_lines_are_read) {
    static const struct {
        const char *line;
        int64_t duration_ms;
    } cases[] = {
        {"iter %d: loss 3.1, time 1000.4ms", 1000},
        {"step %d/400 | loss 3 | 1000.00 ms | 43.1%% MFU", 1000},
        {"step:%d - actor/pg_loss:0.1 - timing_s/gen:0.4 - timing_s/step:1.01", 1010},
        {"step %d loss 3 elapsed 77.5 s eta 12 s", RECORD_NONE},
        {"step %d loss 3 time 12.3ms", RECORD_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct seen seen;
        read_late_lines(cases[i].line, 9, 7, &seen);
        CHECK_INT(seen.steps, 9);
        CHECK_INT(seen.duration_ms, cases[i].duration_ms);
    }
}

/* It may be the time since the line before, which holds saves that no line shows. */
TEST(a_duration_that_leaves_nothing_out_proves_nothing) {
    struct seen seen;
    read_lines("tick %d loss 3.1 sec/tick 1.0", 9, &seen);
    CHECK_INT(seen.steps, 9);
    CHECK_INT(seen.duration_ms, RECORD_NONE);
    read_late_lines("tick %d loss 3.1 sec/tick 1.0", 9, 8, &seen);
    CHECK_INT(seen.duration_ms, 1000);
}

static void read_bar(const char *first, struct seen *seen) {
    char text[2000];
    int n = snprintf(text, sizeof text, "2026-11-21T02:00:00Z %s", first);
    for (int i = 0; i < 9; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "\rTraining Progress:   4%%|4   | %d/500 [00:%02d<01:01,  1.6it/s]", 23 + 3 * i, 7 + 2 * i);
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, seen);
    *seen = (struct seen){0};
    steplog_feed(s, (struct slice){text, (size_t)n}, true);
    steplog_end(s);
    steplog_free(s);
}

TEST(a_bar_records_where_training_resumed) {
    struct seen seen;
    read_bar("Training Progress:   4%|4         | 20/500 [00:00<?, ?it/s]", &seen);
    CHECK_INT(seen.resumed_step, 21);
    CHECK_INT(seen.first_step, 23);
    CHECK_INT(seen.first_duration_ms, 7000); /* since the bar was drawn, which is when training started */
    read_bar("", &seen);                     /* the bar was not drawn at its beginning: one step by the first drawing */
    CHECK_INT(seen.resumed_step, 23);
    CHECK_INT(seen.first_step, 23);
    CHECK_INT(seen.first_duration_ms, RECORD_NONE);
}

/* A bar of `steps` drawings with that total, a step a second, from 0 on. */
static void feed_bar(struct steplog *s, int steps, int total) {
    char text[2000];
    int n = snprintf(text, sizeof text, "2026-11-21T02:00:00Z steps:   0%%|  | 0/%d [00:00<?, ?it/s]", total);
    for (int i = 1; i <= steps; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "\rsteps:   4%%|4   | %d/%d [00:%02d<01:01,  1.6it/s, avr_loss=0.1]", i, total, i);
    steplog_feed(s, (struct slice){text, (size_t)n}, true);
}

static struct steplog *read_rest(const struct steplog *before, int steps, int total, struct seen *seen) {
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, seen);
    *seen = (struct seen){0};
    if (before != NULL)
        steplog_continue(s, before);
    feed_bar(s, steps, total);
    steplog_end(s);
    return s;
}

/* huggingface/transformers examples/pytorch/language-modeling/run_clm_no_trainer.py: a bar without loss or description.
 */
TEST(a_bar_of_as_many_steps_as_announced_is_of_training) {
    static const char head[] = "2026-11-21T02:00:00Z   Total optimization steps = %d\n2026-11-21T02:00:01Z   0%%";
    struct seen seen;
    for (int total = 100; total <= 101; total++) {
        char text[2000];
        int n = snprintf(text, sizeof text, head, total);
        n += snprintf(text + n, sizeof text - (size_t)n, "|  | 0/100 [00:00<?, ?it/s]");
        for (int i = 1; i <= 12; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, "\r  4%%|4   | %d/100 [00:%02d<01:01,  1.6it/s]", i, i);
        struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
        seen = (struct seen){0};
        steplog_feed(s, (struct slice){text, (size_t)n}, true);
        steplog_end(s);
        CHECK_INT(seen.last_step, total == 100 ? 12 : 0);
        steplog_free(s);
    }
}

/* kohya-ss/sd-scripts 48d368fa train_network.py:1358 */
TEST(a_bar_of_the_rest_continues_the_process_before) {
    struct seen seen;
    struct steplog *first = read_rest(NULL, 12, 100, &seen);
    CHECK_INT(seen.resumed_step, 1);
    CHECK_INT(seen.last_step, 12);
    struct steplog *second = read_rest(first, 12, 92, &seen);
    CHECK_INT(seen.resumed_step, 9);
    CHECK_INT(seen.last_step, 20);
    struct steplog *third = read_rest(second, 6, 85, &seen);
    CHECK_INT(seen.resumed_step, 16);
    CHECK_INT(seen.last_step, 21);
    steplog_free(third);
    third = read_rest(second, 6, 60, &seen); /* 40 were not done: it is another job's */
    CHECK_INT(seen.resumed_step, 1);
    steplog_free(third);
    third = read_rest(second, 6, 100, &seen); /* it starts over */
    CHECK_INT(seen.resumed_step, 1);
    steplog_free(third);
    steplog_free(second);
    steplog_free(first);
}

/* An epoch named before a bar of all epochs does not number its steps. */
TEST(a_bar_of_the_rest_is_not_of_the_epoch_that_a_line_names) {
    struct seen seen;
    struct steplog *first = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    seen = (struct seen){0};
    steplog_feed(first, SLICE("2026-11-21T02:00:00Z epoch 1/3\n"), true);
    feed_bar(first, 12, 100);
    steplog_end(first);
    int64_t done = seen.last_step;
    struct steplog *second = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    seen = (struct seen){0};
    steplog_continue(second, first);
    steplog_feed(second, SLICE("2026-11-21T02:05:00Z epoch 2/3\n"), true);
    feed_bar(second, 12, 92);
    steplog_end(second);
    CHECK_INT(seen.resumed_step, done - 12 + 9);
    CHECK_INT(seen.last_step, done + 8);
    steplog_free(second);
    steplog_free(first);
}

/* Only the next epoch shows that the counter continues: then the first line's step was one, too. */
TEST(steps_before_the_counter_is_understood_are_not_lost) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    for (int i = 0; i < 40; i++) {
        char line[160];
        snprintf(line, sizeof line,
                 "2026-11-21T02:00:%02dZ Epoch %d | iter %d step %d | loss train: 8.2 | iter time: 602.00 ms\n", i,
                 3 + i / 20, 205 + i * 5, 205 + i * 5);
        steplog_feed(s, slice_of(line), true);
    }
    steplog_end(s);
    CHECK_INT(seen.first_step, 205);
    CHECK_INT(seen.first_ms, AT_MS);
    CHECK_INT(seen.last_step, 400);
    steplog_free(s);
}

/* Python prints 0.0001 and below as 9.6e-05. */
TEST(a_number_before_the_counter_may_change_its_form) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    for (int i = 1; i <= 40; i++) {
        char line[160];
        snprintf(line, sizeof line, "2026-11-21T02:00:%02dZ loss: 3.21, learning_rate: %s, global_step: %d\n", i,
                 i < 13 ? "9.6e-05" : "0.000104", i);
        steplog_feed(s, slice_of(line), true);
    }
    steplog_end(s);
    CHECK_INT(seen.steps, 40);
    CHECK_INT(seen.last_step, 40);
    steplog_free(s);
}

/* Batches of the epochs that the lines of `lines` name, from `epoch` on, each of `length` batches, a line every 50 and
 * minute. */
static struct steplog *read_epochs(const struct steplog *before, const char *format, int epoch, int epochs, int length,
                                   struct seen *seen) {
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, seen);
    *seen = (struct seen){0};
    if (before != NULL)
        steplog_continue(s, before);
    for (int i = 0; i < epochs; i++)
        for (int batch = 50; batch <= length; batch += 50) {
            char line[200];
            size_t n = (size_t)snprintf(line, sizeof line, "2026-11-21T%02d:%02d:00Z ", i + 2, batch / 50);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(line + n, sizeof line - n, format, epoch + i, batch);
#pragma GCC diagnostic pop
            strcat(line, "\n");
            steplog_feed(s, slice_of(line), true);
        }
    steplog_end(s);
    return s;
}

/* k2-fsa/icefall 36e0420c7 zipformer/train.py:1202; wenet-e2e/wenet 01546996 wenet/utils/train_utils.py:841 */
TEST(batches_of_epochs_of_unknown_length_continue_the_process_before) {
    static const char *const formats[] = {"Epoch %d, batch %d, loss[loss=3.2], lr: 1e-04",
                                          "TRAIN | steps/sec 1.5| Batch %d/%d loss 3.2 lr 0.0001 grad_norm 2.1 rank 0"};
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
        struct seen seen;
        struct steplog *first = read_epochs(NULL, formats[i], 1, 3, 420, &seen);
        CHECK_INT(seen.first_step, 50);
        CHECK_INT(seen.last_step, 1200); /* the lines show 400 of each epoch */
        struct steplog *second = read_epochs(first, formats[i], 3, 2, 420, &seen);
        CHECK_INT(seen.first_step, 850);
        CHECK_INT(seen.last_step, 1600);
        steplog_free(second);
        second = read_epochs(first, formats[i], 3, 1, 520, &seen); /* a longer one: the next would not rise */
        CHECK_INT(seen.last_step, 1200);
        steplog_free(second);
        steplog_free(first);
        first = read_epochs(NULL, formats[i], 3, 1, 420, &seen); /* nothing shows what came before */
        CHECK_INT(seen.steps, 0);
        steplog_free(first);
    }
}

/* MIC-DKFZ/nnUNet 959729c8 nnUNetTrainer.py: the block's head starts the epoch, its figures end it. */
TEST(a_block_shows_no_evaluation_as_long_as_the_step) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    for (int i = 0; i < 20; i++) {
        char lines[300];
        snprintf(lines, sizeof lines,
                 "2026-11-21T02:%02d:00Z Epoch %d\n2026-11-21T02:%02d:58Z train_loss -0.5\n"
                 "2026-11-21T02:%02d:58Z val_loss -0.4\n2026-11-21T02:%02d:58Z Epoch time: 58.0 s\n",
                 i, i, i, i, i);
        steplog_feed(s, slice_of(lines), true);
    }
    steplog_end(s);
    CHECK_INT(seen.last_step, 19);
    CHECK_INT(seen.evaluations, 0);
    steplog_free(s);
}

/* Nothing that is read counts the steps within the epoch. */
TEST(an_epoch_that_shows_a_loss_several_times_is_not_a_step) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    for (int i = 0; i < 200; i++) {
        char lines[200];
        size_t n = i % 10 == 0 ? (size_t)snprintf(lines, sizeof lines, "2026-11-21T%02d:%02d:00Z Epoch: %d\n",
                                                  2 + i / 60, i % 60, i / 10)
                               : 0;
        snprintf(lines + n, sizeof lines - n, "2026-11-21T%02d:%02d:30Z Train loss 2.5 Grad Norm 0.8 1.9s/it\n",
                 2 + i / 60, i % 60);
        steplog_feed(s, slice_of(lines), true);
    }
    steplog_end(s);
    CHECK_INT(seen.steps, 0);
    steplog_free(s);
}

/* speechbrain/speechbrain core.py: the bar of a validation has no description either, and no loss. */
TEST(a_bar_without_a_loss_is_not_the_one_that_has_it) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    for (int epoch = 3; epoch < 6; epoch++) {
        char text[2000];
        int n = snprintf(text, sizeof text, "2026-11-21T02:%02d:00Z Going into epoch %d\n2026-11-21T02:%02d:30Z ",
                         10 + epoch, epoch, 10 + epoch);
        for (int i = 0; i <= 10; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, "\r 10%%|#  | %d/10 [00:%02d<00:10,  1.00s/it%s]", i, i,
                          i > 0 ? ", train_loss=2.1" : "");
        n += snprintf(text + n, sizeof text - (size_t)n, "\n2026-11-21T02:%02d:50Z ", 10 + epoch);
        for (int i = 0; i <= 10; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, "\r 10%%|#  | %d/10 [00:%02d<00:10,  1.00s/it]", i, i);
        snprintf(text + n, sizeof text - (size_t)n, "\n");
        steplog_feed(s, slice_of(text), true);
    }
    steplog_end(s);
    CHECK_INT(seen.resumed_step, 21);
    CHECK_INT(seen.last_step, 50);
    steplog_free(s);
}

/* A controller that reconciles a job named train. */
TEST(a_job_named_train_does_not_train) {
    struct seen seen;
    read_lines("INFO Reconciling {\"job\": \"train\", \"iteration\": %d, \"duration\": \"5ms\"}", 40, &seen);
    CHECK_INT(seen.steps, 0);
    read_lines("INFO job=train Running step %d of reconcile took 0.5s", 40, &seen);
    CHECK_INT(seen.steps, 0);
    read_lines("INFO Running train step %d took 0.5s", 40, &seen);
    CHECK_INT(seen.steps, 40);
}
