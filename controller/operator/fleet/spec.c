#include "operator/fleet/spec.h"

#include "base/jmembers.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>

/* ---- reading ---- */

static void add_name(struct fleets_names *names, const char *text) {
    if (names->count < FLEETS_NAMES)
        names->items[names->count++] = mem_strdup(text);
}

static void read_name(struct jscan *j, void *names) {
    char text[512];
    if (jscan_string(j, text, sizeof text))
        add_name(names, text);
}

static void names_done(struct fleets_names *names) {
    for (int i = 0; i < names->count; i++)
        free(names->items[i]);
}

/* A read of a spec: the first error ends it. */
struct reading {
    struct fleets_spec *spec;
    struct error **err;
    int result;
};

static void read_match_labels(struct jscan *j, void *to) {
    struct fleets_spec *spec = ((struct reading *)to)->spec;
    struct slice key;
    char value[128];
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (!jscan_string(j, value, sizeof value) || spec->requirement_count == FLEETS_REQUIREMENTS)
            continue;
        struct fleets_requirement *r = &spec->requirements[spec->requirement_count++];
        r->key = slice_dup(key);
        r->operator_ = FLEETS_IN;
        add_name(&r->values, value);
    }
}

static int check_requirement(const struct fleets_requirement *r, bool is_known, struct error **err) {
    bool wants_values = r->operator_ == FLEETS_IN || r->operator_ == FLEETS_NOT_IN;
    if (r->key == NULL || r->key[0] == '\0')
        return error_set(err, EINVAL, "spec.selector.labelSelector: a requirement without a key");
    if (!is_known)
        return error_set(err, EINVAL,
                         "spec.selector.labelSelector: the operator for %s is none of In, NotIn, Exists, DoesNotExist",
                         r->key);
    if (wants_values != (r->values.count > 0))
        return error_set(err, EINVAL, "spec.selector.labelSelector: the requirement on %s %s values", r->key,
                         wants_values ? "needs" : "must have no");
    return 0;
}

struct requirement {
    char key[512], operator_[512];
    struct fleets_names values;
};

static void read_requirement(struct jscan *j, void *to) {
    static const char *const operators[] = {"In", "NotIn", "Exists", "DoesNotExist"};
    static const struct jmember rows[] = {
        JMEMBER(struct requirement, key, "key"),
        JMEMBER(struct requirement, operator_, "operator"),
        JMEMBER_LIST(struct requirement, values, "values", read_name),
    };
    struct reading *reading = to;
    struct requirement read = {.values = {.count = 0}};
    bool is_known = false;
    if (reading->result < 0 || reading->spec->requirement_count == FLEETS_REQUIREMENTS) {
        jscan_skip(j);
        if (reading->result == 0)
            reading->result = error_set(reading->err, EINVAL, "spec.selector.labelSelector: more than %d requirements",
                                        FLEETS_REQUIREMENTS);
        return;
    }
    jmembers_read(j, JMEMBERS(rows), &read);
    struct fleets_requirement *r = &reading->spec->requirements[reading->spec->requirement_count++];
    r->key = mem_strdup(read.key);
    r->values = read.values;
    for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
        if (strcmp(read.operator_, operators[i]) == 0) {
            r->operator_ = (enum fleets_operator)i;
            is_known = true;
        }
    reading->result = check_requirement(r, is_known, reading->err);
}

static void read_selector(struct jscan *j, void *to) {
    static const struct jmember names[] = {
        JMEMBER_LIST(struct fleets_spec, namespaces, "namespaces", read_name),
        JMEMBER_LIST(struct fleets_spec, queues, "localQueues", read_name),
        JMEMBER_LIST(struct fleets_spec, cluster_queues, "clusterQueues", read_name),
        JMEMBER_LIST(struct fleets_spec, priorities, "priorityClasses", read_name),
    };
    static const struct jmember labels[] = {JMEMBER_SELF("matchLabels", read_match_labels),
                                            JMEMBER_ELEMENTS("matchExpressions", read_requirement)};
    static const struct jmember selector[] = {JMEMBER_OBJECT("labelSelector", labels)};
    struct reading *reading = to;
    struct jscan again = *j;
    jmembers_read(&again, JMEMBERS(names), reading->spec);
    jmembers_read(j, JMEMBERS(selector), reading);
}

