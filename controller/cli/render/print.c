#include "cli/render/print.h"

#include "base/buf.h"
#include "cli/render/output.h"
#include "cli/render/pick.h"
#include "cli/render/yaml.h"

#include <stdlib.h>
#include <string.h>

static void print_name(struct buf *out, const json_t *job) {
    buf_format(out, "jobgoodput.goodput.dev/%s\n", pick_text(job, "metadata.name"));
}

static void drop(json_t *object, const char *member, const char *key) {
    json_t *copy = json_copy(json_object_get(object, member));
    if (!json_is_object(copy)) {
        json_decref(copy);
        return;
    }
    json_object_del(copy, key);
    json_object_set_new(object, member, copy);
}

/* A copy without what only machines read: metadata.managedFields (as in kubectl) and the controller's checkpoint. */
static json_t *readable(const json_t *object) {
    json_t *copy = json_copy((json_t *)object);
    drop(copy, "metadata", "managedFields");
    drop(copy, "status", "checkpoint");
    return copy;
}

static json_t *readable_list(const json_t *items) {
    json_t *copies = json_array(), *item;
    size_t i;
    json_array_foreach(items, i, item) json_array_append_new(copies, readable(item));
    return json_pack("{s:s, s:s, s:o}", "apiVersion", "v1", "kind", "List", "items", copies);
}

int print_as(const char *output, const json_t *value, struct error **err) {
    CLEANUP_BUF struct buf out;
    size_t i;
    json_t *item;
    buf_init(&out, (size_t)256 << 20);
    bool is_list = json_is_array(value);
    json_t *whole = is_list ? readable_list(value) : readable(value);
    if (strcmp(output, "yaml") == 0) {
        yaml_write(&out, whole);
    } else if (strcmp(output, "name") == 0 && is_list) {
        json_array_foreach(value, i, item) print_name(&out, item);
    } else if (strcmp(output, "name") == 0) {
        print_name(&out, value);
    } else {
        char *dump = json_dumps(whole, JSON_INDENT(2));
        buf_append_text(&out, dump ? dump : "null");
        buf_append_char(&out, '\n');
        free(dump);
    }
    json_decref(whole);
    return output_write(&out, err);
}
