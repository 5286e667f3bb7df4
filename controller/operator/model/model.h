/* model: Kubernetes objects and log lines in, JobGoodput statuses out. It joins the store (store/store.h) and the jobs
 * (job/jobs.h). No I/O, no loop, no clock: every call gets the time, so that a replayed recording gives the same
 * status, byte for byte, in whatever order the watches were interleaved.
 *
 * Behind it, in the order of the data: objects/ reads objects, store/ keeps them, facts/ makes ledger facts of them
 * (facts/causes.c is the table of causes), job/ is a JobGoodput with its ledger and its log, status/ writes what
 * follows. runtime/ connects it to a cluster. */
#ifndef OPERATOR_MODEL_H
#define OPERATOR_MODEL_H

#include "base/slice.h"
#include "ledger/ledger.h"
#include "operator/job/last_words.h"
#include "operator/job/logs.h"
#include "operator/job/notice.h"
#include "operator/job/source.h"
#include "operator/objects/resource.h"

struct model;
struct model_job; /* one JobGoodput */

#define MODEL_FORGET_AFTER_MS 600000 /* all events of a pod arrive within that time */

struct model_options {
    /* Statuses carry what a successor needs (checkpoint.h), and that of a predecessor is read: observe JobGoodputs
     * before anything else. */
    bool keeps_checkpoints;
    bool archives;                 /* somebody takes what settles: model/archive.h */
    bool reads_last_words;         /* somebody reads what model_job_words_next returns */
    const char *chip_peaks;        /* chips.h: overrides of their peaks; NULL: none */
    const char *chip_prices;       /* price.h; NULL: none */
    const char *node_signals;      /* a site's rows, which node_signals_add takes; NULL: none */
    const char *owner_policy;      /* a site's rows, which owners_policy_parse takes; NULL: none */
    const char *currency;          /* of prices that say none; NULL: USD */
    int64_t forget_after_ms;       /* pods deleted this long ago leave only numbers; 0: MODEL_FORGET_AFTER_MS */
    const char *cluster_name;      /* in the ledger's records; NULL or "": none */
    const char *documentation_url; /* of the folder deploy/docs; NULL: MODEL_DOCUMENTATION */
};

struct model *model_new(const struct model_options *options);
void model_free(struct model *m);

/* One object as the API server sent it, at received_ms. For VANISHED object is empty. Malformed objects are left out
 * (-EINVAL). Objects that belong to no known JobGoodput may be kept (trimmed) or not: a JobGoodput that comes
 * later must give the same status as one that was there first. */
int model_observe(struct model *m, enum resource resource, enum observed what, struct slice namespace_,
                  struct slice name, struct slice uid, struct slice object, int64_t received_ms);

/* Whether of the pod's next version only its identity, its deletion and its status are read (object_known_pod_message).
 */
bool model_knows_pod(const struct model *m, struct slice uid);

/* All changes of `resource` up to received_ms were observed (sync, bookmark). The earliest of these times over the
 * resources that are served bounds observedThrough. is_absent: not served by this cluster. With the first call, objects
 * of a checkpoint that no list showed have vanished. */
void model_watermark(struct model *m, enum resource resource, int64_t received_ms, bool is_absent);

/* The server refuses to show `resource` in `namespace_` (empty: anywhere), in these words; NULL: it shows it again, and
 * all of it has been listed. through_ms: up to when it was known before; TIME_UNKNOWN: it was never listed. The
 * resource may be absent elsewhere (model_watermark) at the same time. */
void model_forbidden(struct model *m, enum resource resource, struct slice namespace_, const char *words,
                     int64_t through_ms);

/* Time up to which all resources that decide a status are known, now_ms at most. */
int64_t model_known_ms(const struct model *m, int64_t now_ms);

/* Between those times the watch of pods was cut, and they were listed again: what was created and deleted meanwhile is
 * not known. */
void model_unwatched(struct model *m, int64_t from_ms, int64_t to_ms);

/* Between those times the API server could not be reached: a node's lease and conditions of that time, and until it has
 * recovered, prove nothing. */
void model_unreachable(struct model *m, int64_t from_ms, int64_t to_ms);

/* The nodes of that pool ("": without one) that run pods of Jobs. */
int64_t model_working_nodes(const struct model *m, const char *pool);

/* Jobs whose status may have changed since the last call; NULL when there are no more. The job stays valid until its
 * JobGoodput is observed deleted (then model_job_is_deleted, once; the next call frees it). */
struct model_job *model_next_dirty(struct model *m);
size_t model_job_count(const struct model *m);
struct model_job *model_job_at(struct model *m, size_t index);
struct model_job *model_job_find(struct model *m, const char *namespace_, const char *name);

const char *model_job_namespace(const struct model_job *job);
const char *model_job_name(const struct model_job *job);
const char *model_job_uid(const struct model_job *job);
const char *model_job_target_uid(const struct model_job *job); /* "": not observed */
bool model_job_is_deleted(const struct model_job *job);
bool model_job_is_final(const struct model_job *job); /* target ended, log read: numbers are frozen */
void *model_job_user(const struct model_job *job);    /* the runtime's own */
void model_job_set_user(struct model_job *job, void *user);

/* Ends the checkpoint proper in status.checkpoint: what follows belongs to its writer. */
#define MODEL_CHECKPOINT_END ';'
/* Called between the observation of the JobGoodput and that of its target: all changes of the target since its
 * checkpoint follow, each with the time of its receipt, up to now_ms. Those before missed_until_ms may be missing;
 * TIME_UNKNOWN: none is. */
void model_job_resume(struct model_job *job, int64_t missed_until_ms, int64_t now_ms);

#endif
