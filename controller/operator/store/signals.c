#include "operator/store/signals.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/objects/signals.h"
#include "rootcause/mask.h"

#include <stdio.h>
#include <string.h>

/* ---- what is stored ---- */

static void drop(struct store *store, struct node_past *past, int at) {
    free(past->signals[at].message);
    memmove(&past->signals[at], &past->signals[at + 1], (size_t)(past->signal_count - at - 1) * sizeof *past->signals);
    past->signal_count--;
    store->signal_count--;
}

/* The oldest that is over, else the oldest that is weak. False: all that is there matters more. */
static bool make_room(struct store *store, struct node_past *past, bool is_primary) {
    int over = -1, weak = -1;
    if (past->signal_count < STORE_NODE_SIGNALS)
        return true;
    for (int i = past->signal_count - 1; i >= 0; i--) {
        if (past->signals[i].to_ms != TIME_OPEN)
            over = i;
        if (!past->signals[i].is_primary)
            weak = i;
    }
    int at = over >= 0 ? over : is_primary ? weak : -1;
    if (at >= 0)
        drop(store, past, at);
    return at >= 0;
}

static void remember_node(struct store *store, struct node *n) {
    if (n->has_signals)
        return;
    n->has_signals = true;
    MEM_GROW(store->signal_nodes, store->signal_node_count, store->signal_node_capacity);
    store->signal_nodes[store->signal_node_count++] = n;
}

void store_restore_signals(struct store *store, struct node *n) {
    size_t count = n->past ? (size_t)n->past->signal_count : 0;
    if (count == 0)
        return;
    if (!n->has_signals) /* else they are those that were counted already */
        store->signal_count += count;
    remember_node(store, n);
}

static bool add(struct store *store, struct node *n, const struct node_signal *signal, const char *message) {
    struct node_past *past = store_node_past(n);
    if (!make_room(store, past, signal->is_primary) || store->signal_count >= STORE_MAX_SIGNALS)
        return false;
    STORE_GROW(past->signals, past->signal_count, past->signal_capacity);
    past->signals[past->signal_count] = *signal;
    past->signals[past->signal_count++].message = mem_strdup(message);
    store->signal_count++;
    remember_node(store, n);
    return true;
}

static struct node_signal *find_open(struct node *n, enum node_signal_kind kind, const char *key, const char *name) {
    for (int i = 0; n->past != NULL && i < n->past->signal_count; i++) {
        struct node_signal *s = &n->past->signals[i];
        if (s->to_ms == TIME_OPEN && s->kind == kind && s->key == key && s->name == name)
            return s;
    }
    return NULL;
}

/* ---- what an object shows ---- */

struct reading {
    struct store *store;
    struct node *node;
    const char *slice; /* name of the ResourceSlice; NULL: it is a Node */
    int64_t received_ms;
    bool is_first, has_changed;
};

struct decoded { /* the texts of an object, as the table knows them */
    char value[NODE_SIGNAL_TEXT_BYTES], reason[256], message[NODE_SIGNAL_TEXT_BYTES];
    char text[NODE_SIGNAL_TEXT_BYTES + 260]; /* "REASON: MESSAGE" */
};

static bool decode(const struct object_shown *shown, struct decoded *d) {
    bool is_condition = shown->kind == NODE_SIGNAL_CONDITION;
    if (!jscan_unescape(shown->value, d->value, sizeof d->value) ||
        !jscan_unescape(shown->reason, d->reason, sizeof d->reason) ||
        !jscan_unescape(shown->message, d->message, sizeof d->message))
        return false;
    if (is_condition)
        snprintf(d->text, sizeof d->text, "%s: %s", d->reason, d->message);
    else
        snprintf(d->text, sizeof d->text, "%s", d->message);
    return true;
}

static struct slice bounded(struct slice text, size_t max) {
    text.size_bytes = text.size_bytes < max ? text.size_bytes : max;
    return text;
}

