/* Stamps that go further than the steps' own durations: a clock that was set forward, and what only looks like one. */
#include "harness.h"
#include "steplog/steplog.h"

#include <stdio.h>
#include <string.h>

static void drop(void *context, const struct record *r) {
    (void)context;
    (void)r;
}

/* Megatron's lines, of a second each; the stamp of line i is at[i] seconds. stated: the duration of line `of`, in s. */
static int64_t read_forward_s(const int *at, int count, int of, int stated) {
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, drop, NULL);
    for (int i = 0; i < count; i++) {
        char line[300];
        int n =
            snprintf(line, sizeof line,
                     "2026-11-21T02:%02d:%02dZ  iteration %d/ 1000 | consumed samples: 8 | elapsed time per iteration "
                     "(ms): %d.0 | learning rate: 1.0E-4 | global batch size: 8 | lm loss: 1.0E+00 |\n",
                     at[i] / 60, at[i] % 60, i + 1, i == of ? stated * 1000 : 1000);
        steplog_feed(s, (struct slice){line, (size_t)n}, true);
    }
    struct steplog_counts counts = steplog_counts_get(s);
    steplog_free(s);
    CHECK_INT(counts.steps, count);
    return forward_ms(&counts.forward) / 1000;
}

#define FORWARD(of, stated, ...)                                                                                       \
    read_forward_s((const int[]){__VA_ARGS__}, sizeof(int[]){__VA_ARGS__} / sizeof(int), of, stated)

TEST(a_clock_that_was_set_forward_shows_in_the_steps_own_durations) {
    CHECK_INT(FORWARD(-1, 0, 1, 2, 3, 4, 65, 66, 67, 68), 60);
    CHECK_INT(FORWARD(-1, 0, 1, 2, 3, 4, 65, 66), 0);             /* the lines after it may say what it was */
    CHECK_INT(FORWARD(-1, 0, 1, 2, 3, 4, 9, 10, 11, 12), 0);      /* the loop's own */
    CHECK_INT(FORWARD(4, 61, 1, 2, 3, 4, 65, 66, 67, 68), 0);     /* the step's */
    CHECK_INT(FORWARD(5, 61, 1, 2, 3, 4, 65, 66, 67, 68), 0);     /* as the next line says */
    CHECK_INT(FORWARD(-1, 0, 10, 10, 10, 40, 40, 40, 70, 70), 0); /* written in bursts */
    CHECK_INT(FORWARD(-1, 0, 1, 2, 3, 4, 35, 36, 37, 38, 69, 70, 71, 72), 0); /* pauses */
    CHECK_INT(FORWARD(-1, 0, 1, 2, 3, 4, 15, 16, 17, 18, 619, 620, 621, 622), 600);
}

TEST(what_processes_show_of_a_set_clock_is_added) {
    struct forward a = {60000, 0}, b = {50000, 0}, c = {9000, 1000};
    CHECK_INT(forward_ms(&a), 60000);
    forward_add(&a, &c);
    CHECK_INT(forward_ms(&a), 60000);
    forward_add(&a, &b);
    CHECK_INT(a.second_ms, 50000);
    CHECK_INT(forward_ms(&a), 0);
}
