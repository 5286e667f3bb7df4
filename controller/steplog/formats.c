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
