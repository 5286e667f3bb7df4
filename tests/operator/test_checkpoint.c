/* A controller that is killed and followed by another one ends with the same status as one that never was. */
#include "base/base64.h"
#include "base/mem.h"
#include "harness.h"
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct recording {
    const char *path, *logs, *namespace_, *names[3], *source;
    int count;
};

static const struct recording story = {"tests/data/recordings/story.jsonl.gz", NULL,   "train",
                                       {"train-a", "train-b", "train-c"},      "None", 3};
static const struct recording real_nodes = {"tests/data/recordings/real-nodes.jsonl.gz", NULL,   "train",
                                            {"train-a", "train-b", "train-c"},           "None", 3};

static const struct recording with_logs = {"tests/data/recordings/real-nodes.jsonl.gz",
                                           "tests/data/recordings/real-nodes.podlogs.tgz",
                                           "train",
                                           {"train-a", "train-b", "train-c"},
                                           "PodLog",
                                           3};

static struct model *new_model(void) {
    struct model_options options = {.keeps_checkpoints = true};
    return model_new(&options);
}

static void apply(struct model *m, const struct recording *rec, int job, const char *status, int64_t created_ms) {
    CLEANUP_FREE char *more = replay_left(status);
    replay_jobgoodput(m, rec->namespace_, rec->names[job], rec->source, more, created_ms);
}

/* What a new controller's lists show after the first n events. */
static void observe_lists(struct model *m, const struct replay *r, size_t n, int64_t at_ms) {
    for (size_t i = 0; i < n; i++) {
        struct replay_event e = r->events[i];
        bool is_last = e.what == OBSERVED_PRESENT;
        for (size_t k = i + 1; k < n && is_last; k++)
            is_last = r->events[k].stream != e.stream || !slice_equal(r->events[k].uid, e.uid);
        e.at_ms = at_ms;
        if (is_last)
            replay_feed(m, &e);
    }
    replay_watermarks(m, at_ms);
}

static char *status_of(struct model *m, const struct recording *rec, int job, int64_t at_ms) {
    return replay_status(m, rec->namespace_, rec->names[job], at_ms, NULL);
}

/* The checkpoint is at the end. */
static void strip(char *status) {
    char *at = strstr(status, ",\"checkpoint\":\"");
    if (at)
        strcpy(at, "}");
}

static void check_same(const char *expected, const char *got, const char *name, size_t cut) {
    size_t at = 0;
    while (expected[at] && expected[at] == got[at])
        at++;
    if (expected[at] == got[at])
        return;
    size_t from = at > 100 ? at - 100 : 0;
    harness_fail(__FILE__, __LINE__, "%s cut after event %zu differs at byte %zu:\n  %.180s\nexpected\n  %.180s", name,
                 cut, at, got + from, expected + from);
}

static struct model *successor(struct model *m, const struct recording *rec, const struct replay *r, size_t n) {
    int64_t at_ms = r->events[n - 1].at_ms;
    struct model *next = new_model();
    replay_watermarks(m, at_ms);
    for (int i = 0; i < rec->count; i++) {
        CLEANUP_FREE char *status = status_of(m, rec, i, at_ms);
        apply(next, rec, i, status, r->events[0].at_ms);
    }
    model_free(m);
    observe_lists(next, r, n, at_ms);
    return next;
}

static void read_logs(struct model *m, const struct recording *rec, const struct replay *logs, int64_t through_ms) {
    for (int i = 0; i < rec->count && rec->logs; i++) {
        struct model_job *job = model_job_find(m, rec->namespace_, rec->names[i]);
        replay_logs_through(job, logs, through_ms, through_ms == INT64_MAX);
    }
}

/* Killed after each of the events numbered by the cuts (ascending). */
static void check_cuts(const struct recording *rec, const struct replay *r, const struct replay *logs,
                       char *const expected[], const size_t *cuts, size_t cut_count) {
    struct model *m = new_model();
    size_t next_cut = 0;
    for (int i = 0; i < rec->count; i++)
        apply(m, rec, i, NULL, r->events[0].at_ms);
    for (size_t n = 0; n < r->count; n++) {
        replay_feed(m, &r->events[n]);
        if (n % 16 == 0 || (next_cut < cut_count && cuts[next_cut] == n + 1))
            read_logs(m, rec, logs, r->events[n].at_ms);
        if (next_cut < cut_count && cuts[next_cut] == n + 1) {
            m = successor(m, rec, r, n + 1);
            next_cut++;
        }
    }
    replay_watermarks(m, r->last_ms);
    read_logs(m, rec, logs, INT64_MAX);
    for (int i = 0; i < rec->count; i++) {
        CLEANUP_FREE char *status = status_of(m, rec, i, r->last_ms);
        strip(status);
        check_same(expected[i], status, rec->names[i], cuts[0]);
    }
    model_free(m);
}

