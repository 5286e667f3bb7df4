/* round: regularly sends the JobGoodputs whose status changed since the last round, in successive requests of bounded
 * size. It remembers per job what was delivered; the rest is sent with a later round, so that nothing queues up while
 * the receiver is down.
 *
 * A point's time is the status' observedThrough: one status is one point for every sender, however often it is sent. */
#ifndef EXPORT_PUSH_ROUND_H
#define EXPORT_PUSH_ROUND_H

#include "export/fleet_read.h"
#include "export/push/sender.h"

struct round_job { /* what was sent of one JobGoodput */
    char *namespace_, *name;
    int64_t change;   /* the fleet's change whose object was sent */
    int64_t start_ms; /* of the wall time; another value means a new target, of which nothing was sent */
    int64_t end_ms;   /* the time of its newest point; 0: none */
    bool is_final;    /* the final point was sent */
    int64_t note;     /* for the handler; 0 for a new target. On delivery it becomes sending_note */
    int64_t sending_note;
    /* private */
    int64_t sending_change, sending_end_ms;
    bool is_sending, is_sending_final;
};

struct round_now {            /* the present job, borrowed for the call */
    const char *cluster_name; /* "": not known */
    const struct fleet_job *job;
    const struct fleet_numbers *numbers;
    int64_t end_ms; /* of its points */
    bool is_final;
};

#define ROUND_NO_ROOM (-1) /* nothing was appended: the job begins the next request */
#define ROUND_LATER (-2)   /* nothing was appended, and the next round tries the job again */

struct round_handler {
    void (*begin)(void *context, struct buf *body);
    /* Appends the new values of a job to a request that holds `count` values: returns the number of new ones, or one of
     * the above. */
    int (*append)(void *context, struct round_job *job, const struct round_now *now, struct buf *body, int count);
    void (*end)(void *context, struct buf *body);
    enum sender_verdict (*judge)(void *context, const struct sender_reply *reply, int64_t *dropped,
                                 char text[static SENDER_TEXT]);
    void *context;
};

struct round_options {
    const struct fleet *fleet;
    const char *url, *const *headers; /* borrowed until round_free */
    int64_t interval_us;
    int64_t spacing_ms; /* between a job's points; 0: the values have no such time */
    struct sender_options sender;
};

struct round;

struct round *round_new(struct loop *loop, struct http_client *http, const struct round_options *options,
                        const struct round_handler *handler, struct push_figures *figures);
void round_free(struct round *round); /* NULL-safe; before the tokens */
/* For push_exporter.changed. */
void round_changed(struct round *round, const struct fleet_job *job);
struct round_job *round_find(struct round *round, const struct fleet_job *job); /* NULL: not known */
void round_deleted(struct round *round, const struct fleet_job *job);
void round_tick(struct round *round);

#endif
