/* The real runs' logs through the ledger, against truth.json's summary: its steps as counted inside the trainer. Ours
 * are from line to line, so that what the loop does between steps is productive too where no line tells of it; the
 * first step's excess (compilation) is in ProgramStartup there and in truth's productive_s. */
#include "harness.h"

#include "base/mem.h"
#include "ledger/ledger.h"
#include "steplog/steplog.h"

#define ATTEMPTS 3

struct run {
    const char *folder;
    int64_t spawn_ms[ATTEMPTS], exit_ms[ATTEMPTS]; /* 0: no such attempt */
    int64_t productive_ms, lost_ms;                /* truth: less the first steps' excess */
    int64_t save_ms, restore_ms;                   /* what the lines tell of them */
    int64_t lost_steps;
};

struct feed {
    struct ledger *ledger;
    int process;
};

static void on_record(void *context, const struct record *r) {
    const struct feed *f = context;
    struct record mine = *r;
    mine.process = f->process;
    ledger_add_record(f->ledger, &mine);
}

static void read_attempt(struct ledger *l, const struct run *run, int i) {
    char path[256];
    snprintf(path, sizeof path, "tests/data/trainer-logs/%s/attempt-%d.log", run->folder, i + 1);
    size_t size = 0;
    CLEANUP_FREE char *data = harness_read_file(path, &size);
    REQUIRE(data != NULL);
    struct feed f = {l, ledger_add_process(l, (uint64_t)i + 1, run->spawn_ms[i], run->exit_ms[i])};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &f);
    steplog_feed(s, (struct slice){data, size}, true);
    steplog_end(s);
    int lag = steplog_format_line_lag(steplog_counts_get(s).recognised);
    if (lag >= 0)
        ledger_set_line_lag(l, f.process, lag);
    steplog_free(s);
}

static int64_t bucket_ms(const struct ledger_result *r, enum bucket bucket) {
    for (int i = 0; i < r->bucket_count; i++)
        if (r->buckets[i].bucket == bucket)
            return r->buckets[i].ms;
    return 0;
}

static void check_within(const char *folder, const char *what, int64_t ours_ms, int64_t truth_ms,
                         int64_t tolerance_ms) {
    if (ours_ms < truth_ms - tolerance_ms || ours_ms > truth_ms + tolerance_ms)
        harness_fail(folder, 0, "%s is %" PRId64 " ms, truth %" PRId64, what, ours_ms, truth_ms);
}

/* One slot, there all the time; a process per attempt. */
static void check_run(const struct run *run) {
    struct ledger *l = ledger_new(&(struct ledger_options){.has_log = true});
    int n = 0;
    while (n < ATTEMPTS && run->spawn_ms[n] != 0)
        n++;
    int64_t start_ms = run->spawn_ms[0], end_ms = run->exit_ms[n - 1];
    ledger_set_span(l, start_ms, end_ms, OUTCOME_SUCCEEDED);
    ledger_set_required(l, start_ms, 1);
    struct ledger_life life = {.id = 1,
                               .created_ms = start_ms,
                               .bound_ms = start_ms,
                               .pull_start_ms = TIME_UNKNOWN,
                               .pull_end_ms = TIME_UNKNOWN,
                               .running_ms = start_ms,
                               .lost_ms = TIME_OPEN,
                               .ended_ms = TIME_OPEN,
                               .done_ms = TIME_UNKNOWN,
                               .released_ms = TIME_OPEN,
                               .chips = 1};
    ledger_add_life(l, &life);
    for (int i = 0; i < n; i++) {
        if (i > 0)
            ledger_add_restart(l, 1, run->exit_ms[i - 1], run->spawn_ms[i]);
        read_attempt(l, run, i);
    }
    struct ledger_result r;
    ledger_evaluate(l, end_ms, &r);
    int64_t sum_ms = 0;
    for (int i = 0; i < r.bucket_count; i++)
        sum_ms += r.buckets[i].ms;
    CHECK_INT(sum_ms, r.wall_ms);
    check_within(run->folder, "productive", r.productive_ms, run->productive_ms, 150);
    check_within(run->folder, "wasted", bucket_ms(&r, BUCKET_WASTED_PROGRESS), run->lost_ms, 150);
    check_within(run->folder, "save", bucket_ms(&r, BUCKET_CHECKPOINT_SAVE), run->save_ms, 50);
    check_within(run->folder, "restore", bucket_ms(&r, BUCKET_CHECKPOINT_RESTORE), run->restore_ms, 10);
    CHECK_INT(r.lost_steps, run->lost_steps);
    ledger_result_done(&r);
    ledger_free(l);
}

/* Beside truth's figures: the step cut off at each kill (cut_s), which is WastedProgress here; the save cut off at 30
 * (144 and 269 ms), of which truth has no end; and, where no line tells of saves (Hugging Face), the saves themselves,
 * which lie in the step after them: lost ones and kept ones. DeepSpeed's are derived from the step after them. */
static const struct run runs[] = {
    {"megatron-log/restarts",
     {1795228047180, 1795228071864, 1795228097967},
     {1795228068608, 1795228093854, 1795228123815},
     33761 - 18376,
     5811 + 240,
     1059 + 144,
     0,
     16},
    {"torchtitan/restarts",
     {1795227755149, 1795227775563, 1795227800561},
     {1795227772407, 1795227796380, 1795227824294},
     26181 - 8570,
     8566 + 312,
     1636 + 269,
     310 + 380,
     16},
    {"deepspeed/restarts-info",
     {1795227687350, 1795227702181, 1795227716430},
     {1795227699013, 1795227714156, 1795227726750},
     13290 - 208,
     4860 + 483,
     217 + 213,
     246,
     11},
    {"hf-trainer/restarts",
     {1795227091762, 1795227111517, 1795227133620},
     {1795227108411, 1795227128491, 1795227152892},
     26353 - 784 + 534,
     8877 + 386 + 229 + 520,
     0,
     0,
     14},
};

TEST(ledgers_of_real_runs) {
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        check_run(&runs[i]);
}