static void check_recording(const struct recording *rec, size_t step) {
    struct replay r;
    char *expected[3] = {0};
    struct replay logs = {0};
    REQUIRE(replay_load(&r, rec->path, "workloads"));
    REQUIRE(rec->logs == NULL || replay_open_logs(&logs, rec->logs));
    struct model *m = new_model();
    for (int i = 0; i < rec->count; i++)
        apply(m, rec, i, NULL, r.events[0].at_ms);
    for (size_t n = 0; n < r.count; n++)
        replay_feed(m, &r.events[n]);
    read_logs(m, rec, &logs, INT64_MAX);
    for (int i = 0; i < rec->count; i++) {
        expected[i] = status_of(m, rec, i, r.last_ms);
        strip(expected[i]);
    }
    model_free(m);
    for (size_t cut = 1; cut < r.count; cut += step)
        check_cuts(rec, &r, &logs, expected, &cut, 1);
    size_t many[] = {r.count / 7, r.count / 3, r.count / 2, r.count / 2 + 1, r.count * 4 / 5};
    check_cuts(rec, &r, &logs, expected, many, ARRAY_SIZE(many));
    for (int i = 0; i < rec->count; i++)
        free(expected[i]);
    replay_done(&r);
    replay_done(&logs);
}

TEST(the_story_continues_after_a_kill_at_any_event) {
    check_recording(&story, 29);
}

TEST(real_nodes_continue_after_a_kill_at_any_event) {
    check_recording(&real_nodes, 31);
}

TEST(real_nodes_with_their_logs_continue_after_a_kill_at_any_event) {
    check_recording(&with_logs, 53);
}

/* ---- what cannot be read ---- */

static char *status_with(const char *checkpoint) {
    return mem_format("{\"phase\":\"Training\",\"checkpoint\":\"%s\"}", checkpoint);
}

static char *checkpoint_of_the_story(struct replay *r) {
    struct model *m = new_model();
    apply(m, &story, 0, NULL, r->events[0].at_ms);
    for (size_t n = 0; n < r->count / 2; n++)
        replay_feed(m, &r->events[n]);
    CLEANUP_FREE char *status = status_of(m, &story, 0, r->events[r->count / 2 - 1].at_ms);
    char *checkpoint = mem_strdup(strstr(status, ",\"checkpoint\":\"") + 15);
    checkpoint[strlen(checkpoint) - 2] = '\0';
    model_free(m);
    return checkpoint;
}

/* The status of a controller that finds this checkpoint and then sees all that happens. */
static char *after(const struct replay *r, const char *checkpoint) {
    struct model *m = new_model();
    CLEANUP_FREE char *found = status_with(checkpoint);
    apply(m, &story, 0, found, r->events[0].at_ms);
    for (size_t n = 0; n < r->count; n++)
        replay_feed(m, &r->events[n]);
    char *status = status_of(m, &story, 0, r->last_ms);
    model_free(m);
    return status;
}

TEST(a_damaged_checkpoint_is_set_aside_and_reported) {
    struct replay r;
    REQUIRE(replay_load(&r, story.path, "workloads"));
    CLEANUP_FREE char *whole = checkpoint_of_the_story(&r);
    CLEANUP_FREE char *kept = mem_strdup(whole);
    CHECK(strlen(whole) < 8192); /* a few KiB for an ordinary job */
    for (size_t at = 0; at < strlen(whole); at += 97) {
        whole[at] = whole[at] == 'A' ? 'B' : 'A';
        CLEANUP_FREE char *status = after(&r, whole);
        CHECK_TEXT(status_text(status, "conditions[type=EvidenceComplete].reason"), "CheckpointIncomplete");
        CHECK_INT(status_int(status, "time.wallMilliseconds"), 61000);
        CHECK_INT(status_int(status, "time.availableMilliseconds"), 26000);
        whole[at] = kept[at];
    }
    CLEANUP_FREE char *cut = mem_strndup(whole, strlen(whole) / 8 * 4);
    CLEANUP_FREE char *status = after(&r, cut);
    CHECK_TEXT(status_text(status, "conditions[type=EvidenceComplete].message"),
               "status.checkpoint is set aside: it is damaged; what is counted is what the cluster still shows");
    replay_done(&r);
}

/* A version byte that this controller does not read: it says so and accounts the job again from the objects. */
static void check_other_version(const struct replay *r, int version) {
    const char head[9] = {(char)version}; /* version, CRC-32, size */
    CLEANUP_FREE char *packed = base64_encode((struct slice){head, sizeof head}), *status = after(r, packed);
    CLEANUP_FREE char *words =
        mem_format("status.checkpoint is set aside: it is of version %d, and this controller reads version ", version);
    const char *found = status_text(status, "conditions[type=EvidenceComplete].message");
    CHECK(strncmp(found, words, strlen(words)) == 0);
    CHECK(strstr(found, "; what is counted is what the cluster still shows") != NULL);
    CHECK_INT(status_int(status, "time.wallMilliseconds"), 61000);
    CHECK_INT(status_int(status, "time.availableMilliseconds"), 26000);
}

