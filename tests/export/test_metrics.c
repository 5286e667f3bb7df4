/* What /metrics says of jobs, queues, fleets and the controller. */
#include "harness.h"

#include "base/mem.h"
#include "export/metrics.h"
#include "export/queues.h"
#include "recorder/endpoint.h"

#include <stdlib.h>

static void put(struct fleet *f, const char *name) {
    CLEANUP_FREE char *text = harness_read_file("tests/data/export/training.json", NULL);
    REQUIRE(text != NULL);
    CHECK_INT(fleet_put(f, "research", name, slice_of(text)), 0);
}

static const struct fleet none; /* FleetGoodputs, where they are not what is looked at */

/* The value of the one sample that begins so, "" if there is none. */
static const char *value(struct slice text, const char *sample, char out[static 64]) {
    struct slice line;
    out[0] = '\0';
    while (slice_take_line(&text, &line))
        if (slice_take_prefix(&line, sample) && slice_take_char(&line, ' '))
            slice_copy(out, 64, line);
    return out;
}

/* As with --all-job-series. */
static void write_all(const struct fleet *jobs, const struct fleet *rollups, const struct runtime_figures *own,
                      int64_t now_ms, bool is_openmetrics, struct buf *out) {
    const struct metrics_options options = {
        .now_ms = now_ms, .is_openmetrics = is_openmetrics, .has_all_job_series = true};
    metrics_write(jobs, rollups, own, &options, out);
}

#define LABELS(name) "{namespace=\"research\",jobgoodput=\"" name "\",queue=\"research-tpu\""

TEST(the_metrics_of_a_job_are_those_of_its_status) {
    struct fleet f;
    CLEANUP_BUF struct buf out;
    struct runtime_figures own = {.is_leading = true, .queue_adds = 5};
    const struct kube_count requests[] = {{"GET", 200, 3}, {"PATCH", 0, 1}};
    char v[64];
    own.requests = requests;
    own.request_count = 2;
    fleet_init(&f);
    put(&f, "a");
    put(&f, "b");
    fleet_put(&f, "research", "new", slice_of("{\"metadata\":{\"name\":\"new\"}}"));
    fleet_put(&f, "research", "c",
              SLICE("{\"status\":{\"target\":{\"queue\":\"research-tpu\"},\"forecast\":{\"runtime\":\"91.10%\",\"job\":"
                    "\"soon\","
                    "\"bestRuntime\":\"91.4%\"}}}"));
    buf_init(&out, 1 << 20);
    write_all(&f, &none, &own, INT64_C(1795232000000), false, &out);
    struct slice text = buf_slice(&out);
    CHECK_TEXT(value(text, "goodput_job_goodput_ratio" LABELS("a") "}", v), "0.821800");
    CHECK_TEXT(value(text, "goodput_job_wall_seconds" LABELS("b") "}", v), "7384");
    CHECK_TEXT(
        value(text, "goodput_job_badput_seconds" LABELS("a") ",family=\"Runtime\",bucket=\"WastedProgress\"}", v),
        "491.300");
    CHECK_TEXT(value(text, "goodput_job_interruptions" LABELS("a") ",cause=\"KueueEviction/Pods\\\"Ready\"}", v), "1");
    CHECK_TEXT(
        value(text, "goodput_job_window_goodput_ratio" LABELS("a") ",window_seconds=\"3600\",goodput=\"job\"}", v),
        "0.732500");
    CHECK_TEXT(value(text, "goodput_job_definition_ratio" LABELS("a") ",definition=\"ETTRMeta\"}", v), "0.821800");
    CHECK_TEXT(value(text, "goodput_job_definition_seconds" LABELS("a") ",definition=\"MTTF\"}", v), "6912");
    CHECK_TEXT(value(text, "goodput_job_definition_ratio" LABELS("a") ",definition=\"MTTF\"}", v), "");
    CHECK_TEXT(value(text, "goodput_job_definition_ratio" LABELS("a") ",definition=\"RunningOverTotal\"}", v), "");
    CHECK_TEXT(value(text, "goodput_job_program_goodput_ratio" LABELS("a") "}", v), ""); /* not known: not 0 */
    CHECK_TEXT(value(text, "goodput_job_expected_runtime_goodput_ratio" LABELS("c") "}", v), "0.911000");
    CHECK_TEXT(value(text, "goodput_job_best_runtime_goodput_ratio" LABELS("c") "}", v), "0.914000");
    CHECK_TEXT(value(text, "goodput_job_expected_goodput_ratio" LABELS("c") "}", v), "");
    CHECK_TEXT(value(text, "goodput_job_chip_seconds" LABELS("a") ",state=\"allocated\"}", v), "893880");
    CHECK_TEXT(value(text, "goodput_job_phase" LABELS("a") ",phase=\"Training\"}", v), "1");
    CHECK_TEXT(value(text, "goodput_queue_jobs{namespace=\"research\",queue=\"research-tpu\",phase=\"Training\"}", v),
               "2");
    CHECK_TEXT(value(text,
                     "goodput_queue_chip_seconds{namespace=\"research\",queue=\"research-tpu\",state=\"productive\"}",
                     v),
               "1553328");
    CHECK_TEXT(value(text, "goodput_queue_step_deviation_seconds{namespace=\"research\",queue=\"research-tpu\"}", v),
               "115.296"); /* 2 x 12 ms x 4804 steps */
    CHECK_TEXT(value(text, "workqueue_adds_total{name=\"jobgoodput\"}", v), "5");
    CHECK_TEXT(value(text, "rest_client_requests_total{method=\"PATCH\",code=\"<error>\"}", v), "1");
    CHECK(strtod(value(text, "process_resident_memory_bytes", v), NULL) > 100000);
    CHECK(strtod(value(text, "process_open_fds", v), NULL) >= 3);
    CHECK(strstr(buf_text(&out), "jobgoodput=\"new\"") == NULL); /* no status: no samples */
    CHECK(strstr(buf_text(&out), "slice-0-0") == NULL);          /* no pod names, in no label */
    fleet_done(&f);
}

