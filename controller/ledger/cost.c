#include "ledger/cost.h"

static int64_t bytes_of(size_t count, size_t size) {
    return (int64_t)(count * size);
}

static int64_t list_bytes(const struct step_list *l) {
    return bytes_of(l->capacity, sizeof *l->items) + bytes_of(l->run_capacity, sizeof *l->runs);
}

static int64_t process_bytes(const struct process *p) {
    return bytes_of(1, sizeof *p) + list_bytes(&p->ends) + list_bytes(&p->starts) +
           bytes_of(p->overlay_capacity, sizeof *p->overlays) + bytes_of(p->durable_capacity, sizeof *p->durables) +
           bytes_of(p->slice_capacity, sizeof *p->slices);
}

struct ledger_cost ledger_cost_of(const struct ledger *l) {
    struct ledger_cost c = {.looked_at = l->looked_at, .lives_looked_at = l->lives_looked_at};
    for (size_t i = 0; i < l->live_count; i++)
        c.held_bytes += process_bytes(l->live[i]);
    if (l->settled != NULL)
        c.held_bytes += bytes_of(1, sizeof *l->settled) + bytes_of(l->settled->knots.count, sizeof(struct knot)) +
                        bytes_of(l->settled->durations.capacity, sizeof(struct duration));
    return c;
}

void cost_count(struct ledger *l, const struct training *t) {
    for (size_t i = 0; i < t->view_count; i++) {
        const struct process *p = t->views[i].process;
        l->looked_at += 1 + (int64_t)(p->ends.count + p->starts.count + p->overlay_count + p->durable_count);
    }
}
