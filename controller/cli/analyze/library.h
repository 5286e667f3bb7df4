/* library: the Python library's answers for the logs. */
#ifndef CLI_ANALYZE_LIBRARY_H
#define CLI_ANALYZE_LIBRARY_H

#include "base/error.h"
#include "cli/analyze/options.h"
#include "library/reader.h"

#include <jansson.h>

/* The Python library's numbers as one JSON object. log: the records of all files. */
int analyze_library(const struct analyze *a, const struct library_log *log, struct buf *json, struct error **err);
void analyze_library_draw(const json_t *answer, const struct text_style *style, struct buf *out);

#endif