TEST(upper_bounds_are_exported_where_time_is_unobserved) {
    struct fleet f;
    CLEANUP_BUF struct buf out;
    struct runtime_figures own = {.is_leading = true};
    char v[64];
    fleet_init(&f);
    put(&f, "watched");
    fleet_put(&f, "research", "blind",
              SLICE("{\"status\":{\"target\":{\"queue\":\"research-tpu\"},\"goodputPPM\":{\"scheduling\":579000,"
                    "\"schedulingUpperBound\":922000,\"job\":501100,\"jobUpperBound\":843300},\"badput\":[{\"bucket\":"
                    "\"Unobserved\",\"family\":\"Scheduling\",\"milliseconds\":250000}]}}"));
    buf_init(&out, 1 << 20);
    write_all(&f, &none, &own, INT64_C(1795232000000), false, &out);
    struct slice text = buf_slice(&out);
    CHECK_TEXT(value(text, "goodput_job_scheduling_goodput_upper_bound_ratio" LABELS("blind") "}", v), "0.922000");
    CHECK_TEXT(value(text, "goodput_job_goodput_upper_bound_ratio" LABELS("blind") "}", v), "0.843300");
    CHECK_TEXT(
        value(text, "goodput_job_badput_seconds" LABELS("blind") ",family=\"Scheduling\",bucket=\"Unobserved\"}", v),
        "250");
    CHECK_TEXT(value(text, "goodput_job_scheduling_goodput_upper_bound_ratio" LABELS("watched") "}", v), "");
    CHECK_TEXT(value(text, "goodput_job_goodput_upper_bound_ratio" LABELS("watched") "}", v), "");
    fleet_done(&f);
}

