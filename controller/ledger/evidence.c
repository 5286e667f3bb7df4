#include "ledger/evidence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The life that the slots waited for: of those for which that moment lies in the span, the latest; by id on a tie. */
static const struct life_fact *slowest(const struct sweep *s, int64_t from, int64_t to, bool is_running) {
    const struct life_fact *found = NULL;
    int64_t found_ms = 0;
    for (size_t i = 0; i < s->ledger->lives.count; i++) {
        const struct life_fact *life = &s->ledger->lives.items[i];
        int64_t at = is_running ? life->running_ms : life->bound_ms;
        int64_t since = is_running ? life->bound_ms : life->created_ms;
        int64_t lost = life->lost_ms == TIME_UNKNOWN ? TIME_OPEN : life->lost_ms;
        if (since == TIME_UNKNOWN || since >= to || lost <= from || (at != TIME_UNKNOWN && at <= from) ||
            !words_has_life(life))
            continue;
        if (at == TIME_UNKNOWN)
            at = TIME_OPEN;
        if (found == NULL || at > found_ms || (at == found_ms && life->id < found->id)) {
            found = life;
            found_ms = at;
        }
    }
    return found;
}

/* Whose log it is: the name that was given, else the process's number. */
static const char *log_name(char out[static LEDGER_NAME_SIZE], const struct sweep *s, const struct view *view) {
    if (view->process->name != NULL)
        snprintf(out, LEDGER_NAME_SIZE, "%s", view->process->name);
    else
        snprintf(out, LEDGER_NAME_SIZE, "process %d",
                 (int)(s->settled ? s->settled->view_count : 0) + (int)(view - s->training->views) + 1);
    return out;
}

static void write_slowest(char *out, const struct sweep *s, const struct life_fact *life) {
    char name[LEDGER_NAME_SIZE];
    words_of_life(s->ledger, life, name);
    snprintf(out, LEDGER_TEXT_SIZE, "slowest: %s", name);
}

static void write_steps(char *out, const struct sweep *s, const struct account *a) {
    const struct origin *o = &a->largest;
    char name[LEDGER_NAME_SIZE];
    log_name(name, s, o->view);
    if (o->last_step > o->step)
        snprintf(out, LEDGER_TEXT_SIZE, "steps %" PRId64 " to %" PRId64 " (log of %s, from line %" PRId64 ")", o->step,
                 o->last_step, name, o->line);
    else
        snprintf(out, LEDGER_TEXT_SIZE, "step %" PRId64 " (log of %s, line %" PRId64 ")", o->step, name, o->line);
}

static void write_cause(char *out, const struct sweep *s, const struct account *a) {
    if (a->largest.interruption < 0 || (size_t)a->largest.interruption >= s->interruptions->count) {
        out[0] = '\0'; /* a checkpoint that somebody else wrote may tell of an interruption that is not there */
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

void evidence_write(char out[static LEDGER_TEXT_SIZE], const struct sweep *s, enum bucket bucket,
                    const struct account *a) {
    const struct origin *o = &a->largest;
    const struct life_fact *life = NULL;
    char name[LEDGER_NAME_SIZE];
    out[0] = '\0';
    if (bucket == BUCKET_BINDING || bucket == BUCKET_IMAGE_PULL || bucket == BUCKET_CONTAINER_START)
        life = slowest(s, a->largest_from_ms, a->largest_from_ms + a->largest_ms, bucket != BUCKET_BINDING);
    if (o->hold != NULL)
        snprintf(out, LEDGER_TEXT_SIZE, "%s", o->hold->evidence != NULL ? o->hold->evidence : "");
    else if (life != NULL)
        write_slowest(out, s, life);
    else if (bucket == BUCKET_RESCHEDULING && o->interruption >= 0)
        write_cause(out, s, a);
    else if (o->view != NULL && o->step != RECORD_NONE)
        write_steps(out, s, a);
    else if (o->view != NULL && o->line > 0)
        snprintf(out, LEDGER_TEXT_SIZE, "log of %s, line %" PRId64, log_name(name, s, o->view), o->line);
    else if (bucket == BUCKET_TRAINING_PREPARATION && o->view != NULL)
        snprintf(out, LEDGER_TEXT_SIZE, "log of %s: before its first record", log_name(name, s, o->view));
}

void evidence_write_puller(char out[static LEDGER_NAME_SIZE], const struct sweep *s, const struct execution *x) {
    const struct life_fact *found = NULL;
    int64_t found_ms = 0;
    memcpy(out, x->puller, LEDGER_NAME_SIZE);
    for (size_t i = 0; x->pull_from_ms != TIME_UNKNOWN && out[0] == '\0' && i < s->ledger->lives.count; i++) {
        const struct life_fact *life = &s->ledger->lives.items[i];
        int64_t end_ms = life->pull_end_ms == TIME_UNKNOWN ? TIME_OPEN : life->pull_end_ms;
        if (life->pull_start_ms == TIME_UNKNOWN || life->pull_start_ms >= x->pull_to_ms || end_ms <= x->pull_from_ms ||
            !words_has_life(life))
            continue;
        if (found == NULL || end_ms > found_ms || (end_ms == found_ms && life->id < found->id)) {
            found = life;
            found_ms = end_ms;
        }
    }
    if (found != NULL)
        words_of_life(s->ledger, found, out);
}

void evidence_write_slices(char out[static LEDGER_TEXT_SIZE], const struct sweep *s, const struct slices_down *down) {
    char name[LEDGER_NAME_SIZE];
    out[0] = '\0';
    if (down->view != NULL)
        snprintf(out, LEDGER_TEXT_SIZE, "%" PRId64 " of %" PRId64 " slices train (log of %s, line %" PRId64 ")",
                 down->active, down->total, log_name(name, s, down->view), down->line);
}
