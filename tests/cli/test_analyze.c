/* analyze without a cluster: its options, its refusals, and that both definitions answer for the same file. */
#include "harness.h"
#include "run.h"

#include "base/mem.h"
#include "cli/analyze/cause.h"
#include "cli/analyze/compare.h"
#include "cli/analyze/ledger.h"
#include "cli/analyze/library.h"
#include "cli/analyze/options.h"
#include "cli/analyze/table.h"
#include "cli/render/pick.h"
#include "cli/render/text.h"
#include "status_check.h"

#include <math.h>

static void parses(const char *const *arguments, const char *error) {
    char *argv[16] = {(char *)"analyze"};
    int argc = 1;
    struct analyze a;
    CLEANUP_ERROR struct error *err = NULL;
    for (; arguments[argc - 1]; argc++)
        argv[argc] = (char *)arguments[argc - 1];
    int r = analyze_parse(&a, argc, argv, &err);
    CHECK_TEXT(r < 0 ? error_text(err) : "", error);
    analyze_done(&a);
}

TEST(options_are_refused_with_one_line) {
#define PARSES(error, ...) parses((const char *const[]){__VA_ARGS__, NULL}, error)
    PARSES("", "a.log", "--at", "2026-11-21T02:16:52Z", "--window=60,3600", "-ojson", "--ideal-step", "2.5");
    PARSES("", "a.log", "b.log", "--definition", "library", "--from", "1.5", "--to", "2", "--exclude", "3,4.5");
    PARSES("analyze needs the FILE of a step log (- is standard input)", "-o", "json");
    PARSES("--definition both-ways: not one of ledger, library, both", "a", "--definition", "both-ways");
    PARSES("", "a", "--regex", "step=(?<step>x)", "--format", "Regex");
    PARSES("--regex stop=x: write NAME=PATTERN, with NAME one of step, checkpointStart, checkpointSaved, "
           "checkpointRestored",
           "a", "--regex", "stop=x");
    PARSES("format Regex needs --regex 'step=PATTERN' with a group (?<step>...)", "a", "--format=Regex");
    PARSES("--format COBOL: unknown format; the formats are Auto, Recorder, MaxText, Megatron, NeMo, TorchTitan, "
           "DeepSpeed, HuggingFace, Keras, Lightning, Regex, Generic, those of --format-file, and in lower case "
           "those that kubectl goodput formats lists",
           "a", "--format", "COBOL");
    PARSES("--at noon: not a time (RFC 3339, or Unix seconds)", "a", "--at", "noon");
    PARSES("--at nan: not a time (RFC 3339, or Unix seconds)", "a", "--at", "nan");
    PARSES("--window 60,: write whole seconds, such as 3600,43200", "a", "--window", "60,");
    PARSES("--window: at most 4 windows", "a", "--window", "1,2,3,4,5");
    PARSES("--ideal-step -1: write seconds, such as 2.4", "a", "--ideal-step", "-1");
    PARSES("--exclude 5: write two times, FROM,TO (RFC 3339, or Unix seconds)", "a", "--exclude", "5");
    PARSES("--to needs --from", "a", "--definition=library", "--to", "5");
    PARSES("", "a", "--from", "5", "--exclude", "6,7");
    PARSES("--to is not after --from", "a", "--from", "5", "--to", "5");
    PARSES("", "a", "--elastic", "--step-deviation", "--definition", "both");
    PARSES("", "a", "--elastic", "--definition", "library");
    PARSES("--html needs the ledger's numbers: leave out --definition library", "a", "--html", "x", "--definition",
           "library");
    PARSES("", "a", "--html", "x.html");
    PARSES("--output name: not one of table, json, yaml, jsonl", "a", "-o", "name");
    PARSES("-o jsonl is the ledger: leave out --definition", "a", "-o", "jsonl", "--definition", "both");
    PARSES("", "a", "-o", "jsonl");
    PARSES("unknown option \"--nope\"; \"kubectl goodput analyze --help\" lists them", "a", "--nope");
    PARSES("--at needs a value", "a", "--at");
    PARSES("--step-deviation takes no value", "a", "--step-deviation=1");
}

