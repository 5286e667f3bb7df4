#include "steplog/pattern_set.h"

#include "base/mem.h"
#include "base/rfc3339.h"
#include "steplog/emit.h"
#include "steplog/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a pattern takes as any format does, in proportion to the text, ... */
#define UNITS_A_BYTE 2
#define CHEAPER 64    /* ... counts as a 64th */
#define MAX_PHASES 32 /* of one line, by one pattern */

/* What groups mean where nothing says it. */
static const struct userformat_field usual[] = {{"step", USERFORMAT_STEP, 1},
                                                {"seconds", USERFORMAT_DURATION, 1e3},
                                                {"milliseconds", USERFORMAT_DURATION, 1},
                                                {"time", USERFORMAT_TIME, 0},
                                                {"name", USERFORMAT_NAME, 1}};

static bool is_step(enum record_kind kind) {
    return kind == RECORD_STEP_END || kind == RECORD_STEP_START;
}

void pattern_set_clear(struct pattern_set *p) {
    for (int i = 0; i < p->count; i++) {
        free(p->items[i].name);
        regex_free(p->items[i].regex);
    }
}

void pattern_set_free(struct pattern_set *p) {
    if (p != NULL)
        pattern_set_clear(p);
    free(p);
}

/* The fields whose groups the pattern has not are left out: of the usual ones any may be missing. */
static int add(struct pattern_set *p, const char *name, const struct userformat_pattern *given, struct error **err) {
    bool has_fields = given->field_count > 0, has_step = false, has_name = false, has_duration = false;
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
        has_step |= is_there && (f->meaning == USERFORMAT_STEP || f->meaning == USERFORMAT_NEXT_STEP);
        has_name |= is_there && f->meaning == USERFORMAT_NAME;
        has_duration |= is_there && f->meaning == USERFORMAT_DURATION;
    }
    p->count++;
    if (is_step(given->kind) && !has_step)
        return error_set(err, EINVAL, "%s has no group named step, for example 'step=(?<step>[0-9]+)'", name);
    if (given->kind == RECORD_PHASE && !(has_name && has_duration))
        return error_set(err, EINVAL,
                         "%s needs the groups name and seconds, for example '(?<name>\\w+)_time=(?<seconds>[0-9.]+)'",
                         name);
    return 0;
}

struct pattern_set *pattern_set_new(const struct userformat *format, const char *prefix, struct error **err) {
    struct pattern_set *p = mem_new(struct pattern_set);
    for (int i = 0; i < format->count; i++) {
        CLEANUP_FREE char *name = mem_format("%s%s", prefix, format->patterns[i].name);
        if (add(p, name, &format->patterns[i], err) < 0) {
            pattern_set_free(p);
            return NULL;
        }
    }
    return p;
}

/* ---- a line ---- */

/* What is not printable ASCII becomes an underscore. */
static void read_name(struct slice value, char name[static RECORD_NAME_SIZE]) {
    slice_copy(name, RECORD_NAME_SIZE, value);
    for (char *c = name; *c != '\0'; c++)
        if (*c <= ' ' || *c > '~')
            *c = '_';
}

static bool read_field(struct pattern_set *p, const struct userformat_field *f, struct slice value, struct record *r) {
    double number;
    int64_t *const to_all[] = {[USERFORMAT_STEP] = &r->step,
                               [USERFORMAT_NEXT_STEP] = &r->step,
                               [USERFORMAT_DURATION] = &r->duration_ms,
                               [USERFORMAT_TIME] = &r->at_ms,
                               [USERFORMAT_THROUGHPUT] = &r->tflops_milli,
                               [USERFORMAT_EVALUATION] = &p->after.evaluation_ms,
                               [USERFORMAT_SAVE] = &p->after.save_ms};
    if (f->meaning == USERFORMAT_NAME) {
        read_name(value, r->name);
        return true;
    }
    int64_t *to = to_all[f->meaning];
    bool is_duration = f->meaning != USERFORMAT_TIME && f->meaning != USERFORMAT_THROUGHPUT;
    if (to == &r->step) {
        bool is_read = take_short_step(&value, to) && value.size_bytes == 0;
        if (is_read && f->meaning == USERFORMAT_NEXT_STEP) /* before step 0 there is none */
            *to = *to > 0 ? *to - 1 : RECORD_NONE;
        return is_read;
    }
    if (f->scale == 0)
        rfc3339_parse_ms(value, to);
    else if (is_duration && f->scale == 1e3)
        take_duration_ms(&value, to);
    else if (is_duration && f->scale == 1)
        take_milliseconds(&value, to);
    else if (slice_take_double(&value, &number) && number >= 0 && number * f->scale < 4e12)
        *to = llround(number * f->scale);
    return true;
}

/* The groups' values; false if the step is not a step. Other unreadable values are left out. */
static bool read_groups(struct pattern_set *p, int item, struct record *r) {
    p->after.evaluation_ms = p->after.save_ms = RECORD_NONE;
    for (int i = 0; i < p->items[item].field_count; i++) {
        const struct userformat_field *f = &p->items[item].fields[i];
        struct slice value;
        if (regex_group(p->items[item].regex, f->group, &value) && !read_field(p, f, value, r))
            return false;
    }
    if (r->duration_ms > STEPLOG_MAX_DURATION_MS)
        r->duration_ms = RECORD_NONE;
    if (p->items[item].kind != RECORD_STEP_END)
        r->tflops_milli = RECORD_NONE;
    if (p->items[item].kind != RECORD_PHASE)
        memset(r->name, 0, sizeof r->name);
    return !is_step(p->items[item].kind) || r->step != RECORD_NONE;
}

