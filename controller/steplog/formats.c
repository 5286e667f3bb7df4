#include "steplog/formats.h"

#include <string.h>

const struct format steplog_formats[] = {
    {STEPLOG_RECORDER, true, recorder_line}, /* beside: it reads Orbax's statistics too */
    {STEPLOG_MAXTEXT, false, maxtext_line},  {STEPLOG_AUTO, true, orbax_line},
    {STEPLOG_AUTO, true, jax_line},          {STEPLOG_AUTO, true, NULL},
};

static const char *const names[] = {
#define X(id, name) [STEPLOG_##id] = name,
    STEPLOG_FORMATS(X)
#undef X
};

const char *steplog_format_name(enum steplog_format format) {
    return (unsigned)format < STEPLOG_FORMAT_COUNT ? names[format] : "?";
}

int steplog_format_of_name(struct slice name) {
    for (int i = 0; i < STEPLOG_FORMAT_COUNT; i++)
        if (slice_is(name, names[i]))
            return i;
    return -1;
}

bool steplog_format_is_supported(enum steplog_format format) {
    if (format == STEPLOG_AUTO)
        return true;
    for (const struct format *f = steplog_formats; f->line != NULL; f++)
        if (f->id == format)
            return true;
    return false;
}

bool text_after(struct slice text, const char *words, struct slice *rest) {
    const char *at = slice_find(text, words);
    if (at == NULL)
        return false;
    *rest = slice_range(at + strlen(words), text.data + text.size_bytes);
    return true;
}

bool take_step(struct slice *s, int64_t *step) {
    struct slice rest = *s;
    int64_t found;
    if (!slice_take_uint(&rest, &found) || found > STEPLOG_MAX_STEP)
        return false;
    *step = found;
    *s = rest;
    return true;
}

bool take_duration_ms(struct slice *s, int64_t *ms) {
    struct slice rest = *s;
    int64_t found;
    if (!slice_take_scaled(&rest, 3, &found) || found < 0 || found > STEPLOG_MAX_DURATION_MS)
        return false;
    *ms = found;
    *s = rest;
    return true;
}

int64_t step_of_path(struct slice path) {
    const char *end = path.data + path.size_bytes;
    for (const char *p = end; p != path.data; end = p) {
        p = end;
        while (p != path.data && p[-1] != '/')
            p--;
        struct slice component = slice_range(p, end);
        int64_t step;
        if (take_step(&component, &step) && (component.size_bytes == 0 || slice_is(component, ".")))
            return step;
        if (p != path.data)
            p--; /* the slash */
    }
    return RECORD_NONE;
}