/* Two attempts of a job: five steps of 10 s, 100 s down, again from step 3. */
static const char attempts[] = "{\"job_name\": \"j\", \"job_start_time\": 1000.5}\n"
                               "{\"job_name\": \"j\", \"step_count\": 0, \"step_start_time\": 1010.5}\n"
                               "{\"job_name\": \"j\", \"step_count\": 1, \"step_start_time\": 1020.5}\n"
                               "{\"job_name\": \"j\", \"step_count\": 2, \"step_start_time\": 1030.5}\n"
                               "{\"job_name\": \"j\", \"step_count\": 3, \"step_start_time\": 1040.5}\n"
                               "{\"job_name\": \"j\", \"step_count\": 4, \"step_start_time\": 1050.5}\n"
                               "{\"job_name\": \"j\", \"job_start_time\": 1150.5}\n"
                               "{\"job_name\": \"j\", \"step_count\": 3, \"step_start_time\": 1160.5}\n"
                               "{\"job_name\": \"j\", \"step_count\": 4, \"step_start_time\": 1170.5}\n"
                               "{\"job_name\": \"j\", \"job_end_time\": 1180.5}\n";

static json_t *answer_for(const char *text, bool by_library, int64_t from_us, int64_t to_us, bool excludes) {
    char *path = (char *)"a.log";
    struct slice lines = slice_of(text);
    struct analyze a = {.at_us = ANALYZE_NO_TIME,
                        .from_us = excludes ? ANALYZE_NO_TIME : from_us,
                        .to_us = excludes ? ANALYZE_NO_TIME : to_us,
                        .ideal_s = NAN,
                        .excluded = {{from_us, to_us}},
                        .excluded_count = excludes,
                        .paths = &path,
                        .path_count = 1};
    CLEANUP_BUF struct buf json;
    CLEANUP_ERROR struct error *err = NULL;
    struct library_log log;
    buf_init(&json, 1 << 20);
    library_log_init(&log);
    struct analyze_ledger *l = analyze_ledger_new(&a);
    int r;
    if (by_library) {
        library_log_read(&log, lines);
        r = analyze_library(&a, &log, &json, &err);
    } else {
        r = analyze_ledger_begin(l, path, &err);
        analyze_ledger_feed(l, lines);
        analyze_ledger_end(l);
        r = r < 0 ? r : analyze_ledger_conclude(l, &json, NULL, &err);
    }
    analyze_ledger_free(l);
    library_log_done(&log);
    char why[STATUS_WHY];
    if (r == 0 && !by_library && !status_check_text(json.data, json.size_bytes, why))
        harness_fail(__FILE__, __LINE__, "%s", why);
    return r < 0 ? json_string(error_text(err)) : json_loads(buf_text(&json), 0, NULL);
}

static json_t *answer_of(const char *text, bool by_library) {
    return answer_for(text, by_library, ANALYZE_NO_TIME, ANALYZE_NO_TIME, false);
}

TEST(both_definitions_of_one_log) {
    json_t *ledger = answer_of(attempts, false), *library = answer_of(attempts, true);
    REQUIRE(json_is_object(ledger) && json_is_object(library));
    CHECK_INT(pick_int(ledger, "time.wallMilliseconds", 0), 180000);
    CHECK_INT(pick_int(ledger, "time.availableMilliseconds", 0), 80000);
    CHECK_INT(pick_int(ledger, "interruptions.total", 0), 1);
    CHECK_TEXT(pick_text(ledger, "topBadput"), "Unattributed");
    int64_t sum_ms = pick_int(ledger, "time.productiveMilliseconds", 0);
    size_t i;
    json_t *bucket;
    json_array_foreach(pick(ledger, "badput"), i, bucket) sum_ms += pick_int(bucket, "milliseconds", 0);
    CHECK_INT(sum_ms, 180000);
    /* by facts of the library: 30 s of steps 0 to 2, 20 s after the restart, 10 s wasted, 100 s of infrastructure */
    CHECK(json_number_value(pick(library, "productive_seconds")) == 50.0);
    CHECK(json_number_value(pick(library, "badput_seconds.WASTED_PROGRESS_FROM_DISRUPTION")) == 10.0);
    CHECK(json_number_value(pick(library, "badput_seconds.INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION")) == 100.0);
    CHECK_INT(pick_int(library, "disruptions", 0), 1);
    json_decref(ledger);
    json_decref(library);
}

