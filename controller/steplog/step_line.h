/* step_line: the numbers of a recorder's step line, which all such lines of a job have in the same words: a million
 * lines differ in them only. The text before them is compared as bytes by who reads the line; since it was read once
 * as JSON, and what follows has the same shape, it would be read the same way again. Other shapes are left to JSON. */
#ifndef STEPLOG_STEP_LINE_H
#define STEPLOG_STEP_LINE_H

#include "base/digits.h"
#include "base/slice.h"

#define STEP_LINE_START "{\"job_name\"" /* no transport's lines start so, nor lines with a clock */
#define STEP_LINE_KEY "\"step_count\": "
#define STEP_LINE_TIME ", \"step_start_time\": "

struct step_line {
    int64_t step;
    uint64_t seconds, fraction; /* fraction: of `decimals` digits */
    int decimals;               /* 0 to STEP_LINE_DECIMALS; 0: the time is an integer */
};

/* Where the numbers of the last line were: those of the next one mostly have as many digits. All-zero: not known. */
struct step_layout {
    int step_digits, decimals; /* decimals 0: the line had not the ten digits of a time and a fraction */
    bool is_doubtful;          /* the line before had others: a decimal in ten is a zero, which Python leaves out */
    size_t time_at, seconds_at, fraction_at, size_bytes;
};

#define STEP_LINE_DECIMALS 8          /* Python prints 7 at most */
#define STEP_LINE_SECONDS 9000000000u /* in nanoseconds they fit into an int64_t */
#define STEP_LINE_ROOM 64             /* as many bytes the numbers are read from without a look at their end */

static inline int64_t step_line_ns(const struct step_line *l) {
    static const uint32_t scale[] = {1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10};
    return (int64_t)(l->seconds * 1000000000 + l->fraction * scale[l->decimals]);
}

/* STEP, "step_start_time": SECONDS} at the start of STEP_LINE_ROOM bytes that can be read: returns its size, 0 where it
 * has another shape. Numbers as JSON has them: no zero before other digits. */
static inline size_t step_line_numbers(const char *from, struct step_line *ret) {
    enum { TIME = sizeof STEP_LINE_TIME - 1 };
    static const uint64_t powers[] = {1, 10, 100};
    const char *at = from;
    uint64_t step, more;
    int digits = digits_eight(at, &step);
    bool is_padded = *at == '0' && digits > 1;
    at += digits;
    if (digits == 0 || is_padded || memcmp(at, STEP_LINE_TIME, TIME) != 0)
        return 0;
    at += TIME;
    digits = digits_eight(at, &ret->seconds);
    is_padded = *at == '0' && digits > 1;
    at += digits;
    if (digits == 8) {
        digits = digits_eight(at, &more);
        if (digits >= (int)(sizeof powers / sizeof powers[0]))
            return 0;
        ret->seconds = ret->seconds * powers[digits] + more;
        at += digits;
    } else if (digits == 0) {
        return 0;
    }
    ret->decimals = 0;
    ret->fraction = 0;
    if (*at == '.') {
        ret->decimals = digits_eight(at + 1, &ret->fraction);
        if (ret->decimals == 0)
            return 0;
        at += 1 + ret->decimals;
    }
    ret->step = (int64_t)step;
    return is_padded || ret->seconds > STEP_LINE_SECONDS || *at != '}' ? 0 : (size_t)(at + 1 - from);
}

/* The same where the numbers have as many digits as in the line before: each is read at its place, and whether that was
 * right is only compared. So the processor need not wait for one number to find the next, nor for the end of a line to
 * read the next line, which takes most of the time. */
static inline size_t step_line_numbers_again(const char *from, const struct step_layout *o, struct step_line *ret) {
    uint64_t step, high, low;
    if (o->decimals == 0 || digits_eight(from, &step) != o->step_digits ||
        memcmp(from + o->time_at, STEP_LINE_TIME, sizeof STEP_LINE_TIME - 1) != 0 ||
        digits_eight(from + o->seconds_at, &high) != 8 || digits_eight(from + o->seconds_at + 8, &low) != 2 ||
        from[o->fraction_at - 1] != '.' || digits_eight(from + o->fraction_at, &ret->fraction) != o->decimals ||
        from[o->size_bytes - 1] != '}' || (*from == '0' && o->step_digits > 1) || from[o->seconds_at] == '0')
        return 0;
    ret->step = (int64_t)step;
    ret->seconds = high * 100 + low;
    ret->decimals = o->decimals;
    return ret->seconds > STEP_LINE_SECONDS ? 0 : o->size_bytes;
}

static inline void step_layout_learn(struct step_layout *o, const char *from, size_t size_bytes,
                                     const struct step_line *l) {
    size_t time_at = 0;
    while (from[time_at] != ',')
        time_at++;
    size_t seconds_at = time_at + sizeof STEP_LINE_TIME - 1, fraction_at = seconds_at + 11;
    bool is_usual = size_bytes == fraction_at + (size_t)l->decimals + 1;
    *o = (struct step_layout){.step_digits = (int)time_at,
                              .decimals = is_usual ? l->decimals : 0,
                              .time_at = time_at,
                              .seconds_at = seconds_at,
                              .fraction_at = fraction_at,
                              .size_bytes = size_bytes};
}

/* As a function by itself, so that its room on the stack costs the others nothing. */
__attribute__((noinline)) static size_t step_line_at_end(struct slice bytes, struct step_line *ret) {
    char room[STEP_LINE_ROOM] = {0};
    memcpy(room, bytes.data, bytes.size_bytes);
    return step_line_numbers(room, ret);
}

/* The same at the start of any bytes; most have the layout of the line before. */
static inline size_t step_line_take(struct slice bytes, struct step_layout *layout, struct step_line *ret) {
    if (bytes.size_bytes < STEP_LINE_ROOM)
        return step_line_at_end(bytes, ret);
    size_t size = step_line_numbers_again(bytes.data, layout, ret);
    bool is_other = size == 0;
    if (is_other && (size = step_line_numbers(bytes.data, ret)) > 0 && (layout->is_doubtful || layout->decimals == 0))
        step_layout_learn(layout, bytes.data, size, ret);
    layout->is_doubtful = is_other;
    return size;
}

#endif
