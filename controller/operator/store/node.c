#include "operator/store/node.h"

#include "base/mem.h"

#include <stdlib.h>

static const struct node_past no_past;

const struct node_past *node_past(const struct node *n) {
    return n->past ? n->past : &no_past;
}

struct node_past *store_node_past(struct node *n) {
    if (n->past == NULL)
        n->past = mem_new(struct node_past);
    return n->past;
}

void store_node_done(struct node *n) {
    if (n->past == NULL)
        return;
    free(n->past->troubles);
    free(n->past->taints);
    free(n->past->maintenance.items);
    free(n->past->silences.items);
    free(n->past);
}
