/* parser: makes the step-log parser that the options select. */
#ifndef CLI_ANALYZE_PARSER_H
#define CLI_ANALYZE_PARSER_H

#include "base/error.h"
#include "cli/analyze/options.h"
#include "steplog/steplog.h"

/* The parser of a file; NULL and *err if the patterns of format Regex cannot be used. */
struct steplog *analyze_parser(const struct analyze *a, void (*on_record)(void *context, const struct record *r),
                               void *context, struct error **err);
/* Whether lines begin with a timestamp: most of the first ones do. */
bool analyze_is_stamped(struct slice lines);

#endif
