/* generic_number: a counter's number in a line of a trainer: next to which name or at which place it may be. Not for
 * use outside steplog/. */
#ifndef STEPLOG_GENERIC_NUMBER_H
#define STEPLOG_GENERIC_NUMBER_H

#include "base/slice.h"

#define GENERIC_GAP_BYTES 12 /* between a counter's name and its number: ": [  " */

/* Of a word. */
static inline bool generic_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool generic_is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* What stands between a name and its number. */
void generic_skip_gap(struct slice *s);

/* "50", "50/1500", "50 / 1500", "50 of 1500", "1,000/5,000", "1-50]"; s is advanced past it. total: RECORD_NONE if
 * there is none. */
bool generic_number_take(struct slice *s, int64_t *number, int64_t *total);
/* The number behind a counter's name: at most "(train)" and some punctuation stand between. */
bool generic_number_after(struct slice rest, int64_t *number, int64_t *total, struct slice *behind,
                          const char **number_at);
/* The number that ends where a counter's name begins: "3epoch", "3/10epoch", "51-100batch". */
bool generic_number_before(struct slice text, const char *to, struct slice *digits, int64_t *number, int64_t *total);
/* "20: 9.112183, 9.112183 avg loss", "20:	learn: 0.5", "500/20000 train_loss: 3.0": a row that begins with its
 * number, and figures with a fraction behind it. */
bool generic_number_begins_row(struct slice text, struct slice *digits, int64_t *number, int64_t *total);

#endif
