/* words: which formats may take a piece of text. Each declares texts of which every piece that it takes holds one
 * (struct format, words); one pass finds those of all formats, so that a line of another program costs that pass. Not
 * for use outside steplog/. */
#ifndef STEPLOG_WORDS_H
#define STEPLOG_WORDS_H

#include "steplog/parser.h"

/* Of the piece. */
struct words words_find(const struct steplog *s, struct slice text);
/* The same, for texts that most often differ from the one before in nothing but digits: it has the same words. */
struct words words_find_again(struct steplog *s, struct slice text);

#endif
