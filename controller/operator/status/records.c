#include "operator/status/records.h"

#include "base/jscan.h"
#include "base/jwrite.h"
#include "base/rfc3339.h"
#include "formulas/owners.h"

#include <stdio.h>

static void write_time(struct jwrite *w, const char *key, int64_t ms) {
    char text[RFC3339_SIZE];
    if (ms != TIME_UNKNOWN && ms != TIME_OPEN)
        jwrite_member_text(w, key, rfc3339_format_ms(text, ms));
}

static void write_known(struct jwrite *w, const char *key, int64_t value) {
    if (value != RECORD_NONE)
        jwrite_member_int(w, key, value);
}

static void write_some(struct jwrite *w, const char *key, int64_t value) {
    if (value != 0)
        jwrite_member_int(w, key, value);
}

static void write_filled(struct jwrite *w, const char *key, const char *text) {
    if (text != NULL && text[0] != '\0')
        jwrite_member_text(w, key, text);
}

static void write_true(struct jwrite *w, const char *key, bool value) {
    if (value)
        jwrite_member_bool(w, key, true);
}

static void begin(struct jwrite *w, struct buf *out, const char *record) {
    jwrite_init(w, out);
    jwrite_object(w);
    jwrite_member_text(w, "record", record);
}

static void end(struct jwrite *w) {
    jwrite_object_end(w);
    buf_append_char(w->out, '\n');
}

