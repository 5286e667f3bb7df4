/* finding_internal: making findings of lines, and which of them a log keeps. */
#ifndef ROOTCAUSE_FINDING_INTERNAL_H
#define ROOTCAUSE_FINDING_INTERNAL_H

#include "rootcause/log_internal.h"

struct finding finding_make(const struct line *line, const struct writer *w, const struct signature *row,
                            int64_t number, size_t at);
/* The earliest finding of each role stays. */
void finding_keep(struct rootcause_log *log, const struct finding *f);
/* Losses that are NaN end no process: how it ended says more, and so do the steps after them. */
bool finding_is_of_losses(const struct finding *f);
/* Whether a finding of the class is why the other one happened, although its line comes later. */
bool finding_explains(enum rootcause_class c, const struct finding *first);
/* No line continues the writer's last exception any more: it counts. */
void finding_settle(struct rootcause_log *log, struct writer *w);
int64_t finding_rank_of(const struct line *line, const struct writer *w);
void finding_mark_rank(uint64_t *set, int64_t rank);

#endif