/* "condition XidCriticalError=True, {"48":true}: 5ae1...", without secrets and bounded. */
static void describe(const struct object_shown *shown, const struct decoded *d, char out[static STORE_SIGNAL_TEXT]) {
    static const char *const kinds[] = {
#define X(id, name) name,
        NODE_SIGNAL_KINDS(X)
#undef X
    };
    enum node_signal_kind kind = shown->kind == NODE_SIGNAL_DEVICE ? NODE_SIGNAL_TAINT : shown->kind;
    bool is_text_empty = d->text[0] == '\0';
    CLEANUP_BUF struct buf line;
    char quoted[QUOTE_BYTES];
    buf_init(&line, sizeof *d + 1024);
    if (shown->device.size_bytes > 0)
        buf_format(&line, "device %.*s ", SLICE_ARG(bounded(shown->device, 63)));
    buf_format(&line, "%s %.*s", kinds[kind], SLICE_ARG(bounded(shown->key, 253)));
    buf_format(&line, "%s%s%s%s", d->value[0] ? "=" : "", d->value, is_text_empty ? "" : ", ",
               d->message[0] ? d->text : d->reason);
    quote_line(quoted, buf_slice(&line), 0);
    slice_copy(out, STORE_SIGNAL_TEXT, slice_of(quoted));
}

/* A ResourceSlice and a device are part of the key. */
static const char *key_of(const struct reading *r, const struct object_shown *shown) {
    char key[600];
    if (r->slice == NULL)
        return store_intern(r->store, shown->key);
    snprintf(key, sizeof key, "%s/%.*s/%.*s", r->slice, SLICE_ARG(bounded(shown->device, 63)),
             SLICE_ARG(bounded(shown->key, 120)));
    return store_intern(r->store, slice_of(key));
}

static void read_shown(void *context, const struct object_shown *shown) {
    struct reading *r = context;
    struct decoded d;
    struct node_signal_meaning meaning;
    char message[STORE_SIGNAL_TEXT];
    if (!node_signals_know(r->store->signals, shown->kind, shown->key) || !decode(shown, &d) ||
        !node_signals_find(r->store->signals,
                           &(struct node_signal_shown){shown->kind, shown->key, slice_of(d.value), slice_of(d.text)},
                           &meaning))
        return;
    int64_t since_ms = shown->at_ms != TIME_UNKNOWN ? shown->at_ms : r->is_first ? TIME_UNKNOWN : r->received_ms;
    int64_t named_ms = node_signal_named_ms(slice_of(shown->kind == NODE_SIGNAL_ANNOTATION ? d.value : d.text));
    struct node_signal signal = {.kind = (uint8_t)shown->kind,
                                 .class_ = (uint8_t)meaning.class_,
                                 .owner = (uint8_t)meaning.owner,
                                 .is_primary = meaning.is_primary,
                                 .key = key_of(r, shown),
                                 .name = store_intern(r->store, slice_of(meaning.name)),
                                 .from_ms = since_ms,
                                 .to_ms = TIME_OPEN,
                                 .named_ms = named_ms,
                                 .is_shown = true};
    struct node_signal *known = find_open(r->node, shown->kind, signal.key, signal.name);
    if (known != NULL) {
        known->is_shown = true;
        return;
    }
    describe(shown, &d, message);
    r->has_changed |= add(r->store, r->node, &signal, message);
}

/* Of this object: a ResourceSlice's name starts the keys of its devices. */
static bool is_of(const struct reading *r, const struct node_signal *s) {
    size_t size = r->slice ? strlen(r->slice) : 0;
    return r->slice == NULL
               ? s->kind <= NODE_SIGNAL_ANNOTATION
               : s->kind == NODE_SIGNAL_DEVICE && strncmp(s->key, r->slice, size) == 0 && s->key[size] == '/';
}

static void begin_reading(const struct reading *r) {
    for (int i = 0; i < node_past(r->node)->signal_count; i++)
        if (is_of(r, &r->node->past->signals[i]))
            r->node->past->signals[i].is_shown = false;
}

static void end_reading(struct reading *r) {
    for (int i = 0; i < node_past(r->node)->signal_count; i++) {
        struct node_signal *s = &r->node->past->signals[i];
        if (!is_of(r, s) || s->is_shown || s->to_ms != TIME_OPEN)
            continue;
        s->to_ms = r->received_ms;
        r->has_changed = true;
    }
}