static void read_node_selector(struct jscan *j, void *to) {
    struct buf *text = to;
    struct slice key;
    char value[128];
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key))
        if (jscan_string(j, value, sizeof value))
            buf_format(text, "%s%.*s=%s", text->size_bytes > 0 ? "," : "", SLICE_ARG(key), value);
}

struct capacity {
    struct buf selector;
    struct fleets_names accelerators;
};

static void read_capacity(struct jscan *j, void *to) {
    static const struct jmember rows[] = {
        JMEMBER_FIELD(struct capacity, selector, "nodeSelector", read_node_selector),
        JMEMBER_LIST(struct capacity, accelerators, "accelerators", read_name),
    };
    struct fleets_spec *spec = ((struct reading *)to)->spec;
    struct capacity capacity = {.accelerators = spec->accelerators};
    buf_init(&capacity.selector, 16384);
    spec->has_capacity = jscan_peek(j) == JSCAN_OBJECT;
    jmembers_read(j, JMEMBERS(rows), &capacity);
    spec->accelerators = capacity.accelerators;
    free(spec->node_selector);
    spec->node_selector = buf_take(&capacity.selector);
}

static int set_rolling(struct fleets_spec *spec, const char *text, struct error **err) {
    struct slice rest = slice_of(text);
    int64_t count, unit_ms;
    bool is_number = slice_take_uint(&rest, &count) && rest.size_bytes == 1;
    unit_ms = is_number && rest.data[0] == 'd' ? ROLL_DAY_MS : is_number && rest.data[0] == 'h' ? ROLL_HOUR_MS : 0;
    if (unit_ms == 0 || count < 1 || count > 31 * ROLL_DAY_MS / unit_ms)
        return error_set(err, EINVAL, "spec.window.rolling \"%s\": use 1h to 744h or 1d to 31d, such as 7d", text);
    spec->window = (struct roll_options){.window = ROLL_ROLLING, .length_ms = count * unit_ms};
    slice_copy(spec->window_name, sizeof spec->window_name, slice_of(text));
    return 0;
}

static int set_calendar(struct fleets_spec *spec, const char *text, struct error **err) {
    static const struct {
        const char *name;
        enum roll_window window;
    } calendars[] = {{"Day", ROLL_DAY}, {"Week", ROLL_WEEK}, {"Month", ROLL_MONTH}};
    for (size_t i = 0; i < ARRAY_SIZE(calendars); i++)
        if (strcmp(text, calendars[i].name) == 0) {
            spec->window = (struct roll_options){.window = calendars[i].window};
            slice_copy(spec->window_name, sizeof spec->window_name, slice_of(text));
            return 0;
        }
    return error_set(err, EINVAL, "spec.window.calendar \"%s\": use one of Day, Week, Month", text);
}

struct window {
    char rolling[32], calendar[32];
};

static void read_window(struct jscan *j, void *to) {
    static const struct jmember rows[] = {JMEMBER(struct window, rolling, "rolling"),
                                          JMEMBER(struct window, calendar, "calendar")};
    struct reading *r = to;
    struct window w = {.rolling = ""};
    if (r->result < 0 || jscan_peek(j) != JSCAN_OBJECT) {
        jscan_skip(j);
        return;
    }
    jmembers_read(j, JMEMBERS(rows), &w);
    if ((w.rolling[0] != '\0') == (w.calendar[0] != '\0'))
        r->result =
            error_set(r->err, EINVAL, "spec.window is either rolling (such as 7d) or calendar (Day, Week or Month)");
    else
        r->result =
            w.rolling[0] != '\0' ? set_rolling(r->spec, w.rolling, r->err) : set_calendar(r->spec, w.calendar, r->err);
}

static void read_keys(struct jscan *j, void *to) {
    jmembers_each(j, read_name, &((struct reading *)to)->spec->keys);
}

