/* Format Regex: a user's patterns for steps and checkpoints (spec.stepLog.regex of the CRD; tests/steplog/
 * test_regex.c). Each line is tried with each, in the order below; the first that matches has the line. */
#include "base/mem.h"
#include "base/rfc3339.h"
#include "steplog/formats.h"
#include "steplog/regex.h"

#include <errno.h>

enum pattern { PATTERN_STEP, PATTERN_START, PATTERN_SAVED, PATTERN_RESTORED, PATTERN_COUNT };

struct patterns {
    struct regex *regexes[PATTERN_COUNT]; /* NULL: not given */
};

void patterns_free(struct patterns *p) {
    for (int i = 0; p != NULL && i < PATTERN_COUNT; i++)
        regex_free(p->regexes[i]);
    free(p);
}

static struct patterns *patterns_new(const struct steplog_patterns *given, struct error **err) {
    static const char *const names[] = {"regex.step", "regex.checkpointStart", "regex.checkpointSaved",
                                        "regex.checkpointRestored"};
    const char *const texts[] = {given->step, given->checkpoint_start, given->checkpoint_saved,
                                 given->checkpoint_restored};
    if (given->step == NULL) {
        error_set(err, EINVAL, "format Regex needs regex.step");
        return NULL;
    }
    struct patterns *p = mem_new(struct patterns);
    for (int i = 0; i < PATTERN_COUNT; i++)
        if (texts[i] != NULL && (p->regexes[i] = regex_new(names[i], texts[i], err)) == NULL) {
            patterns_free(p);
            return NULL;
        }
    if (!regex_has_group(p->regexes[PATTERN_STEP], "step")) {
        error_set(err, EINVAL, "regex.step has no group named step, for example 'step=(?<step>[0-9]+)'");
        patterns_free(p);
        return NULL;
    }
    return p;
}

struct steplog *steplog_new_regex(const struct steplog_patterns *given,
                                  void (*on_record)(void *context, const struct record *r), void *context,
                                  struct error **err) {
    struct patterns *p = patterns_new(given, err);
    if (p == NULL)
        return NULL;
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, context);
    s->format = STEPLOG_REGEX;
    s->patterns = p;
    return s;
}

/* The groups' values; false if the step is no step. */
static bool read_groups(const struct regex *regex, struct record *r) {
    struct slice value;
    int64_t time_ms;
    if (regex_group(regex, "step", &value) && (!take_step(&value, &r->step) || value.size_bytes != 0))
        return false;
    bool has_duration = (regex_group(regex, "seconds", &value) && take_duration_ms(&value, &r->duration_ms)) ||
                        (regex_group(regex, "milliseconds", &value) && take_milliseconds(&value, &r->duration_ms));
    if (!has_duration)
        r->duration_ms = RECORD_NONE;
    if (regex_group(regex, "time", &value) && rfc3339_parse_ms(value, &time_ms))
        r->at_ms = time_ms;
    return true;
}

static void emit(struct steplog *s, enum pattern pattern, struct record r) {
    static const enum record_kind kinds[] = {RECORD_STEP_END, RECORD_SAVE_START, RECORD_SAVE_DURABLE,
                                             RECORD_RESTORE_END};
    r.kind = kinds[pattern];
    if (pattern == PATTERN_STEP && s->is_saving && !pace_save_end(s, &r, STEPLOG_REGEX)) {
        /* Training goes on: the save is written in the background, and the time until its end is not blocked. */
        struct record again = steplog_record(s, RECORD_SAVE_START);
        again.at_ms = r.at_ms;
        again.is_async = true;
        steplog_emit(s, &again, STEPLOG_REGEX);
    }
    bool is_other = pattern == PATTERN_SAVED && s->is_saving && r.step != RECORD_NONE && r.step != s->saving_step;
    if (!is_other) {
        s->is_saving = pattern == PATTERN_START;
        s->save_started_ms = s->is_saving ? r.at_ms : TIME_UNKNOWN;
        if (s->is_saving)
            s->saving_step = r.step;
    }
    if (pattern == PATTERN_STEP)
        steplog_emit_step(s, r, RECORD_NONE, STEPLOG_REGEX);
    else
        steplog_emit(s, &r, STEPLOG_REGEX);
}

enum line_result patterns_line(struct steplog *s, struct slice text) {
    for (int i = 0; i < PATTERN_COUNT; i++) {
        struct regex *regex = s->patterns->regexes[i];
        enum regex_result result = regex != NULL ? regex_match(regex, text) : REGEX_NO;
        struct record r = steplog_record(s, RECORD_STEP_END);
        if (result == REGEX_NO)
            continue;
        if (result == REGEX_TOO_EXPENSIVE || !read_groups(regex, &r) || (i == PATTERN_STEP && r.step == RECORD_NONE))
            return LINE_MALFORMED;
        emit(s, (enum pattern)i, r);
        return LINE_TAKEN;
    }
    return LINE_NOT_MINE;
}
