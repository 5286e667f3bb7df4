/* Unobserved time: every recording is cut at every event, and whatever the controller did not observe, the bounds of
 * the final status hold the truth. Three kinds of cut: the watches break and list again (relist); the controller is
 * killed and the next one finds its status (killed); the JobGoodput is created only then (late). Between the cut and
 * the list lies a gap in which nothing is delivered.
 *
 * CUTS=all cuts at every event (nightly); otherwise each recording is cut at SAMPLES places. CUTS_OF=recording limits
 * it to one recording, CUTS_AT=N to the cut after event N; CUTS_SAY=1 prints each violation with its status, and the
 * one right after the list. */
#include "base/mem.h"
#include "base/minmax.h"
#include "cuts.h"
#include "harness.h"

#include <stdlib.h>

#define SAMPLES 12
#ifdef __SANITIZE_ADDRESS__ /* ten times as slow */
#define SAMPLES_LESS 12
#else
#define SAMPLES_LESS 1
#endif
#define SETTLED_MS 61000 /* after the last event: the numbers are final */

static const char *const modes[] = {"relist", "killed", "late"};
static const int64_t gaps_ms[] = {0, 1000, 3000, 10000, 60000};

struct tally {
    int cuts, violating, violations[VIOLATION_COUNT];
    int64_t max_unobserved_ms;
};

struct run {
    const struct recording *rec;
    struct replay events, logs;
    size_t *next_of_object;
    struct truth truths[RECORDED_JOBS];
    struct tally tally[MODE_COUNT];
};

/* ---- the replay ---- */

static void feed(struct run *run, struct model *m, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        const struct replay_event *e = &run->events.events[i];
        if (run->rec->logs && (i % 16 == 0 || (e->what == OBSERVED_DELETED && e->resource == RESOURCE_POD)))
            recording_read_logs(m, run->rec, &run->logs, e->at_ms);
        replay_feed(m, e);
        if (i + 1 < to && i % 16 == 0 && e->at_ms < e[1].at_ms)
            replay_watermarks_of(m, &run->events, e->at_ms);
    }
}

/* What exists before event `count`; of what was delivered earlier and no longer exists, that it vanished. */
static void list(struct run *run, struct model *m, const struct cut *cut) {
    if (cut->mode == RELIST)
        model_unwatched(m, cut->from_ms, cut->to_ms);
    for (size_t i = 0; i < cut->after; i++) {
        struct replay_event e = run->events.events[i];
        if (run->next_of_object[i] < cut->after)
            continue;
        e.at_ms = cut->to_ms;
        if (e.what == OBSERVED_PRESENT) {
            replay_feed(m, &e);
        } else if (cut->mode == RELIST && i >= cut->before) {
            e.what = OBSERVED_VANISHED;
            e.object = (struct slice){0};
            replay_feed(m, &e);
        }
    }
    replay_watermarks_of(m, &run->events, cut->to_ms);
    if (run->rec->logs)
        recording_read_logs(m, run->rec, &run->logs, cut->to_ms);
}

static void finish(struct run *run, struct model *m, char *statuses[RECORDED_JOBS]) {
    int64_t end_ms = run->events.last_ms;
    replay_watermarks_of(m, &run->events, end_ms + SETTLED_MS - 1000);
    for (int i = 0; i < recording_job_count(run->rec); i++) {
        const char *namespace_ = run->rec->namespace_, *name = run->rec->jobs[i].name;
        if (run->rec->logs)
            recording_end_logs(m, run->rec, &run->logs, i);
        free(replay_status(m, namespace_, name, end_ms, NULL));
        statuses[i] = replay_status(m, namespace_, name, end_ms + SETTLED_MS, NULL);
    }
}

static void write_statuses(struct run *run, struct model *m, int64_t at_ms, char *statuses[RECORDED_JOBS]) {
    replay_watermarks_of(m, &run->events, at_ms);
    if (run->rec->logs)
        recording_read_logs(m, run->rec, &run->logs, at_ms);
    for (int i = 0; i < recording_job_count(run->rec); i++)
        statuses[i] = replay_status(m, run->rec->namespace_, run->rec->jobs[i].name, at_ms, NULL);
}

