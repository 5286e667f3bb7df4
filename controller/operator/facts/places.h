/* places: the slots of pods without a completion index, by the order of their creation. */
#ifndef OPERATOR_FACTS_PLACES_H
#define OPERATOR_FACTS_PLACES_H

#include "operator/job/job.h"

/* Sets slot_index of these pods, and marks those that move. Where one that has facts moves, the job needs all pods. */
void fact_place_pods(struct model_job *job);

#endif
