/* analyze: what a job's step logs say, without a cluster: by our ledger, by the Python library's arithmetic, or both.
 * Several files are the attempts of one job, in time order. Each part writes JSON or draws into a buffer. */
#ifndef CLI_ANALYZE_H
#define CLI_ANALYZE_H

#include "base/error.h"
#include "cli/analyze_cloud.h"
#include "cli/text.h"
#include "ledger/ledger.h"
#include "library/library.h"
#include "steplog/userformat.h"

#include <jansson.h>

#define ANALYZE_MAX_SPANS 64
#define ANALYZE_NO_TIME INT64_MIN

enum analyze_definition { ANALYZE_LEDGER, ANALYZE_LIBRARY, ANALYZE_BOTH };

struct analyze {
    enum analyze_definition definition;
    enum steplog_format format, recognised; /* as asked for; that gave the steps */
    const char *output;                     /* "table", "json", "yaml" */
    const char *html;                       /* file for the report; NULL: none */
    int64_t at_us, from_us, to_us;
    int64_t windows_s[LEDGER_MAX_WINDOWS];
    int window_count;
    double ideal_s; /* NAN: not given */
    struct library_span excluded[ANALYZE_MAX_SPANS];
    int excluded_count;
    bool wants_deviation, is_elastic, wants_help;
    struct text_style style;
    struct steplog_patterns patterns; /* format Regex; borrowed */
    struct userformat *user;          /* of --format-file; owned, NULL: none */
    struct analyze_cloud cloud;       /* log NULL: files are read; else its log is the one path */
    char **paths;                     /* owned; "-" is standard input */
    size_t path_count, path_capacity;
};

/* kubectl goodput analyze ...; argv[0] is "analyze". The exit code. */
int cli_analyze(int argc, char **argv, const struct text_style *style);

/* Fills *a from the arguments (files are not read yet); a path that is no file but a glob pattern stands for what it
 * finds. */
int analyze_parse(struct analyze *a, int argc, char **argv, struct error **err);
void analyze_done(struct analyze *a);

/* Sorts the files by their first times. */
int analyze_order(struct analyze *a, struct error **err);

/* The Python library's numbers as one JSON object. log: of all files. */
int analyze_library(const struct analyze *a, const struct library_log *log, struct buf *json, struct error **err);
void analyze_library_draw(const json_t *answer, const struct text_style *style, struct buf *out);
/* Both beside each other: an array of {what, unit, ledger, library, why}; why is "" where they agree. Empty where the
 * library has no result. The caller owns it. */
json_t *analyze_compare(const json_t *status, const json_t *answer);
void analyze_compare_draw(const json_t *differences, const struct text_style *style, struct buf *out);

/* Our ledger's, as the status of a JobGoodput: files are begun, fed and ended in the order of time. */
struct analyze_ledger;
struct analyze_ledger *analyze_ledger_new(const struct analyze *a);
void analyze_ledger_free(struct analyze_ledger *l);
int analyze_ledger_begin(struct analyze_ledger *l, const char *path, struct error **err);
void analyze_ledger_feed(struct analyze_ledger *l, struct slice lines);
/* With --html: operator/job/trace.h. */
void analyze_ledger_trace(const struct analyze_ledger *l, struct buf *json);
/* Lines read of the present file. */
int64_t analyze_ledger_lines(const struct analyze_ledger *l);
void analyze_ledger_end(struct analyze_ledger *l);
enum steplog_format analyze_ledger_format(const struct analyze_ledger *l);
int analyze_ledger_conclude(struct analyze_ledger *l, struct buf *json, struct error **err);
void analyze_ledger_draw(const struct analyze *a, const json_t *status, struct buf *out);
int64_t analyze_best_save_interval_ms(int64_t save_ms, int64_t between_ms);
/* Why it ended, by the last lines of a log (tail: whole lines, the last of which has the number last_line) that come
 * after a line: fills cause, reason and evidence. */
bool analyze_cause_of(const char *name, struct slice tail, int64_t last_line, int64_t after_line, bool is_stamped,
                      struct ledger_disruption *d);
/* The parser of a file; NULL and *err if the patterns of format Regex cannot be used. */
struct steplog *analyze_parser(const struct analyze *a, void (*on_record)(void *context, const struct record *r),
                               void *context, struct error **err);
/* Whether lines begin with a stamp: most of the first ones do, whatever stands before or between them. */
bool analyze_is_stamped(struct slice lines);

#endif
