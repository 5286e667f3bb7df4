#include "ledger/step_list.h"

#include "base/bisect.h"
#include "base/mem.h"

#include <string.h>

#define MANY 1024

/* A job keeps these steps for hours: their array is at most twice as large as they need until the next batch. It is
 * seldom moved: what it leaves is too small for the next one. */
static void release_skipped(struct step_list *list) {
    if (list->skipped < list->count / 2 && list->count > MANY)
        return; /* many wait to be settled: to move them each time would take long */
    struct step_event *all = list->items - list->skipped;
    memmove(all, list->items, list->count * sizeof *all);
    list->items = all;
    if (list->capacity > 2 * (list->count + STEPS_SETTLED_LAST)) {
        list->capacity = list->count + STEPS_SETTLED_LAST;
        list->items = mem_resize(all, list->capacity, sizeof *all);
    }
    list->skipped = 0;
}

void step_list_drop(struct step_list *list, size_t first) {
    size_t marks = 0;
    if (first == 0)
        return;
    while (marks + 1 < list->run_count && list->runs[marks + 1].first <= first)
        marks++;
    bool begins_run = list->runs[marks].first == first;
    int64_t took_ms = list->items[first].at_ms - list->items[first - 1].at_ms;
    /* The reported duration is not needed any more; cursor.c needs the time since the line before. */
    list->items[first].duration_ms = begins_run || took_ms > INT32_MAX ? -1 : (int32_t)took_ms;
    list->run_count -= marks;
    memmove(list->runs, list->runs + marks, list->run_count * sizeof *list->runs);
    for (size_t i = 0; i < list->run_count; i++)
        list->runs[i].first -= list->runs[i].first < first ? list->runs[i].first : first;
    list->items += first;
    list->count -= first;
    list->skipped += first;
    if (list->count > 0)
        list->items[0].duration_ms =
            -1; /* only the duration of a list's first step is read and saved, and that of this list was never set */
    release_skipped(list);
}

size_t step_list_until(const struct step_list *list, int64_t through_ms) {
    return BISECT(i, list->count, list->items[i].at_ms <= through_ms);
}
