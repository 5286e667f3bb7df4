/* selector: whether a pod is bound to nodes with accelerators: its nodeSelector, or each term of its required node
 * affinity, names one of the labels of formulas/chips.h. */
#ifndef OPERATOR_OBJECTS_SELECTOR_H
#define OPERATOR_OBJECTS_SELECTOR_H

#include "base/jmembers.h"

/* Both set a bool, and never clear it. */
void object_node_selector_scan(struct jscan *j, void *selects_chips);
void object_affinity_scan(struct jscan *j, void *selects_chips);

#endif
