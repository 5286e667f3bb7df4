#include "steplog/recorder_step.h"

#include "base/digits.h"
#include "steplog/emit.h"

#include <string.h>

static const char before_time[] = ", \"step_start_time\": ";
enum { BEFORE_TIME = sizeof before_time - 1, MAX_PREFIX = 1024 };

struct step {
    int64_t step, ns;
    bool has_fraction;
};

/* STEP, "step_start_time": SECONDS} from *at on, which moves behind it; the seconds have at most nine decimals, which
 * is exact in nanoseconds. Numbers as JSON has them: no zero before other digits. */
static bool take_tail(const char **from, const char *end, struct step *ret) {
    static const uint32_t scale[] = {1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    const char *at = *from;
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
    if (at == end || *at != '}')
        return false;
    ret->step = (int64_t)number;
    ret->ns = (int64_t)(seconds * 1000000000 + fraction * scale[decimals]);
    ret->has_fraction = decimals > 0;
    *from = at + 1;
    return true;
}

/* Such a line at the start of `bytes`, without its end. */
static bool take_line(const struct steplog *s, struct slice bytes, struct slice *line, struct step *ret) {
    size_t size = s->step_prefix.size_bytes;
    if (size == 0 || bytes.size_bytes <= size || memcmp(bytes.data, s->step_prefix.data, size) != 0)
        return false;
    const char *at = bytes.data + size;
    if (!take_tail(&at, bytes.data + bytes.size_bytes, ret))
        return false;
    *line = slice_range(bytes.data, at);
    return true;
}

static inline void emit_step_start(struct steplog *s, const struct step *step) {
    struct record r = steplog_record(s, RECORD_STEP_START);
    r.step = step->step;
    r.at_ms = (step->ns + 500000) / 1000000 + s->clock_offset_ms;
    steplog_emit(s, &r, STEPLOG_RECORDER);
}

bool recorder_step_again(struct steplog *s, struct slice line) {
    struct step step;
    struct slice taken;
    if (!take_line(s, line, &taken, &step) || taken.size_bytes != line.size_bytes)
        return false;
    emit_step_start(s, &step);
    return true;
}

void recorder_steps_again(struct steplog *s, struct slice *bytes) {
    struct step step;
    struct slice line;
    const char *end = bytes->data + bytes->size_bytes;
    if (!slice_starts(buf_slice(&s->step_prefix), RECORDER_LINE))
        return;
    while (take_line(s, *bytes, &line, &step)) {
        const char *newline = line.data + line.size_bytes;
        if (newline == end || *newline != '\n')
            return;
        *bytes = slice_range(newline + 1, end);
        if (steplog_note_repeat(s, line, step.has_fraction ? step.ns : 0))
            continue;
        s->counts.lines++;
        s->stamp_ms = s->last_record_ms = TIME_UNKNOWN;
        emit_step_start(s, &step);
    }
}

void recorder_learn_step(struct steplog *s, struct slice text, int64_t step, int64_t ns) {
    static const char key[] = "\"step_count\": ";
    const char *at = slice_find(text, key), *end = text.data + text.size_bytes;
    struct step same;
    buf_clear(&s->step_prefix);
    if (s->own != NULL || at == NULL || at - text.data > MAX_PREFIX)
        return;
    at += sizeof key - 1;
    const char *tail = at;
    if (at < end && take_tail(&tail, end, &same) && tail == end && same.step == step && same.ns == ns)
        buf_append_slice(&s->step_prefix, slice_range(text.data, at));
}
