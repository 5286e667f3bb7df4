/* life: a training job's life as a cluster shows it, one command per act: the JobSet, its Jobs, pods, Workload, nodes
 * and events in the shapes of the real controllers (shared recording story.jsonl.gz), and a MaxText trainer that prints
 * into the log of job 0 pod 0. For the demo and for scenarios that need many consistent objects. */
#ifndef TESTS_APISERVER_LIFE_H
#define TESTS_APISERVER_LIFE_H

#include "scenario.h"

enum { LIFE_SLICES = 8, LIFE_HOSTS = 64 };

struct gang_pod {
    char name[128], uid[40], node[64];
};

enum trainer_phase {
    TRAINER_OFF,
    TRAINER_BOOT,
    TRAINER_RESTORE,
    TRAINER_COMPILE,
    TRAINER_STEP,
    TRAINER_SAVE,
    TRAINER_DONE
};

struct trainer {
    enum trainer_phase phase;
    int step, until, printed; /* step under way; printed: last whose line is out */
    int durable, saving;      /* last durable checkpoint and the one in the background; -1: none */
    int64_t step_start_us, due_us;
    int64_t late_us; /* all phases together: how long after their time they ended, as the machine was busy */
    struct timer timer, finalize;
};

struct life {
    struct srv *srv;
    char name[64], ns[64], queue[64], image[160], container[32];
    char pools[LIFE_SLICES][64];
    int slices, hosts, chips, restarts, generation;
    double step_s, compile_s, save_s, restore_s, persist_s;
    int checkpoint_every, steps;
    char uid[40], workload[96], workload_uid[40];
    char job_uids[LIFE_SLICES][40];
    struct gang_pod pods[LIFE_SLICES][LIFE_HOSTS];
    char admitted_at[40];
    int evictions;
    struct trainer trainer;
    struct life *next;
};

/* ---- life_write.c: one object's change ---- */
/* Merges a patch (strategic) into an object, as the cluster's own controllers would. False if it is not there. */
bool life_patch(struct srv *s, const char *kind, const char *ns, const char *name, json_t *steal_patch);
/* Sets a condition; lastTransitionTime moves only with the status. */
void life_condition_set(struct srv *s, const char *kind, const char *ns, const char *name, const char *type,
                        const char *status, const char *reason, const char *message);
enum event_style { EVENT_SECONDS, EVENT_MICRO };
void life_event(struct srv *s, enum event_style style, const char *component, const char *kind, const char *ns,
                const char *name, const char *uid, const char *type, const char *reason, const char *message);

/* ---- life_jobs.c: the JobSet's side ---- */
void gang_submit(struct life *g);
void gang_resume(struct life *g, bool is_suspended);
void gang_make_jobs(struct life *g, bool is_suspended);
void gang_job_status(struct life *g, int slice, int active, int ready, int succeeded, int failed);
void gang_jobset_status(struct life *g, int active, int ready, int succeeded, int failed, int suspended);
void gang_delete_jobs(struct life *g);

/* ---- life_pods.c ---- */
void gang_make_pods(struct life *g);
void gang_bind(struct life *g);
void gang_unschedulable(struct life *g, const char *message);
void gang_pulled(struct life *g, double seconds);
void gang_start(struct life *g);
void gang_terminate(struct life *g, int slice, int host, int exit_code, const char *reason); /* container state */
void gang_delete_pods(struct life *g);

/* ---- life_queue.c: Kueue ---- */
void gang_make_workload(struct life *g);
void gang_admit(struct life *g);
void gang_evict(struct life *g);     /* Evicted and Preempted */
void gang_unreserve(struct life *g); /* quota released */
void gang_finish_workload(struct life *g);

/* ---- trainer.c ---- */
void trainer_start(struct life *g, int until);
void trainer_stop(struct life *g); /* no more lines; an unfinished save stays unfinished */

#endif
