/* generic_words: the words that trainers use, and what they mean. Not for use outside steplog/. */
#ifndef STEPLOG_GENERIC_WORDS_H
#define STEPLOG_GENERIC_WORDS_H

#include "base/slice.h"

enum meaning {
    MEANS_COUNTER, /* rank 1: counts steps of the whole training; 3: of an epoch as well; 7: with a word before it */
    MEANS_EPOCH,
    MEANS_LOSS,
    MEANS_TIME, /* rank 1: no duration of a step */
    MEANS_TRAINING,
    MEANS_EVALUATION,
    MEANS_AMOUNT, /* what is counted for each step or second */
    MEANS_RANK
};

struct word {
    char text[32]; /* in lower case; an abbreviation has its dot */
    enum meaning meaning;
    int rank;
};

/* NULL: no word that is known. */
const struct word *generic_word_find(struct slice word);

#endif