TEST(costs_are_exported_by_bucket_and_cause_where_the_price_is_known) {
    struct fleet f;
    CLEANUP_BUF struct buf out;
    struct runtime_figures own = {.is_leading = true};
    char v[64];
    fleet_init(&f);
    fleet_put(
        &f, "n", "j",
        SLICE("{\"status\":{\"cost\":{\"currency\":\"EUR\",\"allocated\":\"12.30\",\"productive\":\"10.20\",\"lost\":"
              "\"2.10\"},\"badput\":[{\"family\":\"Runtime\",\"bucket\":\"Stall\",\"milliseconds\":5,\"chipSeconds\":"
              "40,\"cost\":"
              "\"2.10\"}],\"interruptions\":{\"byCause\":[{\"cause\":\"Hang\",\"count\":1,\"chipSeconds\":30,"
              "\"cost\":\"1.57\"}]}}}"));
    put(&f, "unpriced");
    buf_init(&out, 1 << 20);
    write_all(&f, &none, &own, 0, false, &out);
    struct slice text = buf_slice(&out);
#define J "{namespace=\"n\",jobgoodput=\"j\",queue=\"\""
    CHECK_TEXT(value(text, "goodput_job_cost" J ",state=\"lost\",currency=\"EUR\"}", v), "2.10");
    CHECK_TEXT(value(text, "goodput_job_badput_cost" J ",family=\"Runtime\",bucket=\"Stall\",currency=\"EUR\"}", v),
               "2.10");
    CHECK_TEXT(value(text, "goodput_job_badput_chip_seconds" J ",family=\"Runtime\",bucket=\"Stall\"}", v), "40");
    CHECK_TEXT(value(text, "goodput_job_interruption_cost" J ",cause=\"Hang\",currency=\"EUR\"}", v), "1.57");
    CHECK_TEXT(value(text, "goodput_job_interruption_chip_seconds" J ",cause=\"Hang\"}", v), "30");
    CHECK(strstr(buf_text(&out), "jobgoodput=\"unpriced\",queue=\"research-tpu\",state=\"lost\"") == NULL);
#undef J
    fleet_done(&f);
}

TEST(owners_of_lost_time_are_exported_five_at_most) {
    struct fleet f;
    CLEANUP_BUF struct buf out;
    struct runtime_figures own = {.is_leading = true};
    char v[64];
    fleet_init(&f);
    fleet_put(&f, "n", "j",
              SLICE("{\"status\":{\"byOwner\":[{\"owner\":\"Provider\",\"milliseconds\":700000,\"interruptions\":2},"
                    "{\"owner\":\"NotYet\"},{\"owner\":\"Tenant\",\"milliseconds\":95150,\"interruptions\":0},"
                    "{\"owner\":\"a\",\"milliseconds\":1},{\"owner\":\"b\",\"milliseconds\":2},"
                    "{\"owner\":\"c\",\"milliseconds\":0},{\"owner\":\"d\",\"milliseconds\":4}]}}"));
    buf_init(&out, 1 << 20);
    write_all(&f, &none, &own, 0, false, &out);
    struct slice text = buf_slice(&out);
#define OWNER "goodput_job_owner_seconds{namespace=\"n\",jobgoodput=\"j\",queue=\"\",owner="
    CHECK_TEXT(value(text, OWNER "\"Provider\"}", v), "700");
    CHECK_TEXT(value(text, OWNER "\"Tenant\"}", v), "95.150");
    CHECK_TEXT(value(text, OWNER "\"NotYet\"}", v), ""); /* not known: not 0 */
    CHECK_TEXT(value(text, OWNER "\"c\"}", v), "0");
    CHECK_TEXT(value(text, OWNER "\"d\"}", v), "");
#undef OWNER
#define OWNER "goodput_job_owner_interruptions{namespace=\"n\",jobgoodput=\"j\",queue=\"\",owner="
    CHECK_TEXT(value(text, OWNER "\"Provider\"}", v), "2");
    CHECK_TEXT(value(text, OWNER "\"Tenant\"}", v), ""); /* most jobs have no interruptions of most owners */
#undef OWNER
    fleet_done(&f);
}

