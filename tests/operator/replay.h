/* replay: a recording of what the API server sent (tests/data/recordings), read into single observations, and fed to a
 * model with the recorded receipt times: no clock, no cluster. */
#ifndef TEST_REPLAY_H
#define TEST_REPLAY_H

#include "operator/model/evaluate.h"
#include "operator/model/model.h"

struct replay_event {
    enum resource resource;
    enum observed what;
    int stream; /* one per recorded stream: their order among each other is the recorder's accident */
    int64_t at_ms;
    struct slice namespace_, name, uid, object;
};

struct replay {
    char *bytes; /* the unpacked file; the events point into it */
    size_t size_bytes;
    struct replay_event *events;
    size_t count, capacity;
    int64_t last_ms;
    bool is_watched[RESOURCE_COUNT]; /* something of it was recorded */
};

/* workloads: which of the two recorded streams of Workloads to take, "workloads" or "workloads.v1beta1". Fails the test
 * and returns false if the file cannot be read. */
bool replay_load(struct replay *r, const char *path, const char *workloads);
void replay_done(struct replay *r);
void replay_feed(struct model *m, const struct replay_event *e);

/* The events in bursts of one stream, then of another, at random; within a stream the order stays. */
struct replay_shuffle {
    const struct replay *replay;
    uint64_t *seed;
    size_t next[RESOURCE_COUNT], handed_on, burst;
    int stream;
};
const struct replay_event *replay_shuffled(struct replay_shuffle *s); /* NULL: there are no more */

/* Hands all lines of a file, each with the kubelet's stamp before it, to the job as a pod's log, and its end. */
void replay_log_file(struct model_job *job, const char *pod_uid, const char *path);

/* The recorded pod logs: hands all lines of the log pods' containers to the job. */
void replay_logs(struct model_job *job, const char *tgz);

/* The same log files unpacked once (replay_done frees), and of each log the lines that the job has not read yet, up to
 * a stamp. at_end: the logs end there. */
bool replay_open_logs(struct replay *tar, const char *tgz);
void replay_log_through(struct model_job *job, const struct replay *tar, int index, int64_t through_ms);
void replay_logs_through(struct model_job *job, const struct replay *tar, int64_t through_ms, bool at_end);

/* Reads the last words that the job asks for now: the recorded log of each container; one without a log cannot be read.
 */
void replay_words(struct model_job *job, const struct replay *tar);

/* A JobGoodput of that name for the target of the same name, created at the epoch's second given. source: "PodLog",
 * "None". */
void replay_jobgoodput(struct model *m, const char *namespace_, const char *name, const char *source,
                       const char *more_spec, int64_t created_ms);
/* more_spec of a JobGoodput with the status that an earlier model left; NULL or "": without one. Heap. */
char *replay_left(const char *status);
/* All is listed up to then. */
void replay_watermarks(struct model *m, int64_t at_ms);
/* The same for the resources that the recording has; the others are not served. */
void replay_watermarks_of(struct model *m, const struct replay *r, int64_t at_ms);
/* The status now (heap). */
char *replay_status(struct model *m, const char *namespace_, const char *name, int64_t now_ms,
                    struct model_summary *summary);

/* A number anywhere in a status by a path such as "time.wallMilliseconds" or "badput[bucket=QueueWait].milliseconds";
 * -1 if it is absent.
 */
int64_t status_int(const char *status, const char *path);
/* The same for text; "" if it is absent. Valid until the next call. */
const char *status_text(const char *status, const char *path);

#endif
