/* What the commands draw, as data: tests/data/cli/NAME.json is a JobGoodput (or a list), NAME.COMMAND.txt what must be
 * drawn of it in 80 columns of ASCII, NAME.COMMAND.utf8.txt the same for a UTF-8 terminal. To see a change, run with
 * GOODPUT_REGENERATE=1 and read the diff. */
#include "harness.h"

#include "base/mem.h"
#include "cli/commands/explain.h"
#include "cli/commands/fleet.h"
#include "cli/commands/timeline.h"
#include "cli/commands/top.h"
#include "cli/render/fleet_object.h"
#include "cli/render/pick.h"
#include "cli/render/text.h"
#include "cli/render/yaml.h"
#include "cli/whatif/expect.h"
#include "cli/whatif/measure.h"
#include "cli/whatif/table.h"

#include <jansson.h>
#include <stdlib.h>

#define DATA "tests/data/cli/"

static json_t *load(const char *name) {
    CLEANUP_FREE char *path = mem_format(DATA "%s.json", name);
    json_error_t err;
    json_t *value = json_load_file(path, JSON_ALLOW_NUL, &err);
    if (value == NULL)
        harness_fail(__FILE__, __LINE__, "%s: line %d: %s", path, err.line, err.text);
    return value;
}

static void compare(const char *file, const struct buf *actual) {
    CLEANUP_FREE char *path = mem_format(DATA "%s", file);
    if (getenv("GOODPUT_REGENERATE")) {
        FILE *out = fopen(path, "w");
        if (out != NULL) {
            fputs(buf_text(actual), out);
            fclose(out);
        }
        return;
    }
    CLEANUP_FREE char *expected = harness_read_file(path, NULL);
    if (expected != NULL && strcmp(expected, buf_text(actual)) != 0)
        harness_fail(__FILE__, __LINE__, "%s differs; drawn was:\n%s", path, buf_text(actual));
}

/* No line wider than the columns, and nothing that steers a terminal. */
static void check_lines(const char *name, const char *text, const struct text_style *style) {
    while (*text) {
        size_t size = strcspn(text, "\n");
        CLEANUP_FREE char *line = mem_strndup(text, size);
        if (text_width(line) > style->columns)
            harness_fail(__FILE__, __LINE__, "%s: %d columns: %s", name, text_width(line), line);
        for (size_t i = 0; i < size; i++)
            if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
                harness_fail(__FILE__, __LINE__, "%s: byte %d", name, line[i]);
        text += size + (text[size] == '\n');
    }
}

/* As "kubectl goodput whatif NAME --mtbf 6h" for a job without a measured failure rate: the best interval. */
static void draw_whatif(const json_t *job, const struct text_style *style, struct buf *out) {
    struct whatif w = {.has_now = true, .is_best = true};
    whatif_measure(job, &w);
    w.now.mtbf.mean_s = 6 * 3600;
    w.then = w.now;
    w.then.interval_s = whatif_best(&w.then);
    whatif_draw(&w, style, out);
    whatif_done(&w);
}

static void draw(const char *command, const json_t *value, const struct text_style *style, struct buf *out) {
    json_t *items = json_object_get(value, "items");
    if (strcmp(command, "explain") == 0)
        explain_draw(value, style, out);
    else if (strcmp(command, "timeline") == 0)
        timeline_draw(value, style, out);
    else if (strcmp(command, "whatif") == 0)
        draw_whatif(value, style, out);
    else if (strcmp(command, "fleet-object") == 0)
        fleet_object_draw(value, style, out);
    else if (strcmp(command, "fleet") == 0)
        fleet_command_draw(
            items, &(struct fleet_view){.group_by = "queue,label:team", .since_ms = 5400000, .price = 1.2}, style, out);
    else
        top_draw(items, &(struct cli_options){.all_namespaces = true, .style = *style}, out);
}

static void check_golden(const char *command, const char *name) {
    json_t *value = load(name);
    if (value == NULL)
        return;
    for (int is_utf8 = 0; is_utf8 < 2; is_utf8++) {
        CLEANUP_BUF struct buf out;
        struct text_style style = {.columns = 80, .is_utf8 = is_utf8};
        CLEANUP_FREE char *file = mem_format("%s.%s%s.txt", name, command, is_utf8 ? ".utf8" : "");
        buf_init(&out, 1 << 20);
        draw(command, value, &style, &out);
        check_lines(file, buf_text(&out), &style);
        compare(file, &out);
    }
    json_decref(value);
}

