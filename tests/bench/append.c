/* append FILE: what two new entries cost the controller's ledger after all of FILE (a recorder's log) was read into it,
 * as bench.py asks. Prints JSON: nanoseconds to read two lines into the ledger, and to read them and evaluate it again
 * (the least and the median of ROUNDS), the productive share before and after, and the resident memory. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "ledger/evaluate.h"
#include "steplog/steplog.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 1001, SETTLE_EVERY = 4096, PIECE_BYTES = 1 << 16 };

struct bench {
    struct ledger *ledger;
    int process;
    int64_t records, last_ms, last_step, unsettled;
};

static void evaluate(struct bench *b) {
    struct ledger_result result;
    ledger_evaluate(b->ledger, b->last_ms, &result);
    ledger_result_done(&result);
    b->unsettled = 0;
}

static void on_record(void *context, const struct record *r) {
    struct bench *b = context;
    struct record mine = *r;
    mine.process = b->process;
    if (b->records++ == 0) {
        struct ledger_occupancy life = {
            .id = 1, .created_ms = r->at_ms, .bound_ms = r->at_ms, .pull_start_ms = TIME_UNKNOWN};
        life.pull_end_ms = life.done_ms = TIME_UNKNOWN;
        life.running_ms = r->at_ms;
        life.lost_ms = life.ended_ms = life.released_ms = life.known_until_ms = TIME_OPEN;
        ledger_set_span(b->ledger, r->at_ms, TIME_OPEN, OUTCOME_RUNNING);
        ledger_set_required(b->ledger, r->at_ms, 1);
        ledger_add_occupancy(b->ledger, &life);
    }
    b->last_ms = r->at_ms;
    if (r->step != RECORD_NONE)
        b->last_step = r->step;
    ledger_add_record(b->ledger, &mine);
    if (++b->unsettled >= SETTLE_EVERY)
        evaluate(b);
}

static int read_all(struct steplog *log, const char *path) {
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return -1;
    CLEANUP_FREE char *piece = mem_alloc(PIECE_BYTES);
    size_t n;
    while ((n = fread(piece, 1, PIECE_BYTES, in)) > 0)
        steplog_feed(log, (struct slice){piece, n}, false);
    return fclose(in);
}

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Two entries: steps, the recorder's most frequent ones. */
static void append_two(struct bench *b, struct steplog *log) {
    char text[256];
    for (int i = 0; i < 2; i++) {
        int n =
            snprintf(text, sizeof text,
                     "{\"job_name\": \"bench\", \"step_count\": %" PRId64 ", \"step_start_time\": %" PRId64 ".%03d}\n",
                     b->last_step + 1, b->last_ms / 1000 + 3, (int)(b->last_ms % 1000));
        steplog_feed(log, (struct slice){text, (size_t)n}, false);
    }
}

static int compare(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void print_times(const char *name, int64_t *ns) {
    qsort(ns, ROUNDS, sizeof *ns, compare);
    printf("\"%s\": {\"least_ns\": %" PRId64 ", \"median_ns\": %" PRId64 "}, ", name, ns[0], ns[ROUNDS / 2]);
}

static long resident_kib(void) {
    char line[256];
    long kib = -1;
    FILE *in = fopen("/proc/self/status", "re");
    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        if (sscanf(line, "VmRSS: %ld", &kib) == 1)
            break;
    if (in != NULL)
        fclose(in);
    return kib;
}

int main(int argc, char **argv) {
    struct ledger_options options = {.has_log = true, .windows_ms = {3600000, 43200000}, .window_count = 2};
    struct bench b = {.ledger = ledger_new(&options)};
    b.process = ledger_add_process(b.ledger, 1, NULL, TIME_UNKNOWN, TIME_OPEN);
    struct steplog *log = steplog_new(STEPLOG_RECORDER, "bench", on_record, &b);
    if (argc != 2 || read_all(log, argv[1]) != 0 || b.records == 0) {
        fprintf(stderr, "append: cannot read %s as a recorder's log\n", argc == 2 ? argv[1] : "FILE");
        return 1;
    }
    static int64_t added[ROUNDS], answered[ROUNDS];
    evaluate(&b);
    int64_t steps = steplog_counts_get(log).steps;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t begin = now_ns();
        append_two(&b, log);
        added[i] = now_ns() - begin;
        evaluate(&b);
        answered[i] = now_ns() - begin;
    }
    printf("{\"steps\": %" PRId64 ", ", steps);
    print_times("added", added);
    print_times("answered", answered);
    printf("\"resident_kib\": %ld}\n", resident_kib());
    steplog_free(log);
    ledger_free(b.ledger);
}
