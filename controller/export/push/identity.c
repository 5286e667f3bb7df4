#include "export/push/identity.h"

#include "base/jscan.h"

#include <string.h>

struct field {
    const char *key;
    char *text;
    size_t size;
};

/* Reads the texts of one object, by name. */
static void read_texts(struct jscan *j, const struct field *fields, size_t count) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        size_t i = 0;
        while (i < count && !slice_is(key, fields[i].key))
            i++;
        if (i < count)
            jscan_string(j, fields[i].text, fields[i].size);
        else
            jscan_skip(j);
    }
}

#define FIELD(name, to)                                                                                                \
    { name, to, sizeof to }

static void read_step_log(struct jscan *j, struct push_identity *d) {
    const struct field fields[] = {FIELD("jobName", d->run)};
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "cloudLogging") || slice_is(key, "push"))
            read_texts(j, fields, 1);
        else
            jscan_skip(j);
    }
}

static void read_spec(struct jscan *j, struct push_identity *d) {
    const struct field fields[] = {FIELD("name", d->target), FIELD("kind", d->target_kind)};
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "targetRef"))
            read_texts(j, fields, 2);
        else if (slice_is(key, "stepLog"))
            read_step_log(j, d);
        else
            jscan_skip(j);
    }
}

static void read_status(struct jscan *j, struct push_identity *d) {
    const struct field fields[] = {FIELD("uid", d->target_uid), FIELD("accelerator", d->accelerator)};
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "target"))
            read_texts(j, fields, 2);
        else
            jscan_skip(j);
    }
}

bool push_identity_read(struct slice object, struct push_identity *d) {
    const struct field metadata[] = {FIELD("uid", d->uid)};
    struct jscan j;
    struct slice key;
    memset(d, 0, sizeof *d);
    jscan_init(&j, object);
    if (!jscan_object(&j))
        return false;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "metadata"))
            read_texts(&j, metadata, 1);
        else if (slice_is(key, "spec"))
            read_spec(&j, d);
        else if (slice_is(key, "status"))
            read_status(&j, d);
        else
            jscan_skip(&j);
    }
    if (d->run[0] == '\0')
        memcpy(d->run, d->target, sizeof d->run);
    return jscan_error(&j, NULL) == NULL;
}
