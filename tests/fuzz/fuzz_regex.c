/* Format Regex: the first line is the pattern for steps, the second that for saved checkpoints, the rest is the log. No
 * line takes longer than LINE_MAX_CPU_MS, whatever the patterns. */
#include "line_time.h"
#include "reach.h"
#include "steplog/patterns.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_record(void *context, const struct record *r) {
    (void)context;
    if (r->kind == RECORD_STEP_END)
        REACHED("a step");
    else
        REACHED("a checkpoint");
    assert((unsigned)r->kind < RECORD_KIND_COUNT);
    assert(r->step == RECORD_NONE || r->step >= 0);
    assert(r->duration_ms == RECORD_NONE || r->duration_ms >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice rest = {(const char *)data, size}, step, saved;
    if (!slice_take_until(&rest, '\n', &step) || !slice_take_until(&rest, '\n', &saved))
        return 0;
    char *step_text = slice_dup(step), *saved_text = slice_dup(saved);
    struct steplog_patterns patterns = {.step = step_text, .checkpoint_saved = saved_text[0] ? saved_text : NULL};
    struct error *err = NULL;
    struct steplog *s = steplog_new_regex(&patterns, on_record, NULL, &err);
    assert((s == NULL) == (err != NULL));
    if (s != NULL) {
        feed_within_time(s, rest);
        if (steplog_disabled_pattern(s) != NULL)
            REACHED("a pattern that is too expensive");
    } else {
        REACHED("a pattern that is refused");
    }
    steplog_free(s);
    error_free(err);
    free(step_text);
    free(saved_text);
    return 0;
}
