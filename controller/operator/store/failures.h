/* failures: the containers of a target that failed by themselves, by incident: ranks fail one after the other, and the
 * first ones show why. Few of many: memory does not grow with the pods. */
#ifndef OPERATOR_STORE_FAILURES_H
#define OPERATOR_STORE_FAILURES_H

#include "operator/objects/pod.h"
#include "operator/store/store.h"

#define INCIDENT_FAILURES 16   /* the first to fail */
#define STORE_MAX_INCIDENTS 16 /* of a target: the newest */
#define INCIDENT_MS 60000      /* a container that fails later than that after the first one fails on its own */
#define FAILURE_MESSAGE_BYTES 4096

struct rootcause_log;
struct root_cause;

/* The last words of a container: job/last_words.c. */
enum words { WORDS_UNASKED, WORDS_ASKED, WORDS_READ, WORDS_UNREAD };

struct failure {
    char *pod, *pod_uid; /* NULL: restored, and its log is not asked for again */
    uint64_t pod_id;     /* hash of the UID */
    char *message;       /* its termination message; NULL */
    const char *container, *replicated_job, *node, *reason;
    int64_t job_index, completion_index; /* -1: not known */
    int64_t started_ms, finished_ms;
    int restart_count, exit_code, tries;
    uint8_t words;             /* enum words */
    struct rootcause_log *log; /* what it said; NULL: not read */
};

struct incident {
    struct failure *failures[INCIDENT_FAILURES]; /* by finished_ms */
    int count;
    int64_t first_ms;           /* when the first one failed */
    int64_t started_ms;         /* when the youngest of them had started */
    int64_t noted_ms;           /* receipt of the last of them */
    struct root_cause *decided; /* by what was read, once nothing more is expected; NULL */
};

/* The pod's container of that status: what its last instance that ended shows. What is known already is left alone. */
void store_note_failure(struct pod *p, const struct object_container_status *status);
/* Moves them to the incidents of `to` that they belong to. */
void store_adopt_failures(struct target *from, struct target *to);
void store_forget_failures(struct target *t);
void failure_drop_words(struct failure *f);

#endif
