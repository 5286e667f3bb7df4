/* analyze on the logs of a verl job that was killed and continued at its checkpoint: the phases are those of the lines
 * of each step that came last. The oracle reads the lines' text. */
#include "harness.h"
#include "run.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 40, RESUMED_AT = 21, KILLED_AT = 27, NAMES = 3 };
#define START_MS INT64_C(1795226400000) /* 02:00:00 */

static const char *const names[NAMES] = {"gen", "old_log_prob", "update_actor"};

static void write_line(struct buf *log, int64_t at_ms, const char *text) {
    char at[RFC3339_SIZE];
    rfc3339_format(at, (START_MS + at_ms) * 1000000, 9);
    buf_format(log, "%s %s\n", at, text);
}

/* Steps [first, last]; returns when the log ends. */
static int64_t write_log(const char *name, int64_t at_ms, int first, int last, uint64_t *random) {
    CLEANUP_BUF struct buf log;
    buf_init(&log, 1 << 20);
    write_line(&log, at_ms, "loading the model");
    at_ms += 60000;
    if (first > 1) {
        char text[99];
        snprintf(text, sizeof text, "(TaskRunner pid=1) Load from checkpoint folder: /out/global_step_%d", first - 1);
        write_line(&log, at_ms, text);
        at_ms += 5000;
    }
    for (int step = first; step <= last; step++) {
        char text[400];
        int64_t part[NAMES], sum = 0;
        for (int i = 0; i < NAMES; i++)
            sum += part[i] = 5000 + random_below(random, 20000);
        snprintf(text, sizeof text,
                 "(TaskRunner pid=1) step:%d - actor/entropy:0.4 - timing_s/gen:%.3f - timing_s/old_log_prob:%.3f - "
                 "timing_s/update_actor:%.3f - timing_s/step:%.3f",
                 step, (double)part[0] / 1e3, (double)part[1] / 1e3, (double)part[2] / 1e3, (double)sum / 1e3);
        write_line(&log, at_ms += sum, text);
    }
    run_write_file(name, log.data, log.size_bytes);
    return at_ms;
}

/* The sums over each step's last line, from the files' text. */
static void sum_files(int64_t sums[NAMES]) {
    static const char *const files[] = {"first.log", "second.log"};
    int64_t kept[STEPS + 1][NAMES] = {{0}};
    memset(sums, 0, NAMES * sizeof *sums);
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        char *path = run_path(files[i]), line[600];
        FILE *f = fopen(path, "r");
        REQUIRE(f != NULL);
        while (fgets(line, sizeof line, f) != NULL) {
            const char *at = strstr(line, "step:");
            long step = at != NULL ? strtol(at + 5, NULL, 10) : 0;
            for (int k = 0; k < NAMES && step > 0; k++) {
                char key[40];
                snprintf(key, sizeof key, "timing_s/%s:", names[k]);
                kept[step][k] = lround(strtod(strstr(line, key) + strlen(key), NULL) * 1000);
            }
        }
        fclose(f);
        free(path);
    }
    for (int step = 1; step <= STEPS; step++)
        for (int k = 0; k < NAMES; k++)
            sums[k] += kept[step][k];
}

TEST(phases_of_an_interrupted_job) {
    uint64_t random = 20261128;
    int64_t sums[NAMES];
    int64_t at_ms = write_log("first.log", 0, 1, KILLED_AT, &random);
    write_log("second.log", at_ms + 90000, RESUMED_AT, STEPS, &random);
    sum_files(sums);
    struct run run = run_analyze("first.log second.log", "-o json");
    CHECK_INT(run.code, 0);
    for (int i = 0; i < NAMES; i++) {
        char expected[120];
        snprintf(expected, sizeof expected, "{\"name\":\"%s\",\"milliseconds\":%lld,", names[i], (long long)sums[i]);
        if (strstr(run.out, expected) == NULL)
            harness_fail(__FILE__, __LINE__, "%s is not in %s", expected, run.out);
    }
    run_done(&run);
    run = run_analyze("first.log second.log", "");
    CHECK(strstr(run.out, "Within the steps: gen ") != NULL);
    CHECK(strstr(run.out, "of the productive time\n") != NULL);
    CHECK(strstr(run.out, "overlap") == NULL);
    run_done(&run);
}

/* The rollouts of an asynchronous trainer were made during earlier steps. */
TEST(phases_that_overlap_are_shown_as_they_are) {
    CLEANUP_BUF struct buf log;
    buf_init(&log, 1 << 20);
    for (int step = 1; step <= 30; step++) {
        char text[200];
        snprintf(
            text, sizeof text,
            "INFO 11-21 02:28:46 ppo_trainer_async.py:244] Global step %d: {'policy_loss': 0.01, 'timing/ppo_train': "
            "14.0, 'timing/generation': 29.0, 'timing/step_total': 15.0}",
            step);
        write_line(&log, step * INT64_C(15000), text);
    }
    run_write_file("async.log", log.data, log.size_bytes);
    struct run run = run_analyze("async.log", "");
    CHECK(strstr(run.out, "Within the steps: ppo_train 6m 46.000s (93.33%), generation 14m 01.000s (193.33%) of the") !=
          NULL);
    CHECK(strstr(run.out, "they overlap") != NULL);
    run_done(&run);
}
