/* pattern_set: the patterns of one format, compiled, and how a line that one of them matches becomes records: for a
 * user's patterns (patterns.h) and the shipped formats (shipped.h). Not for use outside steplog/. */
#ifndef STEPLOG_PATTERN_SET_H
#define STEPLOG_PATTERN_SET_H

#include "steplog/parser.h"
#include "steplog/regex.h"
#include "steplog/userformat.h"

struct pattern_set {
    struct {
        struct regex *regex;
        char *name;
        int64_t work; /* so far */
        enum record_kind kind;
        struct userformat_field fields[USERFORMAT_FIELDS];
        int field_count;
    } items[USERFORMAT_PATTERNS];
    int count;
    int64_t line;      /* the number of the last line */
    size_t line_units; /* that are left for it */
    int64_t work;      /* since it was taken */
    struct {
        int64_t evaluation_ms, save_ms; /* RECORD_NONE: none */
    } after;                            /* the step of the last line */
};

/* prefix comes before a pattern's name in errors. NULL and *err if one cannot be compiled or lacks a group. */
struct pattern_set *pattern_set_new(const struct userformat *format, const char *prefix, struct error **err);
void pattern_set_free(struct pattern_set *p);
void pattern_set_clear(struct pattern_set *p); /* all but itself */
#define PATTERN_SET_ALL UINT32_MAX
_Static_assert(USERFORMAT_PATTERNS <= 32, "a bit for each pattern");

/* The first pattern that matches, of those whose bits are set, phases left out: its number; -1: none does.
 * LINE_MALFORMED: it cannot be read. */
int pattern_set_match(struct pattern_set *p, struct slice text, uint32_t patterns, struct record *r,
                      enum line_result *result);
/* Finds the next phase of a text by item `item` of kind RECORD_PHASE; *number: how many the text had before. False:
 * there are no more. */
bool pattern_set_next_phase(struct pattern_set *p, int item, struct slice text, int *number, struct record *r);
/* The same for a line of a log: its record leaves the parser. */
enum line_result pattern_set_line(struct steplog *s, struct pattern_set *p, struct slice text, uint32_t patterns);

#endif
