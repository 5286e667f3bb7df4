#include "steplog/patterns.h"

#include "base/mem.h"
#include "base/rfc3339.h"
#include "steplog/emit.h"
#include "steplog/formats.h"
#include "steplog/regex.h"
#include "steplog/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

/* What a pattern takes as any format does, in proportion to the text, ... */
#define UNITS_A_BYTE 2
#define CHEAPER 64        /* ... counts as a 64th */
#define WORK_AT_ONCE 1000 /* less is not reported yet */

struct patterns {
    struct {
        struct regex *regex;
        char *name;
        int64_t work; /* so far */
        enum record_kind kind;
        struct userformat_field fields[USERFORMAT_FIELDS];
        int field_count;
    } items[USERFORMAT_PATTERNS];
    int count;
    int64_t line;      /* the number of the last line */
    size_t line_units; /* that are left for it */
    int64_t work;      /* since it was taken */
};

/* What groups mean where nothing says it. */
static const struct userformat_field usual[] = {{"step", USERFORMAT_STEP, 1},
                                                {"seconds", USERFORMAT_DURATION, 1e3},
                                                {"milliseconds", USERFORMAT_DURATION, 1},
                                                {"time", USERFORMAT_TIME, 0}};

static void free_items(void *state) {
    struct patterns *p = state;
    for (int i = 0; i < p->count; i++) {
        free(p->items[i].name);
        regex_free(p->items[i].regex);
    }
}

static void patterns_free(struct patterns *p) {
    if (p != NULL)
        free_items(p);
    free(p);
}

/* The fields whose groups the pattern has not are left out: of the usual ones any may be missing. */
static int add(struct patterns *p, const char *name, const struct userformat_pattern *given, struct error **err) {
    bool has_fields = given->field_count > 0, has_step = false;
    struct regex *regex = regex_new(name, given->pattern, err);
    if (regex == NULL)
        return -EINVAL;
    p->items[p->count].regex = regex;
    p->items[p->count].name = mem_strdup(name);
    p->items[p->count].kind = given->kind;
    int count = has_fields ? given->field_count : (int)ARRAY_SIZE(usual);
    for (int i = 0; i < count; i++) {
        const struct userformat_field *f = has_fields ? &given->fields[i] : &usual[i];
        bool is_there = regex_has_group(regex, f->group);
        if (is_there)
            p->items[p->count].fields[p->items[p->count].field_count++] = *f;
        else if (has_fields) {
            p->count++;
            return error_set(err, EINVAL, "%s has no group named %s", name, f->group);
        }
        has_step |= is_there && f->meaning == USERFORMAT_STEP;
    }
    p->count++;
    if (given->kind == RECORD_STEP_END && !has_step)
        return error_set(err, EINVAL, "%s has no group named step, for example 'step=(?<step>[0-9]+)'", name);
    return 0;
}

static struct patterns *patterns_new(const struct userformat *format, const char *prefix, struct error **err) {
    struct patterns *p = mem_new(struct patterns);
    for (int i = 0; i < format->count; i++) {
        CLEANUP_FREE char *name = mem_format("%s%s", prefix, format->patterns[i].name);
        if (add(p, name, &format->patterns[i], err) < 0) {
            patterns_free(p);
            return NULL;
        }
    }
    return p;
}

/* ---- a line ---- */

static bool read_field(const struct userformat_field *f, struct slice value, struct record *r) {
    double number;
    int64_t *to = f->meaning == USERFORMAT_DURATION ? &r->duration_ms : &r->at_ms;
    if (f->meaning == USERFORMAT_STEP)
        return take_step(&value, &r->step) && value.size_bytes == 0;
    if (f->meaning == USERFORMAT_THROUGHPUT)
        to = &r->tflops_milli;
    if (f->scale == 0)
        rfc3339_parse_ms(value, &r->at_ms);
    else if (f->meaning == USERFORMAT_DURATION && f->scale == 1e3)
        take_duration_ms(&value, &r->duration_ms);
    else if (f->meaning == USERFORMAT_DURATION && f->scale == 1)
        take_milliseconds(&value, &r->duration_ms);
    else if (slice_take_double(&value, &number) && number >= 0 && number * f->scale < 4e12)
        *to = llround(number * f->scale);
    return true;
}

