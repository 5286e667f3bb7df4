/* nodes: the interruptions for which a node is to blame, by node, class of the root cause, and owner. The same failures
 * as in suspects.h. Pure. */
#ifndef FLEET_NODES_H
#define FLEET_NODES_H

#include "fleet/roll.h"

enum { NODES_MAX = 16 };

struct node_failures {
    const char *node; /* borrowed from the roll */
    int pool;         /* of the newest; -1: none is known */
    enum rootcause_class class_;
    enum rootcause_owner owner;
    int64_t count, chip_ms, last_ms;
};

struct nodes {
    struct node_failures items[NODES_MAX]; /* the most failures first, then the most chip time, then by name */
    int count;
    int64_t other_count, other_chip_ms; /* of those that are not listed */
};

void nodes_count(const struct roll *roll, struct nodes *out);

#endif
