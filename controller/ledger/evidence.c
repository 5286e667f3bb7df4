#include "ledger/evidence.h"

#include "base/mem.h"
#include "base/minmax.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- the slowest occupancy ---- */

/* The time at which the slots began to wait for it to be bound or to run. */
static int64_t awaited_since_ms(const struct slowest_occupancy *s, const struct occupancy_fact *occupancy) {
    return s->is_running ? occupancy->bound_ms : occupancy->created_ms;
}

/* Whether the slots waited for that occupancy within the span: the moment at which it was bound or ran lies in it. */
static bool is_awaited(const struct slowest_occupancy *s, const struct occupancy_fact *occupancy, int64_t *ret_at_ms) {
    int64_t at = s->is_running ? occupancy->running_ms : occupancy->bound_ms;
    int64_t since = awaited_since_ms(s, occupancy);
    int64_t lost = occupancy->lost_ms == TIME_UNKNOWN ? occupancy->known_until_ms
                                                      : min_of(occupancy->lost_ms, occupancy->known_until_ms);
    *ret_at_ms = at == TIME_UNKNOWN ? TIME_OPEN : at;
    return since != TIME_UNKNOWN && since < s->to_ms && lost > s->from_ms && (at == TIME_UNKNOWN || at > s->from_ms) &&
           texts_has_name(occupancy);
}

static void consider(const struct ledger *l, struct slowest_occupancy *s, size_t position) {
    const struct occupancy_fact *occupancy = &l->occupancies.items[position];
    int64_t at;
    if (!is_awaited(s, occupancy, &at))
        return;
    if (s->occupancy == 0 || at > s->at_ms ||
        (at == s->at_ms && slots_compare(occupancy, &l->occupancies.items[s->occupancy - 1]) < 0)) {
        s->occupancy = (uint32_t)position + 1;
        s->at_ms = at;
    }
}

static void consider_all(struct ledger *l, struct slowest_occupancy *s) {
    s->is_known = true;
    s->occupancy = 0;
    s->later_count = 0;
    s->valid_to_ms = TIME_OPEN;
    for (size_t i = 0; i < l->occupancies.count; i++) {
        int64_t since = awaited_since_ms(s, &l->occupancies.items[i]);
        if (since >= s->to_ms)
            s->valid_to_ms = min_of(s->valid_to_ms, since);
        else
            consider(l, s, i);
    }
    l->occupancies_visited += (int64_t)l->occupancies.count;
}

static void consider_later(struct ledger *l, struct slowest_occupancy *s) {
    size_t kept = 0;
    for (size_t i = 0; i < s->later_count; i++)
        if (awaited_since_ms(s, &l->occupancies.items[s->later[i]]) >= s->to_ms)
            s->later[kept++] = s->later[i];
        else
            consider(l, s, s->later[i]);
    l->occupancies_visited += (int64_t)s->later_count;
    s->later_count = kept;
}

/* The occupancy that the slots waited for: the one that was bound or ran last within the span; on a tie that of the
 * lowest slot. The answer for the last span is cached, also while that span grows. */
static const struct occupancy_fact *slowest(struct ledger *l, int64_t from, int64_t to, enum bucket bucket) {
    struct slowest_occupancy *s = &l->slowest[bucket == BUCKET_BINDING ? 0 : bucket == BUCKET_IMAGE_PULL ? 1 : 2];
    bool is_known = s->is_known && s->from_ms == from && to >= s->to_ms && to <= s->valid_to_ms;
    s->is_running = bucket != BUCKET_BINDING;
    s->from_ms = from;
    s->to_ms = to;
    if (is_known)
        consider_later(l, s);
    else
        consider_all(l, s);
    return s->occupancy > 0 ? &l->occupancies.items[s->occupancy - 1] : NULL;
}

