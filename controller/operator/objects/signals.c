#include "operator/objects/signals.h"

#define SHOWN struct object_shown

struct walk {
    struct object_shown_reader reader;
    struct slice device;
};

static void condition_scan(struct jscan *j, void *at) {
    static const struct jmember rows[] = {
        JMEMBER(SHOWN, key, "type"),
        JMEMBER(SHOWN, value, "status"),
        JMEMBER(SHOWN, reason, "reason"),
        JMEMBER(SHOWN, message, "message"),
        JMEMBER_TIME(SHOWN, at_ms, "lastTransitionTime"),
    };
    const struct walk *walk = at;
    struct object_shown shown = {.kind = NODE_SIGNAL_CONDITION, .at_ms = TIME_UNKNOWN};
    jmembers_read(j, JMEMBERS(rows), &shown);
    walk->reader.read(walk->reader.context, &shown);
}

static void read_taint(struct jscan *j, const struct walk *walk, enum node_signal_kind kind) {
    static const struct jmember rows[] = {
        JMEMBER(SHOWN, key, "key"),
        JMEMBER(SHOWN, value, "value"),
        JMEMBER(SHOWN, message, "effect"),
        JMEMBER_TIME(SHOWN, at_ms, "timeAdded"),
    };
    struct object_shown shown = {.kind = kind, .device = walk->device, .at_ms = TIME_UNKNOWN};
    jmembers_read(j, JMEMBERS(rows), &shown);
    walk->reader.read(walk->reader.context, &shown);
}

static void taint_scan(struct jscan *j, void *at) {
    read_taint(j, at, NODE_SIGNAL_TAINT);
}

static void read_pairs(struct jscan *j, const struct walk *walk, enum node_signal_kind kind) {
    struct object_shown shown = {.kind = kind, .at_ms = TIME_UNKNOWN};
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &shown.key)) {
        shown.value = object_text_scan(j);
        walk->reader.read(walk->reader.context, &shown);
    }
}

static void labels_scan(struct jscan *j, void *at) {
    read_pairs(j, at, NODE_SIGNAL_LABEL);
}

static void annotations_scan(struct jscan *j, void *at) {
    read_pairs(j, at, NODE_SIGNAL_ANNOTATION);
}

static void read_object(struct slice json, const struct jmember *rows, size_t count,
                        struct object_shown_reader reader) {
    struct walk walk = {.reader = reader};
    struct jscan j;
    jscan_init_loose(&j, json);
    jmembers_read(&j, rows, count, &walk);
}

void object_node_shown(struct slice json, struct object_shown_reader reader) {
    static const struct jmember metadata[] = {JMEMBER_SELF("labels", labels_scan),
                                              JMEMBER_SELF("annotations", annotations_scan)};
    static const struct jmember spec[] = {JMEMBER_ELEMENTS("taints", taint_scan)};
    static const struct jmember status[] = {JMEMBER_ELEMENTS("conditions", condition_scan)};
    static const struct jmember rows[] = {JMEMBER_OBJECT("metadata", metadata), JMEMBER_OBJECT("spec", spec),
                                          JMEMBER_OBJECT("status", status)};
    read_object(json, JMEMBERS(rows), reader);
}

int object_resource_slice_parse(struct slice json, struct object_resource_slice *slice) {
    typedef struct object_resource_slice object;
    static const struct jmember spec[] = {JMEMBER(object, node, "nodeName")};
    static const struct jmember rows[] = {JMEMBER_FIELD(object, meta, "metadata", object_meta_scan),
                                          JMEMBER_OBJECT("spec", spec)};
    *slice = (struct object_resource_slice){.node = {0}};
    object_meta_init(&slice->meta);
    return object_read(json, JMEMBERS(rows), slice);
}

static void device_taint_scan(struct jscan *j, void *at) {
    read_taint(j, at, NODE_SIGNAL_DEVICE);
}

/* API servers write the members of a device in this order: its name is known before its taints. v1beta1 has all but the
 * name within "basic" (Kubernetes v1.36 resource/v1beta1 types.go, BasicDevice; in v1.32 it has no taints). */
static void device_scan(struct jscan *j, void *at) {
    static const struct jmember basic[] = {JMEMBER_ELEMENTS("taints", device_taint_scan)};
    static const struct jmember rows[] = {JMEMBER(struct walk, device, "name"),
                                          JMEMBER_ELEMENTS("taints", device_taint_scan),
                                          JMEMBER_OBJECT("basic", basic)};
    struct walk *walk = at;
    walk->device = (struct slice){0};
    jmembers_read(j, JMEMBERS(rows), walk);
}

void object_resource_slice_shown(struct slice json, struct object_shown_reader reader) {
    static const struct jmember spec[] = {JMEMBER_ELEMENTS("devices", device_scan)};
    static const struct jmember rows[] = {JMEMBER_OBJECT("spec", spec)};
    read_object(json, JMEMBERS(rows), reader);
}
