/* Sources, KubeRay v1.6.0: ray-operator/apis/ray/v1/raycluster_types.go (resources override rayStartParams),
 * controllers/ray/common/pod.go (num-gpus; resources as JSON within quotes; "TPU" for google.com/tpu),
 * controllers/ray/utils/util.go (IsGPUResourceKey). Neuron counts cores there, not chips: it is left out. */
#include "operator/store/ray_chips.h"

#include "base/minmax.h"
#include "base/slice.h"
#include "operator/objects/objects.h"

#include <string.h>
#include <strings.h>

#define MAX_CHIPS 65536 /* of one pod */

static int64_t whole(struct slice text) {
    int64_t value;
    return slice_take_uint(&text, &value) && text.size_bytes == 0 && value <= MAX_CHIPS ? value : -1;
}

static bool ends_in(struct slice name, const char *end) {
    size_t size = strlen(end);
    return name.size_bytes >= size && strncasecmp(name.data + name.size_bytes - size, end, size) == 0;
}

void ray_resources_scan(struct jscan *j, void *chips) {
    struct ray_chips *c = chips;
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        bool is_chip = ends_in(key, "gpu") || ends_in(key, "TPU");
        struct slice text = object_text_scan(j);
        if (is_chip)
            c->by_resources = max_of(c->by_resources, whole(text));
    }
}

/* {"TPU": 4}, within quotes and with escapes, as the command line of `ray start` takes it. */
static int64_t tpus_of(struct slice raw) {
    char text[512];
    if (!jscan_unescape(raw, text, sizeof text))
        return -1;
    const char *at = strstr(text, "\"TPU");
    if (at == NULL)
        return -1;
    at += strlen("\"TPU");
    struct slice number = slice_of(at + strspn(at, "\\\": "));
    int64_t value;
    return slice_take_uint(&number, &value) && value <= MAX_CHIPS ? value : -1;
}

void ray_start_parameters_scan(struct jscan *j, void *chips) {
    struct ray_chips *c = chips;
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        bool is_gpus = slice_is(key, "num-gpus"), is_resources = slice_is(key, "resources");
        struct slice text = object_text_scan(j);
        if (is_gpus)
            c->by_gpus = whole(text);
        if (is_resources)
            c->by_start = tpus_of(text);
    }
}

bool ray_declares(const struct ray_chips *c) {
    return max_of(c->by_resources, max_of(c->by_gpus, c->by_start)) >= 0;
}

int64_t ray_chips(const struct ray_chips *chips) {
    int64_t by_start = max_of(chips->by_gpus, chips->by_start);
    return max_of(chips->by_resources >= 0 ? chips->by_resources : by_start, 0);
}
