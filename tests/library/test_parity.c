/* tests/data/library/NAME.jsonl are logs, NAME.json the real library's answers (written by tests/parity/parity.py
 * --keep): each log read here must give the same numbers, bit by bit, and the same errors. */
#include "harness.h"

#include "base/mem.h"
#include "library/exclusion.h"
#include "library/reader.h"

#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#define DATA "tests/data/library/"

static void same_double(const char *name, const char *key, const json_t *object, double actual) {
    double expected = json_number_value(json_object_get(object, key));
    if (actual != expected)
        harness_fail(__FILE__, __LINE__, "%s: %s is %.17g, the library's %.17g", name, key, actual, expected);
}

static void same_badputs(const char *name, const struct library_log *log, const struct library_answer *a,
                         const json_t *expected) {
    const json_t *seconds = json_object_get(expected, "badput_seconds");
    const json_t *percent = json_object_get(expected, "badput_percent");
    for (int i = 0; i < LIBRARY_BADPUT_COUNT; i++) {
        const char *key = library_badput_name((enum library_badput)i);
        const json_t *value = json_object_get(seconds, key);
        if (i != LIBRARY_BADPUT_CUSTOM_BADPUT_EVENTS && a->badputs.has[i]) {
            same_double(name, key, seconds, a->badputs.value[i].value);
            same_double(name, key, percent, library_percent(a->badputs.value[i].value, a->total_s));
            CHECK_INT(json_is_real(value), a->badputs.value[i].is_float);
        }
        CHECK_INT(value != NULL, a->badputs.has[i]);
    }
    const json_t *customs = json_object_get(seconds, "CUSTOM_BADPUT_EVENTS");
    CHECK_INT(json_object_size(customs), a->badputs.customs.count);
    for (size_t i = 0; i < a->badputs.customs.count; i++) {
        uint32_t type = a->badputs.customs.order[i];
        CLEANUP_FREE char *key = mem_strndup(log->types.entries[type].key, log->types.entries[type].key_size);
        same_double(name, key, customs, a->badputs.customs.seconds[type]);
    }
}

static void same_answer(const char *name, const struct library_log *log, const struct library_answer *a,
                        const json_t *expected) {
    const json_t *error = json_object_get(expected, "error");
    CHECK_TEXT(a->error, json_is_string(error) ? json_string_value(error) : "");
    CHECK_INT(json_object_get(expected, "stepping_slice_efficiency") != NULL, a->has_slices);
    if (a->has_slices) {
        same_double(name, "stepping_slice_efficiency", expected, a->stepping_efficiency);
        same_double(name, "available_slice_efficiency", expected, a->available_efficiency);
    }
    if (json_is_string(error) || a->error[0])
        return;
    same_double(name, "goodput_percent", expected, a->goodput_percent);
    same_double(name, "productive_seconds", expected, a->productive_s);
    same_double(name, "total_seconds", expected, a->total_s);
    same_double(name, "max_productive_step", expected, (double)a->max_productive_step);
    same_double(name, "last_recorded_step", expected, (double)a->last_step);
    same_double(name, "disruptions", expected, (double)a->disruptions);
    if (!a->is_empty)
        same_badputs(name, log, a, expected);
}

static void same_deviation(const char *name, const struct library_deviation *d, const json_t *expected) {
    const json_t *error = json_object_get(expected, "error");
    CHECK_TEXT(d->error, json_is_string(error) ? json_string_value(error) : "");
    if (json_is_string(error))
        return;
    same_double(name, "ideal_seconds", expected, d->ideal_s);
    same_double(name, "mean_seconds", expected, d->mean_s);
    same_double(name, "count", expected, (double)d->count);
}

struct query {
    int64_t at_us, from_us, to_us, windows_s[8];
    int windows, spans;
    bool is_elastic;
    double ideal_s;
    struct library_span excluded[8];
};

static int64_t time_us(const char *text) {
    return library_microseconds(strtod(text, NULL));
}

static struct query query_of(const json_t *arguments, const struct library_log *log) {
    struct query q = {
        .at_us = library_microseconds(log->last_s), .from_us = INT64_MIN, .to_us = INT64_MIN, .ideal_s = NAN};
    for (size_t i = 0; i < json_array_size(arguments); i += 2) {
        const char *option = json_string_value(json_array_get(arguments, i));
        if (strcmp(option, "--elastic") == 0) {
            q.is_elastic = true;
            i--;
            continue;
        }
        const char *value = json_string_value(json_array_get(arguments, i + 1));
        const char *comma = strchr(value, ',');
        if (strcmp(option, "--at") == 0)
            q.at_us = time_us(value);
        else if (strcmp(option, "--from") == 0)
            q.from_us = time_us(value);
        else if (strcmp(option, "--to") == 0)
            q.to_us = time_us(value);
        else if (strcmp(option, "--ideal-step") == 0)
            q.ideal_s = strtod(value, NULL);
        else if (strcmp(option, "--exclude") == 0 && comma != NULL && q.spans < 8)
            q.excluded[q.spans++] = (struct library_span){time_us(value), time_us(comma + 1)};
        else if (strcmp(option, "--window") == 0)
            for (const char *at = value; at != NULL && q.windows < 8; at = strchr(at, ','), at = at ? at + 1 : NULL)
                q.windows_s[q.windows++] = strtoll(at, NULL, 10);
    }
    if (q.to_us == INT64_MIN)
        q.to_us = q.at_us;
    return q;
}

