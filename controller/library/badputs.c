#include "library/badputs.h"

#include "base/bisect.h"
#include "base/mem.h"

#include <string.h>

void customs_init(struct library_customs *c, size_t types) {
    *c = (struct library_customs){0};
    c->seconds = mem_alloc((types + 1) * sizeof *c->seconds);
    c->has = mem_alloc(types + 1);
    c->order = mem_alloc((types + 1) * sizeof *c->order);
}

void customs_done(struct library_customs *c) {
    free(c->seconds);
    free(c->has);
    free(c->order);
    *c = (struct library_customs){0};
}

void customs_clear(struct library_customs *c) {
    for (size_t i = 0; i < c->count; i++)
        c->has[c->order[i]] = false;
    c->count = 0;
}

void customs_add(struct library_customs *c, uint32_t type, double seconds) {
    if (!c->has[type]) {
        c->has[type] = true;
        c->seconds[type] = 0.0;
        c->order[c->count++] = type;
    }
    c->seconds[type] += seconds;
}

void badputs_set(struct library_badputs *b, enum library_badput what, struct library_number seconds) {
    if (!b->has[what])
        b->order[b->count++] = (uint8_t)what;
    b->has[what] = true;
    b->value[what] = seconds;
}

void badputs_add(struct library_badputs *b, enum library_badput what, struct library_number seconds) {
    struct library_number zero = {0, false};
    badputs_set(b, what, number_add(b->has[what] ? b->value[what] : zero, seconds));
}

void badputs_accumulate(struct library_badputs *total, const struct library_badputs *part) {
    for (int i = 0; i < part->count; i++) {
        enum library_badput what = part->order[i];
        if (what == LIBRARY_BADPUT_CUSTOM_BADPUT_EVENTS) {
            badputs_set(total, what, number_of_double(0));
            for (size_t k = 0; k < part->customs.count; k++)
                customs_add(&total->customs, part->customs.order[k], part->customs.seconds[part->customs.order[k]]);
        } else if (!total->has[what]) {
            badputs_set(total, what, part->value[what]);
        } else if (total->value[what].is_float) {
            total->value[what].value += part->value[what].value;
        }
    }
}

static bool is_wrong(double seconds, double total_s) {
    return seconds < 0.0 || seconds > total_s;
}

/* _calculate_total_flat_unproductive_time: floats and the custom events, in the dictionary's order. */
static double flat_sum(const struct library_badputs *b) {
    double total = 0.0;
    for (int i = 0; i < b->count; i++) {
        enum library_badput what = b->order[i];
        if (what == LIBRARY_BADPUT_CUSTOM_BADPUT_EVENTS) {
            double sum = 0;
            for (size_t k = 0; k < b->customs.count; k++)
                sum += b->customs.seconds[b->customs.order[k]];
            total += sum;
        } else if (what != LIBRARY_BADPUT_DATA_LOADING_ASYNC && what != LIBRARY_BADPUT_OTHER &&
                   b->value[what].is_float) {
            total += b->value[what].value;
        }
    }
    return total;
}

void badputs_finish(struct library_badputs *b, double total_s, double productive_s) {
    for (int i = 0; i < b->count; i++) {
        struct library_number *n = &b->value[b->order[i]];
        if (n->is_float && is_wrong(n->value, total_s))
            n->value = 0.0;
    }
    for (size_t k = 0; k < b->customs.count; k++) {
        double *seconds = &b->customs.seconds[b->customs.order[k]];
        if (is_wrong(*seconds, total_s))
            *seconds = 0.0;
    }
    badputs_set(b, LIBRARY_BADPUT_OTHER, number_of_double(python_max(0.0, total_s - productive_s - flat_sum(b))));
}

static int by_start(const void *a, const void *b) {
    const struct custom_span *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* _extract_custom_sync_intervals: one open start per type. */
void custom_spans_find(struct custom_spans *c, const struct library_log *log) {
    size_t types = log->types.count;
    double *open = mem_alloc((types + 1) * sizeof *open);
    bool *is_open = mem_alloc(types + 1);
    *c = (struct custom_spans){0};
    for (size_t i = 0; i < log->event_count; i++) {
        const struct library_event *e = &log->events[i];
        if (e->kind != LIBRARY_CUSTOM_START && e->kind != LIBRARY_CUSTOM_END)
            continue;
        if (e->type == LIBRARY_NO_TYPE) {
            c->trouble = "'custom_badput_event_type'";
            break;
        }
        if (e->kind == LIBRARY_CUSTOM_START) {
            open[e->type] = e->at.value;
            is_open[e->type] = true;
        } else if (is_open[e->type]) {
            is_open[e->type] = false;
            if (!(open[e->type] < e->at.value))
                continue;
            MEM_GROW(c->items, c->count, c->capacity);
            c->items[c->count] = (struct custom_span){open[e->type], e->at.value, e->type, (uint32_t)c->count};
            c->count++;
        }
    }
    if (c->count > 1)
        qsort(c->items, c->count, sizeof *c->items, by_start);
    c->within = mem_resize(NULL, c->count + 1, sizeof(struct custom_span *));
    free(open);
    free(is_open);
}

void custom_spans_done(struct custom_spans *c) {
    free(c->items);
    free(c->within);
    *c = (struct custom_spans){0};
}

static size_t first_from(const struct custom_spans *c, double from) {
    return BISECT(i, c->count, c->items[i].from < from);
}

static int by_number(const void *a, const void *b) {
    const struct custom_span *x = *(struct custom_span *const *)a, *y = *(struct custom_span *const *)b;
    return x->number < y->number ? -1 : x->number > y->number;
}

double custom_spans_within(const struct custom_spans *c, double from, double to, struct library_customs *customs) {
    double sum = 0.0;
    size_t found = 0;
    for (size_t i = first_from(c, from); i < c->count && c->items[i].from <= to; i++)
        if (c->items[i].to <= to)
            c->within[found++] = &c->items[i];
    if (found > 1)
        qsort(c->within, found, sizeof *c->within, by_number);
    for (size_t i = 0; i < found; i++) {
        double seconds = c->within[i]->to - c->within[i]->from;
        sum += seconds;
        customs_add(customs, c->within[i]->type, seconds);
    }
    return sum;
}
