/* badputs: Python's dictionary of unproductive time and what the library does with it. Private to library/. */
#ifndef LIBRARY_BADPUTS_H
#define LIBRARY_BADPUTS_H

#include "library/library.h"

/* Python's max(a, b): b only if it is greater, so that NaN and -0.0 come out as there. */
static inline double python_max(double a, double b) {
    return b > a ? b : a;
}
static inline double python_min(double a, double b) {
    return b < a ? b : a;
}
static inline struct library_number number_of_double(double value) {
    return (struct library_number){value, true};
}
static inline struct library_number number_add(struct library_number a, struct library_number b) {
    return (struct library_number){a.value + b.value, a.is_float || b.is_float};
}
static inline struct library_number number_subtract(struct library_number a, struct library_number b) {
    return (struct library_number){a.value - b.value, a.is_float || b.is_float};
}

void customs_init(struct library_customs *c, size_t types);
void customs_done(struct library_customs *c);
void customs_clear(struct library_customs *c);
void customs_add(struct library_customs *c, uint32_t type, double seconds);

void badputs_set(struct library_badputs *b, enum library_badput what, struct library_number seconds);
/* d.get(what, 0) + seconds */
void badputs_add(struct library_badputs *b, enum library_badput what, struct library_number seconds);
/* _accumulate_unproductive_time: an int that is there already is never added to. The customs, if has[], are merged. */
void badputs_accumulate(struct library_badputs *total, const struct library_badputs *part);
/* _sanitize_unproductive_times and then OTHER. */
void badputs_finish(struct library_badputs *b, double total_s, double productive_s);

/* Custom events that ended, in the order of their ends, with an index by start. */
struct custom_span {
    double from, to;
    uint32_t type, number;
};
struct custom_spans {
    struct custom_span *items; /* sorted by start, then number */
    size_t count, capacity;
    const struct custom_span **within; /* scratch */
    const char *trouble;               /* what looking for them raises; NULL */
};
void custom_spans_find(struct custom_spans *c, const struct library_log *log);
void custom_spans_done(struct custom_spans *c);
/* Adds the events wholly within [from, to] to customs, in order; returns their sum (0.0 if there are none). */
double custom_spans_within(const struct custom_spans *c, double from, double to, struct library_customs *customs);

#endif
