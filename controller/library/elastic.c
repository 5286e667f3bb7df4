#include "library/elastic.h"

#include "base/mem.h"
#include "library/badputs.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct spans {
    struct elastic_span {
        double from, to;
    } * items;
    size_t count, capacity;
};

/* An end closes what is open; a start that is not closed is forgotten when the next one comes. */
static void find_spans(const struct library_log *log, enum library_kind start, enum library_kind end,
                       struct spans *spans) {
    double from = 0;
    bool is_open = false;
    for (size_t i = 0; i < log->event_count; i++) {
        const struct library_event *e = &log->events[i];
        if (e->kind == start) {
            from = e->at.value;
            is_open = true;
        } else if (e->kind == end && is_open) {
            is_open = false;
            if (!(from < e->at.value))
                continue;
            MEM_GROW(spans->items, spans->count, spans->capacity);
            spans->items[spans->count++] = (struct elastic_span){from, e->at.value};
        }
    }
}

static bool is_scale_up(const char *type) {
    static const char expected[] = "scale_up";
    for (; *type; type++) {
        size_t i = 0;
        while (expected[i] && tolower((unsigned char)type[i]) == expected[i])
            i++;
        if (expected[i] == '\0')
            return true;
    }
    return false;
}

/* _extract_elastic_wait_intervals: one open wait of each kind. */
static bool add_waits(const struct library_log *log, struct library_answer *a) {
    size_t kinds = log->waits.count;
    CLEANUP_FREE double *open = mem_alloc((kinds + 1) * sizeof *open);
    CLEANUP_FREE bool *is_open = mem_alloc(kinds + 1);
    for (size_t i = 0; i < log->event_count; i++) {
        const struct library_event *e = &log->events[i];
        if (e->kind == LIBRARY_WAIT_START) {
            open[e->type] = e->at.value;
            is_open[e->type] = true;
        } else if (e->kind == LIBRARY_WAIT_END && is_open[e->type]) {
            is_open[e->type] = false;
            if (!(open[e->type] < e->at.value))
                continue;
            struct slice name = map_key_at(&log->waits, e->type);
            CLEANUP_FREE char *text = slice_dup(name);
            if (strcmp(text, "\x01") == 0) {
                snprintf(a->error, sizeof a->error, "'NoneType' object has no attribute 'lower'");
                return false;
            }
            badputs_add(&a->badputs,
                        is_scale_up(text) ? LIBRARY_BADPUT_ELASTIC_SCALE_UP : LIBRARY_BADPUT_ELASTIC_SLICE_DOWN,
                        number_of_double(e->at.value - open[e->type]));
        }
    }
    return true;
}

/* Initialization and preparation inside a re-initialization are counted there already. */
static void discount(const struct library_log *log, const struct spans *reinits, enum library_kind start,
                     enum library_kind end, struct library_number *seconds) {
    struct spans spans = {0};
    double overlap = 0.0;
    find_spans(log, start, end, &spans);
    for (size_t i = 0; i < spans.count; i++)
        for (size_t k = 0; k < reinits->count; k++) {
            double both = python_min(spans.items[i].to, reinits->items[k].to) -
                          python_max(spans.items[i].from, reinits->items[k].from);
            if (both > 0)
                overlap += both;
        }
    if (overlap > 0)
        *seconds = number_of_double(python_max(0.0, seconds->value - overlap));
    free(spans.items);
}

bool elastic_add(const struct library_log *log, struct library_answer *a) {
    struct spans reinits = {0};
    if (!add_waits(log, a))
        return false;
    find_spans(log, LIBRARY_REINIT_START, LIBRARY_REINIT_END, &reinits);
    for (size_t i = 0; i < reinits.count; i++)
        badputs_add(&a->badputs, LIBRARY_BADPUT_ELASTIC_REINITIALIZATION,
                    number_of_double(reinits.items[i].to - reinits.items[i].from));
    if (reinits.count > 0) {
        struct library_number *value = a->badputs.value;
        discount(log, &reinits, LIBRARY_INIT_START, LIBRARY_INIT_END, &value[LIBRARY_BADPUT_TPU_INITIALIZATION]);
        discount(log, &reinits, LIBRARY_PREP_START, LIBRARY_PREP_END, &value[LIBRARY_BADPUT_TRAINING_PREP]);
    }
    free(reinits.items);
    return true;
}

struct counts {
    double at;
    size_t number; /* in the log: sorting is stable */
    struct library_slices slices;
};

static int by_time(const void *a, const void *b) {
    const struct counts *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* _compute_time_weighted_efficiency over the sorted counts: the last one known when it begins counts from there. */
static void weigh(const struct counts *counts, size_t count, double from_s, double to_s, struct library_answer *a) {
    double total_s = to_s - from_s, stepping = 0.0, available = 0.0;
    size_t first = 0, until = 0;
    if (!(from_s < to_s))
        return;
    while (first < count && counts[first].at <= from_s)
        first++;
    for (until = first; until < count && counts[until].at < to_s;)
        until++;
    for (size_t i = first > 0 ? first - 1 : 0; i < until; i++) {
        const struct library_slices *s = &counts[i].slices;
        double total = python_max(s->total, 1);
        double at = i < first ? from_s : counts[i].at, next = i + 1 < until ? counts[i + 1].at : to_s;
        stepping += s->active / total * (next - at);
        available += s->available / total * (next - at);
    }
    a->stepping_efficiency = stepping / total_s;
    a->available_efficiency = available / total_s;
}

void elastic_efficiency(const struct library_log *log, double from_s, double to_s, struct library_answer *a) {
    size_t count = 0;
    CLEANUP_FREE struct counts *counts = mem_alloc((log->event_count + 1) * sizeof *counts);
    for (size_t i = 0; i < log->event_count; i++)
        if (log->events[i].kind == LIBRARY_SLICES) {
            counts[count] = (struct counts){log->events[i].at.value, count, log->slices[log->events[i].type]};
            count++;
        }
    if (count == 0)
        return;
    qsort(counts, count, sizeof *counts, by_time);
    a->has_slices = true;
    a->stepping_efficiency = a->available_efficiency = 0.0;
    weigh(counts, count, from_s, to_s, a);
}
