/* classes: what an execution can die of, and who owns each class by default. Names are as `kubectl goodput why` and
 * status.executions[].rootCause write them. */
#ifndef ROOTCAUSE_CLASSES_H
#define ROOTCAUSE_CLASSES_H

#include "base/slice.h"

/* X(IDENTIFIER, name) */
#define ROOTCAUSE_OWNERS(X)                                                                                            \
    X(UNKNOWN, "Unknown")                                                                                              \
    X(TENANT, "Tenant")                                                                                                \
    X(PLATFORM, "Platform")                                                                                            \
    X(PROVIDER, "Provider")                                                                                            \
    X(SCHEDULER, "Scheduler") /* of no class: of causes and buckets, ledger/buckets.h */

enum rootcause_owner {
#define X(id, name) OWNER_##id,
    ROOTCAUSE_OWNERS(X)
#undef X
        OWNER_COUNT
};

/* X(IDENTIFIER, name, default owner, meaning) */
#define ROOTCAUSE_CLASSES(X)                                                                                           \
    X(UNKNOWN, "Unknown", UNKNOWN, "The text holds only a launcher's summary, or no cause at all.")                    \
    X(GPU_HARDWARE, "GPUHardware", PROVIDER, "A GPU, its memory, NVLink or PCIe failed: Xid, ECC or NVLink text.")     \
    X(CUDA_ERROR, "CUDAError", UNKNOWN,                                                                                \
      "A CUDA or HIP kernel failed, and the text does not prove why: illegal or misaligned address, device assert.")   \
    X(GPU_DRIVER, "GPUDriver", PLATFORM, "Driver, fabric manager, visible devices, or driver and runtime versions.")   \
    X(TPU_HARDWARE, "TPUHardware", PROVIDER, "A TPU chip, its interconnect, or a core failed.")                        \
    X(TPU_INIT, "TPUInit", PLATFORM, "The TPU runtime could not start: busy device, lock file, a missing host.")       \
    X(COLLECTIVE_TIMEOUT, "CollectiveTimeout", UNKNOWN, "A collective or a barrier timed out; always a symptom.")      \
    X(PEER_LOST, "PeerLost", UNKNOWN, "This process reports only that another one ended; always a symptom.")           \
    X(NETWORK, "Network", PROVIDER, "Network card, InfiniBand, RoCE, socket or DNS, with separate evidence.")          \
    X(DEVICE_OOM, "DeviceOOM", TENANT, "The memory of the accelerator was exhausted.")                                 \
    X(HOST_OOM, "HostOOM", TENANT, "The memory of the host or of the container was exhausted, with a record of it.")   \
    X(SHM_DATALOADER, "ShmDataLoader", TENANT, "A data loader's worker died, or /dev/shm was too small.")              \
    X(USER_EXCEPTION, "UserException", TENANT, "An exception of the program or of a library that it calls.")           \
    X(CONFIG_ERROR, "ConfigError", TENANT, "An argument, a configuration, a world size or a device count is wrong.")   \
    X(NAN_DIVERGENCE, "NaNDivergence", TENANT, "The trainer stopped because of NaN, Inf or its loss scale.")           \
    X(DATA_ERROR, "DataError", TENANT, "Training data is missing, corrupt or unreachable.")                            \
    X(STORAGE_ERROR, "StorageError", PLATFORM, "A disk is full, a file handle is stale, an object store failed.")      \
    X(CHECKPOINT_ERROR, "CheckpointError", TENANT, "A checkpoint could not be saved or restored.")                     \
    X(HANG_WATCHDOG, "HangWatchdog", UNKNOWN, "A watchdog saw no progress; mostly a symptom.")                         \
    X(STARTUP_RENDEZVOUS, "StartupRendezvous", UNKNOWN, "The processes never met: rendezvous, port, store.")           \
    X(COMPILE_ERROR, "CompileError", TENANT, "A compiler failed: XLA, Mosaic, Triton, Inductor, ptxas, nvcc.")         \
    X(CRASH_SIGNAL, "CrashSignal", UNKNOWN, "The process crashed (SIGSEGV, SIGABRT, SIGILL), with no earlier cause.")  \
    X(PREEMPTION, "Preemption", PLATFORM, "Something outside stopped the process: SIGTERM, time limit, a person.")     \
    X(AUTH_QUOTA, "AuthQuota", TENANT, "A token, a license, a gated model, a rate limit or a quota.")

enum rootcause_class {
#define X(id, name, owner, meaning) CLASS_##id,
    ROOTCAUSE_CLASSES(X)
#undef X
        CLASS_COUNT
};

const char *rootcause_class_name(enum rootcause_class c);
int rootcause_class_find(struct slice name); /* -1: no class has that name */
enum rootcause_owner rootcause_class_owner(enum rootcause_class c);
/* Whether a node that shows it is to blame: neither for a notice of maintenance or preemption nor for memory that a job
 * exhausted. */
bool rootcause_class_blames_node(enum rootcause_class c);
bool rootcause_class_is_of_hardware(enum rootcause_class c);
const char *rootcause_owner_name(enum rootcause_owner owner);
int rootcause_owner_find(struct slice name); /* -1: no owner has that name */

#endif