static void occupancy_changed(struct ledger *l, struct slowest_occupancy *s, size_t position) {
    int64_t at;
    if (!s->is_known)
        return;
    if (s->occupancy == position + 1) {
        s->is_known = is_awaited(s, &l->occupancies.items[position], &at) && at >= s->at_ms;
        s->at_ms = at;
    } else if (awaited_since_ms(s, &l->occupancies.items[position]) < s->to_ms) {
        consider(l, s, position);
    } else if (s->later_count >= l->occupancies.count) {
        s->is_known = false; /* a final result: there is no next call */
    } else {
        MEM_GROW(s->later, s->later_count, s->later_capacity);
        s->later[s->later_count++] = (uint32_t)position;
    }
}

void evidence_occupancy_changed(struct ledger *l, size_t position) {
    for (size_t i = 0; i < ARRAY_SIZE(l->slowest); i++)
        occupancy_changed(l, &l->slowest[i], position);
}

/* ---- the text ---- */

const char *evidence_log_name(char out[static LEDGER_NAME_SIZE], const struct sweep *s, const struct view *view) {
    if (view->process->name != NULL)
        snprintf(out, LEDGER_NAME_SIZE, "%s", view->process->name);
    else
        snprintf(out, LEDGER_NAME_SIZE, "process %d",
                 (int)(s->settled ? s->settled->view_count : 0) + (int)(view - s->training->views) + 1);
    return out;
}

static void write_slowest(char *out, const struct sweep *s, const struct occupancy_fact *occupancy) {
    char name[LEDGER_NAME_SIZE];
    texts_name(s->ledger, occupancy, name);
    snprintf(out, LEDGER_TEXT_SIZE, "slowest: %s", name);
}

static void write_steps(char *out, const struct sweep *s, const struct account *a) {
    const struct origin *o = &a->largest;
    char name[LEDGER_NAME_SIZE];
    evidence_log_name(name, s, o->view);
    if (o->last_step > o->step)
        snprintf(out, LEDGER_TEXT_SIZE, "steps %" PRId64 " to %" PRId64 " (log of %s, from line %" PRId64 ")", o->step,
                 o->last_step, name, o->line);
    else
        snprintf(out, LEDGER_TEXT_SIZE, "step %" PRId64 " (log of %s, line %" PRId64 ")", o->step, name, o->line);
}

static void write_cause(char *out, const struct sweep *s, const struct account *a) {
    if (a->largest.interruption < 0 || (size_t)a->largest.interruption >= s->interruptions->count) {
        out[0] = '\0'; /* a forged checkpoint may name an interruption that does not exist */
        return;
    }
    const struct interruption *x = &s->interruptions->items[a->largest.interruption];
    if (x->cause != NULL && x->cause->evidence[0] != '\0')
        snprintf(out, LEDGER_TEXT_SIZE, "%s", x->cause->evidence);
    else
        snprintf(out, LEDGER_TEXT_SIZE, "interruption %d: %s",
                 (int)(s->settled ? s->settled->older.count : 0) + a->largest.interruption + 1,
                 cause_name(x->cause != NULL ? x->cause->cause : CAUSE_UNKNOWN));
}

const char *evidence_unwatched(const struct ledger *l, int64_t at_ms) {
    for (size_t i = 0; i < l->unwatched_count; i++)
        if (l->unwatched[i].from_ms <= at_ms && l->unwatched[i].to_ms > at_ms)
            return "no controller watched, and nothing proves whether all slots were available";
    return NULL;
}

/* Why that time is not observed. */
static void write_unobserved(char *out, const struct sweep *s, int64_t at_ms) {
    const struct ledger *l = s->ledger;
    const struct occupancy_fact *quiet = NULL;
    const char *unwatched = evidence_unwatched(l, at_ms);
    if (unwatched != NULL) {
        snprintf(out, LEDGER_TEXT_SIZE, "%s", unwatched);
        return;
    }
    for (size_t i = 0; i < l->silences.count; i++) {
        const struct occupancy_gap *x = &l->silences.items[i];
        size_t at = x->from_ms <= at_ms && x->to_ms > at_ms ? key_index_find(&l->occupancies.keys, x->occupancy_id, 0)
                                                            : SIZE_MAX;
        if (at != SIZE_MAX && (quiet == NULL || slots_compare(&l->occupancies.items[at], quiet) < 0))
            quiet = &l->occupancies.items[at];
    }
    char name[LEDGER_NAME_SIZE] = "";
    if (quiet != NULL)
        texts_name(s->ledger, quiet, name);
    if (name[0] != '\0')
        snprintf(out, LEDGER_TEXT_SIZE, "no sign of life from the machine of %s", name);
}

