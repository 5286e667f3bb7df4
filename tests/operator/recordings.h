/* recordings: the jobs of tests/data/recordings, with true numbers that were worked out by hand from the stamps of
 * their objects. Tests that replay every recording use this table. */
#ifndef TEST_RECORDINGS_H
#define TEST_RECORDINGS_H

#include "replay.h"

#define RECORDED_JOBS 3 /* in one recording at most */
#define RECORDING_COUNT 10

struct recorded_job {
    const char *name;
    int64_t wall_ms, available_ms; /* of the newest target of that name */
    int interruptions;             /* -1 of these: not known but from the run without a cut */
    int64_t without_log_ms;        /* available without its log, where that is read */
    int64_t silent_ms;             /* a node was, until its pod was marked; a gap may hide when */
};

struct recording {
    const char *name, *path, *logs; /* logs: NULL: not read */
    const char *namespace_;
    struct recorded_job jobs[RECORDED_JOBS];
    bool lacks_nodes; /* those of the job were not recorded */
};

extern const struct recording recordings[RECORDING_COUNT];

int recording_job_count(const struct recording *rec);

/* A model of every JobGoodput of the recording, with the status that a predecessor wrote; statuses NULL: there is none.
 */
struct model *recording_model(const struct recording *rec, char *const *statuses, int64_t created_ms);

/* For each event the index of the next event of the same object; SIZE_MAX: it is the last one. Heap. */
size_t *recording_next_of_object(const struct replay *r);

/* Reads the logs of the pods that exist up to a time. A pod that no longer exists has no log: what is unread is lost.
 */
void recording_read_logs(struct model *m, const struct recording *rec, const struct replay *logs, int64_t through_ms);
/* At the end of the recording: what can be read is read whole, and the rest is lost. */
void recording_end_logs(struct model *m, const struct recording *rec, const struct replay *logs, int job);

/* Times at which slots of the job were taken or lost, by the stamps of its pods. Slots that change together, each
 * within a second of the one before, are one change: the time in which all are available shifts once. Heap. */
int64_t *recording_slot_changes(const struct replay *r, const char *job, size_t *ret_count);

#endif
