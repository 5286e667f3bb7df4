/* ranks: the processes that a line names: its own rank, and the peer that it waits for. */
#ifndef ROOTCAUSE_RANKS_H
#define ROOTCAUSE_RANKS_H

#include "base/slice.h"

#include <stdint.h>

#define RANK_UNKNOWN (-1)
#define RANKS_PEER_BYTES 64

/* The number after the words; RANK_UNKNOWN: none. */
int64_t ranks_after(struct slice text, const char *words);
/* "[Rank 3]", "[rank3]", " Rank 3": the rank that the line is of; RANK_UNKNOWN: it names none. */
int64_t ranks_in(struct slice text);
/* Whom a symptom names: "rank 3", "task 3" or "peer HOST"; unchanged if it names none. */
void ranks_find_peer(struct slice text, char waits_for[static RANKS_PEER_BYTES]);
/* Whether the tasks that a symptom waits for come after this line, one a line. */
bool ranks_starts_list(struct slice text);
/* Whether a line after a symptom names it: JAX's service and Orbax list tasks, as names or, in a list, as numbers. */
bool ranks_take_listed(struct slice text, bool is_in_list, char waits_for[static RANKS_PEER_BYTES]);

#endif