static void compare_intervals(const char *name, const struct library_log *log, const struct query *q,
                              const json_t *expected) {
    struct library_answer answer;
    size_t n = 0;
    if (q->from_us != INT64_MIN) {
        library_interval(log, q->from_us, q->to_us, q->is_elastic, &answer);
        same_answer(name, log, &answer, json_array_get(expected, n++));
        library_answer_done(&answer);
    }
    for (int i = 0; i < q->windows; i++) {
        library_interval(log, q->at_us - q->windows_s[i] * 1000000, q->at_us, q->is_elastic, &answer);
        same_answer(name, log, &answer, json_array_get(expected, n++));
        library_answer_done(&answer);
    }
    CHECK_INT(json_array_size(expected), n);
}

static void compare(const char *name, const struct library_log *log, const json_t *file) {
    const json_t *expected = json_object_get(file, "library");
    struct query q = query_of(json_object_get(file, "arguments"), log);
    struct library_answer answer;
    struct library_deviation deviation;
    library_cumulative(log, q.at_us, q.is_elastic, &answer);
    same_answer(name, log, &answer, expected);
    library_answer_done(&answer);
    library_step_deviation(log, q.ideal_s, &deviation);
    same_deviation(name, &deviation, json_object_get(expected, "step_deviation"));
    library_deviation_done(&deviation);
    compare_intervals(name, log, &q, json_object_get(expected, "intervals"));
    if (q.spans == 0)
        return;
    const json_t *excluded = json_object_get(expected, "with_exclusions");
    library_with_exclusions(log, q.at_us, q.excluded, (size_t)q.spans, q.ideal_s, q.is_elastic, &answer, &deviation);
    same_answer(name, log, &answer, excluded);
    same_deviation(name, &deviation, json_object_get(excluded, "step_deviation"));
    library_answer_done(&answer);
    library_deviation_done(&deviation);
}

TEST(the_real_librarys_answers) {
    DIR *folder = opendir(DATA);
    int logs = 0;
    REQUIRE(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t size = strlen(entry->d_name), bytes = 0;
        if (size < 6 || strcmp(entry->d_name + size - 6, ".jsonl") != 0)
            continue;
        CLEANUP_FREE char *path = mem_format(DATA "%s", entry->d_name);
        CLEANUP_FREE char *text = harness_read_file(path, &bytes);
        path[strlen(path) - 1] = '\0';
        json_t *file = json_load_file(path, 0, NULL);
        struct library_log log;
        library_log_init(&log);
        CHECK(file != NULL && text != NULL);
        library_log_read(&log, (struct slice){text, bytes});
        CHECK_INT(log.refused, 0);
        compare(entry->d_name, &log, file);
        library_log_done(&log);
        json_decref(file);
        logs++;
    }
    closedir(folder);
    CHECK(logs >= 30);
}

TEST(repr_is_pythons) {
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0.0"},
                 {-0.0, "-0.0"},
                 {1, "1.0"},
                 {0.1, "0.1"},
                 {1e16, "1e+16"},
                 {1e15, "1000000000000000.0"},
                 {1e-5, "1e-05"},
                 {0.0001, "0.0001"},
                 {1.0 / 3, "0.3333333333333333"},
                 {2.0 / 3 * 100, "66.66666666666666"},
                 {1795223940.885915, "1795223940.885915"},
                 {5e-324, "5e-324"},
                 {123456789012345680.0, "1.2345678901234568e+17"}};
    char out[LIBRARY_REPR_SIZE];
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        CHECK_TEXT(library_repr(out, cases[i].value), cases[i].text);
}

/* Every truncation of a log is read but for its last line, which is refused by its number. */
TEST(a_log_cut_anywhere) {
    static const char text[] = "{\"job_name\": \"j\", \"job_start_time\": 10.5}\n"
                               "{\"job_name\": \"j\", \"step_count\": 0, \"step_start_time\": 11.5}\n"
                               "{\"job_name\": \"j\", \"step_count\": 1, \"step_start_time\": 12.5}\n"
                               "{\"job_name\": \"j\", \"step_count\": 2, \"step_start_time\": 13.5}\n";
    for (size_t size = 0; size < sizeof text; size++) {
        struct library_log log;
        struct library_answer answer;
        CLEANUP_FREE char *cut = mem_strndup(text, size);
        library_log_init(&log);
        library_log_read(&log, (struct slice){cut, size});
        CHECK(log.refused <= 1 && (log.refused == 0 || log.refused_line == log.lines));
        library_cumulative(&log, 20000000, size % 2, &answer);
        if (size == sizeof text - 1)
            CHECK(answer.productive_s == 2 && answer.total_s == 9.5 && log.step_count == 3);
        library_answer_done(&answer);
        library_log_done(&log);
    }
}
