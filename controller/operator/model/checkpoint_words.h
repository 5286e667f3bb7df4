/* checkpoint_words: the part of a checkpoint that says what failed and what was read of it, so that a successor finds
 * the same root causes: which containers failed, whose last words were read, what these show, and what was decided. Of
 * logs and messages only findings are kept, whose lines are masked. Private to the checkpoint. */
#ifndef OPERATOR_CHECKPOINT_WORDS_H
#define OPERATOR_CHECKPOINT_WORDS_H

#include "operator/model/checkpoint_store.h"

/* jobs: whose matcher the findings borrow. */
void visit_incidents(struct visitor *v, struct target *t, struct jobs *jobs);

#endif