bool store_observe_node_signals(struct store *store, struct node *n, struct slice json, int64_t received_ms,
                                bool is_first) {
    struct reading r = {.store = store, .node = n, .received_ms = received_ms, .is_first = is_first};
    if (store->signals == NULL)
        return false;
    begin_reading(&r);
    object_node_shown(json, (struct object_shown_reader){read_shown, &r});
    end_reading(&r);
    return r.has_changed;
}

/* ---- Events ---- */

/* An Event has no end: it counts from its first to its last time, so far. */
void store_observe_node_event(struct store *store, const struct object_event *event) {
    struct object_shown shown = {.kind = NODE_SIGNAL_EVENT, .key = event->reason, .message = event->message};
    struct node *n = map_get(&store->nodes, event->name);
    struct decoded d;
    struct node_signal_meaning meaning;
    char message[STORE_SIGNAL_TEXT];
    if (store->signals == NULL || !node_signals_know(store->signals, shown.kind, shown.key) || !decode(&shown, &d) ||
        !node_signals_find(store->signals, &(struct node_signal_shown){shown.kind, shown.key, {0}, slice_of(d.text)},
                           &meaning) ||
        (n == NULL && store->signal_count >= STORE_MAX_SIGNALS))
        return;
    n = n != NULL ? n : store_node(store, event->name);
    const char *name = store_intern(store, slice_of(meaning.name));
    int64_t from_ms = event->first_ms;
    for (int i = 0; i < node_past(n)->signal_count; i++) {
        struct node_signal *s = &n->past->signals[i];
        if (s->kind != NODE_SIGNAL_EVENT || s->name != name)
            continue;
        if (event->last_ms <= s->to_ms + STORE_SIGNAL_AGAIN_MS && event->last_ms >= s->from_ms) {
            s->to_ms = max_of(s->to_ms, event->last_ms);
            return;
        }
        if (from_ms <= s->to_ms)
            from_ms = event->last_ms; /* it was seen before, and comes again */
    }
    struct node_signal signal = {.kind = NODE_SIGNAL_EVENT,
                                 .class_ = (uint8_t)meaning.class_,
                                 .owner = (uint8_t)meaning.owner,
                                 .is_primary = meaning.is_primary,
                                 .key = store_intern(store, event->reason),
                                 .name = name,
                                 .from_ms = from_ms,
                                 .to_ms = event->last_ms,
                                 .named_ms = node_signal_named_ms(slice_of(d.text))};
    describe(&shown, &d, message);
    if (add(store, n, &signal, message))
        store_touch_node(store, n);
}

/* ---- ResourceSlices ---- */

/* All that the slice showed is over: on any node, as one that was deleted no longer says of which. */
static void end_slice(struct store *store, const char *slice, int64_t received_ms) {
    for (size_t i = 0; i < store->signal_node_count; i++) {
        struct reading r = {.store = store, .node = store->signal_nodes[i], .slice = slice, .received_ms = received_ms};
        begin_reading(&r);
        end_reading(&r);
        if (r.has_changed)
            store_touch_node(store, r.node);
    }
}

int store_observe_resource_slice(struct store *store, enum observed what, struct slice name, struct slice json,
                                 int64_t received_ms) {
    struct object_resource_slice o;
    char slice[254];
    if (what != OBSERVED_PRESENT) {
        slice_copy(slice, sizeof slice, name);
        end_slice(store, slice, received_ms);
        return 0;
    }
    int err = object_resource_slice_parse(json, &o);
    if (err < 0 || o.node.size_bytes == 0 || o.node.size_bytes > 253 || store->signals == NULL)
        return err;
    struct node *n = map_get(&store->nodes, o.node);
    if (n == NULL && store->signal_count >= STORE_MAX_SIGNALS)
        return 0;
    slice_copy(slice, sizeof slice, o.meta.name);
    struct reading r = {.store = store,
                        .node = n != NULL ? n : store_node(store, o.node),
                        .slice = store_intern(store, slice_of(slice)),
                        .received_ms = received_ms,
                        .is_first = !store->is_swept[RESOURCE_RESOURCESLICE]};
    begin_reading(&r);
    object_resource_slice_shown(json, (struct object_shown_reader){read_shown, &r});
    end_reading(&r);
    if (r.has_changed)
        store_touch_node(store, r.node);
    return 0;
}
