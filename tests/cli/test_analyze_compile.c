/* analyze on a log of Hugging Face's Trainer whose first step compiles: the bar's own clock shows when training began,
 * so that the compilation is start-up, not preparation. */
#include "harness.h"
#include "run.h"

#include "base/buf.h"
#include "base/rfc3339.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEGIN_S = 20, COMPILE_S = 47, STEPS = 100, STEP_S = 2 };
#define START_MS INT64_C(1795226400000) /* 02:00:00 */

static void write_line(struct buf *log, int at_s, struct slice text) {
    char at[RFC3339_SIZE];
    rfc3339_format(at, (START_MS + at_s * INT64_C(1000)) * 1000000, 9);
    buf_append_text(log, at);
    buf_append_char(log, ' ');
    buf_append_slice(log, text);
    buf_append_char(log, '\n');
}

/* Dictionaries come at once, on standard output; the bar's line when something ends it. */
static void write_log(int every) {
    CLEANUP_BUF struct buf log;
    CLEANUP_BUF struct buf bar;
    buf_init(&log, 1 << 20);
    buf_init(&bar, 1 << 20);
    write_line(&log, 0, SLICE("loading the model"));
    buf_format(&bar, "\r  0%%|          | 0/%d [00:00<?, ?it/s]", STEPS);
    int took_s = 0;
    for (int i = 1; i <= STEPS; i++) {
        took_s = COMPILE_S + i * STEP_S;
        for (int k = 0; k < 1 + (i % every == 0); k++) {
            if (k == 1) {
                char line[200];
                snprintf(line, sizeof line,
                         "{'loss': '8.26', 'grad_norm': '2.89', 'learning_rate': '2.8e-05', 'epoch': '%.4g'}", i / 1e3);
                write_line(&log, BEGIN_S + took_s, slice_of(line));
                buf_append_text(&bar, "\r                                        \r");
            }
            buf_format(&bar, "\r%3d%%|###       | %d/%d [%02d:%02d<00:01,  2.00s/it]", i, i, STEPS, took_s / 60,
                       took_s % 60);
        }
    }
    write_line(&log, BEGIN_S + took_s, buf_slice(&bar));
    run_write_file("a.log", log.data, log.size_bytes);
}

static double bucket_s(const struct run *run, const char *name) {
    char text[80];
    snprintf(text, sizeof text, "\"bucket\":\"%s\"", name);
    const char *at = strstr(run->out, text), *ms = at != NULL ? strstr(at, "\"milliseconds\":") : NULL;
    return ms != NULL ? strtod(ms + strlen("\"milliseconds\":"), NULL) / 1000 : 0;
}

TEST(the_first_bar_s_clock_shows_the_compilation) {
    for (int every = 1; every <= 10; every += 9) {
        write_log(every);
        struct run run = run_analyze("a.log", "-o json");
        double productive_s = run_number(&run, "time", "productiveMilliseconds") / 1000, truth_s = STEPS * STEP_S;
        double unknown_s = bucket_s(&run, "Unattributed");
        CHECK_INT((int)bucket_s(&run, "TrainingPreparation"), BEGIN_S);
        CHECK(bucket_s(&run, "ProgramStartup") + unknown_s >= COMPILE_S - 1);
        CHECK(bucket_s(&run, "ProgramStartup") <= COMPILE_S + 1);
        CHECK(productive_s <= truth_s + 1 && productive_s + unknown_s >= truth_s - 1);
        run_done(&run);
    }
}