/* The groups' values; false if the step is not a step. Other unreadable values are left out. */
static bool read_groups(const struct patterns *p, int item, struct record *r) {
    for (int i = 0; i < p->items[item].field_count; i++) {
        const struct userformat_field *f = &p->items[item].fields[i];
        struct slice value;
        if (regex_group(p->items[item].regex, f->group, &value) && !read_field(f, value, r))
            return false;
    }
    if (r->duration_ms > STEPLOG_MAX_DURATION_MS)
        r->duration_ms = RECORD_NONE;
    if (p->items[item].kind != RECORD_STEP_END)
        r->tflops_milli = RECORD_NONE;
    return p->items[item].kind != RECORD_STEP_END || r->step != RECORD_NONE;
}

static void emit(struct steplog *s, struct record r) {
    if (r.kind == RECORD_STEP_END && s->is_saving && !steplog_emit_save_end(s, &r, STEPLOG_REGEX)) {
        /* Training continues: the save is written in the background, and the time until its end is not blocked. */
        struct record again = steplog_record(s, RECORD_SAVE_START);
        again.at_ms = r.at_ms;
        again.is_async = true;
        steplog_emit(s, &again, STEPLOG_REGEX);
    }
    bool is_of_saves = r.kind == RECORD_STEP_END || r.kind == RECORD_SAVE_START || r.kind == RECORD_SAVE_DURABLE ||
                       r.kind == RECORD_RESTORE_END;
    bool is_other = r.kind == RECORD_SAVE_DURABLE && s->is_saving && r.step != RECORD_NONE && r.step != s->saving_step;
    if (is_of_saves && !is_other) {
        s->is_saving = r.kind == RECORD_SAVE_START;
        s->save_started_ms = s->is_saving ? r.at_ms : TIME_UNKNOWN;
        if (s->is_saving)
            s->saving_step = r.step;
    }
    if (r.kind == RECORD_STEP_END)
        steplog_emit_step(s, r, RECORD_NONE, STEPLOG_REGEX);
    else
        steplog_emit(s, &r, STEPLOG_REGEX);
}

/* One pattern on one text, charged. */
static enum regex_result match_one(struct patterns *p, int item, struct slice text) {
    struct regex *regex = p->items[item].regex;
    enum regex_result found = regex_match(regex, text, p->line_units);
    size_t units = regex_units(regex), cheap = UNITS_A_BYTE * text.size_bytes;
    p->line_units -= units < p->line_units ? units : p->line_units;
    cheap = cheap < units ? cheap : units;
    int64_t work = (int64_t)(units - cheap + cheap / CHEAPER);
    p->items[item].work += work;
    p->work += work;
    return found;
}

/* The first pattern that matches: its number; -1: none does. LINE_MALFORMED: it cannot be read. */
static int match(struct patterns *p, struct slice text, struct record *r, enum line_result *result) {
    const struct record fresh = *r;
    for (int i = 0; i < p->count; i++) {
        enum regex_result found = match_one(p, i, text);
        if (found == REGEX_NO)
            continue;
        *r = fresh;
        r->kind = p->items[i].kind;
        *result = found == REGEX_YES && read_groups(p, i, r) ? LINE_TAKEN : LINE_MALFORMED;
        return i;
    }
    *result = LINE_NOT_MINE;
    return -1;
}

static enum line_result read_line(struct steplog *s, struct slice text) {
    struct patterns *p = s->state;
    enum line_result result;
    struct record r = steplog_record(s, RECORD_STEP_END);
    if (p->line != s->counts.lines)
        p->line_units = REGEX_LINE_UNITS;
    p->line = s->counts.lines;
    if (p->line_units == 0)
        return LINE_MALFORMED; /* another piece of the line took all */
    match(p, text, &r, &result);
    if (result == LINE_TAKEN)
        emit(s, r);
    return result;
}

static const struct format user_patterns = {.id = STEPLOG_REGEX, .line = read_line, .state_free = free_items};

static struct patterns *patterns_of(const struct steplog *s) {
    return s->own == &user_patterns ? s->own_state : NULL;
}

/* ---- parsers ---- */

static struct steplog *steplog_of(struct patterns *p, void (*on_record)(void *context, const struct record *r),
                                  void *context) {
    if (p == NULL)
        return NULL;
    struct steplog *s = steplog_new_table(steplog_formats, STEPLOG_REGEX, NULL, on_record, context);
    s->own = &user_patterns;
    s->own_state = p;
    return s;
}

