/* kinds: one life of a training job, as the objects of any kind of job show it: queued by Kueue, a pod lost, restarted
 * as a whole, ended; or suspended by a person. Four pods with four chips each. All objects are named "js" and have the
 * shapes of the sources that the kind's file names. */
#ifndef TEST_KINDS_H
#define TEST_KINDS_H

#include "fake.h"

struct kind_state { /* of the object that the JobGoodput names */
    bool is_queued, is_suspended;
    int restarts, restarted; /* how often, and when the last time */
    int ended;               /* 0: it runs */
    bool has_failed;
    int written; /* the newest time in managedFields */
};

struct kind_shape {
    const char *api_group, *kind;
    enum resource resource;
    /* The object as JSON (heap). */
    char *(*object)(const struct kind_state *state);
    /* Labels and owners of the pod of that index, of the attempt: members of metadata, without a leading comma. Heap.
     */
    char *(*pod)(int index, int attempt);
    /* What it makes besides pods, when an attempt starts and when it ends; NULL: nothing. */
    void (*attempt)(struct model *m, int attempt, int created, int deleted);
};

extern const struct kind_shape jobset_shape;

/* The statuses (heap) of the lives, at their end. */
char *kind_queued_life(const struct kind_shape *shape);
char *kind_suspended_life(const struct kind_shape *shape);
char *kind_plain_life(const struct kind_shape *shape); /* neither queued nor suspended, deleted in the end */
/* The same times, buckets, causes and executions, within a second. */
void kind_check_same(const char *status, const char *expected);
/* The JobGoodput that names it; more_spec as in replay_left. */
void kind_observe_jobgoodput(struct model *m, const struct kind_shape *shape, const char *more_spec, double at);
/* A part of a life, with the JobGoodput; at is when the object is observed. */
struct model *kind_model(const struct kind_shape *shape);
void kind_observe(struct model *m, const struct kind_shape *shape, const struct kind_state *state, double at);
void kind_observe_pod(struct model *m, const struct kind_shape *shape, const struct fake_pod *pod, int attempt,
                      enum observed what, double at);

#endif
