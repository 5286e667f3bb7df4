#include "operator/fleet/spec.h"

#include "base/jscan.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>

/* ---- reading ---- */

static void add_name(struct fleets_names *names, const char *text) {
    if (names->count < FLEETS_NAMES)
        names->items[names->count++] = mem_strdup(text);
}

static void read_names(struct jscan *j, struct fleets_names *names) {
    char text[512];
    if (!jscan_array(j))
        return;
    while (jscan_element(j))
        if (jscan_string(j, text, sizeof text))
            add_name(names, text);
}

static void names_done(struct fleets_names *names) {
    for (int i = 0; i < names->count; i++)
        free(names->items[i]);
}

static void read_match_labels(struct jscan *j, struct fleets_spec *spec) {
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

static int read_requirement(struct jscan *j, struct fleets_spec *spec, struct error **err) {
    static const char *const operators[] = {"In", "NotIn", "Exists", "DoesNotExist"};
    struct slice key;
    char text[512];
    bool is_known = false;
    if (spec->requirement_count == FLEETS_REQUIREMENTS) {
        jscan_skip(j);
        return error_set(err, EINVAL, "spec.selector.labelSelector: more than %d requirements", FLEETS_REQUIREMENTS);
    }
    struct fleets_requirement *r = &spec->requirements[spec->requirement_count++];
    if (jscan_object(j))
        while (jscan_key(j, &key)) {
            if (slice_is(key, "key") && jscan_string(j, text, sizeof text)) {
                free(r->key);
                r->key = mem_strdup(text);
            } else if (slice_is(key, "operator") && jscan_string(j, text, sizeof text)) {
                for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
                    if (strcmp(text, operators[i]) == 0) {
                        r->operator_ = (enum fleets_operator)i;
                        is_known = true;
                    }
            } else if (slice_is(key, "values")) {
                read_names(j, &r->values);
            } else if (!slice_is(key, "key") && !slice_is(key, "operator")) {
                jscan_skip(j);
            }
        }
    return check_requirement(r, is_known, err);
}

static int read_label_selector(struct jscan *j, struct fleets_spec *spec, struct error **err) {
    struct slice key;
    int r = 0;
    if (!jscan_object(j))
        return 0;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "matchLabels")) {
            read_match_labels(j, spec);
        } else if (slice_is(key, "matchExpressions") && jscan_array(j)) {
            while (jscan_element(j))
                r = r < 0 ? (jscan_skip(j), r) : read_requirement(j, spec, err);
        } else if (!slice_is(key, "matchExpressions")) {
            jscan_skip(j);
        }
    }
    return r;
}

static int read_selector(struct jscan *j, struct fleets_spec *spec, struct error **err) {
    struct slice key;
    int r = 0;
    if (!jscan_object(j))
        return 0;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "namespaces"))
            read_names(j, &spec->namespaces);
        else if (slice_is(key, "localQueues"))
            read_names(j, &spec->queues);
        else if (slice_is(key, "clusterQueues"))
            read_names(j, &spec->cluster_queues);
        else if (slice_is(key, "priorityClasses"))
            read_names(j, &spec->priorities);
        else if (slice_is(key, "labelSelector"))
            r = read_label_selector(j, spec, err);
        else
            jscan_skip(j);
    }
    return r;
}

static void read_node_selector(struct jscan *j, struct buf *text) {
    struct slice key;
    char value[128];
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key))
        if (jscan_string(j, value, sizeof value))
            buf_format(text, "%s%.*s=%s", text->size_bytes > 0 ? "," : "", SLICE_ARG(key), value);
}

static void read_capacity(struct jscan *j, struct fleets_spec *spec) {
    struct slice key;
    CLEANUP_BUF struct buf text;
    buf_init(&text, 16384);
    if (!jscan_object(j))
        return;
    spec->has_capacity = true;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "nodeSelector"))
            read_node_selector(j, &text);
        else if (slice_is(key, "accelerators"))
            read_names(j, &spec->accelerators);
        else
            jscan_skip(j);
    }
    free(spec->node_selector);
    spec->node_selector = mem_strdup(buf_text(&text));
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

static int read_window(struct jscan *j, struct fleets_spec *spec, struct error **err) {
    struct slice key;
    char rolling[32] = "", calendar[32] = "";
    if (!jscan_object(j))
        return 0;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "rolling"))
            jscan_string(j, rolling, sizeof rolling);
        else if (slice_is(key, "calendar"))
            jscan_string(j, calendar, sizeof calendar);
        else
            jscan_skip(j);
    }
    if ((rolling[0] != '\0') == (calendar[0] != '\0'))
        return error_set(err, EINVAL, "spec.window is either rolling (such as 7d) or calendar (Day, Week or Month)");
    return rolling[0] != '\0' ? set_rolling(spec, rolling, err) : set_calendar(spec, calendar, err);
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
    struct jscan j;
    struct slice key;
    int r = 0;
    *spec = (struct fleets_spec){.node_selector = mem_strdup("")};
    set_rolling(spec, "7d", NULL);
    jscan_init(&j, json);
    if (json.size_bytes == 0 || !jscan_object(&j))
        return 0;
    while (jscan_key(&j, &key)) {
        int part = 0;
        if (r < 0) /* the first is reported */
            jscan_skip(&j);
        else if (slice_is(key, "selector"))
            part = read_selector(&j, spec, err);
        else if (slice_is(key, "capacity"))
            read_capacity(&j, spec);
        else if (slice_is(key, "window"))
            part = read_window(&j, spec, err);
        else if (slice_is(key, "groupBy"))
            read_names(&j, &spec->keys);
        else
            jscan_skip(&j);
        r = r < 0 ? r : part;
    }
    return r < 0 ? r : check_keys(spec, err);
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