TEST(a_checkpoint_of_another_version_is_refused_in_words_and_the_job_accounted_from_objects) {
    struct replay r;
    REQUIRE(replay_load(&r, story.path, "workloads"));
    check_other_version(&r, 1);
    check_other_version(&r, 11);
    check_other_version(&r, 99);
    replay_done(&r);
}

/* ---- kept files ---- */

#define KEPT "tests/data/checkpoint/story-train-a.json" /* the status after half of the story's events */

static void keep(const char *status) {
    FILE *f = fopen(KEPT, "w");
    REQUIRE(f != NULL);
    fprintf(f, "%s\n", status);
    fclose(f);
}

/* A seed of tests/fuzz/fuzz_checkpoint.c: the version and what is unpacked. */
static void keep_seed(const char *status, size_t event) {
    enum { HEAD_BYTES = 9, SIZE_AT = 5, RAW_MAX = 1 << 20 };
    const char key[] = ",\"checkpoint\":\"", *text = strstr(status, key);
    REQUIRE(text != NULL);
    text += strlen(key);
    size_t size;
    CLEANUP_FREE char *packed = base64_decode((struct slice){text, strcspn(text, "\"")}, &size),
                      *raw = mem_alloc(RAW_MAX);
    CLEANUP_FREE char *path = mem_format("tests/data/fuzz/fuzz_checkpoint/event-%zu", event);
    uLong raw_bytes = RAW_MAX - 1;
    REQUIRE(packed != NULL && size > HEAD_BYTES);
    raw[0] = packed[0];
    REQUIRE(uncompress((Bytef *)raw + 1, &raw_bytes, (const Bytef *)packed + HEAD_BYTES, (uLong)(size - HEAD_BYTES)) ==
            Z_OK);
    FILE *f = fopen(path, "w");
    REQUIRE(f != NULL);
    fwrite(raw, 1, raw_bytes + 1, f);
    fclose(f);
}

/* While a job with logs has a checkpoint; the target's clock is after the last of them. */
static void keep_seeds(void) {
    static const size_t at[] = {975, 1240, 1500, 1600, 1900, 2300};
    struct replay r, logs = {0};
    REQUIRE(replay_load(&r, with_logs.path, "workloads"));
    REQUIRE(replay_open_logs(&logs, with_logs.logs));
    struct model *m = new_model();
    for (int i = 0; i < with_logs.count; i++)
        apply(m, &with_logs, i, NULL, r.events[0].at_ms);
    for (size_t n = 0, kept = 0; kept < ARRAY_SIZE(at); n++) {
        REQUIRE(n < r.count);
        replay_feed(m, &r.events[n]);
        if (n != at[kept])
            continue;
        kept++;
        read_logs(m, &with_logs, &logs, r.events[n].at_ms);
        replay_watermarks(m, r.events[n].at_ms);
        CLEANUP_FREE char *status = status_of(m, &with_logs, 0, r.events[n].at_ms);
        keep_seed(status, n);
    }
    model_free(m);
    replay_done(&logs);
    replay_done(&r);
}

/* From the first release on each released checkpoint stays readable: this one is of the newest version. Where the
 * version moves before that, KEEP_CHECKPOINT=1 test-operator the_kept_checkpoint writes the file and the seeds again.
 */
TEST(the_kept_checkpoint_continues_to_the_same_end) {
    struct replay r;
    size_t size;
    REQUIRE(replay_load(&r, story.path, "workloads"));
    size_t half = r.count / 2;
    struct model *m = new_model();
    apply(m, &story, 0, NULL, r.events[0].at_ms);
    for (size_t n = 0; n < half; n++)
        replay_feed(m, &r.events[n]);
    replay_watermarks(m, r.events[half - 1].at_ms);
    CLEANUP_FREE char *status = status_of(m, &story, 0, r.events[half - 1].at_ms);
    if (getenv("KEEP_CHECKPOINT") != NULL) {
        keep(status);
        keep_seeds();
    }
    for (size_t n = half; n < r.count; n++)
        replay_feed(m, &r.events[n]);
    CLEANUP_FREE char *expected = status_of(m, &story, 0, r.last_ms);
    model_free(m);
    CLEANUP_FREE char *kept = harness_read_file(KEPT, &size);
    REQUIRE(kept != NULL && size > 1 && strstr(kept, ",\"checkpoint\":\"") != NULL);
    kept[size - 1] = '\0'; /* the line's end */
    m = new_model();
    apply(m, &story, 0, kept, r.events[0].at_ms);
    observe_lists(m, &r, half, r.events[half - 1].at_ms);
    for (size_t n = half; n < r.count; n++)
        replay_feed(m, &r.events[n]);
    CLEANUP_FREE char *found = status_of(m, &story, 0, r.last_ms);
    check_same(expected, found, "train-a of the kept checkpoint,", half);
    CHECK(strcmp(expected, found) == 0);
    CHECK_TEXT(status_text(found, "phase"), "Completed");
    model_free(m);
    replay_done(&r);
}