/* The number of samples whose name is followed by '{'. */
static int samples_of(const char *text, const char *name) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, name)) != NULL; at += strlen(name))
        count += at[strlen(name)] == '{';
    return count;
}

/* A class that no version knows is a series too, but never more than 32 of a job, and nothing of the log is one. */
TEST(root_causes_are_exported_by_class_without_their_lines) {
    struct fleet f;
    CLEANUP_BUF struct buf out, json;
    struct runtime_figures own = {.is_leading = true};
    char v[64];
    fleet_init(&f);
    buf_init(&json, 1 << 16);
    buf_append_text(&json,
                    "{\"status\":{\"executions\":[{\"number\":1,\"rootCause\":{\"class\":\"UserException\",\"line\":"
                    "\"the line of the log\"}}],\"interruptions\":{\"total\":3,\"byClass\":[{\"class\":\"GPUHardware\","
                    "\"count\":2},{\"class\":\"NotYet\"},{\"count\":7}");
    for (int i = 0; i < 100; i++)
        buf_format(&json, ",{\"class\":\"c%d\",\"count\":1}", i);
    buf_append_text(&json, "]}}}");
    CHECK_INT(fleet_put(&f, "n", "j", buf_slice(&json)), 0);
    buf_init(&out, 1 << 20);
    write_all(&f, &none, &own, 0, false, &out);
#define CLASS "goodput_job_root_cause_interruptions"
#define J "{namespace=\"n\",jobgoodput=\"j\",queue=\"\",class="
    CHECK_TEXT(value(buf_slice(&out), CLASS J "\"GPUHardware\"}", v), "2");
    CHECK_TEXT(value(buf_slice(&out), CLASS J "\"NotYet\"}", v), "");
    CHECK_TEXT(value(buf_slice(&out), CLASS J "\"\"}", v), "");
    CHECK_INT(samples_of(buf_text(&out), CLASS), FLEET_MAX_CLASSES);
    CHECK(strstr(buf_text(&out), "the line of the log") == NULL);
#undef CLASS
#undef J
    fleet_done(&f);
}

static int series_of_jobs(struct slice text) {
    struct slice line;
    int count = 0;
    while (slice_take_line(&text, &line))
        count += slice_starts(line, "goodput_job_");
    return count;
}

/* The status has everything that a status may have; a second one's log cannot be read. */
TEST(a_job_has_twelve_series_by_default) {
    static const char *const expected[] = {"scheduling_goodput_ratio",
                                           "runtime_goodput_ratio",
                                           "goodput_ratio",
                                           "evidence_ratio",
                                           "observed_through_timestamp_seconds",
                                           "productive_seconds",
                                           "last_step",
                                           "last_record_timestamp_seconds",
                                           "hang_after_seconds",
                                           "admitted_seconds",
                                           "lost_chip_seconds"};
    struct fleet f;
    CLEANUP_BUF struct buf out;
    struct runtime_figures own = {.is_leading = true};
    const struct metrics_options options = {.now_ms = INT64_C(1795232000000)};
    char v[64];
    fleet_init(&f);
    put(&f, "a");
    buf_init(&out, 1 << 20);
    metrics_write(&f, &none, &own, &options, &out);
    CHECK_INT(series_of_jobs(buf_slice(&out)), METRICS_DEFAULT_SERIES);
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        CLEANUP_FREE char *sample = mem_format("goodput_job_%s" LABELS("a") "}", expected[i]);
        if (value(buf_slice(&out), sample, v)[0] == '\0')
            harness_fail(__FILE__, __LINE__, "%s is missing", sample);
    }
    CHECK_TEXT(value(buf_slice(&out), "goodput_job_phase" LABELS("a") ",phase=\"Training\"}", v), "1");
    CHECK_TEXT(value(buf_slice(&out), "goodput_job_lost_chip_seconds" LABELS("a") "}", v), "117216");
    CHECK(strstr(buf_text(&out), "goodput_queue_badput_chip_seconds{") != NULL); /* queues keep all of theirs */
    fleet_done(&f);
}

