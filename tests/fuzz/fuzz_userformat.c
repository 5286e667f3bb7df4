/* StepLogFormat: the first line is its spec as JSON, the rest is the log. What can be used never crashes, and what is
 * refused says why. */
#include "line_time.h"
#include "reach.h"
#include "steplog/patterns.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_record(void *context, const struct record *r) {
    (void)context;
    REACHED("a record");
    assert((unsigned)r->kind < RECORD_KIND_COUNT);
    assert(r->step == RECORD_NONE || r->step >= 0);
    assert(r->duration_ms == RECORD_NONE || r->duration_ms >= 0);
    assert(r->tflops_milli == RECORD_NONE || r->tflops_milli >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice rest = {(const char *)data, size}, spec;
    struct error *err = NULL;
    if (!slice_take_until(&rest, '\n', &spec))
        return 0;
    struct userformat *f = userformat_parse(spec, &err);
    assert((f == NULL) == (err != NULL));
    if (f == NULL)
        REACHED("a spec that is refused");
    if (f != NULL) {
        int r = userformat_check(f, &err);
        assert((r < 0) == (err != NULL));
        error_free(err);
        err = NULL;
        struct steplog *s = steplog_new_user(f, on_record, NULL, &err);
        assert((s == NULL) == (err != NULL));
        if (s != NULL) {
            feed_within_time(s, rest);
        }
        steplog_free(s);
    }
    userformat_free(f);
    error_free(err);
    return 0;
}
