/* The pass that finds which formats have to see a line changes nothing: the same logs, whole and torn, give the same
 * records where every format sees every line. */
#include "harness.h"
#include "random.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "steplog/formats.h"
#include "steplog/shipped.h"

#include <glob.h>

#define STAMP_MS INT64_C(1795230000000)

struct reading {
    uint64_t hash;
    int64_t records, steps, malformed;
    enum steplog_format recognized;
};

static void on_record(void *context, const struct record *r) {
    uint64_t *hash = context;
    int64_t fields[] = {r->kind, r->line,        r->at_ms,        r->received_ms,
                        r->step, r->duration_ms, r->tflops_milli, r->active};
    *hash =
        *hash * 31 + slice_hash((struct slice){(const char *)fields, sizeof fields}) + slice_hash(slice_of(r->name));
}

/* A copy of the table: its rows see all lines. */
static const struct format *const *all_see_all(void) {
    static const struct format *table[STEPLOG_ROWS + 1];
    for (int i = 0; steplog_formats[i] != NULL; i++)
        table[i] = steplog_formats[i];
    return table;
}

static struct reading read_log(struct slice log, const struct format *const *table, uint64_t seed) {
    struct reading read = {0};
    uint64_t random = seed;
    struct steplog *s = steplog_new_table(table, STEPLOG_AUTO, NULL, on_record, &read.hash);
    int64_t at_ms = STAMP_MS;
    for (struct slice line; slice_take_line(&log, &line);) {
        at_ms += 700;
        if (seed != 0 && line.size_bytes > 0 && random_below(&random, 3) == 0) {
            size_t cut = (size_t)random_below(&random, (int64_t)line.size_bytes);
            line = random_below(&random, 2) == 0 ? slice_skip(line, cut) : (struct slice){line.data, cut};
        }
        steplog_line(s, line, at_ms);
    }
    steplog_end(s);
    struct steplog_counts counts = steplog_counts_get(s);
    read.records = counts.records;
    read.steps = counts.steps;
    read.malformed = counts.malformed;
    read.recognized = counts.recognized;
    steplog_free(s);
    return read;
}

static void compare(const char *path, struct slice log, int64_t *steps) {
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct reading mine = read_log(log, steplog_formats, seed), theirs = read_log(log, all_see_all(), seed);
        if (mine.hash != theirs.hash)
            fprintf(stderr, "%s, seed %d: other records\n", path, (int)seed);
        CHECK(mine.hash == theirs.hash);
        CHECK_INT(mine.records, theirs.records);
        CHECK_INT(mine.steps, theirs.steps);
        CHECK_INT(mine.malformed, theirs.malformed);
        CHECK_INT(mine.recognized, theirs.recognized);
        *steps += mine.steps;
    }
}

static void compare_files(const char *pattern, int64_t *steps) {
    glob_t found;
    REQUIRE(glob(pattern, 0, NULL, &found) == 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        CLEANUP_FREE char *text = NULL;
        REQUIRE(file_read(found.gl_pathv[i], 1 << 26, &text, NULL) >= 0);
        compare(found.gl_pathv[i], slice_of(text), steps);
    }
    globfree(&found);
}

TEST(words_lose_no_record_of_logs) {
    int64_t steps = 0;
    compare_files("tests/data/steplog/*.tsv", &steps);
    compare_files("tests/data/trainer-logs/*/*/*.log", &steps);
    CHECK(steps > 1000);
}

TEST(words_lose_no_example_of_shipped_formats) {
    int64_t steps = 0;
    for (int i = 0; i < SHIPPED_COUNT; i++) {
        const struct userformat *format = shipped_get(i)->format;
        CLEANUP_BUF struct buf log;
        buf_init(&log, 1 << 20);
        for (int k = 0; k < format->count; k++)
            for (int n = 0; n < format->patterns[k].example_count; n++)
                buf_format(&log, "%s\n", format->patterns[k].examples[n].line);
        compare(shipped_get(i)->name, buf_slice(&log), &steps);
    }
    CHECK(steps > 19);
}