static void free_statuses(char *statuses[RECORDED_JOBS]) {
    for (int i = 0; i < RECORDED_JOBS; i++) {
        free(statuses[i]);
        statuses[i] = NULL;
    }
}

/* left: the statuses that were written at the cut; listed: right after the list. */
static void replay_cut(struct run *run, const struct cut *cut, char *left[RECORDED_JOBS], char *listed[RECORDED_JOBS],
                       char *statuses[RECORDED_JOBS]) {
    int64_t start_ms = run->events.events[0].at_ms;
    bool is_late = cut->mode == LATE;
    struct model *m = recording_model(run->rec, cut->mode == KILLED ? left : NULL, is_late ? cut->to_ms : start_ms);
    if (cut->mode == RELIST) {
        feed(run, m, 0, cut->before);
        replay_watermarks_of(m, &run->events, cut->from_ms);
        model_unwatched(m, cut->from_ms, cut->to_ms);
    }
    list(run, m, cut);
    write_statuses(run, m, cut->to_ms, listed);
    feed(run, m, cut->after, run->events.count);
    finish(run, m, statuses);
    model_free(m);
}

static void say(const struct run *run, const struct cut *cut, int i, const bool found[VIOLATION_COUNT],
                const char *listed, const char *status) {
    const char *truth = run->truths[i].status;
    printf("%s/%s %s after event %zu at %+.1f s, listed before event %zu at %+.1f s:", run->rec->name,
           run->rec->jobs[i].name, modes[cut->mode], cut->before,
           (double)(cut->from_ms - cuts_time_of(truth, "time.start")) / 1000, cut->after,
           (double)(cut->to_ms - cuts_time_of(truth, "time.start")) / 1000);
    for (int v = 0; v < VIOLATION_COUNT; v++)
        if (found[v])
            printf(" [%s]", cuts_violation_name((enum violation)v));
    printf(" A %" PRId64 " Unobserved %" PRId64 " W %" PRId64 " interruptions %" PRId64 ", in truth A %" PRId64
           " W %" PRId64 " interruptions %" PRId64 "\n",
           status_int(status, "time.availableMilliseconds"), cuts_unobserved_ms(status),
           status_int(status, "time.wallMilliseconds"), status_int(status, "interruptions.total"),
           run->truths[i].available_ms, run->rec->jobs[i].wall_ms, run->truths[i].interruptions);
    if (getenv("CUTS_SAY"))
        printf("%s\n%s\n", listed, status);
}

static void judge_all(struct run *run, const struct cut *cut, char *left[RECORDED_JOBS], char *listed[RECORDED_JOBS],
                      char *statuses[RECORDED_JOBS]) {
    struct tally *tally = &run->tally[cut->mode];
    for (int i = 0; i < recording_job_count(run->rec); i++) {
        bool found[VIOLATION_COUNT] = {false}, is_any = false;
        if (!cuts_was_watched(&run->truths[i], cut))
            continue;
        cuts_judge(left[i], listed[i], statuses[i], &run->truths[i], run->rec, &run->rec->jobs[i], cut,
                   run->events.events[cut->after - 1].at_ms, found);
        for (int v = 0; v < VIOLATION_COUNT; v++) {
            tally->violations[v] += found[v];
            is_any |= found[v];
        }
        tally->cuts++;
        tally->violating += is_any;
        tally->max_unobserved_ms = max_of(tally->max_unobserved_ms, cuts_unobserved_ms(statuses[i]));
        if (is_any && (tally->violating <= 3 || getenv("CUTS_SAY")))
            say(run, cut, i, found, listed[i], statuses[i]);
    }
}

/* ---- all cuts of a recording ---- */

