/* model: hostile objects. Each line is one observation: a digit for the resource (enum resource), P, D or V for what was
 * observed, then the object's JSON. Whatever comes, a status is written, it is JSON, and its buckets add up. */
#include "base/jscan.h"
#include "operator/model.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct slice field(struct slice object, const char *wanted) {
    struct jscan j;
    struct slice key, value = slice_of("");
    jscan_init(&j, object);
    if (!jscan_object(&j))
        return value;
    while (jscan_key(&j, &key)) {
        if (!slice_is(key, "metadata") || !jscan_object(&j)) {
            if (!slice_is(key, "metadata"))
                jscan_skip(&j);
            continue;
        }
        while (jscan_key(&j, &key)) {
            if (slice_is(key, wanted))
                jscan_string_raw(&j, &value);
            else
                jscan_skip(&j);
        }
    }
    return value;
}

static void check_status(struct model_job *job, int64_t now_ms) {
    CLEANUP_BUF struct buf out;
    struct model_summary summary;
    struct jscan j;
    struct slice raw;
    buf_init(&out, 1 << 20);
    model_job_status(job, now_ms, &out, &summary);
    jscan_init(&j, buf_slice(&out));
    assert(jscan_raw(&j, &raw) && jscan_at_end(&j) && !out.truncated);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice rest = {(const char *)data, size}, line;
    struct model *m = model_new(&(struct model_options){.version = "fuzz"});
    int64_t now_ms = 1763691000000;
    while (slice_take_line(&rest, &line)) {
        if (line.size_bytes < 2)
            continue;
        enum resource resource = (enum resource)((unsigned char)line.data[0] % RESOURCE_COUNT);
        enum observed what = line.data[1] == 'D'   ? OBSERVED_DELETED
                             : line.data[1] == 'V' ? OBSERVED_VANISHED
                                                   : OBSERVED_PRESENT;
        struct slice object = slice_skip(line, 2);
        now_ms += 500;
        model_observe(m, resource, what, field(object, "namespace"), field(object, "name"), field(object, "uid"),
                      what == OBSERVED_VANISHED ? slice_of("") : object, now_ms);
    }
    for (enum resource r = 0; r < RESOURCE_COUNT; r++)
        model_watermark(m, r, now_ms, false);
    for (size_t i = 0; i < model_job_count(m); i++)
        check_status(model_job_at(m, i), now_ms);
    model_free(m);
    return 0;
}
