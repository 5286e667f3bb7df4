/* text: what the parsers of text formats share: words, numbers and paths in a line. */
#ifndef STEPLOG_TEXT_H
#define STEPLOG_TEXT_H

#include "base/codec.h"
#include "base/slice.h"

#define STEPLOG_MAX_STEP INT64_C(1000000000000000)
#define STEPLOG_MAX_DURATION_MS (INT64_C(366) * 86400 * 1000)

/* Finds the words and gives what follows them. */
bool text_after(struct slice text, const char *words, struct slice *rest);
/* Cursor: a step number, 0 to STEPLOG_MAX_STEP. */
bool take_step(struct slice *s, int64_t *step);
/* Cursor: the same as tqdm shortens it: "1.23k" is 1230, "19.0" is 19. */
bool take_short_step(struct slice *s, int64_t *step);
/* Cursor: seconds as milliseconds, 0 to STEPLOG_MAX_DURATION_MS. */
bool take_duration_ms(struct slice *s, int64_t *ms);
/* Cursor: milliseconds with a fraction, the same bounds. */
bool take_milliseconds(struct slice *s, int64_t *ms);
/* Cursor: a number of at least 0 as thousandths; thousands commas ("1,145.20") and exponents are read. */
bool take_milli(struct slice *s, int64_t *milli);
/* Cursor: any number of spaces, also none. */
void skip_spaces(struct slice *s);
/* text_after() and then the number, spaces between: a step, or seconds as milliseconds. */
bool step_after(struct slice text, const char *words, int64_t *step, struct slice *rest);
bool duration_after(struct slice text, const char *words, int64_t *ms);
/* Visits a step number or a count, or a time, as an older process wrote it: RECORD_NONE (TIME_UNKNOWN) or within
 * bounds. */
void visit_step_number(struct codec *c, int64_t *number);
void visit_line_time(struct codec *c, int64_t *ms);
/* The last component of a path that is a number: ".../checkpoints/20/items." gives 20; RECORD_NONE if there is none. */
int64_t step_of_path(struct slice path);

/* Whether the word at `from` of a line that begins at `begin` is a value, not a name: {"job": "train"}, job=train. */
bool text_is_value(const char *begin, const char *from);

#endif
