/* nearest: finds the name that a misspelled word probably means. */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <stddef.h>

/* The name with the fewest edits from the word, the first of several; NULL if all need more than two edits, or as many
 * edits as the word has bytes. An edit inserts, deletes or replaces a byte, or swaps two neighbors (optimal string
 * alignment distance). What follows four bytes or more of a name counts as one edit. A word longer than 32 bytes has no
 * nearest name. */
const char *nearest_find(const char *word, const char *const *names, size_t count);

#endif
