#include "export/push/round.h"

#include "base/map.h"
#include "base/mem.h"

/* The last point is this long after the end, later than any point sent before the end was final. */
#define FINAL_MS INT64_C(10000)
/* Jobs that ended longer ago are not sent: receivers refuse old points (Cloud Monitoring after 25 hours). */
#define MAX_AGE_MS INT64_C(86400000)
#define MAX_BODY ((size_t)4 << 20)
#define NO_ROUND SIZE_MAX

struct round {
    struct loop *loop;
    struct round_options options;
    struct round_handler handler;
    struct sender *sender;
    struct map jobs; /* "namespace/name" -> struct round_job */
    int64_t next_us; /* a round begins then */
    size_t at;       /* index in jobs that the round has reached */
    bool has_final;  /* a job ended: the next round starts at once */
    struct fleet_numbers numbers;
};

static void job_free(void *value) {
    struct round_job *job = value;
    free(job->namespace_);
    free(job->name);
    free(job);
}

/* True if there is something new to send. */
static bool look(struct round *r, struct round_job *job, struct round_now *now) {
    const struct fleet_numbers *n = now->numbers = &r->numbers;
    now->cluster_name = r->options.fleet->cluster_name;
    now->job = fleet_find(r->options.fleet, job->namespace_, job->name);
    if (now->job == NULL || now->job->change == job->change || !fleet_read_numbers(fleet_object(now->job), &r->numbers))
        return false;
    int64_t start_ms = n->values[FLEET_START], through_ms = n->values[FLEET_OBSERVED_THROUGH];
    if (start_ms == FLEET_NONE || through_ms == FLEET_NONE)
        return false;
    if (start_ms != job->start_ms) {
        job->start_ms = start_ms;
        job->is_final = false;
        job->end_ms = job->note = 0;
    }
    now->is_final = fleet_is_final(n);
    now->end_ms = through_ms + (now->is_final ? FINAL_MS : 0);
    if (wall_ms(loop_wall(r->loop)) - now->end_ms > MAX_AGE_MS || (job->is_final && now->is_final)) {
        job->change = now->job->change;
        return false;
    }
    if (now->end_ms >= job->end_ms + r->options.spacing_ms || r->options.spacing_ms == 0)
        return true;
    now->end_ms = job->end_ms + r->options.spacing_ms; /* the last numbers get a separate point */
    return now->is_final;
}

static void post_next(struct round *r) {
    CLEANUP_BUF struct buf body;
    int count = 0;
    buf_init(&body, MAX_BODY);
    r->handler.begin(r->handler.context, &body);
    for (; r->at < r->jobs.count; r->at++) {
        struct round_job *job = map_at(&r->jobs, r->at);
        struct round_now now;
        if (!look(r, job, &now))
            continue;
        job->sending_note = job->note;
        int n = r->handler.append(r->handler.context, job, &now, &body, count);
        if (n == ROUND_NO_ROOM)
            break;
        if (n == ROUND_LATER)
            continue;
        job->sending_change = now.job->change;
        job->sending_end_ms = now.end_ms;
        job->is_sending_final = now.is_final;
        job->is_sending = n > 0;
        if (n == 0) {
            job->change = job->sending_change;
            job->is_final = job->is_sending_final;
        }
        count += n;
    }
    r->handler.end(r->handler.context, &body);
    if (count > 0)
        sender_post(r->sender, r->options.url, r->options.headers, buf_slice(&body), count);
    else
        r->at = NO_ROUND;
}

static void finished(void *context, bool is_delivered) {
    struct round *r = context;
    for (size_t i = 0; i < r->jobs.count; i++) {
        struct round_job *job = map_at(&r->jobs, i);
        if (job->is_sending && is_delivered) {
            job->change = job->sending_change;
            job->end_ms = job->sending_end_ms;
            job->is_final = job->is_sending_final;
            job->note = job->sending_note;
        }
        job->is_sending = false;
    }
    if (is_delivered && r->at != NO_ROUND)
        post_next(r);
    else
        r->at = NO_ROUND;
}

void round_tick(struct round *r) {
    int64_t now_us = loop_now(r->loop).us;
    if (r->at != NO_ROUND || (now_us < r->next_us && !r->has_final))
        return;
    if (now_us >= r->next_us)
        r->next_us = now_us + r->options.interval_us;
    r->has_final = false;
    r->at = 0;
    post_next(r);
}

/* ---- jobs ---- */

static char *key_of(const struct fleet_job *job) {
    return mem_format("%s/%s", job->namespace_, job->name);
}

struct round_job *round_find(struct round *r, const struct fleet_job *job) {
    CLEANUP_FREE char *key = key_of(job);
    return map_get(&r->jobs, slice_of(key));
}

void round_changed(struct round *r, const struct fleet_job *job) {
    struct round_job *known = round_find(r, job);
    if (known == NULL) {
        CLEANUP_FREE char *key = key_of(job);
        known = mem_new(struct round_job);
        known->namespace_ = mem_strdup(job->namespace_);
        known->name = mem_strdup(job->name);
        map_put(&r->jobs, slice_of(key), known);
    }
    if (!known->is_final && fleet_read_numbers(fleet_object(job), &r->numbers) && fleet_is_final(&r->numbers))
        r->has_final = true;
}

/* The last entry of the table takes its place, so a round in progress may leave it to the next round. */
void round_deleted(struct round *r, const struct fleet_job *job) {
    CLEANUP_FREE char *key = key_of(job);
    map_remove(&r->jobs, slice_of(key));
}

/* ---- making ---- */

struct round *round_new(struct loop *loop, struct http_client *http, const struct round_options *options,
                        const struct round_handler *handler, struct push_figures *figures) {
    struct round *r = mem_new(struct round);
    r->loop = loop;
    r->options = *options;
    r->handler = *handler;
    r->at = NO_ROUND;
    map_init(&r->jobs, job_free);
    struct sender_handler answers = {handler->judge, handler->context, finished, r};
    if (r->options.sender.give_up_us == 0)
        r->options.sender.give_up_us = 10 * options->interval_us;
    r->sender = sender_new(loop, http, &r->options.sender, &answers, figures);
    return r;
}

void round_free(struct round *r) {
    if (r == NULL)
        return;
    sender_free(r->sender);
    map_done(&r->jobs);
    free(r);
}
