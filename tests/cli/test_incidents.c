/* report --owner, as data: tests/data/cli/owners.json is a list of JobGoodputs, owners.report.* what must be printed of
 * it. To see a change, run with GOODPUT_REGENERATE=1 and read the diff. */
#include "harness.h"

#include "base/mem.h"
#include "cli/incidents/incidents.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

#define DATA "tests/data/cli/"

static void write_data(void) {
    size_t size;
    CLEANUP_FREE char *text = harness_read_file(DATA "owners.json", &size);
    REQUIRE(text != NULL);
    run_write_file("owners.json", text, size);
}

static void check_report(const char *options, const char *file) {
    CLEANUP_FREE char *line = mem_format("report -f owners.json --owner Provider %s", options);
    CLEANUP_FREE char *path = mem_format(DATA "%s", file);
    struct run run = run_command(line, "");
    CHECK_INT(run.code, 0);
    if (getenv("GOODPUT_REGENERATE") && run.out != NULL) {
        FILE *out = fopen(path, "w");
        REQUIRE(out != NULL);
        fputs(run.out, out);
        fclose(out);
    }
    CLEANUP_FREE char *expected = harness_read_file(path, NULL);
    if (expected == NULL || run.out == NULL || strcmp(run.out, expected) != 0)
        harness_fail(__FILE__, __LINE__, "%s: printed was:\n%s%s", options, run.out, run.err);
    run_done(&run);
}

TEST(a_report_for_an_owner_lists_what_it_lost) {
    write_data();
    check_report("--from 2026-11-01 --to 2026-11-01T05:05:00Z", "owners.report.txt");
    check_report("--to 2026-11-01T00:15:00Z -o json", "owners.report.json");
    check_report("-o csv", "owners.report.csv");
    check_report("--html -", "owners.report.html");
    check_report("b -o csv", "owners-b.report.csv"); /* of one job */
}

static void add_part(struct incidents_part *to, const struct incidents_part *part) {
    to->count += part->count;
    to->ms += part->ms;
    to->chip_seconds += part->chip_seconds;
}

static void check_part(const struct incidents_part *part, int64_t ms, int64_t chip_seconds) {
    CHECK_INT(part->ms, ms);
    CHECK_INT(part->chip_seconds, chip_seconds);
}

/* Windows that tile the time have what one window has, to the millisecond and the chip-second; and of each window the
 * parts add up to status.byOwner. */
TEST(windows_that_tile_add_up) {
    json_t *list = json_load_file(DATA "owners.json", JSON_ALLOW_NUL, NULL);
    REQUIRE(list != NULL);
    struct incidents whole;
    struct incidents_query query = {.owner = "Provider", .from_ms = INT64_MIN, .to_ms = INT64_MAX};
    incidents_find(json_object_get(list, "items"), &query, &whole);
    check_part(&whole.inside, 7200000 + 600000 + 60000, 28800 + 2400);
    check_part(&whole.outside, 0, 0);
    check_part(&whole.buckets, 5000, 12);
    check_part(&whole.older, 4800000, 19200);
    CHECK_INT(whole.older.count, 3);
    CHECK_INT(whole.jobs_without, 1);
    const int64_t start_ms = INT64_C(1793487600000); /* 2026-10-31T23:00:00Z */
    srand(20);
    for (int round = 0; round < 200; round++) {
        struct incidents_part sum = {0};
        query.from_ms = INT64_MIN;
        while (query.from_ms < INT64_MAX) {
            struct incidents n;
            query.to_ms = (query.from_ms == INT64_MIN ? start_ms : query.from_ms) + 1 + rand() % 9000000;
            if (query.to_ms > start_ms + 30000000)
                query.to_ms = INT64_MAX;
            incidents_find(json_object_get(list, "items"), &query, &n);
            CHECK_INT(n.inside.ms + n.outside.ms + n.older.ms + n.buckets.ms, n.total.ms);
            CHECK_INT(n.inside.count + n.outside.count + n.older.count, n.total.count);
            struct incidents_part of_classes = {0};
            for (int c = 0; c < CLASS_COUNT; c++)
                add_part(&of_classes, &n.classes[c]);
            CHECK_INT(of_classes.count, (int64_t)n.count);
            check_part(&of_classes, n.inside.ms, n.inside.chip_seconds);
            add_part(&sum, &n.inside);
            query.from_ms = query.to_ms;
            incidents_done(&n);
        }
        check_part(&sum, whole.inside.ms, whole.inside.chip_seconds);
    }
    incidents_done(&whole);
    json_decref(list);
}

