/* What the first lines show of a counter that no format names. */
#include "harness.h"

#include "steplog/steplog.h"

#include <stdio.h>

struct seen {
    int64_t steps, first_step, last_step, duration_ms; /* of the last one */
    bool counts_lines;
};

static void on_record(void *context, const struct record *r) {
    struct seen *seen = context;
    if (r->kind != RECORD_STEP_END)
        return;
    if (seen->steps++ == 0)
        seen->first_step = r->step;
    seen->last_step = r->step;
    seen->duration_ms = r->duration_ms;
    seen->counts_lines = r->counts_lines;
}

/* openai/parameter-golf 4908dc46, records/track_non_record_16mb/2026-04-05_118M_XNOR-Net_FP8_1024D_10L: a line every
 * thousand steps of less than 50 ms, as samples would come, but the time of each is stated. */
TEST(a_counter_whose_lines_state_the_time_of_each_counts_steps) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    for (int i = 1; i <= 9; i++) {
        char line[100];
        snprintf(line, sizeof line, "step:%d000/100000 loss:3.4 t:%dms step_avg:41.7ms", i, i * 41700);
        steplog_line(s, slice_of(line), 1763690400000 + i * INT64_C(41700) + (i == 8 ? 9000 : 0));
    }
    CHECK_INT(seen.steps, 9);
    CHECK_INT(seen.last_step, 9000);
    CHECK(!seen.counts_lines);
    steplog_free(s);
}

/* jingyaogong/minimind, trainer/trainer_utils.py:Logger: the batch is in parentheses behind the epoch. */
TEST(a_counter_may_stand_in_parentheses_behind_the_epoch) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    for (int i = 0; i < 19; i++) {
        char line[160];
        snprintf(line, sizeof line, "Epoch:[%d/2](%d/1000), loss: 2.5, aux_loss: 0.0, lr: 0.0004, epoch_time: %d.0min",
                 1 + i / 10, i % 10 * 100 + 100, i % 10 + 1);
        steplog_line(s, slice_of(line), 1763690400000 + i * INT64_C(30000));
    }
    CHECK_INT(seen.steps, 19);
    CHECK_INT(seen.last_step - seen.first_step, 1800);
    steplog_free(s);
}

/* facebookresearch/detr, main.py: a line of JSON an epoch, of 4.5 KB, that ends with the epoch. */
TEST(a_counter_may_stand_at_the_end_of_a_long_line) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    for (int i = 0; i < 9; i++) {
        char line[6000];
        size_t n = (size_t)snprintf(line, sizeof line, "{\"train_lr\": 0.0001");
        for (int k = 0; n < 4400; k++)
            n += (size_t)snprintf(line + n, sizeof line - n, ", \"train_loss_bbox_%d\": 0.5%d", k, i);
        snprintf(line + n, sizeof line - n, ", \"epoch\": %d, \"n_parameters\": 41302368}", i);
        steplog_line(s, slice_of(line), 1763690400000 + i * INT64_C(1800000));
    }
    CHECK_INT(seen.steps, 9);
    CHECK_INT(seen.last_step, 8);
    steplog_free(s);
}

/* mmengine 25434293, mmengine/runner/log_processor.py: an own clock of whole seconds, a line every hundred steps, the
 * mean time of some of them, and an "eta" that has days later. An evaluation, of which no line is here, comes before
 * line 8; from then on steps take three times as long. */
TEST(a_stated_time_is_read_next_to_stamps_of_whole_seconds) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    int64_t us = 0;
    steplog_use_line_clocks(s, 1795300000000);
    for (int i = 1; i <= 20; i++) {
        char line[200];
        int64_t each_us = i > 8 ? 375000 : 125000;
        us += 100 * each_us + (i == 8 ? 30000000 : 0);
        int second = (int)(us / 1000000);
        snprintf(
            line, sizeof line,
            "11/21 02:%02d:%02d - mmengine - INFO - Iter(train) [%4d/90000]  lr: 1.0e-03  eta: %s20:38:38  time: %.4f  "
            "data_time: 0.0045  loss: 1.9907\n",
            second / 60, second % 60, i * 100, i > 10 ? "4 days, " : "", (double)each_us / 1000000);
        steplog_feed(s, slice_of(line), false);
    }
    CHECK_INT(seen.steps, 20);
    CHECK_INT(seen.last_step, 2000);
    CHECK_INT(seen.duration_ms, 37500);
    steplog_free(s);
}

/* openai/parameter-golf's train_gpt.py prints itself first. */
TEST(a_program_in_its_own_log_shows_no_step) {
    static const char *const text[] = {"    training_time_ms = 0.0", "    step = 0",
                                       "    while True:", "        train_loss = torch.zeros((), device=device)",
                                       "        step += 1"};
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
        steplog_line(s, slice_of(text[i]), 1763690400000);
    for (int i = 1; i <= 9; i++) {
        char line[100];
        snprintf(line, sizeof line, "step:%d/20000 train_loss:6.9 train_time:%dms", i, i * 1000);
        steplog_line(s, slice_of(line), 1763690400000 + 60000 + i * INT64_C(1000));
    }
    CHECK_INT(seen.steps, 9);
    CHECK_INT(seen.first_step, 1);
    steplog_free(s);
}

/* The steps read of `count` rounds of two lines, a second apart. The number in each line is that of the round. */
static int64_t steps_of(const char *first, const char *second, int count) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    for (int i = 1; i <= count; i++) {
        char line[200];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(line, sizeof line, first, 10 * i);
        steplog_line(s, slice_of(line), 1763690400000 + i * INT64_C(1000));
        snprintf(line, sizeof line, second, i);
        steplog_line(s, slice_of(line), 1763690400000 + i * INT64_C(1000) + 1);
#pragma GCC diagnostic pop
    }
    steplog_free(s);
    return seen.steps;
}

/* facebookresearch/habitat-lab habitat_baselines/rl/ppo/ppo_trainer.py: the counter is next to a rate, and the reward
 * on a line by itself. */
TEST(a_figure_between_the_lines_of_a_counter_shows_training) {
    CHECK_INT(steps_of("update: %d\tfps: 412.123\t", "Average window size: 50  reward: 2.%d  spl: 0.312", 9), 9);
    CHECK_INT(steps_of("update: %d\tfps: 412.123\t", "Average window size: 50  spl: 0.%d", 9), 0);
}

/* MLPerf's BERT prints a dictionary with this name. A limit does not count. */
TEST(global_steps_count) {
    CHECK_INT(steps_of("{'global_steps': %d, 'loss': 4.2, 'learning_rate': 0.01}", "read %d", 9), 9);
    CHECK_INT(steps_of("{'max_global_steps': %d, 'loss': 4.2, 'learning_rate': 0.01}", "read %d", 9), 0);
}

/* dmlc/gluon-cv scripts/detection/faster_rcnn/train_faster_rcnn.py: while the rate rises. */
TEST(a_rate_that_is_set_is_not_a_figure) {
    CHECK_INT(steps_of("[Epoch 0 Iteration %d] Set learning rate to 0.001", "train starts %d", 30), 0);
    CHECK_INT(steps_of("[Epoch 0 Iteration %d] learning rate 0.001", "train starts %d", 30), 30);
}
