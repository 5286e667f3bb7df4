/* PyTorchJob (Kubeflow's training operator, v1): replica types Master and Worker, each pod with the index of its rank.
 * The operator creates a failed pod again, so executions show in the pods alone.
 * Sources, kubeflow/training-operator v1.9.0: pkg/apis/kubeflow.org/v1/common_types.go (labels, RunPolicy,
 * JobCondition) and pytorch_types.go; pkg/controller.v1/common/pod.go (the label's replica type is in lower case). */
#include "operator/store/kind_pytorchjob.h"

#include "base/mem.h"

#include <string.h>

#define RUN struct object_jobset

static void replica_scan(struct jscan *j, struct object_jobset *run, const char *name) {
    static const struct jmember rows[] = {
        JMEMBER_WITHIN(struct object_replicated_job, parallelism, "replicas", 0, 1000000),
        JMEMBER_SELF("template", object_template_scan)};
    struct object_replicated_job job = {.name = slice_of(name), .replicas = 1, .parallelism = 1, .completions = -1};
    jmembers_read(j, JMEMBERS(rows), &job);
    object_jobset_add(run, &job);
}

static void master_scan(struct jscan *j, void *run) {
    replica_scan(j, run, "master");
}

static void worker_scan(struct jscan *j, void *run) {
    replica_scan(j, run, "worker");
}

static const struct jmember replicas[] = {JMEMBER_SELF("Master", master_scan), JMEMBER_SELF("Worker", worker_scan)};
static const struct jmember policy[] = {JMEMBER(RUN, is_suspended, "suspend"), JMEMBER(RUN, managed_by, "managedBy")};
static const struct jmember spec[] = {JMEMBER_OBJECT("pytorchReplicaSpecs", replicas),
                                      JMEMBER_OBJECT("runPolicy", policy)};
static const struct jmember status[] = {JMEMBER_FIELD(RUN, conditions, "conditions", object_conditions_scan)};

int pytorchjob_parse(struct slice json, struct object_jobset *run) {
    static const struct jmember rows[] = {JMEMBER_FIELD(RUN, meta, "metadata", object_meta_scan),
                                          JMEMBER_OBJECT("spec", spec), JMEMBER_OBJECT("status", status)};
    int err = object_jobset_read(json, JMEMBERS(rows), run);
    object_jobset_end_by(run, "Succeeded");
    return err;
}

struct target *pytorchjob_of_pod(struct store *store, struct object_meta *pod) {
    if (!slice_is(pod->owner_kind, "PyTorchJob"))
        return NULL;
    pod->replicated_job = pod->replica_type;
    pod->job_index = 0;
    pod->completion_index = pod->member_index;
    return store_target(store, TARGET_PYTORCHJOB, pod->owner_uid, pod->namespace_, pod->owner_name);
}
