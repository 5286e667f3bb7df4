/* signals: what a Node or a ResourceSlice shows that may be a signal (rootcause/node_signals.h): conditions, taints,
 * labels, annotations, and taints of devices. */
#ifndef OPERATOR_OBJECTS_SIGNALS_H
#define OPERATOR_OBJECTS_SIGNALS_H

#include "operator/objects/objects.h"
#include "rootcause/node_signals.h"

struct object_shown {
    enum node_signal_kind kind;
    struct slice key, value, reason, message; /* raw; reason: of a condition; message: of a taint its effect */
    struct slice device;                      /* of a ResourceSlice */
    int64_t at_ms;                            /* lastTransitionTime, timeAdded; TIME_UNKNOWN */
};

struct object_shown_reader {
    void (*read)(void *context, const struct object_shown *shown);
    void *context;
};

/* Calls the reader for each. The bytes were checked by object_node_parse. */
void object_node_shown(struct slice json, struct object_shown_reader reader);

struct object_resource_slice {
    struct object_meta meta;
    struct slice node; /* empty: its devices are not of one node */
};
int object_resource_slice_parse(struct slice json, struct object_resource_slice *slice);
void object_resource_slice_shown(struct slice json, struct object_shown_reader reader);

#endif
