/* analyze: what a job's step logs say, without a cluster: by our ledger, by the Python library's arithmetic, or both.
 * Several files are the attempts of one job, in time order. Each part writes JSON or draws into a buffer. */
#ifndef CLI_ANALYZE_H
#define CLI_ANALYZE_H

#include "base/error.h"
#include "cli/text.h"
#include "ledger/ledger.h"
#include "library/library.h"
#include "steplog/steplog.h"

#include <jansson.h>

#define ANALYZE_MAX_SPANS 64
#define ANALYZE_NO_TIME INT64_MIN

enum analyze_definition { ANALYZE_LEDGER, ANALYZE_LIBRARY, ANALYZE_BOTH };

struct analyze_file {
    const char *path; /* borrowed */
    char *bytes;
    size_t size_bytes;
    bool is_mapped;
};

struct analyze {
    enum analyze_definition definition;
    enum steplog_format format;
    const char *output; /* "table", "json", "yaml" */
    int64_t at_us, from_us, to_us;
    int64_t windows_s[LEDGER_MAX_WINDOWS];
    int window_count;
    double ideal_s; /* NAN: not given */
    struct library_span excluded[ANALYZE_MAX_SPANS];
    int excluded_count;
    bool wants_deviation, is_elastic, wants_help;
    struct text_style style;
    struct analyze_file *files;
    size_t file_count;
};

/* kubectl goodput analyze ...; argv[0] is "analyze". The exit code. */
int cli_analyze(int argc, char **argv, const struct text_style *style);

/* Fills *a from the arguments (files are not read yet). */
int analyze_parse(struct analyze *a, int argc, char **argv, struct error **err);
void analyze_done(struct analyze *a);

/* The Python library's numbers as one JSON object (DESIGN.md section 4). */
int analyze_library(const struct analyze *a, struct buf *json, struct error **err);
void analyze_library_draw(const json_t *answer, const struct text_style *style, struct buf *out);
/* Our ledger's as the status of a JobGoodput. */
int analyze_ledger(const struct analyze *a, struct buf *json, struct error **err);

#endif
