#include "ledger/bursts.h"

#include "base/mem.h"

#include <math.h>

/* The first event of the burst that ends the list. */
static size_t burst_start(const struct step_list *list, int64_t same_write, bool has_settled) {
    size_t last = list->count - 1, first = last, floor = list->runs[list->run_count - 1].first;
    while (first > floor && first > (has_settled ? 1 : 0) && (int64_t)(last - first) < same_write &&
           list->items[first - 1].at_ms > list->items[last].at_ms - RECORD_SAME_WRITE_MS)
        first--;
    return first;
}

static void uncount_delta(struct step_list *list, int64_t delta) {
    for (size_t i = 0; i < ARRAY_SIZE(list->deltas); i++)
        if (list->deltas[i].delta == delta && list->deltas[i].count > 0) {
            list->deltas[i].count--;
            return;
        }
}

/* A line without a duration adds none: the sum is the least that the steps took. */
static void join_duration(struct step_event *to, const struct step_event *e) {
    int64_t sum = (int64_t)to->duration_ms + e->duration_ms;
    if (to->duration_ms < 0 || e->duration_ms < 0)
        to->duration_ms = to->duration_ms > e->duration_ms ? to->duration_ms : e->duration_ms;
    else
        to->duration_ms = sum > INT32_MAX ? -1 : (int32_t)sum;
}

void bursts_join(struct step_list *list, const struct step_event *e, int64_t same_write, bool has_settled) {
    struct step_event *items = list->items;
    if (list->count < 2 || items[list->count - 1].step != e->step || list->has_pending)
        return;
    size_t first = burst_start(list, same_write, has_settled), last = list->count - 1;
    if (first == last)
        return;
    bool begins_run = list->runs[list->run_count - 1].first == first;
    list->apart = items[last].step - items[last - 1].step;
    list->in_bursts += last - first > 1 ? same_write + 1 : 1;
    for (size_t i = first + begins_run; i <= last; i++)
        uncount_delta(list, items[i].step - items[i - 1].step);
    bool has_startup = begins_run && last - first > 1; /* the first line holds it */
    for (size_t i = first + has_startup; i < last; i++)
        join_duration(&items[last], &items[i]);
    items[first] = items[last];
    list->count = first + 1;
    if (!begins_run)
        step_list_count_delta(list, items[first].step - items[first - 1].step);
}

bool bursts_are_usual(const struct step_list *list) {
    return 2 * list->in_bursts > list->added;
}

int64_t bursts_split_doubt_ms(int64_t stated_ms, int64_t some, int64_t all) {
    return (int64_t)(2 * (double)stated_ms / (double)all * sqrt((double)some * (double)(all - some) / (double)all));
}
