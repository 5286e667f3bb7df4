#include "steplog/formats.h"

#define X(name) extern const struct format steplog_##name;
STEPLOG_TABLE(X)
#undef X

const struct format *const steplog_formats[] = {
#define X(name) &steplog_##name,
    STEPLOG_TABLE(X)
#undef X
        NULL,
};
_Static_assert(sizeof steplog_formats / sizeof steplog_formats[0] <= STEPLOG_ROWS + 1, "STEPLOG_ROWS");

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

int steplog_format_line_lag(enum steplog_format format) {
    return format == STEPLOG_AUTO || format == STEPLOG_REGEX ? -1 : format == STEPLOG_MAXTEXT;
}
