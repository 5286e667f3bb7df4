#include "steplog/explain.h"

#include "steplog/formats.h"

#include <stdio.h>

const char *steplog_recognized_name(const struct steplog *s) {
    for (int i = 0; s->formats[i] != NULL; i++) {
        const struct format *f = s->formats[i];
        enum steplog_format id = f == &steplog_shipped ? STEPLOG_REGEX : f->id;
        bool gave_steps = s->states[i] != NULL && id == s->counts.recognized;
        const char *name = f->name_of != NULL && gave_steps ? f->name_of(s->states[i]) : NULL;
        if (name != NULL)
            return name;
    }
    return s->counts.recognized != STEPLOG_AUTO ? steplog_format_name(s->counts.recognized) : "";
}

static void explain_format(const struct steplog *s, int row, char why[static STEPLOG_WHY_BYTES]) {
    const struct format *f = s->formats[row];
    if (s->seen[row].malformed > 0)
        snprintf(why, STEPLOG_WHY_BYTES, "lines that begin like its own cannot be read (%lld)",
                 (long long)s->seen[row].malformed);
    else if (s->seen[row].taken > 0)
        snprintf(why, STEPLOG_WHY_BYTES, "other lines of it were read (%lld), none has \"%s\"",
                 (long long)s->seen[row].taken, f->looks_for);
    else
        snprintf(why, STEPLOG_WHY_BYTES, "no line has \"%s\"", f->looks_for);
}

void steplog_explain(const struct steplog *s, struct steplog_explanation *ret) {
    *ret = (struct steplog_explanation){
        .lines = s->counts.lines, .first_stamp_ms = s->counts.first_stamp_ms, .last_stamp_ms = s->counts.last_stamp_ms};
    for (int i = 0; s->formats[i] != NULL && ret->tried_count < STEPLOG_TRIED; i++) {
        const struct format *f = s->formats[i];
        if (f->looks_for == NULL || !steplog_is_read(s, f))
            continue;
        ret->tried[ret->tried_count].format = f == &steplog_shipped ? "StepLogFormats" : steplog_format_name(f->id);
        explain_format(s, i, ret->tried[ret->tried_count].why);
        ret->tried_count++;
    }
}