TEST(a_job_whose_log_is_unreadable_shows_that_instead_of_hang_after) {
    struct fleet f;
    CLEANUP_BUF struct buf out;
    struct runtime_figures own = {.is_leading = true};
    char v[64];
    fleet_init(&f);
    fleet_put(&f, "n", "j",
              SLICE("{\"status\":{\"steps\":{\"hangAfterMilliseconds\":60000},\"conditions\":[{\"type\":\"Ready\","
                    "\"status\":\"True\"},{\"type\":\"StepLogAttached\",\"status\":\"False\"}]}}"));
    fleet_put(&f, "n", "k",
              SLICE("{\"status\":{\"steps\":{\"hangAfterMilliseconds\":60000},\"conditions\":[{\"type\":"
                    "\"StepLogAttached\",\"status\":\"True\"}]}}"));
    buf_init(&out, 1 << 20);
    for (int all = 0; all < 2; all++) {
        const struct metrics_options options = {.has_all_job_series = all == 1};
        buf_clear(&out);
        metrics_write(&f, &none, &own, &options, &out);
#define HANG "goodput_job_hang_after_seconds{namespace=\"n\",jobgoodput="
#define CONDITION(job) "goodput_job_condition{namespace=\"n\",jobgoodput=\"" job "\",queue=\"\",condition="
        CHECK_TEXT(value(buf_slice(&out), HANG "\"j\",queue=\"\"}", v), "");
        CHECK_TEXT(value(buf_slice(&out), HANG "\"k\",queue=\"\"}", v), "60");
        CHECK_TEXT(value(buf_slice(&out), CONDITION("j") "\"StepLogAttached\",status=\"False\"}", v), "1");
        CHECK_TEXT(value(buf_slice(&out), CONDITION("j") "\"Ready\",status=\"True\"}", v), all ? "1" : "");
        CHECK_TEXT(value(buf_slice(&out), CONDITION("k") "\"StepLogAttached\",status=\"True\"}", v), all ? "1" : "");
#undef HANG
#undef CONDITION
    }
    fleet_done(&f);
}

TEST(admitted_time_is_wall_time_without_queue_and_suspension) {
    struct fleet f;
    CLEANUP_BUF struct buf out;
    struct runtime_figures own = {.is_leading = true};
    const struct metrics_options options = {0};
    char v[64];
    fleet_init(&f);
    fleet_put(&f, "n", "j",
              SLICE("{\"status\":{\"time\":{\"wallMilliseconds\":100000},\"badput\":["
                    "{\"family\":\"Scheduling\",\"bucket\":\"QueueWait\",\"milliseconds\":1000},"
                    "{\"family\":\"Scheduling\",\"bucket\":\"PreemptedWait\",\"milliseconds\":2000},"
                    "{\"family\":\"Scheduling\",\"bucket\":\"Suspended\",\"milliseconds\":4000},"
                    "{\"family\":\"Scheduling\",\"bucket\":\"Provisioning\",\"milliseconds\":8000}]}}"));
    fleet_put(&f, "n", "new", SLICE("{\"status\":{\"phase\":\"Queued\"}}"));
    buf_init(&out, 1 << 20);
    metrics_write(&f, &none, &own, &options, &out);
#define ADMITTED "goodput_job_admitted_seconds{namespace=\"n\",jobgoodput="
    CHECK_TEXT(value(buf_slice(&out), ADMITTED "\"j\",queue=\"\"}", v), "93");
    CHECK_TEXT(value(buf_slice(&out), ADMITTED "\"new\",queue=\"\"}", v), ""); /* not known: not 0 */
#undef ADMITTED
    fleet_done(&f);
}