static void cut_at(struct run *run, size_t before, char *left[RECORDED_JOBS]) {
    const struct replay_event *events = run->events.events;
    int64_t from_ms = events[before - 1].at_ms;
    for (enum mode mode = RELIST; mode < MODE_COUNT; mode++)
        for (size_t g = 0; g < ARRAY_SIZE(gaps_ms); g++) {
            char *listed[RECORDED_JOBS] = {NULL}, *statuses[RECORDED_JOBS] = {NULL};
            struct cut cut = {mode, before, before, from_ms, from_ms + gaps_ms[g]};
            while (cut.after < run->events.count && events[cut.after].at_ms <= cut.to_ms)
                cut.after++;
            if (mode == LATE && gaps_ms[g] > 0) /* the same as a cut without a gap at a later event */
                continue;
            replay_cut(run, &cut, left, listed, statuses);
            judge_all(run, &cut, left, listed, statuses);
            free_statuses(listed);
            free_statuses(statuses);
        }
}

/* The run without a cut, held against what was worked out by hand. */
static void check_whole(const struct recording *rec, const struct recorded_job *job, struct truth *truth) {
    const char *s = truth->status;
    int64_t available_ms = status_int(s, "time.availableMilliseconds"),
            tolerance_ms = RESOLUTION_MS * (1 + job->interruptions);
    truth->available_ms = available_ms;
    truth->silent_ms = cuts_unobserved_ms(s) + job->silent_ms;
    truth->interruptions = status_int(s, "interruptions.total");
    CHECK_INT(status_int(s, "time.wallMilliseconds"), job->wall_ms);
    CHECK_INT(cuts_badput_sum(s), status_int(s, "time.wallMilliseconds"));
    if (job->interruptions >= 0 && truth->interruptions != job->interruptions)
        harness_fail(__FILE__, __LINE__, "%s/%s: %" PRId64 " interruptions, by hand %d", rec->name, job->name,
                     truth->interruptions, job->interruptions);
    if (job->interruptions >= 0)
        truth->interruptions = job->interruptions;
    if (job->available_ms >= 0 && (job->available_ms < available_ms - tolerance_ms ||
                                   job->available_ms > available_ms + cuts_unobserved_ms(s) + tolerance_ms)) {
        harness_fail(__FILE__, __LINE__, "%s/%s: A %" PRId64 ", Unobserved %" PRId64 ", by hand A %" PRId64, rec->name,
                     job->name, available_ms, cuts_unobserved_ms(s), job->available_ms);
        truth->available_ms = job->available_ms;
    }
    truth->proved_ms = job->without_log_ms > 0 ? job->without_log_ms : truth->available_ms;
}

static void find_target(const struct replay *r, struct truth *truth) {
    char uid[64];
    snprintf(uid, sizeof uid, "%s", status_text(truth->status, "target.uid"));
    truth->created = truth->deleted = SIZE_MAX;
    for (size_t i = 0; i < r->count; i++) {
        const struct replay_event *e = &r->events[i];
        if (e->resource != RESOURCE_JOBSET || !slice_is(e->uid, uid))
            continue;
        truth->created = i < truth->created ? i : truth->created;
        truth->deleted = e->what == OBSERVED_DELETED ? i : truth->deleted;
    }
}

static void keep_known(struct run *run, struct model *m, size_t next_event) {
    char *statuses[RECORDED_JOBS] = {NULL};
    write_statuses(run, m, run->events.events[next_event - 1].at_ms, statuses);
    for (int i = 0; i < recording_job_count(run->rec); i++)
        run->truths[i].known[next_event] =
            (struct known){max_of(0, status_int(statuses[i], "time.availableMilliseconds")),
                           cuts_unobserved_ms(statuses[i]), max_of(0, status_int(statuses[i], "interruptions.total"))};
    free_statuses(statuses);
}

