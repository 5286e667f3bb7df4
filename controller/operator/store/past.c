/* The past of a replicated job: what is left of pods that are forgotten. */
#include "base/bisect.h"
#include "base/mem.h"
#include "operator/store/store.h"

#include <string.h>

struct past *store_past(struct target *t, const char *replicated_job) {
    for (int i = 0; i < t->past_count; i++)
        if (strcmp(t->pasts[i].replicated_job, replicated_job) == 0)
            return &t->pasts[i];
    t->pasts = mem_resize(t->pasts, (size_t)t->past_count + 1, sizeof *t->pasts);
    struct past *past = &t->pasts[t->past_count++];
    *past = (struct past){.replicated_job = replicated_job};
    return past;
}

struct past_change *past_at(struct past *past, int64_t at_ms) {
    size_t low = BISECT(i, past->count, past->items[i].all.at_ms < at_ms);
    if (low == past->count || past->items[low].all.at_ms != at_ms) {
        MEM_GROW(past->items, past->count, past->capacity);
        memmove(&past->items[low + 1], &past->items[low], (past->count++ - low) * sizeof *past->items);
        past->items[low] = (struct past_change){.all.at_ms = at_ms};
    }
    return &past->items[low];
}
