/* A job that ends while its first or second step runs: whatever its buckets hold, they and the productive time add up
 * to its wall time, in every status. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

/* Buckets without Productive, which is time.productiveMilliseconds: absent counts as 0, as a reader of the status takes
 * it. */
static void check_sum(const char *status, const char *when) {
    int64_t wall_ms = status_int(status, "time.wallMilliseconds"),
            productive_ms = status_int(status, "time.productiveMilliseconds");
    int64_t sum_ms = productive_ms > 0 ? productive_ms : 0;
    const char *at = strstr(status, "\"badput\":["), *end = at ? strstr(at, "],\"") : NULL;
    while (at && (at = strstr(at, "\"milliseconds\":")) != NULL && at < end)
        sum_ms += strtoll(at += strlen("\"milliseconds\":"), NULL, 10);
    if (sum_ms != wall_ms)
        harness_fail(__FILE__, __LINE__, "%s: the buckets hold %lld of %lld ms: %s", when, (long long)sum_ms,
                     (long long)wall_ms, status);
}

/* A line of a format is `before`, the step, `after`. */
struct format {
    const char *before, *after;
};

static void observe_line(struct model *m, double at, const struct format *format, int step) {
    CLEANUP_FREE char *line = mem_format("%s%d%s", format->before, step, format->after);
    fake_log_line(m, "try1", at, line);
}

/* Steps of 2 s from 1000 on, `lines` of them logged; deleted at `end`, with the pod or before it is observed. */
static void check_deleted(const struct format *format, int lines, int end, bool is_read_late) {
    struct model_options options = {0};
    struct model *m = model_new(&options);
    struct fake_pod p = fake_observe_trainer(m, "", "");
    char when[100];
    snprintf(when, sizeof when, "%d lines, deleted at %d, %s", lines, end, is_read_late ? "read late" : "read at once");
    for (int i = 0; i < lines && !is_read_late; i++) {
        observe_line(m, 1000 + 2 * i, format, i);
        CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(1000.5 + 2 * i), NULL);
        check_sum(s, when);
    }
    p.asked_to_go = end;
    fake_observe_pod(m, &p, OBSERVED_DELETED, end + 0.3);
    fake_observe_jobset_deleted(m, 1, end, end + 0.4);
    CLEANUP_FREE char *before = replay_status(m, "ns", "js", fake_ms(end + 0.6), NULL);
    check_sum(before, when);
    for (int i = 0; i < lines && is_read_late; i++)
        observe_line(m, 1000 + 2 * i, format, i);
    model_job_log_end(model_job_find(m, "ns", "js"), "uid-try1", 0, NULL);
    replay_watermarks(m, fake_ms(end + 10));
    CLEANUP_FREE char *after = replay_status(m, "ns", "js", fake_ms(end + 10), NULL);
    check_sum(after, when);
    CLEANUP_FREE char *final = replay_status(m, "ns", "js", fake_ms(end + 70), NULL);
    check_sum(final, when);
    model_free(m);
}

static const struct format formats[] = {
    {"completed step: ", ", seconds: 2.000, TFLOP/s/device: 50.1, loss: 2.1"},
    {"{\"job_name\":\"js\",\"step_count\":", ",\"step_start_time\":1795227400.0}"},
    {"{'loss': 2.1, 'grad_norm': 1.2, 'learning_rate': 5e-05, 'epoch': 0.", "}"},
    {"[titan] step:  ", "  loss:  8.1  memory: 1.2GiB(1%)  tps: 1,000  mfu: 10%"},
};

TEST(a_job_deleted_during_its_first_steps_adds_up) {
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++)
        for (int lines = 0; lines < 5; lines++)
            for (int end = 994; end < 1012; end++)
                for (int late = 0; late < 2; late++)
                    check_deleted(&formats[f], lines, end, late);
}
