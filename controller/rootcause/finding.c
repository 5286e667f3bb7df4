#include "rootcause/finding_internal.h"

#include <stdio.h>

bool finding_is_stop(const struct finding *f) {
    return f->is_stop;
}

bool finding_is_of_losses(const struct finding *f) {
    return f->role == ROLE_LAST && f->class_ == CLASS_NAN_DIVERGENCE;
}

bool finding_is_failure(const struct finding *f) {
    return !finding_is_stop(f) && !finding_is_of_losses(f) && (f->role != ROLE_WEAK || f->class_ == CLASS_CRASH_SIGNAL);
}

void finding_mark_rank(uint64_t *set, int64_t rank) {
    if (rank >= 0 && rank < MAX_RANKS)
        set[rank / 64] |= UINT64_C(1) << rank % 64;
}

static bool is_of_program(enum rootcause_class c) {
    return c == CLASS_USER_EXCEPTION || c == CLASS_CONFIG_ERROR || c == CLASS_DATA_ERROR ||
           c == CLASS_CHECKPOINT_ERROR || c == CLASS_AUTH_QUOTA;
}

/* What stops a process after a failure follows from the failure. */
static bool is_after_failure(const struct rootcause_log *log, const struct finding *stop) {
    for (int i = 0; i < ROLE_ADVICE; i++)
        if (log->found[i].role != ROLE_COUNT && log->found[i].line < stop->line && finding_is_failure(&log->found[i]))
            return true;
    return false;
}

/* What a program reports it may survive; what it raises ends it, unless that follows from what is missing. A person
 * interrupts a program that still runs. */
static bool is_raised_later(const struct finding *f, const struct finding *first) {
    bool is_of_missing = slice_contains(slice_of(f->text), "NoneType");
    bool is_end = f->role == ROLE_PRIMARY || (f->role == ROLE_LAST && f->class_ == CLASS_PREEMPTION);
    return is_end && f->is_exception && !is_of_missing && !first->is_exception && first->rank == f->rank &&
           is_of_program(first->class_);
}

static void drop_reported(struct rootcause_log *log, const struct finding *f) {
    for (int i = 0; i <= ROLE_WEAK; i++)
        if (log->found[i].role != ROLE_COUNT && is_raised_later(f, &log->found[i]))
            log->found[i].role = ROLE_COUNT;
}

/* Slurm prints its record of exhausted memory at the end of a step, after it has stopped the other tasks. A watchdog
 * that got stuck waits for the collective that timed out, whichever rank's line comes first. Paddle raises a
 * MemoryError without a word for a device, and reports the device after it. */
bool finding_explains(enum rootcause_class c, const struct finding *first) {
    if (finding_is_of_losses(first))
        return c != CLASS_NAN_DIVERGENCE;
    bool is_stop = first->role == ROLE_PRIMARY && first->is_stop;
    bool is_watchdog = first->role == ROLE_SYMPTOM && first->class_ == CLASS_HANG_WATCHDOG;
    bool is_wordless = first->class_ == CLASS_HOST_OOM && slice_is(slice_trim(slice_of(first->text)), "MemoryError:");
    return (is_stop && c == CLASS_HOST_OOM) || (is_watchdog && c == CLASS_COLLECTIVE_TIMEOUT) ||
           (is_wordless && c == CLASS_DEVICE_OOM);
}

void finding_keep(struct rootcause_log *log, const struct finding *f) {
    if (f->role >= ROLE_ADVICE)
        return;
    bool is_stop = f->role == ROLE_STOP, is_following = is_stop && is_after_failure(log, f);
    enum rootcause_role role = is_stop ? ROLE_PRIMARY : f->role;
    struct finding *first = &log->found[role];
    drop_reported(log, f);
    finding_mark_rank(role <= ROLE_WEAK && !is_following ? log->cause_ranks : log->symptom_ranks, f->rank);
    if (is_following || (first->role != ROLE_COUNT && f->line >= first->line && !finding_explains(f->class_, first)))
        return;
    *first = *f;
    first->role = role;
}

void finding_settle(struct rootcause_log *log, struct writer *w) {
    if (w->pending.role != ROLE_COUNT)
        finding_keep(log, &w->pending);
    w->pending.role = ROLE_COUNT;
    w->message_lines = 0;
}

int64_t finding_rank_of(const struct line *line, const struct writer *w) {
    int64_t rank = line->rank != RANK_UNKNOWN ? line->rank : ranks_in(line->text);
    return rank != RANK_UNKNOWN ? rank : w->rank;
}

/* What a line warns of, or is tried again, was not the end: it counts only where nothing else does, and not at all if
 * it is of the program. A program that warns of exhausted memory continued without what did not fit. */
static enum rootcause_role role_in(struct slice text, enum rootcause_role role, enum rootcause_class c) {
    bool is_survived = c == CLASS_DEVICE_OOM || c == CLASS_HOST_OOM || is_of_program(c);
    if (line_is_python_warning(text))
        return is_survived || (role != ROLE_PRIMARY && role != ROLE_WEAK) ? ROLE_ADVICE : ROLE_LAST;
    if (role != ROLE_PRIMARY && role != ROLE_SYMPTOM)
        return role;
    bool is_retried = line_says_retry(text);
    if (role == ROLE_SYMPTOM)
        return is_retried ? ROLE_ADVICE : role;
    if (line_is_warning(text) && is_of_program(c))
        return ROLE_ADVICE;
    return is_retried || line_is_warning(text) || line_is_information(text) ? ROLE_WEAK : role;
}

struct finding finding_make(const struct line *line, const struct writer *w, const struct signature *row,
                            int64_t number, size_t at) {
    struct finding f = {.role = ROLE_COUNT, .line = number, .at_ns = line->at_ns, .row = row};
    f.rank = finding_rank_of(line, w);
    struct slice text = line->text;
    while (slice_take_prefix(&text, "| ")) /* of an exception group */
        at = at > 2 ? at - 2 : 0;
    quote_line(f.text, text, at);
    if (row == NULL)
        return f;
    f.class_ = row->class_;
    f.role = role_in(line->text, row->role, row->class_);
    f.is_stop = row->role == ROLE_STOP;
    f.owner = row->owner;
    slice_copy(f.reason, sizeof f.reason, row->reason);
    if (f.role == ROLE_SYMPTOM)
        ranks_find_peer(line->text, f.waits_for);
    return f;
}