/* How long an evaluation took, where its format has no line for its start: since the step before it. */
static void emit_evaluation_end(struct steplog *s, struct record r) {
    if (!s->is_evaluating && r.duration_ms == RECORD_NONE)
        steplog_emit_evaluation_end(s, r, r.step != RECORD_NONE ? r.step : s->last_step, STEPLOG_REGEX);
    else
        steplog_emit(s, &r, STEPLOG_REGEX);
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
        steplog_emit_step(s, r, r.duration_ms != RECORD_NONE ? r.duration_ms * 1000 : RECORD_NONE, STEPLOG_REGEX);
    else if (r.kind == RECORD_EVALUATION_END)
        emit_evaluation_end(s, r);
    else
        steplog_emit(s, &r, STEPLOG_REGEX);
    if (r.kind == RECORD_STEP_END || r.kind == RECORD_EVALUATION_START || r.kind == RECORD_EVALUATION_END)
        s->is_evaluating = r.kind == RECORD_EVALUATION_START;
}

/* What came between a step and its line, an evaluation and then a save, ends with the line. */
static void emit_line(struct steplog *s, const struct pattern_set *p, struct record r) {
    int64_t evaluation_ms = p->after.evaluation_ms > 0 ? p->after.evaluation_ms : 0;
    int64_t save_ms = p->after.save_ms > 0 ? p->after.save_ms : 0;
    if (r.kind != RECORD_STEP_END || r.at_ms == TIME_UNKNOWN || evaluation_ms + save_ms == 0) {
        emit(s, r);
        return;
    }
    struct record later = steplog_record(s, RECORD_EVALUATION_END);
    later.at_ms = r.at_ms - save_ms;
    later.duration_ms = evaluation_ms;
    r.at_ms -= evaluation_ms + save_ms;
    emit(s, r);
    if (evaluation_ms > 0)
        emit(s, later);
    later.kind = RECORD_SAVE_BLOCKED;
    later.at_ms += save_ms;
    later.step = r.step;
    later.duration_ms = save_ms;
    if (save_ms > 0)
        emit(s, later);
}

/* One pattern on one text, or for its next match, charged. */
static enum regex_result match_one(struct pattern_set *p, int item, struct slice text, bool is_next) {
    struct regex *regex = p->items[item].regex;
    enum regex_result found =
        is_next ? regex_match_next(regex, p->line_units) : regex_match(regex, text, p->line_units);
    size_t units = regex_units(regex), cheap = UNITS_A_BYTE * text.size_bytes;
    p->line_units -= units < p->line_units ? units : p->line_units;
    cheap = cheap < units ? cheap : units;
    int64_t work = (int64_t)(units - cheap + cheap / CHEAPER);
    p->items[item].work += work;
    p->work += work;
    return found;
}

int pattern_set_match(struct pattern_set *p, struct slice text, uint32_t patterns, struct record *r,
                      enum line_result *result) {
    const struct record fresh = *r;
    for (int i = 0; i < p->count; i++) {
        if (p->items[i].kind == RECORD_PHASE || (patterns >> i & 1) == 0)
            continue;
        enum regex_result found = match_one(p, i, text, false);
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

bool pattern_set_next_phase(struct pattern_set *p, int item, struct slice text, int *number, struct record *r) {
    const struct record fresh = *r;
    while (*number < MAX_PHASES && p->line_units > 0 && match_one(p, item, text, *number > 0) == REGEX_YES) {
        *r = fresh;
        r->kind = RECORD_PHASE;
        read_groups(p, item, r);
        r->active = (*number)++;
        if (r->name[0] != '\0' && r->duration_ms != RECORD_NONE)
            return true;
    }
    return false;
}

/* The phases of the step that the line reports, or of the last one (step RECORD_NONE). */
static bool emit_phases(struct steplog *s, struct pattern_set *p, struct slice text, uint32_t patterns, int64_t step) {
    bool has_any = false;
    int64_t before = 0; /* of other patterns */
    for (int i = 0; i < p->count; i++) {
        struct record r = steplog_record(s, RECORD_PHASE);
        bool is_phase = p->items[i].kind == RECORD_PHASE && (patterns >> i & 1) != 0;
        for (int number = 0; is_phase && pattern_set_next_phase(p, i, text, &number, &r);
             r = steplog_record(s, RECORD_PHASE)) {
            r.step = step;
            r.active += before;
            steplog_emit_phase(s, &r);
            has_any = true;
        }
        before += MAX_PHASES;
    }
    return has_any;
}

enum line_result pattern_set_line(struct steplog *s, struct pattern_set *p, struct slice text, uint32_t patterns) {
    enum line_result result;
    const int64_t steps = s->counts.steps;
    struct record r = steplog_record(s, RECORD_STEP_END);
    if (p->line != s->counts.lines)
        p->line_units = REGEX_LINE_UNITS;
    p->line = s->counts.lines;
    if (p->line_units == 0)
        return LINE_MALFORMED; /* another piece of the line took all */
    pattern_set_match(p, text, patterns, &r, &result);
    if (result == LINE_TAKEN)
        emit_line(s, p, r);
    if (s->counts.steps > steps)
        emit_phases(s, p, text, patterns, r.step);
    else if (result == LINE_NOT_MINE && steps > 0 && emit_phases(s, p, text, patterns, RECORD_NONE))
        return LINE_TAKEN;
    return result;
}
