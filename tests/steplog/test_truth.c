/* The real runs' logs of all eight trainers through the ledger, against truth.json's summary: its steps as counted
 * inside the trainer. Ours are from line to line, so that what the loop does between steps is productive too where no
 * line reports it; the first step's excess (compilation) is in ProgramStartup there and in truth's productive_s. */
#include "harness.h"

#include "base/mem.h"
#include "ledger/evaluate.h"
#include "steplog/steplog.h"

#define ATTEMPTS 4

struct figure {
    int64_t truth_ms, reported_ms; /* by truth.json, less the first steps' excess; by the ledger */
};

struct run {
    const char *folder;
    int64_t spawn_ms[ATTEMPTS], exit_ms[ATTEMPTS]; /* 0: no such attempt */
    struct figure productive, wasted, save, restore;
    int64_t lost_steps, within_ms;
    const char *why; /* why the two differ */
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
    struct feed f = {l, ledger_add_process(l, (uint64_t)i + 1, NULL, run->spawn_ms[i], run->exit_ms[i])};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &f);
    steplog_feed(s, (struct slice){data, size}, true);
    steplog_end(s);
    int lag = steplog_format_line_lag(steplog_counts_get(s).recognized);
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

static void check_figure(const struct run *run, const char *what, const struct figure *f, int64_t reported_ms) {
    printf(" %8.1f %8.1f |", (double)f->truth_ms / 1000, (double)reported_ms / 1000);
    if (reported_ms < f->reported_ms - run->within_ms || reported_ms > f->reported_ms + run->within_ms)
        harness_fail(run->folder, 0, "%s is %" PRId64 " ms, expected %" PRId64 " (truth %" PRId64 ")", what,
                     reported_ms, f->reported_ms, f->truth_ms);
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
    struct ledger_occupancy life = {.id = 1,
                                    .created_ms = start_ms,
                                    .bound_ms = start_ms,
                                    .pull_start_ms = TIME_UNKNOWN,
                                    .pull_end_ms = TIME_UNKNOWN,
                                    .running_ms = start_ms,
                                    .lost_ms = TIME_OPEN,
                                    .ended_ms = TIME_OPEN,
                                    .done_ms = TIME_UNKNOWN,
                                    .released_ms = TIME_OPEN,
                                    .known_until_ms = TIME_OPEN,
                                    .chips = 1};
    ledger_add_occupancy(l, &life);
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
    printf("%-32s |", run->folder);
    check_figure(run, "productive", &run->productive, r.productive_ms);
    check_figure(run, "wasted", &run->wasted, bucket_ms(&r, BUCKET_WASTED_PROGRESS));
    check_figure(run, "save", &run->save, bucket_ms(&r, BUCKET_CHECKPOINT_SAVE));
    check_figure(run, "restore", &run->restore, bucket_ms(&r, BUCKET_CHECKPOINT_RESTORE));
    printf(" %s\n", run->why);
    CHECK_INT(r.lost_steps, run->lost_steps);
    int64_t upper_ms = r.productive_ms + bucket_ms(&r, BUCKET_UNATTRIBUTED);
    if (run->productive.truth_ms > upper_ms + sum_ms / 100)
        harness_fail(run->folder, 0, "at most %" PRId64 " ms are productive (truth %" PRId64 ")", upper_ms,
                     run->productive.truth_ms);
    ledger_result_done(&r);
    ledger_free(l);
}

/* What truth.json says, and what the ledger is held to: the sums show the difference. To what is wasted come the step
 * cut off at each kill (cut_s); to saves, the one cut off at 30 (Megatron 144, torchtitan 269 ms), of which truth has
 * no end. Where no line reports a save it lies in the step after it. */
