#include "steplog/patterns.h"

#include "base/mem.h"
#include "steplog/formats.h"
#include "steplog/pattern_set.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WORK_AT_ONCE 1000 /* less is not reported yet */

static void free_state(void *state) {
    pattern_set_clear(state);
}

static enum line_result read_line(struct steplog *s, struct slice text) {
    return pattern_set_line(s, s->state, text, PATTERN_SET_ALL);
}

static const struct format user_patterns = {.id = STEPLOG_REGEX, .line = read_line, .state_free = free_state};

static struct pattern_set *patterns_of(const struct steplog *s) {
    return s->own == &user_patterns ? s->own_state : NULL;
}

/* ---- parsers ---- */

static struct steplog *steplog_of(struct pattern_set *p, void (*on_record)(void *context, const struct record *r),
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
    return steplog_of(pattern_set_new(format, "regex.", err), on_record, context);
}

struct steplog *steplog_new_user(const struct userformat *f, void (*on_record)(void *context, const struct record *r),
                                 void *context, struct error **err) {
    return steplog_of(pattern_set_new(f, "pattern ", err), on_record, context);
}

int steplog_change_user(struct steplog *s, const struct userformat *f, struct error **err) {
    struct pattern_set *p = pattern_set_new(f, "pattern ", err);
    if (p == NULL)
        return -EINVAL;
    pattern_set_free(s->own_state);
    s->own_state = p;
    return 0;
}

/* ---- what they cost ---- */

int64_t steplog_take_work(struct steplog *s) {
    struct pattern_set *p = patterns_of(s);
    if (p == NULL || p->work < WORK_AT_ONCE)
        return 0;
    int64_t work = p->work;
    p->work = 0;
    return work;
}

const char *steplog_costly_pattern(const struct steplog *s) {
    const struct pattern_set *p = patterns_of(s);
    int costly = 0;
    for (int i = 1; p != NULL && i < p->count; i++)
        if (p->items[i].work > p->items[costly].work)
            costly = i;
    return p != NULL && p->count > 0 ? p->items[costly].name : NULL;
}

const char *steplog_disabled_pattern(const struct steplog *s) {
    const struct pattern_set *p = patterns_of(s);
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

/* A phase's pattern is tried on any line of a step, and on those that no other pattern has. */
static int check_phase(const struct userformat_pattern *pattern, struct pattern_set *p, int item, int example,
                       struct error **err) {
    const struct userformat_example *e = &pattern->examples[example];
    struct record r = RECORD_INIT;
    int number = 0;
    if (!pattern_set_next_phase(p, item, slice_of(e->line), &number, &r))
        return error_set(err, EINVAL, "pattern \"%s\", example %d: no phase is found", pattern->name, example + 1);
    if (e->name[0] != '\0' && strcmp(e->name, r.name) != 0)
        return error_set(err, EINVAL, "pattern \"%s\", example %d: name is %s, expected %s", pattern->name, example + 1,
                         r.name, e->name);
    return differs(pattern->name, example + 1, "milliseconds", r.duration_ms, e->duration_ms, err);
}

static int check_example(const struct userformat *f, struct pattern_set *p, int item, int example, struct error **err) {
    const struct userformat_example *e = &f->patterns[item].examples[example];
    const char *name = f->patterns[item].name;
    struct record r = RECORD_INIT;
    enum line_result result;
    p->line_units = REGEX_LINE_UNITS;
    if (f->patterns[item].kind == RECORD_PHASE)
        return check_phase(&f->patterns[item], p, item, example, err);
    int found = pattern_set_match(p, slice_of(e->line), PATTERN_SET_ALL, &r, &result);
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
    struct pattern_set *p = pattern_set_new(f, "pattern ", err);
    int r = p == NULL ? -EINVAL : 0;
    for (int i = 0; i < f->count && r == 0; i++)
        for (int k = 0; k < f->patterns[i].example_count && r == 0; k++)
            r = check_example(f, p, i, k, err);
    pattern_set_free(p);
    return r;
}
