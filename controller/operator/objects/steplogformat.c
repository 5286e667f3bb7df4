/* The reader of StepLogFormats: crds/goodput.dev_steplogformats.yaml. What its spec says is read by
 * steplog/userformat.h. */
#include "operator/objects/steplogformat.h"
#include "base/jscan.h"

#include <errno.h>
#include <string.h>

static void status_scan(struct jscan *j, struct object_steplogformat *f) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "observedGeneration"))
            f->observed_generation = object_int_scan(j, 0);
        else if (slice_is(key, "conditions"))
            object_conditions_scan(j, &f->conditions);
        else
            jscan_skip(j);
    }
}

int object_steplogformat_parse(struct slice json, struct object_steplogformat *f) {
    struct jscan j;
    struct slice key;
    memset(f, 0, sizeof *f);
    object_meta_init(&f->meta);
    jscan_init_loose(&j, json);
    if (!jscan_object(&j))
        return -EINVAL;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "metadata"))
            object_meta_scan(&j, &f->meta);
        else if (slice_is(key, "spec"))
            jscan_raw(&j, &f->spec);
        else if (slice_is(key, "status"))
            status_scan(&j, f);
        else
            jscan_skip(&j);
    }
    return object_finish(&j, &f->meta);
}
