/* The ledgers of recorded clusters and of a long job, span by span, while their jobs run and when they have ended.
 * tests/recompute computes the statuses from those that RECORDS_DIR keeps. */
#include "fake.h"
#include "harness.h"
#include "operator/model/evaluate.h"
#include "operator/status/records.h"
#include "recordings.h"

#include "base/mem.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define EVERY 16 /* events */

static void keep(const char *name, size_t event, struct slice records) {
    const char *dir = getenv("RECORDS_DIR");
    if (dir == NULL)
        return;
    CLEANUP_FREE char *path = mem_format("%s/%s-%zu.jsonl", dir, name, event);
    FILE *f = fopen(path, "w");
    REQUIRE(f != NULL);
    CHECK(fwrite(records.data, 1, records.size_bytes, f) == records.size_bytes);
    CHECK_INT(fclose(f), 0);
}

/* The last line has the status that was written last; its checkpoint is the controller's own. */
static void check_status(struct slice records, const char *status, const char *name) {
    static const char head[] = "{\"record\":\"status\",\"status\":";
    const char *checkpoint = strstr(status, ",\"checkpoint\":");
    int size = checkpoint != NULL ? (int)(checkpoint - status) : (int)strlen(status) - 1;
    CLEANUP_FREE char *expected = mem_format("%s%.*s}}\n", head, size, status);
    const char *got = strstr(records.data, head);
    REQUIRE(got != NULL);
    if (strcmp(got, expected) != 0)
        harness_fail(__FILE__, __LINE__, "%s: the ledger's status\n%s\nis not\n%s", name, got, expected);
}

/* Spans follow each other from completeFrom to observedThrough; the sums of the time before are of settled buckets. */
static void check_spans(struct slice records, const char *status, const char *name) {
    struct slice line;
    int64_t sum_ms = 0;
    CLEANUP_FREE char *at = NULL;
    while (slice_take_line(&records, &line)) {
        json_t *x = json_loadb(line.data, line.size_bytes, 0, NULL);
        REQUIRE(x != NULL);
        const char *kind = json_string_value(json_object_get(x, "record"));
        const char *from = json_string_value(json_object_get(x, "from")),
                   *to = json_string_value(json_object_get(x, "to"));
        if (strcmp(kind, "job") == 0) {
            CHECK_TEXT(json_string_value(json_object_get(x, "cluster")), "recorded");
            from = json_string_value(json_object_get(x, "completeFrom"));
        }
        if (strcmp(kind, "settled") == 0)
            sum_ms += json_integer_value(json_object_get(x, "milliseconds"));
        if (strcmp(kind, "span") == 0) {
            CHECK_TEXT(from, at);
            sum_ms += json_integer_value(json_object_get(x, "milliseconds"));
        }
        if (strcmp(kind, "span") == 0 || strcmp(kind, "job") == 0) {
            free(at);
            at = mem_strdup(strcmp(kind, "span") == 0 ? to : from);
        }
        json_decref(x);
    }
    if (sum_ms != status_int(status, "time.wallMilliseconds"))
        harness_fail(__FILE__, __LINE__, "%s: spans of %" PRId64 " ms in all, of %" PRId64, name, sum_ms,
                     status_int(status, "time.wallMilliseconds"));
    CHECK_TEXT(at, status_text(status, "time.observedThrough"));
}

/* 1 if the job has numbers. */
static int look(struct model *m, const char *namespace_, const char *job_name, const char *recording, size_t event,
                int64_t at_ms) {
    CLEANUP_FREE char *status = replay_status(m, namespace_, job_name, at_ms, NULL);
    struct model_job *job = model_job_find(m, namespace_, job_name);
    CLEANUP_FREE char *name = mem_format("%s-%s", recording, job_name);
    if (job == NULL || status_int(status, "time.wallMilliseconds") <= 0)
        return 0;
    CLEANUP_BUF struct buf records;
    buf_init(&records, RECORDS_MAX_BYTES);
    CHECK(model_job_ledger(job, at_ms, &records));
    CHECK(!records.truncated);
    check_spans(buf_slice(&records), status, name);
    check_status(buf_slice(&records), status, name);
    keep(name, event, buf_slice(&records));
    return 1;
}

TEST(a_recorded_ledger_has_every_span) {
    int looks = 0;
    for (int k = 0; k < RECORDING_COUNT; k++) {
        const struct recording *rec = &recordings[k];
        struct replay events, logs = {0};
        REQUIRE(replay_load(&events, rec->path, "workloads"));
        REQUIRE(rec->logs == NULL || replay_open_logs(&logs, rec->logs));
        events.is_watched[RESOURCE_NODE] &= !rec->lacks_nodes;
        struct model *m = recording_model(rec, NULL, events.events[0].at_ms);
        for (size_t e = 0; e < events.count; e++) {
            replay_feed(m, &events.events[e]);
            bool is_last = e + 1 == events.count;
            if (!is_last && (e % EVERY != 0 || events.events[e + 1].at_ms == events.events[e].at_ms))
                continue;
            int64_t at_ms = events.events[e].at_ms;
            replay_watermarks_of(m, &events, at_ms);
            if (rec->logs != NULL)
                recording_read_logs(m, rec, &logs, at_ms);
            for (int i = 0; i < recording_job_count(rec); i++)
                looks += look(m, rec->namespace_, rec->jobs[i].name, rec->name, e, at_ms);
        }
        model_free(m);
        replay_done(&events);
        replay_done(&logs);
    }
    CHECK(looks > 100);
}

/* ---- a job so long that most of its time is settled ---- */

#define RUNS 40
#define RUN_STEPS 400
#define STEP_S 10

struct long_job {
    struct model *model;
    double at; /* seconds */
    int step, looks;
};