static const struct run runs[] = {
    {"megatron-log/restarts",
     {1795228047180, 1795228071864, 1795228097967},
     {1795228068608, 1795228093854, 1795228123815},
     {33761 - 18376, 33761 - 18376 + 87},
     {5811, 5811 + 240},
     {1059, 1059 + 144},
     {0, 0},
     16,
     50,
     "truth counts no step and no save that was cut off"},
    {"torchtitan/restarts",
     {1795227755149, 1795227775563, 1795227800561},
     {1795227772407, 1795227796380, 1795227824294},
     {26181 - 8570, 26181 - 8570},
     {8566, 8566 + 88},
     {1636, 1636 + 269},
     {310 + 380, 310 + 380},
     16,
     50,
     "the same"},
    {"deepspeed/restarts-info",
     {1795227687350, 1795227702181, 1795227716430},
     {1795227699013, 1795227714156, 1795227726750},
     {13290 - 208, 13290 - 208},
     {4860, 4860 + 483},
     {774, 194},
     {246, 246},
     11,
     50,
     "saves are derived from the step after them, less what that may have been slow; none follows the last (344 ms)"},
    {"hf-trainer/restarts",
     {1795227091762, 1795227111517, 1795227133620},
     {1795227108411, 1795227128491, 1795227152892},
     {26353 - 784, 26353 - 784 - 445},
     {8877, 8877 + 386 + 229 + 12 - 499},
     {1483, 0},
     {0, 0},
     14,
     100,
     "no line reports a save: those that no step hides are Unattributed, with what steps took beyond their fence; the "
     "last is in Shutdown"},
    /* To kept_cadence_s, as dispatch is asynchronous. The two lines that were due at each kill are missing. */
    {"maxtext/restarts",
     {1795227394627, 1795227416242, 1795227442633},
     {1795227412981, 1795227436494, 1795227469384},
     {13813, 13537},
     {7077, 7239},
     {3886, 568},
     {0, 673},
     15,
     10,
     "truth's saves hold the wait for steps dispatched before; lines come a step late"},
    {"jax-orbax-goodput/restarts-file",
     {1795227101682, 1795227114678, 1795227137391, 1795227152645},
     {1795227110569, 1795227129278, 1795227150537, 1795227167927},
     {18932 - 6497, 14513},
     {5509, 6270},
     {102, 0},
     {0, 0},
     13,
     10,
     "late lines hold waits and evaluations, too; lines come a step late"},
    {"keras/verbose2",
     {1795227657864, 1795227670845},
     {1795227668706, 1795227686995},
     {10135 - 3186, 5580},
     {503, 649},
     {6200, 58 + 30 + 33 + 57},
     {0, 0},
     0,
     20,
     "of few epochs the first one's steps are known only in a range; an epoch's line holds validation and backups (6.1 "
     "s)"},
    {"lightning/restarts-tqdm",
     {1795227748035, 1795227768597},
     {1795227766456, 1795227791691},
     {16105, 4091},
     {1977, 0},
     {10464, 0},
     {0, 86},
     0,
     20,
     "of two epochs the first one's steps are not known; attempt 2 resumed within an epoch: its bar names no step, its "
     "time is Unattributed"},
    {"nanogpt/restarts",
     {1795459595904, 1795459612213, 1795459640807},
     {1795459610207, 1795459638806, 1795459666740},
     {18647, 18726},
     {4531, 4531 + 656 - 17},
     {160, 0},
     {126, 10538},
     10,
     50,
     "saves are as short as the steps' jitter; the lines of a restore hold the making of the model and the optimizer"},
    {"litgpt/restarts",
     {1795459757724, 1795459775508, 1795459800300},
     {1795459773508, 1795459798299, 1795459815464},
     {19305, 19195},
     {3697, 3697 + 465 + 88},
     {111, 1375},
     {0, 0},
     8,
     50,
     "the last save has no end but that of the process; the others are as short as the steps' jitter"},
    {"composer/restarts",
     {1795459797572, 1795459819551, 1795459835451},
     {1795459817548, 1795459833450, 1795459851588},
     {16909, 17040},
     {2546, 2546 + 341 + 67},
     {74, 0},
     {0, 0},
     6,
     50,
     "no line reports a save"},
    {"trl/restarts",
     {1795459726959, 1795459746524, 1795459771565},
     {1795459744521, 1795459769564, 1795459795082},
     {23317, 23495},
     {3872, 3872 + 492 + 166},
     {595, 0},
     {0, 0},
     8,
     50,
     "no line reports a save; it is in the step after it"},
};

TEST(ledgers_of_real_runs) {
    printf("\n%-32s | %17s | %17s | %17s | %17s |\n%-32s |", "seconds", "productive", "wasted", "save", "restore", "");
    for (int i = 0; i < 4; i++)
        printf(" %8s %8s |", "truth", "ledger");
    printf("\n");
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        check_run(&runs[i]);
}