TEST(only_the_leader_exports_jobs) {
    struct fleet f;
    CLEANUP_BUF struct buf out;
    struct runtime_figures own = {0};
    char v[64];
    fleet_init(&f);
    put(&f, "a");
    buf_init(&out, 1 << 20);
    write_all(&f, &none, &own, 0, true, &out);
    CHECK(strstr(buf_text(&out), "goodput_job_") == NULL && strstr(buf_text(&out), "goodput_queue_") == NULL);
    CHECK_TEXT(value(buf_slice(&out), "leader_election_master_status{name=\"goodput-controller\"}", v), "0");
    fleet_done(&f);
}

TEST(the_metrics_of_the_recorder_endpoint_are_exported_where_it_is_served) {
    struct fleet f;
    CLEANUP_BUF struct buf out;
    struct endpoint_figures ingest = {.entries = 7, .bytes = 901, .refused_entries = 2, .requests = {5, 1, 3, 0, 4, 0}};
    struct runtime_figures own = {0};
    char v[64];
    fleet_init(&f);
    buf_init(&out, 1 << 20);
    write_all(&f, &none, &own, 0, false, &out);
    CHECK(strstr(buf_text(&out), "goodput_ingest_") == NULL);
    buf_clear(&out);
    own.ingest = &ingest;
    write_all(&f, &none, &own, 0, false, &out);
    CHECK_TEXT(value(buf_slice(&out), "goodput_ingest_entries_total", v), "7");
    CHECK_TEXT(value(buf_slice(&out), "goodput_ingest_refused_entries_total", v), "2");
    CHECK_TEXT(value(buf_slice(&out), "goodput_ingest_read_bytes_total", v), "901");
    CHECK_TEXT(value(buf_slice(&out), "goodput_ingest_requests_total{code=\"429\"}", v), "4");
    fleet_done(&f);
}

TEST(jobs_long_over_count_in_their_queue_only) {
    struct fleet f;
    CLEANUP_BUF struct buf out;
    struct runtime_figures own = {.is_leading = true};
    char v[64];
    fleet_init(&f);
    fleet_put(&f, "n", "old",
              SLICE("{\"status\":{\"phase\":\"Completed\",\"time\":{\"end\":\"2026-11-21T00:00:00Z\","
                    "\"wallMilliseconds\":1000}}}"));
    buf_init(&out, 1 << 20);
    int64_t end_ms = INT64_C(1795219200000);
    write_all(&f, &none, &own, end_ms + METRICS_KEEP_FINISHED_MS, false, &out);
    CHECK_TEXT(value(buf_slice(&out), "goodput_job_wall_seconds{namespace=\"n\",jobgoodput=\"old\",queue=\"\"}", v),
               "1");
    buf_clear(&out);
    write_all(&f, &none, &own, end_ms + METRICS_KEEP_FINISHED_MS + 1, false, &out);
    CHECK(strstr(buf_text(&out), "jobgoodput=\"old\"") == NULL);
    CHECK_TEXT(value(buf_slice(&out), "goodput_queue_jobs{namespace=\"n\",queue=\"\",phase=\"Completed\"}", v), "1");
    fleet_done(&f);
}

/* More names than there is room for end up under one name, and nothing is lost. */
TEST(more_queues_than_fit_are_summed_as_one) {
    struct queues q;
    struct fleet_numbers *n = mem_new(struct fleet_numbers);
    const int64_t chips[3] = {FLEET_NONE, FLEET_NONE, FLEET_NONE};
    int64_t sum = 0;
    queues_init(&q);
    for (int i = 0; i < 100; i++) {
        n->bucket_count = 1;
        snprintf(n->buckets[0].bucket, sizeof n->buckets[0].bucket, "Custom/%d", i);
        n->buckets[0].chip_seconds = i;
        for (int k = 0; k < FLEET_VALUE_COUNT; k++)
            n->values[k] = INT64_MAX;
        queues_add(&q, "n", n, chips);
    }
    const struct queue_sums *s = map_get(&q.map, SLICE("n/"));
    REQUIRE(s != NULL);
    CHECK_INT(s->bucket_count, FLEET_MAX_BUCKETS);
    for (int i = 0; i < s->bucket_count; i++)
        sum += s->buckets[i].sum;
    CHECK_INT(sum, 4950);
    CHECK_INT(s->ideal_ms, 0); /* nonsense does not overflow */
    queues_done(&q);
    free(n);
}

