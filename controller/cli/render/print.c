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

int print_as(const char *output, const json_t *value, struct error **err) {
    CLEANUP_BUF struct buf out;
    size_t i;
    json_t *item;
    buf_init(&out, (size_t)256 << 20);
    json_t *list =
        json_is_array(value) ? json_pack("{s:s, s:s, s:O}", "apiVersion", "v1", "kind", "List", "items", value) : NULL;
    const json_t *whole = list ? list : value;
    if (strcmp(output, "yaml") == 0) {
        yaml_write(&out, whole);
    } else if (strcmp(output, "name") == 0 && list != NULL) {
        json_array_foreach(value, i, item) print_name(&out, item);
    } else if (strcmp(output, "name") == 0) {
        print_name(&out, value);
    } else {
        char *dump = json_dumps(whole, JSON_INDENT(2));
        buf_append_text(&out, dump ? dump : "null");
        buf_append_char(&out, '\n');
        free(dump);
    }
    json_decref(list);
    return output_write(&out, err);
}
