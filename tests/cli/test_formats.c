/* kubectl goodput formats: every format is there, and its example is what Auto recognizes. */
#include "harness.h"
#include "run.h"

#include "base/mem.h"
#include "cli/commands/formats.h"
#include "cli/render/pick.h"
#include "steplog/explain.h"
#include "steplog/shipped.h"

#include <string.h>

static void ignore(void *context, const struct record *r) {
    (void)context;
    (void)r;
}

static const json_t *named(const json_t *list, const char *name) {
    size_t i;
    json_t *format;
    json_array_foreach(list, i, format) {
        if (strcmp(pick_text(format, "name"), name) == 0)
            return format;
    }
    return NULL;
}

TEST(every_format_has_an_example_that_is_recognized) {
    json_t *list = formats_list();
    for (int f = STEPLOG_AUTO + 1; f < STEPLOG_FORMAT_COUNT; f++) {
        const char *name = steplog_format_name((enum steplog_format)f);
        const json_t *format = named(list, name);
        size_t i;
        json_t *line;
        if (f == STEPLOG_REGEX)
            continue;
        if (format == NULL) {
            harness_fail(__FILE__, __LINE__, "%s has no example", name);
            continue;
        }
        CHECK(json_array_size(pick(format, "example")) > 0);
        if (strcmp(name, "Generic") == 0) /* accepted after several lines, not by an example */
            continue;
        struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, ignore, NULL);
        json_array_foreach(pick(format, "example"), i, line)
            steplog_line(s, slice_of(json_string_value(line)), 1795227105000 + 1000 * (int64_t)i);
        steplog_end(s);
        if (strcmp(steplog_recognized_name(s), name) != 0)
            harness_fail(__FILE__, __LINE__, "the example of %s is read as \"%s\"", name, steplog_recognized_name(s));
        steplog_free(s);
    }
    json_decref(list);
}

TEST(the_shipped_formats_are_listed_with_an_example) {
    json_t *list = formats_list();
    for (int i = 0; i < SHIPPED_COUNT; i++) {
        const json_t *format = named(list, shipped_get(i)->name);
        const char *line = json_string_value(json_array_get(pick(format, "example"), 0));
        struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, ignore, NULL);
        REQUIRE(line != NULL);
        steplog_line(s, slice_of(line), 1795227105000);
        CHECK_TEXT(steplog_recognized_name(s), shipped_get(i)->name);
        steplog_free(s);
    }
    json_decref(list);
}

TEST(the_list_fits_a_terminal) {
    const struct text_style style = {.columns = 80};
    CLEANUP_BUF struct buf out;
    json_t *list = formats_list();
    buf_init(&out, 1 << 20);
    formats_draw(list, &style, &out);
    struct slice rest = buf_slice(&out), line;
    while (slice_take_line(&rest, &line)) {
        CLEANUP_FREE char *text = slice_dup(line);
        CHECK(text_width(text) <= 80);
    }
    CHECK(strstr(buf_text(&out), "\nMegatron       Megatron-LM, its last rank\n") != NULL);
    json_decref(list);
}

TEST(the_list_is_printed_as_asked_for) {
    struct run json = run_command("formats", "-o json"), yaml = run_command("formats", "-o yaml"),
               names = run_command("formats", "-o name"), table = run_command("formats", "");
    json_t *o = json_loads(json.out, 0, NULL), *list = formats_list(), *format;
    CLEANUP_BUF struct buf expected;
    size_t i;
    buf_init(&expected, 4096);
    json_array_foreach(list, i, format) buf_format(&expected, "%s\n", pick_text(format, "name"));
    CHECK(json_equal(json_object_get(o, "formats"), list));
    CHECK_TEXT(names.out, buf_text(&expected));
    CHECK(strncmp(yaml.out, "formats:\n- name: Recorder\n", 26) == 0);
    CHECK(strstr(table.out, "\nMegatron       Megatron-LM, its last rank\n") != NULL);
    CHECK_INT(json.code + yaml.code + names.code + table.code, 0);
    json_decref(o);
    json_decref(list);
    run_done(&json);
    run_done(&yaml);
    run_done(&names);
    run_done(&table);
}
