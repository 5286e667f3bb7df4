#include "steplog/huggingface_share.h"

#include "ledger/record.h"
#include "steplog/text.h"

#include <stdlib.h>

enum { DIGITS = 9, MIN_LINES = 4, MIN_QUANTA = 4 };

#define EPOCH 1000000000 /* billionths */

int64_t huggingface_share_parse(struct slice dict, int64_t *quantum) {
    struct slice rest;
    int64_t share, unit = EPOCH;
    if (!text_after(dict, "'epoch': ", &rest))
        return RECORD_NONE;
    slice_take_char(&rest, '\'');
    struct slice digits = rest;
    if (!slice_take_scaled(&rest, DIGITS, &share) || share < 0 || share > STEPLOG_MAX_STEP)
        return RECORD_NONE;
    const char *dot = slice_find_char(slice_range(digits.data, rest.data), '.');
    for (const char *at = dot; at != NULL && at + 1 < rest.data && unit > 1; at++)
        unit /= 10;
    if (*quantum == 0 || unit < *quantum)
        *quantum = unit;
    return share;
}

bool huggingface_share_fit(struct huggingface_share *s, const int64_t *shares, int count) {
    if (count < MIN_LINES)
        return false;
    int64_t span = shares[count - 1] - shares[0], each = span / (count - 1);
    if (each <= 0 || span < MIN_QUANTA * s->quantum)
        return false;
    for (int i = 0; i < count; i++)
        if (llabs(shares[i] - shares[0] - each * i) > s->quantum + each / 2)
            return false;
    s->each = each;
    s->learned = count - 1;
    return true;
}

static int64_t rounded(int64_t share, int64_t each) {
    return (share + each / 2) / each;
}

int64_t huggingface_share_number(struct huggingface_share *s, int64_t share) {
    int64_t since = share - s->first, next = s->number + 1;
    bool is_first = s->number == 0 || since < 0;
    if (is_first) {
        s->first = share;
        s->number = s->first_number = rounded(share, s->each) > 0 ? rounded(share, s->each) : 1;
        return s->number;
    }
    int64_t off = since - s->each * (next - s->first_number);
    bool is_next = llabs(off) <= s->quantum + s->each / 2;
    int64_t by_share = s->first_number + rounded(since, s->each);
    s->number = is_next || by_share < next ? next : by_share; /* lines were lost */
    if (is_next && next - s->first_number > s->learned && since > s->quantum) {
        s->learned = next - s->first_number;
        s->each = since > s->learned ? since / s->learned : 1;
    }
    return s->number;
}

void huggingface_share_visit(struct huggingface_share *s, struct codec *c) {
    s->each = codec_within(c, s->each, 0, STEPLOG_MAX_STEP);
    s->quantum = codec_within(c, s->quantum, 0, EPOCH);
    s->learned = codec_within(c, s->learned, 0, STEPLOG_MAX_STEP);
    s->first = codec_within(c, s->first, 0, STEPLOG_MAX_STEP);
    s->number = codec_within(c, s->number, 0, STEPLOG_MAX_STEP);
    s->first_number = codec_within(c, s->first_number, 0, s->number);
}