/* DESIGN: a log does not show when machines were there. status_check allows no bucket of scheduling either. */
TEST(logs_alone_claim_no_scheduling) {
    static const char *const claims[] = {"goodput.scheduling",
                                         "goodput.schedulingUpperBound",
                                         "goodputPPM.scheduling",
                                         "goodputPPM.schedulingUpperBound",
                                         "availability",
                                         "otherDefinitions",
                                         "interruptions.meanTimeToRecoverSeconds"};
    json_t *all = answer_of(attempts, false), *part = answer_for(attempts, false, 1015500000, 1165500000, false);
    const json_t *interval = json_array_get(pick(part, "intervals"), 0);
    const json_t *first = json_array_get(pick(all, "executions"), 0),
                 *second = json_array_get(pick(all, "executions"), 1);
    REQUIRE(interval != NULL && second != NULL);
    for (size_t i = 0; i < ARRAY_SIZE(claims); i++) {
        if (pick_has(all, claims[i]) || pick_has(interval, claims[i]))
            harness_fail(__FILE__, __LINE__, "%s is there", claims[i]);
    }
    CHECK_INT(pick_int(json_array_get(pick(all, "badput"), 0), "milliseconds", 0), 100000);
    CHECK_TEXT(pick_text(json_array_get(pick(all, "badput"), 0), "bucket"), "Unobserved");
    CHECK_TEXT(pick_text(all, "goodput.jobUpperBound"), "94.44%");
    CHECK(!pick_has(first, "rescheduleMilliseconds") && !pick_has(first, "waitMilliseconds"));
    CHECK_INT(pick_time_ms(second, "start") - pick_time_ms(first, "end"), 100000);
    json_decref(all);
    json_decref(part);
}

TEST(nothing_to_read_is_one_clear_error) {
    static const struct {
        const char *text, *ledger;
    } cases[] = {{"", "a.log: it is empty"},
                 {"hello\n", "a.log: no step in any line (1); describe a step's line with --regex or "
                             "--format-file"},
                 {"\x80\xff\n{\n", "a.log: no step in any line (2); describe a step's line with --regex or "
                                   "--format-file"},
                 {"completed step: 3, seconds: 1.5, TFLOP/s/device: 2.5\n",
                  "a.log: no line of a step (1) has a time; add timestamps, as kubectl logs --timestamps does"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        json_t *library = answer_of(cases[i].text, true), *ledger = answer_of(cases[i].text, false);
        CHECK_TEXT(json_string_value(library),
                   "a.log: no entries of the goodput recorder (JSON lines with a job_name) in it");
        CHECK_TEXT(json_string_value(ledger), cases[i].ledger);
        json_decref(library);
        json_decref(ledger);
    }
}

static int64_t sum_ms(const json_t *status) {
    int64_t sum = pick_int(status, "time.productiveMilliseconds", 0);
    size_t i;
    json_t *bucket;
    json_array_foreach(pick(status, "badput"), i, bucket) sum += pick_int(bucket, "milliseconds", 0);
    return sum;
}

/* From 1,015.5 to 1,045.5 s: 25 s of steps 0 to 2 that are kept, 5 s of step 3 that is lost; left out, the rest is
 * there. */
TEST(intervals_and_exclusions) {
    json_t *answer = answer_for(attempts, false, 1015500000, 1045500000, false);
    const json_t *interval = json_array_get(pick(answer, "intervals"), 0);
    CHECK_INT(json_array_size(pick(answer, "intervals")), 1);
    CHECK_INT(pick_int(answer, "time.wallMilliseconds", 0), 180000);
    CHECK_INT(pick_int(interval, "time.wallMilliseconds", 0), 30000);
    CHECK_INT(pick_int(interval, "time.productiveMilliseconds", 0), 25000);
    CHECK_INT(sum_ms(interval), 30000);
    CHECK_TEXT(pick_text(interval, "time.start"), "1970-01-01T00:16:55.500Z");
    CHECK_TEXT(pick_text(interval, "time.end"), "1970-01-01T00:17:25.500Z");
    CHECK_TEXT(pick_text(interval, "topBadput"), "WastedProgress");
    json_decref(answer);
    answer = answer_for(attempts, false, 1015500000, 1045500000, true);
    CHECK_INT(pick_int(answer, "time.wallMilliseconds", 0), 150000);
    CHECK_INT(pick_int(answer, "time.productiveMilliseconds", 0), 25000);
    CHECK_INT(sum_ms(answer), 150000);
    CHECK(!pick_has(answer, "intervals"));
    CHECK_INT(pick_int(answer, "dataQuality.excludedMilliseconds", 0), 30000);
    json_decref(answer);
}

/* What makes the numbers less sure is said, and the rest is still analyzed. */
TEST(the_quality_of_the_data_is_reported) {
    static const char text[] = "{\"job_name\": \"j\", \"job_start_time\": 1000.5}\n"
                               "{\"job_name\": \"j\", \"step_count\": 0, \"step_start_time\": 1010.5}\n"
                               "{\"job_name\": \"j\", \"step_count\": 1, \"step_start_time\": 7258118400.5}\n"
                               "{\"job_name\": \"j\", \"step_count\": 1, \"step_start_time\": 1020.5}\n"
                               "{\"job_name\": \"j\", \"job_end_time\": 1030.5}\n";
    json_t *answer = answer_of(text, false), *good = answer_of(attempts, false);
    struct analyze a = {.paths = &(char *){(char *)"a.log"}, .path_count = 1};
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1 << 16);
    CHECK_INT(pick_int(answer, "dataQuality.impossibleTimes", 0), 1);
    CHECK_INT(pick_int(answer, "time.productiveMilliseconds", 0), 20000);
    CHECK(!pick_has(good, "dataQuality.impossibleTimes"));
    analyze_ledger_draw(&a, answer, &out);
    if (strstr(buf_text(&out), "\nData quality\n  - records with a time before 1970 or after 2100, left out: 1\n") ==
        NULL)
        harness_fail(__FILE__, __LINE__, "not reported:\n%s", buf_text(&out));
    json_decref(answer);
    json_decref(good);
}

