#include "operator/runtime/json.h"

#include "base/hash.h"
#include "base/jscan.h"
#include "base/jwrite.h"

#include <stdio.h>
#include <string.h>

/* Escapes decode to the same text however they are written; a string beyond the scratch space is taken as it stands. */
static uint64_t hash_string(struct jscan *j, uint64_t seed) {
    char text[2048];
    struct slice raw;
    struct jscan ahead = *j;
    if (!jscan_string_raw(&ahead, &raw))
        return jscan_skip(j), 0;
    if (raw.size_bytes >= sizeof text || memchr(raw.data, '\\', raw.size_bytes) == NULL) {
        *j = ahead;
        return hash_stable(seed, raw);
    }
    return jscan_string(j, text, sizeof text) ? hash_stable(seed, slice_of(text)) : 0;
}

static uint64_t hash_value(struct jscan *j, uint64_t seed) {
    enum jscan_type type = jscan_peek(j);
    uint64_t h = seed + (uint64_t)type + 1;
    struct slice raw;
    if (type == JSCAN_OBJECT && jscan_object(j)) {
        uint64_t sum = 0;
        for (struct slice key; jscan_key(j, &key);)
            sum += hash_value(j, hash_stable(0, key));
        return hash_stable(h, HASH_BYTES(&sum));
    }
    if (type == JSCAN_ARRAY && jscan_array(j)) {
        while (jscan_element(j))
            h = hash_value(j, h);
        return hash_stable(h, SLICE("]"));
    }
    if (type == JSCAN_STRING)
        return hash_string(j, h);
    return jscan_raw(j, &raw) ? hash_stable(h, raw) : 0;
}

uint64_t runtime_json_hash(struct slice json) {
    struct jscan j;
    jscan_init(&j, json);
    uint64_t h = hash_value(&j, 0);
    return jscan_at_end(&j) ? h : 0;
}

uint64_t runtime_json_hash_of_status(struct slice status, uint64_t *ret_printed) {
    struct jscan j;
    uint64_t sum = 1, printed = 0;
    jscan_init(&j, status);
    if (!jscan_object(&j))
        return 0;
    for (struct slice key; jscan_key(&j, &key);) {
        if (slice_is(key, "checkpoint"))
            jscan_skip(&j);
        else {
            uint64_t h = hash_value(&j, hash_stable(0, key));
            sum += h;
            if (slice_is(key, "goodput") || slice_is(key, "topBadput") || slice_is(key, "topOwner"))
                printed += h;
        }
    }
    if (ret_printed != NULL)
        *ret_printed = printed;
    return jscan_at_end(&j) ? sum : 0;
}

/* Enters the object's member; false if it has none of that name. */
static bool enter_member(struct jscan *j, const char *name) {
    if (!jscan_object(j))
        return false;
    for (struct slice key; jscan_key(j, &key);) {
        if (slice_is(key, name))
            return true;
        jscan_skip(j);
    }
    return false;
}

bool runtime_json_status_hash(struct slice object, uint64_t *hash) {
    struct jscan j;
    struct slice status;
    jscan_init(&j, object);
    if (!enter_member(&j, "status") || jscan_peek(&j) != JSCAN_OBJECT || !jscan_raw(&j, &status))
        return false;
    *hash = runtime_json_hash_of_status(status, NULL);
    return slice_trim(slice_range(status.data + 1, status.data + status.size_bytes - 1)).size_bytes > 0;
}

bool runtime_json_has_checkpoint(struct slice object) {
    struct jscan j;
    jscan_init(&j, object);
    return enter_member(&j, "status") && jscan_peek(&j) == JSCAN_OBJECT && enter_member(&j, "checkpoint");
}

void runtime_json_resource_version(struct slice object, char *out, size_t out_size) {
    struct jscan j;
    jscan_init(&j, object);
    if (!enter_member(&j, "metadata") || !enter_member(&j, "resourceVersion") || !jscan_string(&j, out, out_size))
        out[0] = '\0';
}

void runtime_json_written_version(struct slice reply, const char *sent, char *version, size_t version_size) {
    char written[64];
    runtime_json_resource_version(reply, written, sizeof written);
    if (written[0] != '\0' && strcmp(version, sent) == 0)
        snprintf(version, version_size, "%s", written);
}

static bool is_not_ready_condition(struct jscan *j) {
    char type[64] = "", status[16] = "";
    if (!jscan_object(j))
        return false;
    for (struct slice key; jscan_key(j, &key);) {
        if (slice_is(key, "type"))
            jscan_string(j, type, sizeof type);
        else if (slice_is(key, "status"))
            jscan_string(j, status, sizeof status);
        else
            jscan_skip(j);
    }
    return strcmp(type, "Ready") == 0 && strcmp(status, "True") != 0;
}

bool runtime_json_node_is_not_ready(struct slice node) {
    struct jscan j;
    jscan_init(&j, node);
    if (!enter_member(&j, "status") || !enter_member(&j, "conditions") || !jscan_array(&j))
        return false;
    while (jscan_element(&j))
        if (is_not_ready_condition(&j))
            return true;
    return false;
}

void runtime_json_apply(struct buf *out, const struct model_job *job, const char *resource_version,
                        struct slice status) {
    struct jwrite w;
    jwrite_init(&w, out);
    jwrite_object(&w);
    jwrite_member_text(&w, "apiVersion", "goodput.dev/v1alpha1");
    jwrite_member_text(&w, "kind", "JobGoodput");
    jwrite_member_object(&w, "metadata");
    jwrite_member_text(&w, "name", model_job_name(job));
    jwrite_member_text(&w, "namespace", model_job_namespace(job));
    jwrite_member_text(&w, "resourceVersion", resource_version);
    jwrite_object_end(&w);
    jwrite_key(&w, "status");
    jwrite_raw(&w, status);
    jwrite_object_end(&w);
}
