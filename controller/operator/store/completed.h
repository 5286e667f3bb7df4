/* completed: the indexes that a Job lists as completed (status.completedIndexes, "0,2-4"), and those of them whose pod
 * was deleted before it could be observed. */
#ifndef OPERATOR_STORE_COMPLETED_H
#define OPERATOR_STORE_COMPLETED_H

#include "operator/store/store.h"

/* The next range of indexes, which is taken off *rest; false: there are no more. */
bool store_next_completed(struct slice *rest, int64_t *low, int64_t *high);

/* Call when a list is complete. A completed index without any pod, once all pods of two seconds later are known, gets
 * one that succeeded and was deleted when its Job was observed: from then on its slot is known to be done, and nothing
 * is said of the time before. */
void store_add_completed(struct store *store);

#endif
