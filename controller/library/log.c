#include "library/log.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

void library_log_init(struct library_log *log) {
    *log = (struct library_log){.last_logged_us = INT64_MIN};
    map_init(&log->types, NULL);
    map_init(&log->groups, NULL);
    map_init(&log->waits, NULL);
}

void library_log_done_part(struct library_log *log) {
    free(log->steps);
    free(log->logged_us);
    free(log->events);
}

void library_log_done(struct library_log *log) {
    library_log_done_part(log);
    map_done(&log->types);
    map_done(&log->groups);
    map_done(&log->waits);
    free(log->slices);
    free(log->job_name);
    free((char *)log->prefix.data);
}

int64_t library_microseconds(double seconds) {
    double whole, part = modf(seconds, &whole);
    if (!(fabs(whole) < 9e11)) /* not a time of Python's years 1 to 9999 either */
        return whole > 0 ? (int64_t)9e17 : (int64_t)-9e17;
    return (int64_t)whole * 1000000 + (int64_t)nearbyint(part * 1e6);
}

/* The entry's own timestamp, else its payload's time. */
static int64_t step_logged_us(const struct library_log *log, size_t i) {
    if (log->logged_us != NULL && log->logged_us[i] != INT64_MIN)
        return log->logged_us[i];
    return library_microseconds(log->steps[i].at);
}

static void part_step(const struct library_log *from, size_t i, struct library_log *to) {
    if (to->step_count == to->step_capacity) {
        MEM_GROW(to->steps, to->step_count, to->step_capacity);
        if (from->logged_us != NULL)
            to->logged_us = mem_resize(to->logged_us, to->step_capacity, sizeof *to->logged_us);
    }
    if (from->logged_us != NULL)
        to->logged_us[to->step_count] = from->logged_us[i];
    to->steps[to->step_count++] = from->steps[i];
}

void library_log_part(const struct library_log *from, int64_t after_us, int64_t until_us, struct library_log *to) {
    int64_t logged_us = INT64_MIN;
    size_t step = 0;
    *to = (struct library_log){
        .types = from->types, .groups = from->groups, .waits = from->waits, .slices = from->slices};
    for (size_t i = 0; i <= from->event_count; i++) {
        const struct library_event *e = i < from->event_count ? &from->events[i] : NULL;
        for (; step < (e ? e->before : from->step_count); step++) {
            logged_us = step_logged_us(from, step);
            if (logged_us > after_us && logged_us <= until_us)
                part_step(from, step, to);
        }
        if (e == NULL)
            break;
        if (e->logged_us != INT64_MIN)
            logged_us = e->logged_us;
        else if (e->stamp == LIBRARY_STAMP_NUMBER)
            logged_us = library_microseconds(e->stamp_s);
        if (logged_us <= after_us || logged_us > until_us)
            continue;
        MEM_GROW(to->events, to->event_count, to->event_capacity);
        to->events[to->event_count] = *e;
        to->events[to->event_count++].before = to->step_count;
    }
}
