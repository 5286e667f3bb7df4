/* options: the command line of analyze. */
#ifndef CLI_ANALYZE_OPTIONS_H
#define CLI_ANALYZE_OPTIONS_H

#include "base/error.h"
#include "cli/render/text.h"
#include "ledger/ledger.h"
#include "library/exclusion.h"
#include "steplog/patterns.h"

#include <jansson.h>

#define ANALYZE_MAX_SPANS 64
#define ANALYZE_NO_TIME INT64_MIN

enum analyze_definition { ANALYZE_LEDGER, ANALYZE_LIBRARY, ANALYZE_BOTH };

struct analyze {
    enum analyze_definition definition;
    enum steplog_format format; /* as given */
    const char *recognized;     /* the one that found the steps; NULL: none; borrowed */
    const char *output;         /* "table", "json", "yaml", "jsonl" */
    const char *html;           /* file for the report; NULL: none */
    int64_t at_us, from_us, to_us;
    int64_t windows_s[LEDGER_MAX_WINDOWS];
    int window_count;
    double ideal_s; /* NAN: not given */
    struct library_span excluded[ANALYZE_MAX_SPANS];
    int excluded_count;
    size_t trace_points; /* of each kind in the trace; 0: as many as the page draws, and none without html */
    bool wants_deviation, is_elastic, wants_help;
    bool is_trial; /* of a suggested pattern: what the first reading noted is not noted again */
    struct text_style style;
    struct steplog_patterns patterns; /* format Regex; borrowed */
    struct userformat *user;          /* of --format-file; owned, NULL: none */
    const struct userformat *shipped; /* of --format; NULL: none */
    char **paths;                     /* owned; "-" is standard input */
    size_t path_count, path_capacity;
};

/* Fills *a from the arguments without reading files. A path that is not a file but a glob pattern is expanded. */
int analyze_parse(struct analyze *a, int argc, char **argv, struct error **err);
void analyze_done(struct analyze *a);

#endif
