#include "operator/facts/ready.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/facts/loss.h"

#include <string.h>

static void add_change(struct ready_line *line, int64_t at_ms, int by) {
    size_t low = BISECT(i, line->count, line->items[i].at_ms < at_ms);
    if (low == line->count || line->items[low].at_ms != at_ms) {
        MEM_GROW(line->items, line->count, line->capacity);
        memmove(&line->items[low + 1], &line->items[low], (line->count++ - low) * sizeof *line->items);
        line->items[low] = (struct ready_change){at_ms, 0};
    }
    line->items[low].by += by;
}

/* End of a span in which the pod counts as Ready; TIME_OPEN: it still does. A pod that is being deleted no longer
 * counts, as in its Job's status.ready. A completed pod counts as long as its Job exists: a new Job requires all
 * indexes again. */
static int64_t counts_until_ms(const struct pod *p, int i, bool is_done) {
    struct spans ready = pod_ready(p);
    const struct span *s = &ready.items[i];
    if (is_done && i + 1 == ready.count)
        return p->job && p->job->deletion_ms != TIME_UNKNOWN ? max_of(p->job->deletion_ms, s->from_ms) : TIME_OPEN;
    return p->deletion_ms == TIME_UNKNOWN ? s->to_ms : min_of(s->to_ms, max_of(p->deletion_ms, s->from_ms));
}

static void add_edge(struct ready_line *line, struct pod *p, bool is_done) {
    int edge = p->ready_counted++;
    bool is_begin = edge % 2 == 0;
    int64_t at_ms = is_begin ? pod_ready(p).items[edge / 2].from_ms : counts_until_ms(p, edge / 2, is_done);
    add_change(line, at_ms, is_begin ? 1 : -1);
    if (!is_begin)
        p->ready_until_ms = at_ms;
}

/* Removes the newest end where it was added: it may have moved since. */
static void remove_edge(struct ready_line *line, struct pod *p, bool is_newest_end) {
    int edge = --p->ready_counted;
    if (edge % 2 == 0)
        add_change(line, pod_ready(p).items[edge / 2].from_ms, -1);
    else
        add_change(line, is_newest_end ? p->ready_until_ms : counts_until_ms(p, edge / 2, false), 1);
}

/* Adds the edges of the pod's spans one by one, as spans are only added and closed: span k starts at edge 2k and ends
 * at the next. Only the newest end can move: the pod is deleted, or it has completed and still counts. */
void fact_add_ready(struct model_job *job, struct pod *p) {
    int count = pod_ready(p).count, edges = 2 * count;
    bool is_done = p->phase == POD_SUCCEEDED && fact_pod_lost_ms(p) >= pod_ended_ms(p), is_newest_end = true;
    int64_t until_ms = count > 0 ? counts_until_ms(p, count - 1, is_done) : TIME_OPEN;
    if (count > 0 && until_ms == TIME_OPEN)
        edges--;
    if (p->slot < 0)
        edges = 0;
    bool has_moved = count > 0 && p->ready_counted == 2 * count && p->ready_until_ms != until_ms;
    while (p->ready_counted > edges || has_moved) {
        remove_edge(&job->facts.ready_line, p, is_newest_end);
        is_newest_end &= p->ready_counted % 2 == 0;
        has_moved = false;
    }
    while (p->ready_counted < edges)
        add_edge(&job->facts.ready_line, p, is_done);
}

void fact_add_past_ready(struct model_job *job, const struct past *past, int times) {
    for (size_t i = 0; i < past->count; i++)
        if (past->items[i].ready != 0)
            add_change(&job->facts.ready_line, past->items[i].all.at_ms, times * (int)past->items[i].ready);
}

bool fact_can_move_ready(const struct pod *p) {
    return p->ready_counted == 2 * pod_ready(p).count;
}

void fact_sum_ready(const struct pod *p, struct past *past, int64_t until_ms) {
    bool is_open = false;
    for (int edge = 0; edge < p->ready_counted; edge++) {
        int64_t at_ms = pod_ready(p).items[edge / 2].from_ms;
        if (edge + 1 == p->ready_counted && edge % 2 == 1)
            at_ms = p->ready_until_ms;
        else if (edge % 2 == 1)
            at_ms = counts_until_ms(p, edge / 2, false);
        if (at_ms > until_ms)
            break;
        is_open = edge % 2 == 0;
        past_at(past, at_ms)->ready += is_open ? 1 : -1;
    }
    if (is_open)
        past_at(past, until_ms)->ready--;
}