/* Five steps of 10 s, and again from the start: the library loses sight of the first attempt. */
static const char from_zero[] = "{\"job_name\": \"j\", \"job_start_time\": 1000.5}\n"
                                "{\"job_name\": \"j\", \"step_count\": 0, \"step_start_time\": 1010.5}\n"
                                "{\"job_name\": \"j\", \"step_count\": 1, \"step_start_time\": 1020.5}\n"
                                "{\"job_name\": \"j\", \"step_count\": 2, \"step_start_time\": 1030.5}\n"
                                "{\"job_name\": \"j\", \"job_start_time\": 1150.5}\n"
                                "{\"job_name\": \"j\", \"step_count\": 0, \"step_start_time\": 1160.5}\n"
                                "{\"job_name\": \"j\", \"step_count\": 1, \"step_start_time\": 1170.5}\n"
                                "{\"job_name\": \"j\", \"job_end_time\": 1180.5}\n";

static void compare(const char *text, bool differ, const char *row_text, const char *why) {
    json_t *ledger = answer_of(text, false), *library = answer_of(text, true), *row;
    json_t *rows = analyze_compare(ledger, library);
    CLEANUP_BUF struct buf out;
    struct text_style style = {0};
    size_t i, differing = 0;
    buf_init(&out, 1 << 16);
    json_array_foreach(rows, i, row) {
        double ours = json_number_value(pick(row, "ledger")), theirs = json_number_value(pick(row, "library"));
        bool is_same = *pick_text(row, "why") == '\0';
        differing += !is_same;
        if (is_same ? fabs(ours - theirs) > 0.051 : ours == theirs)
            harness_fail(__FILE__, __LINE__, "%s: %g and %g: \"%s\"", pick_text(row, "what"), ours, theirs,
                         pick_text(row, "why"));
    }
    CHECK_INT(json_array_size(rows) > 5 && differing > 0, differ);
    analyze_compare_draw(rows, &style, &out);
    if (strstr(buf_text(&out), row_text) == NULL || strstr(buf_text(&out), why) == NULL)
        harness_fail(__FILE__, __LINE__, "not in it: %s, %s:\n%s", row_text, why, buf_text(&out));
    json_object_set_new(library, "error", json_string("ValueError"));
    json_t *none = analyze_compare(ledger, library);
    CHECK_INT(json_array_size(none), 0);
    json_decref(none);
    json_decref(rows);
    json_decref(ledger);
    json_decref(library);
}

/* What both agree on says so; what they do not has a reason. */
TEST(differences_are_explained) {
    compare(attempts, false, "\n  lost work                10.00 s       10.00 s  the same\n", "");
    compare(from_zero, true, "\n  lost work                20.00 s        0.00 s\n", "work before a restart at step 0");
}

#define DEVIATION                                                                                                      \
    "  steps deviate from the ideal 8.000 s by 2.000 s on average\n"                                                   \
    "    step 0                 2.000 s\n    step 1                 2.000 s\n"                                         \
    "    step 2                 2.000 s\n    step 3                 2.000 s\n"

