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
    for (int i = 0; i < n->past->signal_count; i++)
        free(n->past->signals[i].message);
    free(n->past->signals);
    free(n->past->maintenance.items);
    free(n->past->silences.items);
    free(n->past);
}

void store_node_move_signals(struct node *from, struct node *to) {
    struct node_past *a = store_node_past(from), *b = store_node_past(to);
    for (int i = 0; i < b->signal_count; i++)
        free(b->signals[i].message);
    free(b->signals);
    b->signals = a->signals;
    b->signal_count = a->signal_count;
    b->signal_capacity = a->signal_capacity;
    a->signals = NULL;
    a->signal_count = a->signal_capacity = 0;
}