TEST(whatif_training) {
    check_golden("whatif", "training");
}

TEST(fleet_of_a_name) {
    check_golden("fleet-object", "fleetgoodput");
}

TEST(fleet_of_a_name_with_unobserved_time) {
    check_golden("fleet-object", "fleetgoodput-unobserved");
}

TEST(explain_training) {
    check_golden("explain", "training");
}
TEST(explain_queued) {
    check_golden("explain", "queued");
}
TEST(explain_missing_target) {
    check_golden("explain", "missing");
}
TEST(explain_without_status) {
    check_golden("explain", "no-status");
}
TEST(explain_with_unobserved_time) {
    check_golden("explain", "unobserved");
}
TEST(explain_without_log) {
    check_golden("explain", "no-log");
}
TEST(explain_hostile) {
    check_golden("explain", "hostile");
}
TEST(timeline_training) {
    check_golden("timeline", "training");
}
/* Seven weeks, then three executions of hours: a column of all of it would be a day. */
TEST(timeline_of_a_long_job) {
    check_golden("timeline", "long");
}
TEST(timeline_without_log) {
    check_golden("timeline", "no-log");
}
TEST(timeline_without_status) {
    check_golden("timeline", "no-status");
}
TEST(timeline_hostile) {
    check_golden("timeline", "hostile");
    check_golden("timeline", "hostile-axis");
}
TEST(fleet_with_unobserved_time) {
    check_golden("fleet", "rollup-unobserved");
}
TEST(fleet_of_three) {
    check_golden("fleet", "rollup");
}
TEST(top_with_ranges) {
    check_golden("top", "ranges"); /* no room: "57.90%+" */
    json_t *list = load("ranges");
    struct text_style style = {.columns = 120};
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1 << 20);
    draw("top", list, &style, &out);
    check_lines("top", buf_text(&out), &style);
    CHECK(strstr(buf_text(&out), " 57.90% to 92.20% ") != NULL);
    CHECK(strstr(buf_text(&out), " 82.18% to 85.58% ") != NULL);
    json_decref(list);
}
TEST(top_fleet) {
    check_golden("top", "fleet");
}

/* Bars, shares and durations of the losses and of productive time add up to the wall time, whatever the parts are. */
/* As in a terminal of any width in which one works. */
TEST(pictures_fit_the_terminal) {
    static const char *const commands[] = {"explain", "timeline"}, *const names[] = {"training", "queued", "no-log"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        json_t *value = load(names[i]);
        for (int columns = 60; columns <= 240 && value != NULL; columns += 12)
            for (size_t c = 0; c < ARRAY_SIZE(commands); c++) {
                CLEANUP_BUF struct buf out;
                struct text_style style = {.columns = columns, .is_utf8 = true};
                buf_init(&out, 1 << 20);
                draw(commands[c], value, &style, &out);
                check_lines(commands[c], buf_text(&out), &style);
            }
        json_decref(value);
    }
}

TEST(shares_add_up) {
    uint64_t random = 88172645463325252u;
    for (int round = 0; round < 10000; round++) {
        int64_t parts[12], whole = 0, before = 0, bar = 0, share = 0;
        for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            parts[i] = (int64_t)(random % (1u << (random >> 32) % 31));
            whole += parts[i];
        }
        if (whole == 0)
            continue;
        for (size_t i = 0; i < ARRAY_SIZE(parts); before += parts[i++]) {
            bar += text_share(before, parts[i], whole, 29);
            share += text_share(before, parts[i], whole, 10000);
        }
        CHECK_INT(bar, 29);
        CHECK_INT(share, 10000);
    }
}