static int check_keys(const struct fleets_spec *spec, struct error **err) {
    static const char *const keys[] = {"queue", "clusterQueue", "namespace", "accelerator", "job"};
    if (spec->keys.count > FLEETS_KEYS)
        return error_set(err, EINVAL, "spec.groupBy has more than %d keys", FLEETS_KEYS);
    for (int i = 0; i < spec->keys.count; i++) {
        struct slice label = slice_of(spec->keys.items[i]);
        bool is_known = slice_take_prefix(&label, "label:") && label.size_bytes > 0;
        for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
            is_known |= strcmp(spec->keys.items[i], keys[k]) == 0;
        if (!is_known)
            return error_set(err, EINVAL,
                             "spec.groupBy \"%s\": use queue, clusterQueue, namespace, accelerator, job or label:KEY",
                             spec->keys.items[i]);
    }
    return 0;
}

int fleets_spec_read(struct fleets_spec *spec, struct slice json, struct error **err) {
    static const struct jmember rows[] = {
        JMEMBER_SELF("selector", read_selector),
        JMEMBER_SELF("capacity", read_capacity),
        JMEMBER_SELF("window", read_window),
        JMEMBER_SELF("groupBy", read_keys),
    };
    struct jscan j;
    struct reading r = {spec, err, 0};
    *spec = (struct fleets_spec){.node_selector = mem_strdup("")};
    set_rolling(spec, "7d", NULL);
    jscan_init(&j, json);
    if (json.size_bytes == 0 || jscan_peek(&j) != JSCAN_OBJECT)
        return 0;
    jmembers_read(&j, JMEMBERS(rows), &r);
    return r.result < 0 ? r.result : check_keys(spec, err);
}

void fleets_spec_done(struct fleets_spec *spec) {
    names_done(&spec->namespaces);
    names_done(&spec->queues);
    names_done(&spec->cluster_queues);
    names_done(&spec->priorities);
    names_done(&spec->accelerators);
    names_done(&spec->keys);
    for (int i = 0; i < spec->requirement_count; i++) {
        free(spec->requirements[i].key);
        names_done(&spec->requirements[i].values);
    }
    free(spec->node_selector);
    *spec = (struct fleets_spec){0};
}

/* ---- selecting ---- */

static bool has_name(const struct fleets_names *names, const char *text) {
    for (int i = 0; text != NULL && i < names->count; i++)
        if (strcmp(names->items[i], text) == 0)
            return true;
    return false;
}

static bool fits(const struct fleets_names *names, const char *text) {
    return names->count == 0 || has_name(names, text);
}

/* As in every label selector: NotIn also fits what has no such label. */
static bool meets(const struct fleets_requirement *r, const struct member *m) {
    const char *value = member_label(m, slice_of(r->key));
    switch (r->operator_) {
    case FLEETS_IN:
        return has_name(&r->values, value);
    case FLEETS_NOT_IN:
        return !has_name(&r->values, value);
    case FLEETS_EXISTS:
        return value != NULL;
    case FLEETS_DOES_NOT_EXIST:
        return value == NULL;
    }
    return false;
}

bool fleets_spec_selects(const struct fleets_spec *spec, const struct member *m) {
    if (!fits(&spec->namespaces, m->namespace_) || !fits(&spec->queues, m->queue) ||
        !fits(&spec->cluster_queues, m->cluster_queue) || !fits(&spec->priorities, m->priority))
        return false;
    for (int i = 0; i < spec->requirement_count; i++)
        if (!meets(&spec->requirements[i], m))
            return false;
    return true;
}

void fleets_spec_group(const struct fleets_spec *spec, const struct member *m, struct buf *group) {
    buf_clear(group);
    for (int i = 0; i < spec->keys.count; i++) {
        struct slice label = slice_of(spec->keys.items[i]);
        const char *key = spec->keys.items[i];
        const char *value = slice_take_prefix(&label, "label:") ? member_label(m, label)
                            : strcmp(key, "queue") == 0         ? m->queue
                            : strcmp(key, "clusterQueue") == 0  ? m->cluster_queue
                            : strcmp(key, "namespace") == 0     ? m->namespace_
                            : strcmp(key, "accelerator") == 0   ? m->accelerator
                                                                : m->name;
        buf_format(group, "%s%s", i > 0 ? " / " : "", value != NULL && value[0] != '\0' ? value : "-");
    }
    if (spec->keys.count == 0)
        buf_append_text(group, "all");
}
