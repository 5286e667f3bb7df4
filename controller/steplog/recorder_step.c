#include "steplog/recorder_step.h"

#include "base/digits.h"
#include "steplog/emit.h"

#include <string.h>

static const char before_time[] = ", \"step_start_time\": ";
enum { BEFORE_TIME = sizeof before_time - 1, MAX_PREFIX = 1024 };

/* STEP, "step_start_time": SECONDS} ; the seconds have at most nine decimals, which is exact in nanoseconds. Numbers as
 * JSON has them: no zero before other digits. */
static bool take_tail(const char *at, const char *end, int64_t *step, int64_t *ns) {
    static const uint32_t scale[] = {1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    uint64_t number, seconds, fraction = 0;
    char first = *at;
    int digits = digits_take(&at, end, &number), decimals = 0;
    if (digits == 0 || digits > 15 || (first == '0' && digits > 1) || end - at <= BEFORE_TIME ||
        memcmp(at, before_time, BEFORE_TIME) != 0)
        return false;
    at += BEFORE_TIME;
    first = *at;
    digits = digits_take(&at, end, &seconds);
    if (digits == 0 || digits > 10 || (first == '0' && digits > 1) || seconds > 9000000000u)
        return false;
    if (at < end && *at == '.') {
        at++;
        decimals = digits_take(&at, end, &fraction);
        if (decimals == 0 || decimals > 9)
            return false;
    }
    *step = (int64_t)number;
    *ns = (int64_t)(seconds * 1000000000 + fraction * scale[decimals]);
    return end - at == 1 && *at == '}';
}

bool recorder_step_again(struct steplog *s, struct slice line) {
    int64_t step, ns;
    size_t size = s->step_prefix.size_bytes;
    if (size == 0 || line.size_bytes <= size || memcmp(line.data, s->step_prefix.data, size) != 0 ||
        !take_tail(line.data + size, line.data + line.size_bytes, &step, &ns))
        return false;
    struct record r = steplog_record(s, RECORD_STEP_START);
    r.step = step;
    r.at_ms = (ns + 500000) / 1000000 + s->clock_offset_ms;
    steplog_emit(s, &r, STEPLOG_RECORDER);
    return true;
}

void recorder_learn_step(struct steplog *s, struct slice text, int64_t step, int64_t ns) {
    static const char key[] = "\"step_count\": ";
    const char *at = slice_find(text, key), *end = text.data + text.size_bytes;
    int64_t same_step, same_ns;
    buf_clear(&s->step_prefix);
    if (s->own != NULL || at == NULL || at - text.data > MAX_PREFIX)
        return;
    at += sizeof key - 1;
    if (take_tail(at, end, &same_step, &same_ns) && same_step == step && same_ns == ns)
        buf_append_slice(&s->step_prefix, slice_range(text.data, at));
}
