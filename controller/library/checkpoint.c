#include "library/pass.h"

#include "base/mem.h"

struct group {
    double sum;
    int64_t count;
};

const char *checkpoint_seconds(const struct library_log *log, enum library_kind kind, double *seconds) {
    size_t names = log->groups.count, found = 0;
    CLEANUP_FREE struct group *groups = mem_alloc((names + 1) * sizeof *groups);
    CLEANUP_FREE uint32_t *order = mem_alloc((names + 1) * sizeof *order);
    for (size_t i = 0; i < log->event_count; i++) {
        const struct library_event *e = &log->events[i];
        if (e->kind != kind)
            continue;
        if (e->trouble)
            return e->trouble;
        struct group *g = &groups[e->type];
        if (g->count == 0)
            order[found++] = e->type;
        g->sum = g->count == 0 ? e->at.value : g->sum + e->at.value;
        g->count++;
    }
    double total = 0;
    for (size_t i = 0; i < found; i++)
        total += groups[order[i]].sum / (double)groups[order[i]].count;
    *seconds = total;
    return NULL;
}
