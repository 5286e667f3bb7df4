/* Phases in a status: a job of NeMo-RL, whose phases have separate lines, is followed line by line, and a successor
 * takes over between any two of them. */
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 12, LINES = 4, STEP_S = 30 };

/* The k-th line of the log; *at: its second. */
static void write_line(int k, char line[static 120], double *at) {
    int step = 1 + k / LINES;
    if (k % LINES == 0)
        snprintf(line, 120, "========================= Step %d/500 =========================", step);
    else if (k % LINES == 1)
        snprintf(line, 120, "  • Total step time: %d.00s", STEP_S);
    else if (k % LINES == 2)
        snprintf(line, 120, "  • exposed_generation: %d.25s (55.0%%)", 10 + step);
    else
        snprintf(line, 120, "  • policy_training: 9.50s (30.0%%)");
    *at = 1000 + (step - 1) * STEP_S + (k % LINES == 0 ? 0 : STEP_S - 1);
}

/* Of the steps that ended: a start ends the one before. */
static void check_status(const char *status, int lines, const char *words) {
    int64_t ended = (lines - 1) / LINES, generation_ms = 0;
    for (int64_t step = 1; step <= ended; step++)
        generation_ms += (10 + step) * 1000 + 250;
    if (status_int(status, "steps.phases[name=exposed_generation].milliseconds") != generation_ms ||
        status_int(status, "steps.phases[name=policy_training].milliseconds") != ended * 9500)
        harness_fail(__FILE__, __LINE__, "%s: %" PRId64 " and %" PRId64 " ms, expected %" PRId64 " and %" PRId64, words,
                     status_int(status, "steps.phases[name=exposed_generation].milliseconds"),
                     status_int(status, "steps.phases[name=policy_training].milliseconds"), generation_ms,
                     ended * 9500);
}

TEST(phases_are_followed_across_a_change_of_the_leader) {
    enum { ALL = STEPS * LINES + 1 };
    for (int cut = LINES + 2; cut < ALL && CU_get_number_of_failures() == 0; cut++) {
        const struct model_options options = {.keeps_checkpoints = true};
        struct model *m = model_new(&options);
        char line[120], words[32];
        double at = 0;
        snprintf(words, sizeof words, "cut before line %d", cut);
        fake_observe_trainer(m, "", "");
        for (int k = 0; k < ALL; k++) {
            if (k == cut) {
                CLEANUP_FREE char *status = fake_status(m, at);
                check_status(status, k, words);
                model_free(m);
                CLEANUP_FREE char *left = replay_left(status);
                m = model_new(&options);
                fake_observe_trainer(m, "", left);
            }
            write_line(k, line, &at);
            fake_log_line(m, "try1", at, line);
        }
        CLEANUP_FREE char *status = fake_status(m, at);
        CHECK_TEXT(status_text(status, "target.logFormat"), "nemo-rl");
        check_status(status, ALL, words);
        CHECK_TEXT(status_text(status, "steps.phases[name=policy_training].share"), "31.67%");
        model_free(m);
    }
}
