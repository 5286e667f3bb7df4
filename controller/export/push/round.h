/* round: every so often, the JobGoodputs whose status moved since they were sent last, in requests of bounded size, one
 * at a time. What was delivered is remembered by job; what was not moves on with a later round, so that nothing queues
 * up while the receiver is away.
 *
 * A point's time is the status' observedThrough: one status is one point, whoever sends it and however often. */
#ifndef EXPORT_PUSH_ROUND_H
#define EXPORT_PUSH_ROUND_H

#include "export/push/sender.h"

struct round_job { /* what was sent of one JobGoodput */
    char *namespace_, *name;
    int64_t change;   /* of the fleet: this object is sent */
    int64_t start_ms; /* of the wall time; another one: a new target, of which nothing was sent */
    int64_t end_ms;   /* the time of its newest point; 0: none */
    bool is_final;    /* the last there will be was sent */
    int64_t note;     /* the sender's own; 0 for a new target. On delivery it becomes sending_note */
    int64_t sending_note;
    /* private */
    int64_t sending_change, sending_end_ms;
    bool is_sending, is_sending_final;
};

struct round_now { /* the job as it is, borrowed for the call */
    const struct fleet_job *job;
    const struct fleet_numbers *numbers;
    int64_t end_ms; /* of its points */
    bool is_final;
};

#define ROUND_NO_ROOM (-1) /* nothing was appended: the job begins the next request */
#define ROUND_LATER (-2)   /* nothing was appended, and the job is looked at again in the next round */

struct round_handler {
    void (*begin)(void *context, struct buf *body);
    /* Appends what is to be sent of a job to a request that holds `count` values: returns how many more, or one of the
     * above. */
    int (*append)(void *context, struct round_job *job, const struct round_now *now, struct buf *body, int count);
    void (*end)(void *context, struct buf *body);
    enum sender_verdict (*judge)(void *context, const struct sender_reply *reply, int64_t *dropped,
                                 char text[static SENDER_TEXT]);
    void *context;
};

struct round_options {
    const struct fleet *fleet;
    const char *url, *const *headers; /* borrowed for ever */
    int64_t interval_us;
    int64_t spacing_ms; /* between a job's points; 0: what is sent has no such time */
    struct sender_options sender;
};

struct round;

struct round *round_new(struct loop *loop, struct http_client *http, const struct round_options *options,
                        const struct round_handler *handler, struct push_figures *figures);
void round_free(struct round *round); /* NULL-safe; before the tokens */
/* As push_exporter's. */
void round_changed(struct round *round, const struct fleet_job *job);
struct round_job *round_find(struct round *round, const struct fleet_job *job); /* NULL: nothing is known of it */
void round_gone(struct round *round, const struct fleet_job *job);
void round_tick(struct round *round);

#endif