/* A list: engines have no type for an object whose members differ. */
static void write_labels(struct jwrite *w, const char *labels) {
    struct jscan j;
    struct slice key, value;
    jscan_init(&j, slice_of(labels));
    if (!jscan_object(&j))
        return;
    jwrite_member_array(w, "labels");
    while (jscan_key(&j, &key)) {
        if (!jscan_string_raw(&j, &value))
            continue;
        jwrite_object(w);
        jwrite_key(w, "key");
        jwrite_slice(w, key);
        jwrite_key(w, "value");
        jwrite_slice(w, value);
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}

static void write_named(struct jwrite *w, const struct records_job *job) {
    write_filled(w, "cluster", job->cluster);
    write_filled(w, "namespace", job->namespace_);
    write_filled(w, "name", job->name);
    write_filled(w, "uid", job->uid);
    if (job->labels != NULL)
        write_labels(w, job->labels);
}

static void write_job(const struct view *v, const struct ledger_entries *e, const struct records_job *job,
                      struct buf *out) {
    struct jwrite w;
    begin(&w, out, "job");
    jwrite_member_int(&w, "schema", RECORDS_SCHEMA);
    write_named(&w, job);
    write_filled(&w, "target", v->seen.uid);
    write_time(&w, "from", v->result.start_ms);
    write_time(&w, "to", v->through_ms);
    write_time(&w, "completeFrom", e->complete_from_ms);
    jwrite_member_bool(&w, "complete", e->complete_from_ms == v->result.start_ms);
    jwrite_member_bool(&w, "ended", v->has_ended);
    end(&w);
}

struct span_source { /* and what their lines take from elsewhere */
    const struct ledger_entries *entries;
    const struct ledger_interruption *interruptions;
    int interruption_count;
    const struct owners_policy *policy;
    const char *queue;
    bool are_settled;
};

static struct span_source spans_of(const struct view *v, const struct ledger_entries *entries) {
    const struct ledger_result *r = &v->result;
    return (struct span_source){entries,         r->interruptions, r->interruption_count + r->has_own_end,
                                v->owner_policy, v->seen.queue,    false};
}

/* The interruption with that number, also the failure that the job ended with; NULL: it is not listed. */
static const struct ledger_interruption *interruption_of(const struct span_source *s, int number) {
    int at = s->interruption_count > 0 ? number - s->interruptions[0].number : -1;
    return number > 0 && at >= 0 && at < s->interruption_count ? &s->interruptions[at] : NULL;
}

static const char *cause_text(const struct ledger_interruption *x, char out[static 128]) {
    bool has_reason = x->cause == CAUSE_KUEUE_EVICTION && x->reason[0] != '\0';
    snprintf(out, 128, "%s%s%s", cause_name(x->cause), has_reason ? "/" : "", has_reason ? x->reason : "");
    return out;
}

static void write_bucket(struct jwrite *w, const struct ledger_entries *all, enum bucket bucket, int custom,
                         enum basis basis) {
    char name[128];
    snprintf(name, sizeof name, "%s%s%s", bucket_name(bucket), bucket == BUCKET_CUSTOM ? "/" : "",
             bucket == BUCKET_CUSTOM ? all->custom_names[custom] : "");
    jwrite_member_text(w, "bucket", name);
    jwrite_member_text(w, "family", family_name(bucket_family(bucket)));
    jwrite_member_text(w, "basis", basis_name(basis));
}

static const char *owner_of_bucket(const struct span_source *s, enum bucket bucket, int custom) {
    return rootcause_owner_name(owners_of_bucket(s->policy, bucket, s->entries->custom_names[custom], s->queue));
}

/* ---- settled time: sums ---- */

struct period {
    int64_t from_ms, to_ms;
};

static void begin_settled(struct jwrite *w, const struct period *p, struct buf *out) {
    begin(w, out, "settled");
    write_time(w, "from", p->from_ms);
    write_time(w, "to", p->to_ms);
}

static void write_settled_bucket(const struct span_source *s, const struct period *p,
                                 const struct ledger_settled_bucket *b, struct buf *out) {
    struct jwrite w;
    begin_settled(&w, p, out);
    jwrite_member_int(&w, "milliseconds", b->ms);
    jwrite_member_int(&w, "count", b->count);
    write_bucket(&w, s->entries, b->bucket, b->custom, b->basis);
    if (b->bucket != BUCKET_PRODUCTIVE)
        jwrite_member_text(&w, "owner", owner_of_bucket(s, b->bucket, b->custom));
    write_some(&w, "chipMilliseconds", b->chip_ms);
    write_some(&w, "interruptionMilliseconds", b->interrupted_ms);
    write_some(&w, "interruptionChipMilliseconds", b->interrupted_chip_ms);
    end(&w);
}

static void write_settled_cost(const struct span_source *s, const struct period *p, const struct ledger_settled_cost *c,
                               struct buf *out) {
    const struct ledger_interruption *x = interruption_of(s, c->interruption);
    struct jwrite w;
    begin_settled(&w, p, out);
    jwrite_member_int(&w, "interruption", c->interruption);
    jwrite_member_text(&w, "owner", rootcause_owner_name(x != NULL ? x->owner : OWNER_UNKNOWN));
    jwrite_member_int(&w, "lostMilliseconds", c->cost_ms);
    write_some(&w, "lostChipMilliseconds", c->chip_ms);
    write_some(&w, "lostWorkMilliseconds", c->tch_ms);
    write_some(&w, "detectMilliseconds", c->detect_ms);
    write_some(&w, "waitMilliseconds", c->wait_ms);
    write_some(&w, "rescheduleMilliseconds", c->tre_ms);
    write_some(&w, "resumeMilliseconds", c->trm_ms);
    end(&w);
}

/* The interruptions that are not listed one by one any more. */
static void write_settled_owner(const struct ledger_older *older, const struct period *p, enum rootcause_owner owner,
                                struct buf *out) {
    const struct ledger_owned *o = &older->owners[owner];
    struct jwrite w;
    if (o->count == 0 && o->ms == 0)
        return;
    begin_settled(&w, p, out);
    jwrite_member_int(&w, "count", o->count);
    jwrite_member_text(&w, "owner", rootcause_owner_name(owner));
    jwrite_member_int(&w, "lostMilliseconds", o->ms);
    write_some(&w, "lostChipMilliseconds", o->chip_ms);
    end(&w);
}

static void write_settled_sums(const struct span_source *s, const struct period *p, struct buf *out) {
    const struct ledger_settled_sums *sums = &s->entries->settled;
    for (int i = 0; i < sums->bucket_count; i++)
        write_settled_bucket(s, p, &sums->buckets[i], out);
    for (size_t i = 0; i < sums->cost_count; i++)
        write_settled_cost(s, p, &sums->costs[i], out);
}

static void write_settled(const struct span_source *s, const struct period *p, const struct ledger_older *older,
                          struct buf *out) {
    const struct ledger_settled_sums *sums = &s->entries->settled;
    struct jwrite w;
    if (sums->bucket_count == 0)
        return;
    write_settled_sums(s, p, out);
    for (int i = 0; i < OWNER_COUNT; i++)
        write_settled_owner(older, p, (enum rootcause_owner)i, out);
    begin_settled(&w, p, out);
    write_some(&w, "provisionalMilliseconds", sums->provisional_ms);
    write_some(&w, "idleChipMilliseconds", sums->idle_chip_ms);
    write_some(&w, "waitingChipMilliseconds", sums->waiting_chip_ms);
    write_some(&w, "recoveredCount", older->recovered);
    write_some(&w, "recoveryMilliseconds", older->recover_ms);
    end(&w);
}

/* ---- all other time ---- */

static void write_evidence(struct jwrite *w, const struct span_source *s, const struct ledger_entry *e) {
    const struct ledger_interruption *before = interruption_of(s, e->execution - 1);
    const char *text = e->text >= 0 ? s->entries->texts[e->text] : NULL;
    if (text != NULL)
        jwrite_member_text(w, e->is_log ? "log" : "evidence", text);
    else if (e->bucket == BUCKET_RESCHEDULING && before != NULL)
        write_filled(w, "evidence", before->evidence);
    write_some(w, "line", e->line);
    write_known(w, "step", e->step);
    if (e->step != RECORD_NONE && e->last_step > e->step)
        jwrite_member_int(w, "lastStep", e->last_step);
    write_time(w, "evidenceTime", e->stamp_ms);
}

static void write_span(const struct span_source *s, const struct ledger_entry *e, struct buf *out) {
    static const char *const recoveries[] = {"", "Wait", "Reschedule", "Resume"};
    const struct ledger_interruption *cause = interruption_of(s, e->interruption);
    int64_t ms = e->to_ms - e->from_ms;
    char text[128];
    struct jwrite w;
    begin(&w, out, "span");
    write_time(&w, "from", e->from_ms);
    write_time(&w, "to", e->to_ms);
    jwrite_member_int(&w, "milliseconds", ms);
    jwrite_member_int(&w, "count", e->is_new);
    write_bucket(&w, s->entries, e->bucket, e->custom, e->basis);
    if (cause != NULL)
        jwrite_member_text(&w, "cause", cause_text(cause, text));
    if (e->bucket != BUCKET_PRODUCTIVE)
        jwrite_member_text(
            &w, "owner", cause != NULL ? rootcause_owner_name(cause->owner) : owner_of_bucket(s, e->bucket, e->custom));
    jwrite_member_int(&w, "execution", e->execution);
    write_some(&w, "interruption", e->interruption);
    write_filled(&w, "recovery", recoveries[e->recovery]);
    write_true(&w, "lostWork", e->is_lost_work);
    write_true(&w, "provisional", e->is_provisional && !s->are_settled); /* a later checkpoint may have it */
    write_some(&w, "chips", e->chips);
    write_some(&w, "chipMilliseconds", e->chips * ms);
    write_some(&w, "idleChipMilliseconds", e->idle_chips * ms);
    write_some(&w, "waitingChipMilliseconds", e->waiting_chips * ms);
    write_evidence(&w, s, e);
    end(&w);
}

static void write_spans(const struct span_source *s, struct buf *out) {
    for (size_t i = 0; i < s->entries->count; i++)
        write_span(s, &s->entries->items[i], out);
}

static void write_interruption(const struct job_root_causes *causes, const struct ledger_interruption *x,
                               bool is_own_end, struct buf *out) {
    const struct root_cause *root = causes != NULL ? root_cause_of(causes, x->number) : NULL;
    char text[128];
    struct jwrite w;
    begin(&w, out, is_own_end ? "end" : "interruption");
    write_time(&w, "from", x->at_ms);
    write_time(&w, "to", x->until_ms);
    jwrite_member_int(&w, "count", 1);
    jwrite_member_int(&w, "interruption", x->number);
    jwrite_member_text(&w, "cause", cause_text(x, text));
    jwrite_member_bool(&w, "excluded", cause_is_excluded(x->cause));
    jwrite_member_text(&w, "owner", rootcause_owner_name(x->owner));
    if (root != NULL)
        jwrite_member_text(&w, "rootCause", rootcause_class_name(root->class_));
    write_true(&w, "recovered", x->tre_ms != RECORD_NONE && x->trm_ms != RECORD_NONE);
    write_known(&w, "lostSteps", x->lost_steps);
    write_known(&w, "catchUpMilliseconds", x->catch_up_ms);
    write_filled(&w, "node", x->node);
    write_filled(&w, "nodePool", x->node_pool);
    write_filled(&w, "evidence", x->evidence);
    end(&w);
}

/* Interruptions without a time: those that are not listed any more, and those that only counters show. */
static void write_counted(enum cause cause, const char *reason, int64_t count, int64_t chip_ms, bool is_only_counted,
                          struct buf *out) {
    struct ledger_interruption x = {.cause = cause};
    char text[128];
    struct jwrite w;
    if (count <= 0)
        return;
    slice_copy(x.reason, sizeof x.reason, slice_of(reason));
    begin(&w, out, "interruption");
    jwrite_member_int(&w, "count", count);
    jwrite_member_text(&w, "cause", cause_text(&x, text));
    jwrite_member_bool(&w, "excluded", cause_is_excluded(cause));
    write_some(&w, "lostChipMilliseconds", chip_ms);
    write_true(&w, "onlyCounted", is_only_counted);
    end(&w);
}

/* Those that are not listed any more. */
static void write_older(const struct ledger_older *older, struct buf *out) {
    for (int i = 0; i < older->cause_count; i++)
        write_counted(older->causes[i].cause, older->causes[i].reason, older->causes[i].count, older->causes[i].chip_ms,
                      false, out);
}

static void write_interruptions(const struct view *v, struct buf *out) {
    const struct ledger_result *r = &v->result;
    write_counted(CAUSE_UNKNOWN, "", v->counted, 0, true, out);
    write_counted(CAUSE_KUEUE_EVICTION, "", v->counted_evictions, 0, true, out);
    for (int i = 0; i < r->interruption_count + r->has_own_end; i++)
        write_interruption(v->root_causes, &r->interruptions[i], i == r->interruption_count, out);
}

static void write_steps(const struct ledger_result *r, struct buf *out) {
    struct jwrite w;
    if (!r->has_steps)
        return;
    begin(&w, out, "steps");
    jwrite_member_int(&w, "retained", r->retained_steps);
    jwrite_member_int(&w, "repeated", r->lost_steps);
    write_known(&w, "last", r->last_step);
    write_known(&w, "lastDurable", r->last_durable_step);
    write_some(&w, "idealMilliseconds", r->ideal_step_ms);
    end(&w);
}

void records_write(const struct view *v, const struct ledger_entries *entries, const struct records_job *job,
                   struct buf *out) {
    const struct span_source s = spans_of(v, entries);
    const struct period before = {v->result.start_ms, entries->complete_from_ms};
    write_job(v, entries, job, out);
    write_settled(&s, &before, &v->result.older, out);
    write_spans(&s, out);
    write_older(&v->result.older, out);
    write_interruptions(v, out);
    write_steps(&v->result, out);
}

void records_write_status(struct slice status, struct buf *out) {
    struct jwrite w;
    begin(&w, out, "status");
    jwrite_key(&w, "status");
    jwrite_raw(&w, status);
    end(&w);
}

/* ---- the same in parts, for an archive ---- */

void records_write_part(const struct ledger_settled_part *part, const struct records_owner *owner, struct buf *out) {
    const struct span_source s = {part->entries, part->interruptions, part->interruption_count,
                                  owner->policy, owner->queue,        true};
    const struct period before = {TIME_UNKNOWN, part->from_ms};
    write_settled_sums(&s, &before, out);
    write_spans(&s, out);
    for (int i = 0; i < part->dropped_count; i++)
        write_interruption(owner->root_causes, &part->interruptions[i], false, out);
}

void records_write_before(const struct ledger_settled_part *before, const struct records_owner *owner,
                          struct buf *out) {
    static const struct ledger_older none;
    const struct ledger_older *older = before->older != NULL ? before->older : &none;
    const struct span_source s = {before->entries, before->interruptions, before->interruption_count,
                                  owner->policy,   owner->queue,          true};
    const struct period p = {before->from_ms, before->to_ms};
    write_settled(&s, &p, older, out);
    write_older(older, out);
}

void records_write_end(const struct view *v, const struct ledger_entries *entries, struct buf *out) {
    const struct span_source s = spans_of(v, entries);
    const struct period before = {TIME_UNKNOWN, entries->complete_from_ms};
    write_settled_sums(&s, &before, out);
    write_spans(&s, out);
    write_interruptions(v, out);
    write_steps(&v->result, out);
}

void records_write_head(const struct records_job *job, const char *target_uid, int64_t start_ms, int64_t complete_ms,
                        struct buf *out) {
    struct jwrite w;
    begin(&w, out, "job");
    jwrite_member_int(&w, "schema", RECORDS_SCHEMA);
    write_named(&w, job);
    write_filled(&w, "target", target_uid);
    write_time(&w, "from", start_ms);
    write_time(&w, "completeFrom", complete_ms);
    end(&w);
}