struct steplog *steplog_new_regex(const struct steplog_patterns *given,
                                  void (*on_record)(void *context, const struct record *r), void *context,
                                  struct error **err) {
    const struct {
        const char *name, *text;
        enum record_kind kind;
    } all[] = {{"step", given->step, RECORD_STEP_END},
               {"checkpointStart", given->checkpoint_start, RECORD_SAVE_START},
               {"checkpointSaved", given->checkpoint_saved, RECORD_SAVE_DURABLE},
               {"checkpointRestored", given->checkpoint_restored, RECORD_RESTORE_END}};
    CLEANUP_FREE struct userformat *format = mem_new(struct userformat);
    if (given->step == NULL) {
        error_set(err, EINVAL, "format Regex needs regex.step");
        return NULL;
    }
    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        struct userformat_pattern *p = &format->patterns[format->count];
        if (all[i].text == NULL)
            continue;
        p->pattern = (char *)all[i].text; /* borrowed */
        p->kind = all[i].kind;
        snprintf(p->name, sizeof p->name, "%s", all[i].name);
        format->count++;
    }
    return steplog_of(patterns_new(format, "regex.", err), on_record, context);
}

struct steplog *steplog_new_user(const struct userformat *f, void (*on_record)(void *context, const struct record *r),
                                 void *context, struct error **err) {
    return steplog_of(patterns_new(f, "pattern ", err), on_record, context);
}

int steplog_change_user(struct steplog *s, const struct userformat *f, struct error **err) {
    struct patterns *p = patterns_new(f, "pattern ", err);
    if (p == NULL)
        return -EINVAL;
    patterns_free(s->own_state);
    s->own_state = p;
    return 0;
}

/* ---- what they cost ---- */

int64_t steplog_take_work(struct steplog *s) {
    struct patterns *p = patterns_of(s);
    if (p == NULL || p->work < WORK_AT_ONCE)
        return 0;
    int64_t work = p->work;
    p->work = 0;
    return work;
}

const char *steplog_costly_pattern(const struct steplog *s) {
    const struct patterns *p = patterns_of(s);
    int costly = 0;
    for (int i = 1; p != NULL && i < p->count; i++)
        if (p->items[i].work > p->items[costly].work)
            costly = i;
    return p != NULL && p->count > 0 ? p->items[costly].name : NULL;
}

const char *steplog_disabled_pattern(const struct steplog *s) {
    const struct patterns *p = patterns_of(s);
    for (int i = 0; p != NULL && i < p->count; i++)
        if (regex_is_disabled(p->items[i].regex))
            return p->items[i].name;
    return NULL;
}

/* ---- examples ---- */

static int differs(const char *pattern, int number, const char *what, int64_t found, int64_t expected,
                   struct error **err) {
    if (expected == RECORD_NONE || found == expected)
        return 0;
    if (found == RECORD_NONE || found == TIME_UNKNOWN)
        return error_set(err, EINVAL, "pattern \"%s\", example %d: no %s is found, expected %lld", pattern, number,
                         what, (long long)expected);
    return error_set(err, EINVAL, "pattern \"%s\", example %d: %s is %lld, expected %lld", pattern, number, what,
                     (long long)found, (long long)expected);
}

static int check_example(const struct userformat *f, struct patterns *p, int item, int example, struct error **err) {
    const struct userformat_example *e = &f->patterns[item].examples[example];
    const char *name = f->patterns[item].name;
    struct record r = RECORD_INIT;
    enum line_result result;
    p->line_units = REGEX_LINE_UNITS;
    int found = match(p, slice_of(e->line), &r, &result);
    if (found < 0)
        return error_set(err, EINVAL, "pattern \"%s\", example %d: no pattern matches the line", name, example + 1);
    if (found != item)
        return error_set(err, EINVAL, "pattern \"%s\", example %d: pattern \"%s\", which comes first, has the line",
                         name, example + 1, f->patterns[found].name);
    if (result != LINE_TAKEN)
        return error_set(err, EINVAL, "pattern \"%s\", example %d: the step cannot be read, or it takes too long", name,
                         example + 1);
    int failed = differs(name, example + 1, "step", r.step, e->step, err);
    failed = failed < 0 ? failed : differs(name, example + 1, "milliseconds", r.duration_ms, e->duration_ms, err);
    failed = failed < 0 ? failed : differs(name, example + 1, "time (ms since 1970)", r.at_ms, e->time_ms, err);
    return failed < 0
               ? failed
               : differs(name, example + 1, "tflopsPerDevice (thousandths)", r.tflops_milli, e->tflops_milli, err);
}

int userformat_check(const struct userformat *f, struct error **err) {
    struct patterns *p = patterns_new(f, "pattern ", err);
    int r = p == NULL ? -EINVAL : 0;
    for (int i = 0; i < f->count && r == 0; i++)
        for (int k = 0; k < f->patterns[i].example_count && r == 0; k++)
            r = check_example(f, p, i, k, err);
    patterns_free(p);
    return r;
}
