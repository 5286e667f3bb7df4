/* node: what is stored of a node. */
#ifndef OPERATOR_STORE_NODE_H
#define OPERATOR_STORE_NODE_H

#include "operator/store/history.h"

struct chip;
struct pod;

struct node_trouble {
    int64_t visible_ms;   /* Ready turned False or Unknown, or the Node was deleted */
    int64_t heartbeat_ms; /* of its condition Ready at that time */
    int64_t to_ms;        /* Ready again; TIME_OPEN */
    bool is_silent;       /* Unknown or deleted: the kubelet no longer speaks */
    const char *reason;
};

struct node_taint { /* NoExecute, or a known notice of termination */
    const char *key, *value;
    int64_t from_ms, to_ms;
};

/* Of its health: signals.h. */
struct node_signal {
    uint8_t kind, class_, owner; /* enum node_signal_kind, rootcause_class, rootcause_owner */
    bool is_primary, is_shown;   /* is_shown: by the version of its object that is being read */
    const char *key;             /* interned: with the kind, what shows it */
    const char *name;            /* interned */
    int64_t from_ms, to_ms;      /* TIME_UNKNOWN: since before it was first observed; TIME_OPEN: it is still shown */
    int64_t named_ms;            /* an earlier time that its text names; TIME_UNKNOWN */
    char *message;               /* heap */
};

struct node_past { /* what few nodes ever have */
    struct node_trouble *troubles;
    int trouble_count, trouble_capacity;
    struct node_taint *taints;
    int taint_count, taint_capacity;
    struct node_signal *signals;
    int signal_count, signal_capacity;
    struct spans maintenance;
    struct spans silences; /* gaps between lease renewals that were too long */
};

struct node {
    const char *pool;
    const struct chip *chip;                        /* NULL: its labels name none */
    int64_t price;                                  /* per chip-hour, by its label: formulas/price.h */
    int64_t chips;                                  /* that its labels count; 0: they do not say */
    bool is_spot, exists, is_restored, has_signals; /* has_signals: it is in store.signal_nodes */
    int64_t restored_ms;    /* when the checkpoint that it was restored from was written; TIME_UNKNOWN */
    struct node_past *past; /* NULL: none; read it by node_past() */
    int64_t renewed_ms;     /* newest lease renewal */
    int64_t ready_ms;       /* Ready since then, as observed last; TIME_UNKNOWN */
    struct pod *pods;
    char name[];
};

const struct node_past *node_past(const struct node *n);
struct node_past *store_node_past(struct node *n); /* to write to */
void store_node_done(struct node *n);              /* frees what it holds */
void store_node_move_signals(struct node *from, struct node *to);

#endif