static void add_entry(struct long_job *j, const char *field, double at) {
    CLEANUP_FREE char *line = mem_format("{\"job_name\": \"js\", %s\": %.3f}", field, (double)fake_ms(at) / 1000);
    fake_log_line(j->model, "try1", at, line);
}

static void look_at(struct long_job *j) {
    replay_watermarks(j->model, fake_ms(j->at));
    CHECK_INT(look(j->model, "ns", "js", "long", (size_t)++j->looks, fake_ms(j->at)), 1);
}

static void train(struct long_job *j, int steps) {
    for (int i = 0; i < steps; i++, j->at += STEP_S) {
        CLEANUP_FREE char *field = mem_format("\"step_count\": %d, \"step_start_time", j->step++);
        add_entry(j, field, j->at);
        if (i % 97 == 0)
            look_at(j);
    }
}

/* The trainer dies and is restarted in its container, `back` steps before the last one. */
static void restart(struct long_job *j, int back) {
    j->at += 7;
    add_entry(j, "\"job_start_time", j->at);
    add_entry(j, "\"tpu_init_start_time", j->at + 1);
    add_entry(j, "\"tpu_init_end_time", j->at + 4);
    j->at += 30;
    j->step -= back;
}

TEST(a_long_jobs_ledger_starts_with_the_sums_of_settled_time) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true, .cluster_name = "recorded"});
    struct long_job j = {.model = m, .at = 995};
    fake_observe_trainer(m, "", "");
    add_entry(&j, "\"job_start_time", j.at);
    j.at += 20;
    for (int run = 0; run < RUNS; run++) {
        train(&j, RUN_STEPS + run);
        restart(&j, run % 10 == 9 ? RUN_STEPS * 3 : run * 3 % 50); /* also behind what is settled */
        look_at(&j);
    }
    CLEANUP_BUF struct buf records;
    buf_init(&records, RECORDS_MAX_BYTES);
    CHECK(model_job_ledger(model_job_find(m, "ns", "js"), fake_ms(j.at), &records));
    CHECK(strstr(buf_text(&records), "\"complete\":false") != NULL);
    CHECK(strstr(buf_text(&records), "\"recoveredCount\":") != NULL); /* of interruptions that are not listed */
    CHECK(records.size_bytes < (size_t)1 << 20);
    model_free(m);
}

static void check_named(struct model *m, const char *expected) {
    CLEANUP_BUF struct buf records;
    buf_init(&records, RECORDS_MAX_BYTES);
    CHECK(model_job_ledger(model_job_find(m, "ns", "js"), fake_ms(10), &records));
    if (strstr(buf_text(&records), expected) == NULL)
        harness_fail(__FILE__, __LINE__, "no %s in %.300s", expected, buf_text(&records));
}

TEST(a_ledger_has_the_labels_of_its_jobgoodput_as_they_are_now) {
    struct model *m = fake_model("");
    struct fake_jobgoodput g = {.labels = "\"team\":\"a\",\"goodput.dev/run\":\"r1\""};
    fake_observe_jobset(m, 1, "", "", 0);
    free(fake_status(m, 5));
    fake_observe_jobgoodput(m, &g, 1);
    check_named(m, "\"uid\":\"goodput-of-js\",\"labels\":[{\"key\":\"team\",\"value\":\"a\"},"
                   "{\"key\":\"goodput.dev/run\",\"value\":\"r1\"}],\"target\"");
    g.labels = "\"team\":\"b\""; /* of the same generation: labels are not in the spec */
    fake_observe_jobgoodput(m, &g, 2);
    check_named(m, "\"labels\":[{\"key\":\"team\",\"value\":\"b\"}],");
    g.labels = NULL;
    fake_observe_jobgoodput(m, &g, 3);
    check_named(m, "\"uid\":\"goodput-of-js\",\"target\"");
    model_free(m);
}

/* Nothing but that status is known: there is no span, and no sum that is taken for one. */
TEST(of_a_job_that_an_earlier_controller_finished_the_ledger_has_its_status_alone) {
    static const char left[] =
        "{\"phase\":\"Completed\",\"target\":{\"uid\":\"b\"},\"conditions\":[{\"type\":\"Finished\",\"status\":"
        "\"True\"}],\"time\":{\"start\":\"2026-11-20T03:00:00Z\",\"end\":\"2026-11-20T04:00:00Z\","
        "\"wallMilliseconds\":3600000,\"availableMilliseconds\":3000000}}";
    struct model *m = fake_successor(left);
    CLEANUP_BUF struct buf records;
    buf_init(&records, RECORDS_MAX_BYTES);
    CHECK(model_job_ledger(model_job_find(m, "ns", "js"), fake_ms(10), &records));
    CLEANUP_FREE char *expected =
        mem_format("{\"record\":\"job\",\"schema\":1,\"namespace\":\"ns\",\"name\":\"js\",\"uid\":\"goodput-of-js\","
                   "\"target\":\"b\",\"from\":\"2026-11-20T03:00:00.000Z\",\"to\":\"2026-11-20T04:00:00.000Z\","
                   "\"completeFrom\":\"2026-11-20T04:00:00.000Z\",\"complete\":false,\"ended\":true}\n"
                   "{\"record\":\"status\",\"status\":%s}\n",
                   left);
    CHECK_TEXT(buf_text(&records), expected);
    model_free(m);
}

TEST(before_its_first_status_a_job_has_no_ledger) {
    struct model *m = fake_model("");
    CLEANUP_BUF struct buf records;
    buf_init(&records, RECORDS_MAX_BYTES);
    CHECK(!model_job_ledger(model_job_find(m, "ns", "js"), fake_ms(10), &records));
    CHECK_INT(records.size_bytes, 0);
    model_free(m);
}