/* Each interval at its job's price, rounded; the sums are those of the rounded costs, a currency for itself. */
TEST(costs_are_of_the_intervals_and_of_one_currency) {
    static const char *const currencies[] = {"USD", "EUR", "USD", ""};
    json_t *list = json_array();
    for (size_t i = 0; i < ARRAY_SIZE(currencies); i++)
        json_array_append_new(
            list,
            json_pack("{s:{s:s,s:s},s:{s:[],s:{s:s},s:{s:s,s:s},s:[{s:i,s:s,s:s,s:i,s:i},{s:i,s:s}]}}", "metadata",
                      "namespace", "n", "name", currencies[i], "status", "byOwner", "acceleratorHours", "allocated",
                      "9.000", "cost", "currency", currencies[i], "pricePerChipHour", "2.5", "executions", "number", 1,
                      "owner", "Tenant", "end", "2026-11-01T00:00:00Z", "lostMilliseconds", 10000, "lostChipSeconds",
                      10, "number", 2, "firstStepAt", "2026-11-01T00:00:10Z"));
    struct incidents n;
    incidents_find(list, &(struct incidents_query){.owner = "Tenant", .from_ms = INT64_MIN, .to_ms = INT64_MAX}, &n);
    REQUIRE(n.count == 4 && n.cost_count == 2);
    int without = 0;
    for (size_t i = 0; i < n.count; i++)
        without += n.items[i].cost_cents < 0;
    CHECK_INT(without, 1);
    for (int i = 0; i < n.cost_count; i++) /* 10 chip-seconds cost 0.0069 */
        CHECK_INT(n.costs[i].cents, strcmp(n.costs[i].currency, "USD") == 0 ? 2 : 1);
    incidents_done(&n);
    json_decref(list);
}

TEST(any_status_can_be_reported) {
    static const char *const hostile[] = {
        "[1, null, {\"status\":{\"byOwner\":7,\"executions\":{}}}]",
        "[{\"status\":{\"byOwner\":[{\"owner\":\"Provider\",\"milliseconds\":9223372036854775807}],\"executions\":[{"
        "\"owner\":"
        "\"Provider\",\"end\":\"9999-12-31T23:59:59Z\",\"lostMilliseconds\":9223372036854775807,\"lostChipSeconds\":"
        "9223372036854775807},{\"firstStepAt\":\"0001-01-01T00:00:00Z\",\"programStartupMilliseconds\":"
        "-9223372036854775807,\"owner\":\"Provider\",\"lostMilliseconds\":-5}]}}]",
    };
    for (size_t i = 0; i < ARRAY_SIZE(hostile); i++) {
        struct incidents n;
        json_t *list = json_loads(hostile[i], 0, NULL);
        REQUIRE(list != NULL);
        incidents_find(list, &(struct incidents_query){.owner = "Provider", .from_ms = -1, .to_ms = 1}, &n);
        CHECK(n.inside.ms <= 2 && n.older.ms >= 0);
        incidents_done(&n);
        json_decref(list);
    }
}

TEST(a_report_for_an_owner_refuses_wrong_usage) {
    static const struct {
        const char *options, *complaint;
    } cases[] = {
        {"--owner provider", "--owner provider: not one of Tenant, Platform, Provider, Scheduler, Unknown"},
        {"--owner Provider --from yesterday", "--from yesterday: write a day or a time, such as 2026-11-01 or"},
        {"--owner Provider --from 2026-11-02 --to 2026-11-02", "--to 2026-11-02 is not after --from 2026-11-02"},
        {"--owner Provider -o yaml", "-o yaml: not one of table, json, csv"},
        {"--owner Provider -o csv --html -", "--html and -o: give one of them"},
        {"--html - --to 2026-11-02", "--from, --to, -l and -o need --owner"},
        {"", "report needs --html FILE (- is standard output), or --owner"},
    };
    write_data();
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CLEANUP_FREE char *line = mem_format("report -f owners.json %s", cases[i].options);
        struct run run = run_command(line, "");
        CHECK_INT(run.code, 2);
        if (run.err == NULL || strstr(run.err, cases[i].complaint) == NULL)
            harness_fail(__FILE__, __LINE__, "%s: %s", cases[i].options, run.err);
        run_done(&run);
    }
}
