/* An epoch whose length no line gives has the steps that the lines of the first one show which the job's logs have to
 * its end. So a process that resumes in a later epoch continues the count of the process before. Without such an epoch
 * no step is read: a wrong number is worse. */
#include "steplog/generic_epoch.h"

#include "steplog/text.h"

void generic_epoch_init(struct generic_epoch *e, const struct steplog *s, uint64_t kind) {
    bool is_known = s->epochs.kind == kind && kind != 0;
    *e = (struct generic_epoch){.number = RECORD_NONE, .total = RECORD_NONE, .epoch = RECORD_NONE};
    e->first = is_known ? s->epochs.first : RECORD_NONE;
    e->length = is_known ? s->epochs.length : RECORD_NONE;
    bool is_read = s->counter.kind == kind && kind != 0;
    e->scope = is_known ? SCOPE_EPOCH : SCOPE_UNKNOWN;
    if (is_read && s->counter.scope != SCOPE_UNKNOWN)
        e->scope = s->counter.scope;
    e->is_batch_of_epoch = is_known && s->epochs.is_batch_of_epoch;
    e->is_zero_based = is_read && s->counter.is_zero_based;
}

void generic_epoch_visit(struct generic_epoch *e, struct codec *c) {
    visit_step_number(c, &e->number);
    visit_step_number(c, &e->total);
    visit_step_number(c, &e->epoch);
    e->before = codec_within(c, e->before, 0, STEPLOG_MAX_STEP);
    visit_step_number(c, &e->first);
    visit_step_number(c, &e->length);
    e->span = codec_within(c, e->span, 0, STEPLOG_MAX_STEP);
    CODEC_INT(c, &e->scope, SCOPE_UNKNOWN, SCOPE_ALL);
    codec_bool(c, &e->is_zero_based);
    codec_bool(c, &e->is_batch_of_epoch);
}

void generic_epoch_split(struct generic_line *l) {
    l->epoch = l->number;
    l->number = l->total;
    l->epochs = l->total = RECORD_NONE;
    l->counts_within_epoch = true;
    l->is_of_epoch = false;
}

bool generic_epoch_is_split(const struct generic_epoch *e, const struct generic_line *l) {
    return !e->is_batch_of_epoch && l->epoch == RECORD_NONE && l->number == e->number && e->total != RECORD_NONE &&
           l->total > e->total;
}

/* Whether the counter begins again with each epoch, where the line leaves that open: of all steps that share is done
 * that is of the epochs. A later line may show otherwise, until the counter is accepted. */
static void find_scope(struct generic_epoch *e, const struct generic_line *l, bool has_held) {
    bool is_next = e->epoch != RECORD_NONE && l->epoch > e->epoch;
    bool has_share =
        l->epoch > 1 && l->epochs > 0 && l->epochs < 100000 && l->total > 0 && l->total < STEPLOG_MAX_STEP / 100000;
    if (e->scope == SCOPE_EPOCH || (e->scope == SCOPE_ALL && !has_held))
        return;
    if (is_next)
        e->scope = l->number <= e->number ? SCOPE_EPOCH : SCOPE_ALL;
    if (!has_share || e->scope == SCOPE_EPOCH) /* a share may be of both: the second of 23 epochs, step 1 of 33 */
        return;
    int64_t done = l->number * l->epochs;
    e->span = l->total / l->epochs + 3;
    bool is_of_all = done + l->epochs >= (l->epoch - 1) * l->total && done <= l->epoch * l->total + l->epochs;
    e->scope = is_of_all ? SCOPE_ALL : SCOPE_EPOCH;
}

/* No line gives the epoch's length. */
static bool within_epoch(struct generic_epoch *e, const struct generic_line *l, int64_t *number) {
    bool is_next = e->epoch != RECORD_NONE && l->epoch == e->epoch + 1 && l->number <= e->number;
    if (e->length == RECORD_NONE && is_next && e->number > 0)
        e->length = e->number + (l->number == 0);
    if (e->first == RECORD_NONE)
        e->first = l->epoch <= 1 ? l->epoch : 1;
    int64_t before = l->epoch - e->first;
    if (before < 0 || (before > 0 && (e->length == RECORD_NONE || before > STEPLOG_MAX_STEP / e->length - 1)))
        return false;
    int64_t within = l->number;
    if (e->length != RECORD_NONE && within > e->length)
        within = e->length; /* this epoch is longer */
    *number = before > 0 ? before * e->length + within : within;
    return true;
}

bool generic_epoch_number(struct generic_epoch *e, const struct generic_line *l, bool has_held, int64_t *number) {
    e->is_zero_based |= l->epoch == 0;
    if (l->may_count_within_epoch)
        find_scope(e, l, has_held);
    bool is_open = e->scope == SCOPE_UNKNOWN || !l->may_count_within_epoch;
    bool is_within = l->epoch != RECORD_NONE && (e->scope == SCOPE_EPOCH || (l->counts_within_epoch && is_open));
    if (is_within && l->total > 0 && l->epoch <= STEPLOG_MAX_STEP / l->total - 1) {
        *number = (l->epoch - !e->is_zero_based) * l->total + l->number;
        return true;
    }
    if (is_within)
        return within_epoch(e, l, number);
    bool is_wrapped =
        l->is_of_epoch && l->epoch == RECORD_NONE && e->number != RECORD_NONE && l->number < e->number - l->total / 2;
    if (is_wrapped)
        e->before += l->total;
    *number = e->before + l->number;
    if (*number > STEPLOG_MAX_STEP) {
        e->before = 0;
        return false;
    }
    return e->before > 0 || l->epoch <= 1 || e->scope == SCOPE_ALL || !l->may_count_within_epoch;
}

int64_t generic_epoch_before(const struct generic_epoch *e) {
    bool is_known =
        e->length != RECORD_NONE && e->epoch > e->first && e->epoch - e->first < STEPLOG_MAX_STEP / e->length;
    return is_known ? (e->epoch - e->first) * e->length : 0;
}

void generic_epoch_note(struct generic_epoch *e, const struct generic_line *l) {
    e->epoch = l->epoch;
    e->number = l->number;
    e->total = l->total;
}

void generic_epoch_share(const struct generic_epoch *e, struct steplog *s, uint64_t kind) {
    if (e->first == RECORD_NONE)
        return;
    s->epochs.kind = kind;
    s->epochs.first = e->first;
    s->epochs.length = e->length;
    s->epochs.is_batch_of_epoch = e->is_batch_of_epoch;
}