void evidence_write(char out[static LEDGER_TEXT_SIZE], const struct sweep *s, enum bucket bucket,
                    const struct account *a) {
    const struct origin *o = &a->largest;
    const struct occupancy_fact *occupancy = NULL;
    char name[LEDGER_NAME_SIZE];
    out[0] = '\0';
    if (bucket == BUCKET_BINDING || bucket == BUCKET_IMAGE_PULL || bucket == BUCKET_CONTAINER_START)
        occupancy = slowest(s->ledger, a->largest_from_ms, a->largest_from_ms + a->largest_ms, bucket);
    if (bucket == BUCKET_UNOBSERVED)
        write_unobserved(out, s, a->largest_from_ms);
    else if (o->hold != NULL)
        snprintf(out, LEDGER_TEXT_SIZE, "%s", o->hold->evidence != NULL ? o->hold->evidence : "");
    else if (occupancy != NULL)
        write_slowest(out, s, occupancy);
    else if (bucket == BUCKET_RESCHEDULING && o->interruption >= 0)
        write_cause(out, s, a);
    else if (o->view != NULL && o->step != RECORD_NONE)
        write_steps(out, s, a);
    else if (o->view != NULL && o->line > 0)
        snprintf(out, LEDGER_TEXT_SIZE, "log of %s, line %" PRId64, evidence_log_name(name, s, o->view), o->line);
    else if (bucket == BUCKET_TRAINING_PREPARATION && o->view != NULL)
        snprintf(out, LEDGER_TEXT_SIZE, "log of %s: before its first record", evidence_log_name(name, s, o->view));
}

void evidence_write_puller(char out[static LEDGER_NAME_SIZE], const struct sweep *s, const struct execution *x) {
    const struct occupancy_fact *found = NULL;
    int64_t found_ms = 0;
    memcpy(out, x->puller, LEDGER_NAME_SIZE);
    for (size_t i = 0; x->pull_from_ms != TIME_UNKNOWN && out[0] == '\0' && i < s->ledger->occupancies.count; i++) {
        const struct occupancy_fact *occupancy = &s->ledger->occupancies.items[i];
        int64_t lost_ms = occupancy->lost_ms == TIME_UNKNOWN ? TIME_OPEN : occupancy->lost_ms;
        int64_t end_ms = occupancy->pull_end_ms == TIME_UNKNOWN ? lost_ms : min_of(occupancy->pull_end_ms, lost_ms);
        if (occupancy->pull_start_ms == TIME_UNKNOWN || occupancy->pull_start_ms >= x->pull_to_ms ||
            end_ms <= x->pull_from_ms || !texts_has_name(occupancy))
            continue;
        if (found == NULL || end_ms > found_ms || (end_ms == found_ms && slots_compare(occupancy, found) < 0)) {
            found = occupancy;
            found_ms = end_ms;
        }
    }
    if (found != NULL)
        texts_name(s->ledger, found, out);
}

void evidence_write_slices(char out[static LEDGER_TEXT_SIZE], const struct sweep *s, const struct slices_down *down) {
    char name[LEDGER_NAME_SIZE];
    out[0] = '\0';
    if (down->view != NULL)
        snprintf(out, LEDGER_TEXT_SIZE, "%" PRId64 " of %" PRId64 " slices train (log of %s, line %" PRId64 ")",
                 down->active, down->total, evidence_log_name(name, s, down->view), down->line);
}