static void run_whole(struct run *run) {
    const struct recording *rec = run->rec;
    const struct replay *r = &run->events;
    for (int i = 0; i < RECORDED_JOBS; i++)
        run->truths[i].known = mem_alloc((r->count + 1) * sizeof(struct known));
    char *statuses[RECORDED_JOBS] = {NULL};
    struct model *m = recording_model(rec, NULL, run->events.events[0].at_ms);
    for (size_t from = 0, to = 1; from < r->count; from = to++) {
        while (to < r->count && r->events[to].at_ms == r->events[to - 1].at_ms)
            to++;
        feed(run, m, from, to);
        keep_known(run, m, to);
    }
    finish(run, m, statuses);
    model_free(m);
    for (int i = 0; i < recording_job_count(rec); i++) {
        struct truth *truth = &run->truths[i];
        truth->status = statuses[i];
        truth->changes = recording_slot_changes(&run->events, rec->jobs[i].name, &truth->change_count);
        find_target(&run->events, truth);
        check_whole(rec, &rec->jobs[i], truth);
    }
}

/* A list's items come at one instant: between them nothing can be cut. */
static void cut_everywhere(struct run *run, size_t step) {
    const struct replay_event *events = run->events.events;
    struct model *m = recording_model(run->rec, NULL, events[0].at_ms);
    const char *only = getenv("CUTS_AT");
    size_t places = 0, fed = 0;
    for (size_t i = 1; i < run->events.count; i++) {
        if (events[i].at_ms == events[i - 1].at_ms || (only ? i != strtoull(only, NULL, 10) : places++ % step != 0))
            continue;
        char *left[RECORDED_JOBS] = {NULL};
        feed(run, m, fed, i);
        fed = i;
        write_statuses(run, m, events[i - 1].at_ms, left);
        cut_at(run, i, left);
        free_statuses(left);
    }
    model_free(m);
}

static size_t count_places(const struct replay *r) {
    size_t places = 0;
    for (size_t i = 1; i < r->count; i++)
        places += r->events[i].at_ms != r->events[i - 1].at_ms;
    return places;
}

static void print_table(const struct run *run) {
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        const struct tally *t = &run->tally[mode];
        printf("%-16s %-7s %6d %6d", run->rec->name, modes[mode], t->cuts, t->violating);
        for (int v = 0; v < VIOLATION_COUNT; v++)
            printf(" %11d", t->violations[v]);
        printf(" %9.1f\n", (double)t->max_unobserved_ms / 1000);
        if (t->violating > 0)
            harness_fail(__FILE__, __LINE__, "%s, %s: %d of %d cuts break a promise", run->rec->name, modes[mode],
                         t->violating, t->cuts);
    }
}

static void check_recording(const struct recording *rec) {
    struct run run = {.rec = rec};
    const char *cuts = getenv("CUTS");
    REQUIRE(replay_load(&run.events, rec->path, "workloads"));
    REQUIRE(rec->logs == NULL || replay_open_logs(&run.logs, rec->logs));
    run.events.is_watched[RESOURCE_NODE] &= !rec->lacks_nodes;
    run.next_of_object = recording_next_of_object(&run.events);
    run_whole(&run);
    size_t samples = getenv("GOODPUT_VALGRIND") ? SAMPLES / 6 : SAMPLES / SAMPLES_LESS,
           places = count_places(&run.events);
    cut_everywhere(&run, cuts && strcmp(cuts, "all") == 0 ? 1 : 1 + places / samples);
    print_table(&run);
    for (int i = 0; i < RECORDED_JOBS; i++) {
        free(run.truths[i].status);
        free(run.truths[i].changes);
        free(run.truths[i].known);
    }
    free(run.next_of_object);
    replay_done(&run.events);
    replay_done(&run.logs);
}

TEST(bounds_hold_the_truth_wherever_a_recording_is_cut) {
    const char *only = getenv("CUTS_OF");
    printf("%-16s %-7s %6s %6s", "recording", "cut", "cuts", "broken");
    for (int v = 0; v < VIOLATION_COUNT; v++)
        printf(" %11s", cuts_violation_name((enum violation)v));
    printf(" %9s\n", "max Un s");
    for (int i = 0; i < RECORDING_COUNT; i++)
        if (only == NULL || strcmp(only, recordings[i].name) == 0)
            check_recording(&recordings[i]);
}
