/* buckets: the tables of the ledger: every bucket with its family (of two objects that hold slots back at one instant,
 * the first in this order is the reason; sweep.c chooses among the rest), and every cause of an interruption, in the
 * order in which causes are tried. deploy/docs/concepts/ledger.md describes both. */
#ifndef LEDGER_BUCKETS_H
#define LEDGER_BUCKETS_H

enum family { FAMILY_SCHEDULING, FAMILY_RUNTIME, FAMILY_PRODUCTIVE };

/* X(IDENTIFIER, name in status, family) */
#define LEDGER_BUCKETS(X)                                                                                              \
    X(NOT_SUBMITTED, "NotSubmitted", SCHEDULING)                                                                       \
    X(SUSPENDED, "Suspended", SCHEDULING)                                                                              \
    X(PREEMPTED_WAIT, "PreemptedWait", SCHEDULING)                                                                     \
    X(QUEUE_WAIT, "QueueWait", SCHEDULING)                                                                             \
    X(DEPENDENCY_WAIT, "DependencyWait", SCHEDULING)                                                                   \
    X(PROVISIONING, "Provisioning", SCHEDULING)                                                                        \
    X(NODE_FAILURE_DETECTION, "FailureDetection", SCHEDULING)                                                          \
    X(RESCHEDULING, "Rescheduling", SCHEDULING)                                                                        \
    X(BINDING, "Binding", SCHEDULING)                                                                                  \
    X(UNOBSERVED, "Unobserved", SCHEDULING) /* decided before every other scheduling bucket */                         \
    X(IMAGE_PULL, "ImagePull", RUNTIME)                                                                                \
    X(CONTAINER_START, "ContainerStart", RUNTIME)                                                                      \
    X(ACCELERATOR_INIT, "AcceleratorInit", RUNTIME)                                                                    \
    X(TRAINING_PREPARATION, "TrainingPreparation", RUNTIME)                                                            \
    X(CHECKPOINT_RESTORE, "CheckpointRestore", RUNTIME)                                                                \
    X(PROGRAM_STARTUP, "ProgramStartup", RUNTIME)                                                                      \
    X(DATA_LOADING, "DataLoading", RUNTIME)                                                                            \
    X(CHECKPOINT_SAVE, "CheckpointSave", RUNTIME)                                                                      \
    X(EVALUATION, "Evaluation", RUNTIME)                                                                               \
    X(CUSTOM, "Custom", RUNTIME) /* reported as Custom/<NAME> */                                                       \
    X(WASTED_PROGRESS, "WastedProgress", RUNTIME)                                                                      \
    X(STALL, "Stall", RUNTIME)                                                                                         \
    X(PROCESS_FAILURE_DETECTION, "FailureDetection", RUNTIME)                                                          \
    X(ELASTIC_REINIT, "ElasticReinit", RUNTIME)                                                                        \
    X(SHUTDOWN, "Shutdown", RUNTIME)                                                                                   \
    X(UNATTRIBUTED, "Unattributed", RUNTIME)                                                                           \
    X(PRODUCTIVE, "Productive", PRODUCTIVE)

enum bucket {
#define X(id, name, family) BUCKET_##id,
    LEDGER_BUCKETS(X)
#undef X
        BUCKET_COUNT,
    BUCKET_ELASTIC_SLICE_DOWN /* chips only, no time: the slices that are down while others train (slices.h) */
};

/* X(IDENTIFIER, name in status, excluded from MTBI and MTTR). The first that fits wins. A sub-reason
 * (KueueEviction/<reason>) is kept as text next to the cause. */
#define LEDGER_CAUSES(X)                                                                                               \
    X(KUEUE_PREEMPTION, "KueuePreemption", 1)                                                                          \
    X(KUEUE_EVICTION, "KueueEviction", 1)                                                                              \
    X(SCHEDULER_PREEMPTION, "SchedulerPreemption", 0)                                                                  \
    X(NODE_FAILURE, "NodeFailure", 0)                                                                                  \
    X(NODE_MAINTENANCE, "NodeMaintenance", 0)                                                                          \
    X(SPOT_RECLAIM, "SpotReclaim", 0)                                                                                  \
    X(EVICTION, "Eviction", 0)                                                                                         \
    X(OUT_OF_MEMORY, "OutOfMemory", 0)                                                                                 \
    X(HANG, "Hang", 0)                                                                                                 \
    X(APPLICATION_ERROR, "ApplicationError", 0)                                                                        \
    X(POD_DELETED, "PodDeleted", 0)                                                                                    \
    X(TRAINER_RESTART, "TrainerRestart", 0)                                                                            \
    X(USER_SUSPEND, "UserSuspend", 1)                                                                                  \
    X(UNKNOWN, "Unknown", 0)

enum cause {
#define X(id, name, excluded) CAUSE_##id,
    LEDGER_CAUSES(X)
#undef X
        CAUSE_COUNT
};

const char *bucket_name(enum bucket bucket);
enum family bucket_family(enum bucket bucket);
const char *family_name(enum family family); /* "Scheduling", "Runtime", "Productive" */
const char *cause_name(enum cause cause);
int cause_is_excluded(enum cause cause); /* from MTBI and MTTR */

enum basis { BASIS_OBSERVED, BASIS_DERIVED, BASIS_ASSUMED };
const char *basis_name(enum basis basis);

#endif
