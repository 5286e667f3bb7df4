#include "operator/model/checkpoint_words.h"

#include "base/mem.h"
#include "operator/job/last_words.h"
#include "operator/store/failures.h"
#include "rootcause/log.h"

#define MAX_MS (INT64_C(1) << 53)

/* Sums with it must not overflow, whatever a checkpoint says. */
static void visit_known_time(struct visitor *v, int64_t *ms) {
    codec_time(v->codec, ms);
    v->codec->failed |= *ms < 0 || *ms > MAX_MS;
    if (v->codec->failed && codec_is_reading(v->codec))
        *ms = 0;
}

static void clean_cause(struct root_cause *c) {
    quote_clean(c->reason);
    quote_clean(c->text);
    quote_clean(c->frame);
    quote_clean(c->waits_for);
}

static void visit_cause(struct visitor *v, struct root_cause *c) {
    CODEC_INT(v->codec, &c->class_, 0, CLASS_COUNT - 1);
    CODEC_INT(v->codec, &c->owner, 0, OWNER_COUNT - 1);
    codec_chars(v->codec, c->reason, sizeof c->reason);
    codec_chars(v->codec, c->text, sizeof c->text);
    codec_chars(v->codec, c->frame, sizeof c->frame);
    codec_chars(v->codec, c->waits_for, sizeof c->waits_for);
    visit_name(v, &c->replicated_job);
    visit_name(v, &c->container);
    visit_name(v, &c->node);
    CODEC_INT(v->codec, &c->job_index, -1, INT32_MAX);
    CODEC_INT(v->codec, &c->completion_index, -1, INT32_MAX);
    codec_time(v->codec, &c->line_ms);
    CODEC_INT(v->codec, &c->followers, 0, INT32_MAX);
    CODEC_INT(v->codec, &c->unread, 0, INT32_MAX);
    codec_bool(v->codec, &c->is_observed);
    codec_bool(v->codec, &c->is_symptom_only);
    if (codec_is_reading(v->codec))
        clean_cause(c);
}

/* What its messages show goes into the findings: the text itself is not kept. */
static void visit_findings(struct visitor *v, struct failure *f, struct jobs *jobs) {
    if (!codec_is_reading(v->codec) && f->message != NULL)
        job_hear_status(jobs, f);
    bool has_log = f->log != NULL;
    codec_bool(v->codec, &has_log);
    if (!has_log)
        return;
    if (codec_is_reading(v->codec))
        f->log = jobs_new_words(jobs);
    rootcause_log_visit(f->log, v->codec);
    if (codec_is_reading(v->codec))
        rootcause_log_end(f->log);
}

static void visit_failure(struct visitor *v, struct failure *f, struct jobs *jobs) {
    int words = f->words == WORDS_ASKED ? WORDS_UNASKED : f->words; /* the answer goes to this process */
    CODEC_INT(v->codec, &words, WORDS_UNASKED, WORDS_UNREAD);
    f->words = codec_is_reading(v->codec) ? (uint8_t)words : f->words;
    codec_u64(v->codec, &f->pod_id);
    if (words == WORDS_UNASKED) { /* else its log is not asked for again */
        codec_text(v->codec, &f->pod, 253);
        codec_text(v->codec, &f->pod_uid, 79);
        v->codec->failed |= f->pod == NULL || f->pod_uid == NULL;
    }
    visit_name(v, &f->container);
    visit_name(v, &f->replicated_job);
    visit_name(v, &f->node);
    visit_name(v, &f->reason);
    CODEC_INT(v->codec, &f->job_index, -1, INT32_MAX);
    CODEC_INT(v->codec, &f->completion_index, -1, INT32_MAX);
    codec_time(v->codec, &f->started_ms);
    visit_known_time(v, &f->finished_ms);
    CODEC_INT(v->codec, &f->restart_count, 0, INT32_MAX);
    CODEC_INT(v->codec, &f->exit_code, 0, 0xffff);
    CODEC_INT(v->codec, &f->tries, 0, LAST_WORDS_TRIES);
    visit_findings(v, f, jobs);
}

static void visit_incident(struct visitor *v, struct incident *i, struct jobs *jobs) {
    bool is_decided = i->decided != NULL;
    visit_known_time(v, &i->first_ms);
    codec_time(v->codec, &i->started_ms);
    visit_known_time(v, &i->noted_ms);
    codec_bool(v->codec, &is_decided);
    if (is_decided && codec_is_reading(v->codec))
        i->decided = mem_new(struct root_cause);
    if (is_decided)
        visit_cause(v, i->decided);
    int count = (int)codec_count(v->codec, (size_t)i->count, INCIDENT_FAILURES);
    v->codec->failed |= count == 0;
    for (int k = 0; k < count; k++) {
        if (codec_is_reading(v->codec))
            i->failures[i->count++] = mem_new(struct failure);
        visit_failure(v, i->failures[k], jobs);
    }
}

void visit_incidents(struct visitor *v, struct target *t, struct jobs *jobs) {
    int count = v->extent > EXTENT_NUMBERS ? 0 : t->incident_count;
    count = (int)codec_count(v->codec, (size_t)count, STORE_MAX_INCIDENTS);
    if (codec_is_reading(v->codec) && count > 0)
        t->incidents = mem_alloc(STORE_MAX_INCIDENTS * sizeof *t->incidents);
    for (int i = 0; i < count; i++) {
        if (codec_is_reading(v->codec))
            t->incidents[t->incident_count++] = (struct incident){.count = 0};
        visit_incident(v, &t->incidents[i], jobs);
    }
}
