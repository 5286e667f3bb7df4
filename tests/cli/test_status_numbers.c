/* The status of analyze, with advice, a forecast and an interval: a wrong number anywhere in it is found. */
#include "harness.h"

#include "base/rfc3339.h"
#include "cli/analyze/ledger.h"
#include "cli/analyze/options.h"
#include "cli/render/pick.h"
#include "status_mutate.h"

#include <math.h>
#include <stdarg.h>

#define START_MS 1795226400000
#define ATTEMPTS 5

struct writer {
    struct analyze_ledger *ledger;
    int64_t now_ms;
};

__attribute__((format(printf, 3, 4))) static void say(struct writer *w, int64_t after_ms, const char *format, ...) {
    char at[RFC3339_SIZE], line[300];
    va_list args;
    w->now_ms += after_ms;
    int n = snprintf(line, sizeof line, "%s ", rfc3339_format_ms(at, w->now_ms));
    va_start(args, format);
    n += vsnprintf(line + n, sizeof line - (size_t)n, format, args);
    va_end(args);
    line[n] = '\n';
    analyze_ledger_feed(w->ledger, (struct slice){line, (size_t)n + 1});
}

/* Steps of a minute, every third half a minute longer; every tenth is saved, which blocks for 50 s. It starts with what
 * MaxText prints first, and ends within a step. */
static void feed_attempt(struct writer *w, int first, int last) {
    say(w, 0, "Config param steps: %d", 1000);
    if (first > 0)
        say(w, 90000, "restored from checkpoint step %d", first - 1);
    for (int i = first; i <= last; i++) {
        say(w, i % 3 == 0 ? 90000 : 60000,
            "completed step: %d, seconds: 60.000, TFLOP/s/device: 40.000, Tokens/s/device: 800.000, total_weights: "
            "65536, "
            "loss: 7.000",
            i);
        if (i % 10 != 9)
            continue;
        say(w, 0, "[process=0] [async] Started save checkpoint @ /c/%d.", i);
        say(w, 50000, "[process=0] [async] Finished blocking save in 50.00 seconds. Continuing save @ /c/%d.", i);
        say(w, 2000, "CheckpointManager Save Finalize is done on all hosts. %d", i);
    }
    say(w, 40000, "the last line %d", last);
}

/* Five attempts, ten minutes apart; --from and --to are in the second and in the fourth. */
static void analyze_attempts(struct buf *json) {
    static char *paths[ATTEMPTS] = {(char *)"a.log", (char *)"b.log", (char *)"c.log", (char *)"d.log",
                                    (char *)"e.log"};
    struct analyze a = {.at_us = ANALYZE_NO_TIME,
                        .from_us = (START_MS + 170 * 60000) * 1000,
                        .to_us = (START_MS + 500 * 60000) * 1000,
                        .ideal_s = NAN,
                        .paths = paths,
                        .path_count = ATTEMPTS};
    struct writer w = {.ledger = analyze_ledger_new(&a), .now_ms = START_MS};
    CLEANUP_ERROR struct error *err = NULL;
    for (int i = 0; i < ATTEMPTS; i++) {
        REQUIRE(analyze_ledger_begin(w.ledger, paths[i], &err) >= 0);
        feed_attempt(&w, i * 100, i * 100 + 105);
        analyze_ledger_end_file(w.ledger);
        w.now_ms += 600000;
    }
    CHECK_INT(analyze_ledger_conclude(w.ledger, json, NULL, &err), 0);
    analyze_ledger_free(w.ledger);
}

/* Nothing else in a status determines these; nor, in an interval, what executions have of it, which reach beyond it. */
#define ANYWHERE(in)                                                                                                   \
    " " in "observedGeneration " in "time.provisionalMilliseconds " in "badput.count " in "executions.firstStep " in   \
    "executions.lastStep " in "executions.resumeMilliseconds " in "executions.catchUpMilliseconds " in                 \
    "steps.last " in "steps.lastDurable " in "steps.repeated " in "steps.p50Milliseconds " in                          \
    "steps.p99Milliseconds " in "steps.hangAfterMilliseconds "
static const char undetermined[] = ANYWHERE("")
    ANYWHERE("intervals.") "intervals.executions.lostSteps "
                           "intervals.executions.lostWorkMilliseconds "
                           "intervals.executions.programStartupMilliseconds intervals.forecast.persistMilliseconds ";
/* Determined but for rounding. */
static const char rounded[] = " forecast.persistMilliseconds forecast.bestFromSeconds forecast.bestToSeconds "
                              "intervals.forecast.bestFromSeconds "
                              "intervals.forecast.bestToSeconds ";

TEST(a_wrong_number_in_an_analysis_is_found) {
    CLEANUP_BUF struct buf json;
    buf_init(&json, 1 << 20);
    analyze_attempts(&json);
    json_t *status = json_loads(buf_text(&json), 0, NULL);
    REQUIRE(status != NULL);
    CHECK(pick_int(status, "interruptions.total", 0) == ATTEMPTS - 1);
    CHECK(json_array_size(pick(status, "advice")) >= 2 && json_is_object(pick(status, "forecast")));
    CHECK_INT(json_array_size(pick(status, "intervals")), 1);
    json_decref(status);
    CHECK(status_mutate(buf_text(&json), undetermined, rounded) > 180);
}