TEST(the_metrics_of_fleets_are_those_of_their_status) {
    struct fleet jobs, fleets;
    CLEANUP_BUF struct buf out;
    struct runtime_figures own = {.is_leading = true};
    char v[64];
    fleet_init(&jobs);
    fleet_init(&fleets);
    fleet_put(
        &fleets, "", "all",
        SLICE("{\"metadata\":{\"name\":\"all\"},\"status\":{\"goodputPPM\":{\"job\":250000,"
              "\"allScheduling\":812345,\"allSchedulingUpperBound\":900001,\"schedulingUpperBound\":950000,"
              "\"evidence\":640000},\"chipSeconds\":{\"unobserved\":7,\"asked\":72000,"
              "\"capacityHours\":3},\"jobs\":{\"withoutSteps\":1},\"groups\":[{\"goodputPPM\":{\"scheduling\":"
              "500000,\"allScheduling\":400000,\"allSchedulingUpperBound\":450000,\"evidence\":300000},\"name\":\"q / "
              "\\\"1\\\"\"}],\"topLosses\":[{\"family\":\"Scheduling\",\"bucket\":\"QueueWait\","
              "\"chipSeconds\":36000,\"cost\":\"4.05\"}],\"interruptions\":{\"byCause\":[{\"cause\":\"OOM\",\"cost\":"
              "\"1.20\"},{\"cause\":\"Eviction\"}],\"byClass\":[{\"class\":\"Network\",\"count\":4}],\"byNode\":[{"
              "\"node\":"
              "\"node-of-all\",\"class\":\"Network\",\"owner\":\"Provider\",\"count\":4}],\"total\":3,"
              "\"per1000NodeDays\":\"8000.125\"},\"nodePools\":"
              "[{\"name\":\"a\",\"failures\":2,\"meanTimeBetweenFailuresSeconds\":60}],\"cost\":{\"currency\":\"EUR\","
              "\"allocated\":\"12.30\"},\"byOwner\":[{\"owner\":\"Provider\",\"interruptions\":4,\"chipSeconds\":3600,"
              "\"cost\":\"2.50\",\"byClass\":[{\"class\":\"Network\",\"chipSeconds\":3000},{\"class\":\"None\","
              "\"chipSeconds\":600}]},{\"owner\":\"Tenant\",\"chipSeconds\":7}],\"conditions\":[{\"type\":\"Ready\","
              "\"status\":\"True\"}],\"settled\":\"AAAA\"}"
              "}"));
    fleet_put(&fleets, "", "gone", SLICE("{\"status\":{\"goodputPPM\":{\"job\":1}}}"));
    fleet_remove(&fleets, "", "gone");
    buf_init(&out, 1 << 20);
    write_all(&jobs, &fleets, &own, 0, false, &out);
    struct slice text = buf_slice(&out);
#define F "{fleetgoodput=\"all\""
    CHECK_TEXT(value(text, "goodput_fleet_goodput_ratio" F ",goodput=\"job\"}", v), "0.250000");
    CHECK_TEXT(value(text, "goodput_fleet_goodput_ratio" F ",goodput=\"all_scheduling\"}", v), "0.812345");
    CHECK_TEXT(value(text, "goodput_fleet_goodput_ratio" F ",goodput=\"all_scheduling_upper_bound\"}", v), "0.900001");
    CHECK_TEXT(value(text, "goodput_fleet_goodput_ratio" F ",goodput=\"scheduling_upper_bound\"}", v), "0.950000");
    CHECK_TEXT(value(text, "goodput_fleet_goodput_ratio" F ",goodput=\"evidence\"}", v), "0.640000");
    CHECK_TEXT(value(text, "goodput_fleet_chip_seconds" F ",state=\"unobserved\"}", v), "7");
#define GROUP F ",group=\"q / \\\"1\\\"\""
    CHECK_TEXT(value(text, "goodput_fleet_group_goodput_ratio" GROUP ",goodput=\"all_scheduling\"}", v), "0.400000");
    CHECK_TEXT(value(text, "goodput_fleet_group_goodput_ratio" GROUP ",goodput=\"all_scheduling_upper_bound\"}", v),
               "0.450000");
    CHECK_TEXT(value(text, "goodput_fleet_group_goodput_ratio" GROUP ",goodput=\"evidence\"}", v), "0.300000");
#undef GROUP
    CHECK_TEXT(value(text, "goodput_fleet_group_goodput_ratio" F ",group=\"q / \\\"1\\\"\",goodput=\"scheduling\"}", v),
               "0.500000");
    CHECK_TEXT(value(text, "goodput_fleet_chip_seconds" F ",state=\"asked\"}", v), "72000");
    CHECK_TEXT(value(text, "goodput_fleet_jobs" F ",state=\"without_steps\"}", v), "1");
    CHECK_TEXT(value(text, "goodput_fleet_badput_chip_seconds" F ",family=\"Scheduling\",bucket=\"QueueWait\"}", v),
               "36000");
    CHECK_TEXT(value(text, "goodput_fleet_interruptions_per_1000_node_days" F "}", v), "8000.125");
    CHECK_TEXT(value(text, "goodput_fleet_node_pool_mean_time_between_failures_seconds" F ",node_pool=\"a\"}", v),
               "60");
    CHECK_TEXT(value(text, "goodput_fleet_cost" F ",state=\"allocated\",currency=\"EUR\"}", v), "12.30");
    CHECK_TEXT(
        value(text, "goodput_fleet_badput_cost" F ",family=\"Scheduling\",bucket=\"QueueWait\",currency=\"EUR\"}", v),
        "4.05");
    CHECK_TEXT(value(text, "goodput_fleet_interruption_cost" F ",cause=\"OOM\",currency=\"EUR\"}", v), "1.20");
    CHECK_TEXT(value(text, "goodput_fleet_interruption_cost" F ",cause=\"Eviction\",currency=\"EUR\"}", v), "");
    CHECK_TEXT(value(text, "goodput_fleet_interruptions" F "}", v), "3");
    CHECK_TEXT(value(text, "goodput_fleet_root_cause_interruptions" F ",class=\"Network\"}", v), "4");
    CHECK_TEXT(value(text, "goodput_fleet_owner_interruptions" F ",owner=\"Provider\"}", v), "4");
    CHECK_TEXT(value(text, "goodput_fleet_owner_interruptions" F ",owner=\"Tenant\"}", v), "");
    CHECK_TEXT(value(text, "goodput_fleet_owner_chip_seconds" F ",owner=\"Tenant\"}", v), "7");
    CHECK_TEXT(value(text, "goodput_fleet_owner_class_chip_seconds" F ",owner=\"Provider\",class=\"Network\"}", v),
               "3000");
    CHECK_TEXT(value(text, "goodput_fleet_owner_class_chip_seconds" F ",owner=\"Provider\",class=\"None\"}", v), "600");
    CHECK_TEXT(value(text, "goodput_fleet_owner_cost" F ",owner=\"Provider\",currency=\"EUR\"}", v), "2.50");
    CHECK_TEXT(value(text, "goodput_fleet_owner_cost" F ",owner=\"Tenant\",currency=\"EUR\"}", v), "");
    CHECK(strstr(buf_text(&out), "node-of-all") == NULL); /* nodes would be series without a bound */
    CHECK_TEXT(value(text, "goodput_fleet_condition" F ",condition=\"Ready\",status=\"True\"}", v), "1");
#undef F
    CHECK(strstr(buf_text(&out), "fleetgoodput=\"gone\"") == NULL && strstr(buf_text(&out), "capacity_hours") == NULL);
    CHECK(!slice_contains(fleet_object(fleet_find(&fleets, "", "all")), "settled"));
    fleet_done(&jobs);
    fleet_done(&fleets);
}
