/* node_signals: what agents publish on a Node about its health, and what it says about the end of a job there. They are
 * the rows of node_signals.tsv, which says what its fields mean, and a site's rows before them. Pure: who reads Nodes,
 * Events and ResourceSlices is operator/objects/signals.h. */
#ifndef ROOTCAUSE_NODE_SIGNALS_H
#define ROOTCAUSE_NODE_SIGNALS_H

#include "base/error.h"
#include "base/slice.h"
#include "rootcause/classes.h"

#define NODE_SIGNAL_MAX_TABLE_BYTES 65536 /* of a site's rows */
#define NODE_SIGNAL_MAX_ROWS 1000         /* the same */
#define NODE_SIGNAL_NAME_SIZE 64
#define NODE_SIGNAL_TEXT_BYTES 1024 /* more of a value or a text is not looked at */

/* X(IDENTIFIER, name in the table) */
#define NODE_SIGNAL_KINDS(X)                                                                                           \
    X(CONDITION, "condition")                                                                                          \
    X(TAINT, "taint")                                                                                                  \
    X(LABEL, "label")                                                                                                  \
    X(ANNOTATION, "annotation")                                                                                        \
    X(EVENT, "event")                                                                                                  \
    X(DEVICE, "device")                                                                                                \
    X(XID, "xid")

enum node_signal_kind {
#define X(id, name) NODE_SIGNAL_##id,
    NODE_SIGNAL_KINDS(X)
#undef X
        NODE_SIGNAL_KIND_COUNT
};

/* As the table orders them: key; status or value; text. */
struct node_signal_shown {
    enum node_signal_kind kind;
    struct slice key, value, text;
};

struct node_signal_meaning {
    enum rootcause_class class_;
    enum rootcause_owner owner;
    bool is_primary; /* it can be a cause; else only evidence */
    char name[NODE_SIGNAL_NAME_SIZE];
};

struct node_signals;

struct node_signals *node_signals_new(void); /* the built-in rows */
void node_signals_free(struct node_signals *signals);
/* Puts a site's rows before all others. -EINVAL: a row breaks the rules of the table; *err names its line, and nothing
 * was added. */
int node_signals_add(struct node_signals *signals, struct slice table, struct error **err);
/* Whether any row may fit such a key. */
bool node_signals_know(const struct node_signals *signals, enum node_signal_kind kind, struct slice key);
/* False: no row fits, or the row that fits has the role none. */
bool node_signals_find(const struct node_signals *signals, const struct node_signal_shown *shown,
                       struct node_signal_meaning *ret_meaning);
/* The first time, in RFC 3339, that a text names; TIME_UNKNOWN: none. */
int64_t node_signal_named_ms(struct slice text);

#endif
