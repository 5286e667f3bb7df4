/* patterns: a user's patterns for steps, checkpoints and more: format Regex (spec.stepLog.regex of the CRD) and those
 * of a StepLogFormat (userformat.h). Each line is tried with each, in order; the first that matches has the line. */
#ifndef STEPLOG_PATTERNS_H
#define STEPLOG_PATTERNS_H

#include "steplog/userformat.h"

/* PCRE2 patterns; NULL: not given. Named groups carry the values: step (required in the first, a whole number), and
 * optionally seconds or milliseconds (how long it took) and time (RFC 3339; else the line's stamp). */
struct steplog_patterns {
    const char *step;                /* a step ended */
    const char *checkpoint_start;    /* a save began */
    const char *checkpoint_saved;    /* it is complete and can be restored */
    const char *checkpoint_restored; /* a restore ended */
};

/* Format Regex. NULL and *err, which names the pattern and the place, if one cannot be used. A line on which a
 * pattern takes too long counts as malformed; steplog_disabled_pattern() names one that does so too often. */
struct steplog *steplog_new_regex(const struct steplog_patterns *patterns,
                                  void (*on_record)(void *context, const struct record *r), void *context,
                                  struct error **err);

/* What its patterns took since the last call, in units of regex_units(), of which those in proportion to the text (two
 * a byte and pattern) count as a 64th; 0 while it is little. One line takes 320,000 units at most, whatever the
 * patterns. */
int64_t steplog_take_work(struct steplog *s);
/* The name of the pattern that took most of it; NULL: it has no patterns. Borrowed. */
const char *steplog_costly_pattern(const struct steplog *s);

/* The name of a pattern that is disabled, because matching it took too long on too many lines; NULL: none is. Borrowed.
 */
const char *steplog_disabled_pattern(const struct steplog *s);

/* A parser of a StepLogFormat. NULL and *err if it cannot be used (examples are not tried). */
struct steplog *steplog_new_user(const struct userformat *f, void (*on_record)(void *context, const struct record *r),
                                 void *context, struct error **err);
/* From the next line on a parser of such a format reads by another one; -EINVAL and nothing changes if that cannot be
 * used. */
int steplog_change_user(struct steplog *s, const struct userformat *f, struct error **err);
/* Whether all patterns compile and have their groups, and each example is taken by its pattern and gives what it must;
 * -EINVAL and a sentence that names pattern and example. */
int userformat_check(const struct userformat *f, struct error **err);

#endif
