/* buckets: the tables of the ledger: every bucket with its family (of two objects that hold slots back at one instant,
 * the first in this order is the reason; sweep.c chooses among the rest), and every cause of an interruption, in the
 * order in which causes are tried. deploy/docs/concepts/ledger.md describes both. */
#ifndef LEDGER_BUCKETS_H
#define LEDGER_BUCKETS_H

#include "rootcause/classes.h"

enum family { FAMILY_SCHEDULING, FAMILY_RUNTIME, FAMILY_PRODUCTIVE };

/* X(IDENTIFIER, name in status, family, default owner of what no interruption caused) */
#define LEDGER_BUCKETS(X)                                                                                              \
    X(NOT_SUBMITTED, "NotSubmitted", SCHEDULING, TENANT)                                                               \
    X(SUSPENDED, "Suspended", SCHEDULING, TENANT)                                                                      \
    X(PREEMPTED_WAIT, "PreemptedWait", SCHEDULING, SCHEDULER)                                                          \
    X(QUEUE_WAIT, "QueueWait", SCHEDULING, SCHEDULER)                                                                  \
    X(DEPENDENCY_WAIT, "DependencyWait", SCHEDULING, TENANT)                                                           \
    X(PROVISIONING, "Provisioning", SCHEDULING, PROVIDER)                                                              \
    X(NODE_FAILURE_DETECTION, "FailureDetection", SCHEDULING, PLATFORM)                                                \
    X(RESCHEDULING, "Rescheduling", SCHEDULING, PLATFORM)                                                              \
    X(BINDING, "Binding", SCHEDULING, SCHEDULER)                                                                       \
    X(UNOBSERVED, "Unobserved", SCHEDULING, UNKNOWN) /* decided before every other scheduling bucket */                \
    X(IMAGE_PULL, "ImagePull", RUNTIME, PLATFORM)                                                                      \
    X(CONTAINER_START, "ContainerStart", RUNTIME, PLATFORM)                                                            \
    X(ACCELERATOR_INIT, "AcceleratorInit", RUNTIME, PLATFORM)                                                          \
    X(TRAINING_PREPARATION, "TrainingPreparation", RUNTIME, TENANT)                                                    \
    X(CHECKPOINT_RESTORE, "CheckpointRestore", RUNTIME, TENANT)                                                        \
    X(PROGRAM_STARTUP, "ProgramStartup", RUNTIME, TENANT)                                                              \
    X(DATA_LOADING, "DataLoading", RUNTIME, TENANT)                                                                    \
    X(CHECKPOINT_SAVE, "CheckpointSave", RUNTIME, TENANT)                                                              \
    X(EVALUATION, "Evaluation", RUNTIME, TENANT)                                                                       \
    X(CUSTOM, "Custom", RUNTIME, TENANT) /* reported as Custom/<NAME> */                                               \
    X(WASTED_PROGRESS, "WastedProgress", RUNTIME, TENANT)                                                              \
    X(STALL, "Stall", RUNTIME, UNKNOWN)                                                                                \
    X(PROCESS_FAILURE_DETECTION, "FailureDetection", RUNTIME, PLATFORM)                                                \
    X(ELASTIC_REINIT, "ElasticReinit", RUNTIME, UNKNOWN)                                                               \
    X(SHUTDOWN, "Shutdown", RUNTIME, TENANT)                                                                           \
    X(UNATTRIBUTED, "Unattributed", RUNTIME, UNKNOWN)                                                                  \
    X(PRODUCTIVE, "Productive", PRODUCTIVE, UNKNOWN)

enum bucket {
#define X(id, name, family, owner) BUCKET_##id,
    LEDGER_BUCKETS(X)
#undef X
        BUCKET_COUNT,
    BUCKET_ELASTIC_SLICE_DOWN /* chips only, no time: the slices that are down while others train (slices.h) */
};

/* X(IDENTIFIER, name in status, excluded from MTBI and MTTR, default owner of what it cost). The first that fits wins.
 * A sub-reason (KueueEviction/<reason>) is kept as text next to the cause. */
#define LEDGER_CAUSES(X)                                                                                               \
    X(KUEUE_PREEMPTION, "KueuePreemption", 1, SCHEDULER)                                                               \
    X(KUEUE_EVICTION, "KueueEviction", 1, SCHEDULER)                                                                   \
    X(SCHEDULER_PREEMPTION, "SchedulerPreemption", 0, SCHEDULER)                                                       \
    X(NODE_FAILURE, "NodeFailure", 0, PROVIDER)                                                                        \
    X(NODE_MAINTENANCE, "NodeMaintenance", 0, PROVIDER)                                                                \
    X(SPOT_RECLAIM, "SpotReclaim", 0, PROVIDER)                                                                        \
    X(EVICTION, "Eviction", 0, PLATFORM)                                                                               \
    X(OUT_OF_MEMORY, "OutOfMemory", 0, TENANT)                                                                         \
    X(HANG, "Hang", 0, UNKNOWN)                                                                                        \
    X(APPLICATION_ERROR, "ApplicationError", 0, UNKNOWN)                                                               \
    X(POD_DELETED, "PodDeleted", 0, UNKNOWN)                                                                           \
    X(TRAINER_RESTART, "TrainerRestart", 0, UNKNOWN)                                                                   \
    X(USER_SUSPEND, "UserSuspend", 1, TENANT)                                                                          \
    X(UNKNOWN, "Unknown", 0, UNKNOWN)

enum cause {
#define X(id, name, excluded, owner) CAUSE_##id,
    LEDGER_CAUSES(X)
#undef X
        CAUSE_COUNT
};

const char *bucket_name(enum bucket bucket);
enum family bucket_family(enum bucket bucket);
const char *family_name(enum family family); /* "Scheduling", "Runtime", "Productive" */
const char *cause_name(enum cause cause);
int cause_is_excluded(enum cause cause); /* from MTBI and MTTR */
/* Where lost chip time is listed by the class of its root cause: what no interruption caused. */
#define LOST_WITHOUT_INTERRUPTION "None"
enum rootcause_owner bucket_owner(enum bucket bucket);
enum rootcause_owner cause_owner(enum cause cause);

enum basis { BASIS_OBSERVED, BASIS_DERIVED, BASIS_ASSUMED };
const char *basis_name(enum basis basis);

#endif