/* The bars that were drawn, counted. */
TEST(explain_bars_tile_the_wall) {
    json_t *value = load("training");
    CLEANUP_BUF struct buf out;
    struct text_style style = {.columns = 80};
    buf_init(&out, 1 << 20);
    REQUIRE(value != NULL);
    explain_draw(value, &style, &out);
    int wall = 0, losses = 0, productive = 0;
    struct slice rest = buf_slice(&out), line;
    while (slice_take_line(&rest, &line) && !slice_starts(line, "Why")) {
        int hashes = 0, lost = 0;
        for (size_t i = 44; i < line.size_bytes; i++) {
            hashes += line.data[i] == '#';
            lost += line.data[i] == '=';
        }
        if (slice_starts(line, "wall time"))
            wall = hashes;
        else if (slice_starts(line, "productive"))
            productive = hashes;
        else if (slice_starts(line, "  ") && line.size_bytes > 25 && line.data[1] == ' ')
            losses += lost;
    }
    CHECK(wall > 20);
    CHECK_INT(losses + productive, wall);
    json_decref(value);
}

/* A heading comes only with what it promises. */
TEST(explain_claims_no_tenths_of_whole_seconds) {
    json_t *job = load("training");
    json_t *interruptions = json_object_get(json_object_get(job, "status"), "interruptions");
    json_object_set_new(interruptions, "meanTimeToRecoverSeconds", json_integer(55));
    json_t *mttr = json_array_get(json_object_get(json_object_get(job, "status"), "otherDefinitions"), 7);
    json_object_set_new(mttr, "meanSeconds", json_integer(55));
    json_object_set_new(mttr, "numeratorMilliseconds", json_integer(55900));
    const struct text_style style = {.columns = 200};
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1 << 16);
    explain_draw(job, &style, &out);
    CHECK(strstr(buf_text(&out), "back to steps in 55s on average") != NULL);
    CHECK(strstr(buf_text(&out), "MTTR 55.9s = 55.9s / 1") != NULL);
    json_decref(job);
}

TEST(explain_foretells_nothing_without_a_forecast) {
    json_t *value = load("training"), *forecast = json_pack("{s:i,s:[s]}", "saveMilliseconds", 30, "assumptions", "x");
    CLEANUP_BUF struct buf out;
    struct text_style style = {.columns = 80};
    buf_init(&out, 1 << 20);
    REQUIRE(value != NULL);
    json_object_set_new(json_object_get(value, "status"), "forecast", forecast);
    explain_draw(value, &style, &out);
    CHECK(strstr(buf_text(&out), "Forecast") == NULL);
    json_object_set_new(forecast, "runtime", json_string("90.00%"));
    out.size_bytes = 0;
    explain_draw(value, &style, &out);
    CHECK(strstr(buf_text(&out), "Forecast") != NULL);
    json_decref(value);
}

TEST(color_only_adds_escapes) {
    json_t *value = load("training");
    CLEANUP_BUF struct buf plain, colored;
    struct text_style style = {.columns = 80};
    buf_init(&plain, 1 << 20);
    buf_init(&colored, 1 << 20);
    REQUIRE(value != NULL);
    explain_draw(value, &style, &plain);
    style.has_color = true;
    explain_draw(value, &style, &colored);
    CHECK(colored.size_bytes > plain.size_bytes);
    CLEANUP_BUF struct buf stripped;
    buf_init(&stripped, 1 << 20);
    for (const char *at = buf_text(&colored); *at; at++) {
        if (*at == '\033')
            at = strchr(at, 'm');
        else
            buf_append_char(&stripped, *at);
    }
    CHECK_TEXT(buf_text(&stripped), buf_text(&plain));
    json_decref(value);
}

TEST(yaml_quotes_what_needs_it) {
    json_t *value = json_pack("{s:s, s:s, s:s, s:i, s:[s,{s:s,s:[]}], s:{}, s:n}", "a", "plain", "b", "93.41%", "c",
                              "true", "n", 5, "list", "x: y", "k", "v", "e", "o", "z");
    CLEANUP_BUF struct buf out;
    buf_init(&out, 4096);
    yaml_write(&out, value);
    CHECK_TEXT(buf_text(&out),
               "a: plain\nb: \"93.41%\"\nc: \"true\"\n\"n\": 5\nlist:\n- \"x: y\"\n- k: v\n  e: []\no: {}\nz: null\n");
    json_decref(value);
}