/* By hand from the definitions: the library counts steps 0 to 2 and, after the restart, 3 and 4 (50 s); 40 s of the 100
 * s in between are excluded. Its interval reaches from the first step in it, at 1,020.5 s, to the last, at 1,040.5 s.
 * Steps take 10 s, 2 s above the given ideal. Here those 2 s of an attempt's first step are ProgramStartup: 3 x 2 s
 * over 5. */
TEST(both_definitions_draw_intervals_exclusions_and_deviations) {
    static const char *const parts[] = {"\nSteps are longer than the ideal 8.000s by 1.200s on average\n"
                                        "\nFrom 1970-01-01 00:16:55 to 1970-01-01 00:17:25 UTC\nruntime goodput "
                                        "83.33%\n\nwall time              30.0s ",
                                        "\nThe Python library (ml-goodput-measurement 0.2.3): goodput 27.78%\n"
                                        "  total                                            180.00 s   100.00%\n"
                                        "  productive                                        50.00 s    27.78%\n"
                                        "  WASTED_PROGRESS_FROM_DISRUPTION                   10.00 s     5.56%\n"
                                        "  INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION          100.00 s    55.56%\n"
                                        "  OTHER                                             20.00 s    11.11%\n"
                                        "  step 4, 1 disruptions\n" DEVIATION "Interval 1: goodput 100.00%\n"
                                        "  total                                             20.00 s   100.00%\n"
                                        "  productive                                        20.00 s   100.00%\n"
                                        "  step 3, 0 disruptions\n"
                                        "With exclusions: goodput 35.71%\n"
                                        "  total                                            140.00 s   100.00%\n"
                                        "  productive                                        50.00 s    35.71%\n"
                                        "  WASTED_PROGRESS_FROM_DISRUPTION                   10.00 s     7.14%\n"
                                        "  INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION           60.00 s    42.86%\n"
                                        "  OTHER                                             20.00 s    14.29%\n"
                                        "  40.00 s are excluded\n"
                                        "  step 4, 1 disruptions\n" DEVIATION
                                        "\nComparison                    ours   the library\n",
                                        "\n  total                   140.00 s      140.00 s  the same\n"};
    const char *options = "--definition both --from 1015.5 --to 1045.5 --exclude 1060.5,1100.5 --step-deviation "
                          "--ideal-step 8";
    CLEANUP_FREE char *as_json = mem_format("%s -o json", options);
    run_write_file("a.log", attempts, strlen(attempts));
    struct run table = run_analyze("a.log", options), json = run_analyze("a.log", as_json);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (strstr(table.out, parts[i]) == NULL)
            harness_fail(__FILE__, __LINE__, "not drawn: %s\nin: %s", parts[i], table.out);
    json_t *o = json_loads(json.out, 0, NULL), *alone = answer_of(attempts, true);
    CHECK_INT(pick_int(o, "ledger.time.wallMilliseconds", 0), 140000);
    CHECK_INT(json_array_size(pick(o, "library.intervals")), 1);
    CHECK(json_number_value(pick(o, "library.with_exclusions.excluded_seconds")) == 40);
    CHECK(json_number_value(pick(o, "library.step_deviation.by_step.3")) == 2);
    CHECK(json_equal(pick(o, "library.badput_seconds"), pick(alone, "badput_seconds")));
    CHECK_INT(json_array_size(pick(o, "differences")), 9);
    CHECK_TEXT(pick_text(json_array_get(pick(o, "differences"), 1), "what"), "total");
    CHECK(json_number_value(pick(json_array_get(pick(o, "differences"), 1), "library")) == 140);
    json_decref(o);
    json_decref(alone);
    run_done(&table);
    run_done(&json);
}

/* What the last lines of a log say about its end; lines up to the last step (line 2 here) say nothing about it. */
TEST(the_end_of_an_attempt) {
    static const struct {
        const char *lines; /* from line 2 on */
        bool is_found;
        enum cause cause;
        const char *reason, *evidence;
    } cases[] = {
        {"step 1\nall is well\n", false, CAUSE_UNKNOWN, "", ""},
        {"Traceback (most recent call last):\nstep 1\n", true, CAUSE_APPLICATION_ERROR, "",
         "log of a.log, line 1: Traceback (most recent call last):"},
        {"SIGTERM\n", false, CAUSE_UNKNOWN, "", ""},
        {"x\nReceived SIGTERM\nTraceback (most recent call last):\nKeyboardInterrupt\n", true, CAUSE_UNKNOWN, "SIGTERM",
         "log of a.log, line 3: Received SIGTERM"},
        {"x\nTraceback (most recent call last):\n  File \"a.py\"\nValueError: loss is NaN\nbye\n", true,
         CAUSE_APPLICATION_ERROR, "NaNInLoss", "log of a.log, line 5: ValueError: loss is NaN"},
        {"x\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'x'\nbye\n", true,
         CAUSE_APPLICATION_ERROR, "KeyError", "log of a.log, line 5: KeyError: 'x'"},
        {"x\nTraceback (most recent call last):\n  File\ntorch.OutOfMemoryError: CUDA out of memory. Tried 2 GiB\n",
         true, CAUSE_OUT_OF_MEMORY, "CUDAOutOfMemory",
         "log of a.log, line 5: torch.OutOfMemoryError: CUDA out of memory. Tried 2 GiB"},
        {"x\n[rank0]: Watchdog caught collective operation timeout: WorkNCCL\n", true, CAUSE_HANG, "NCCLWatchdog",
         "log of a.log, line 3: Watchdog caught collective operation timeout: WorkNCCL"},
        {"x\n  exitcode  : -9 (pid: 7)\n", true, CAUSE_APPLICATION_ERROR, "-9",
         "log of a.log, line 3: exitcode  : -9 (pid: 7)"},
        {"x\nexited with code 0\n", false, CAUSE_UNKNOWN, "", ""},
        {"x\nTraceback (most recent call last):\n", true, CAUSE_APPLICATION_ERROR, "",
         "log of a.log, line 3: Traceback (most recent call last):"},
    };
    struct matcher *matcher = matcher_new();
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct ledger_disruption d = {.cause = CAUSE_UNKNOWN};
        int64_t lines = 1, after = strncmp(cases[i].lines, "Traceback", 9) == 0 ? 0 : 2;
        for (const char *c = cases[i].lines; *c; c++)
            lines += *c == '\n';
        lines -= after == 0;
        CHECK_INT(analyze_cause_of(matcher, "a.log", slice_of(cases[i].lines), lines, after, false, &d),
                  cases[i].is_found);
        CHECK_TEXT(cause_name(d.cause), cause_name(cases[i].cause));
        CHECK_TEXT(d.reason, cases[i].reason);
        CHECK_TEXT(d.evidence, cases[i].evidence);
    }
    matcher_free(matcher);
}

/* Time lost per second with a save of s every t: s / t + t / 2m (Young 1974); no other t loses less. */
TEST(the_best_time_between_saves) {
    for (int64_t save_ms = 100; save_ms < 100000; save_ms *= 7)
        for (int64_t between_ms = 60000; between_ms < 1000000000; between_ms *= 11) {
            double best = (double)analyze_best_save_interval_ms(save_ms, between_ms),
                   near[] = {best * 0.98, best * 1.02};
            double s = (double)save_ms, m = (double)between_ms;
            for (int i = 0; i < 2; i++)
                CHECK(s / best + best / (2 * m) < s / near[i] + near[i] / (2 * m));
        }
    CHECK_INT(analyze_best_save_interval_ms(2000, 1000000), 63245); /* sqrt(2 x 2 s x 1,000 s) */
    CHECK_INT(analyze_best_save_interval_ms(0, 1000), 0);
}

/* Without a checkpoint the work before an interruption is taken to be kept, so none is "lost since the last one". */
TEST(work_without_a_checkpoint_is_not_since_the_last_one) {
    static const char *const script =
        "log() { for i in 1 2 3 4 5 6; do echo \"2026-11-21T02:00:0${i}Z step=$i\"; [ $i != 3 ] || echo "
        "\"2026-11-21T02:00:03Z $1\"; done; }; log \"$1\" | \"$0\" analyze - --regex 'step=step=(?<step>[0-9]+)' "
        "--regex "
        "'checkpointSaved=saved (?<step>[0-9]+)' 2>&1 | grep -o 'of it .*'";
    CLEANUP_FREE char *without = mem_format("set -- 'loss=1'; %s", script),
                      *with = mem_format("set -- 'saved 3'; %s", script);
    run_check(without, 0, "of it was seen: an interruption may lose all of it\n", "");
    run_check(with, 0, "of it 3.0s since the last durable checkpoint, which an interruption would lose\n", "");
}
