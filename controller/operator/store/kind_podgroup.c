/* Kueue's groups of plain pods: pods with the label kueue.x-k8s.io/pod-group-name, for which Kueue makes one Workload
 * of that name once all of them exist. No other object stands for the group, so the Workload is the target, and its
 * podSets are the replicated jobs: pods of one shape, which name their podSet in the annotation role-hash.
 * Sources, Kueue at ff69552e (after v0.18): pkg/controller/jobs/pod/constants/constants.go (labels, annotations),
 * pod_controller.go (NewGroupWorkload, constructGroupPodSets, Finished), pod_webhook.go (role-hash);
 * apis/kueue/v1beta2/workload_types.go (podSets, reasons of Finished). v0.9.5 has the same. */
#include "operator/store/kind_podgroup.h"

#include "operator/store/adopt.h"

#include "base/mem.h"

#include <string.h>

#define RUN struct object_jobset

static void pod_set_scan(struct jscan *j, void *run) {
    static const struct jmember rows[] = {
        JMEMBER(struct object_replicated_job, name, "name"),
        JMEMBER_WITHIN(struct object_replicated_job, parallelism, "count", 0, 1000000),
        JMEMBER_SELF("template", object_template_scan)};
    struct object_replicated_job job = {.replicas = 1, .parallelism = 1, .completions = -1};
    jmembers_read(j, JMEMBERS(rows), &job);
    object_jobset_add(run, &job);
}

static const struct jmember spec[] = {JMEMBER_ELEMENTS("podSets", pod_set_scan), JMEMBER(RUN, meta.queue, "queueName")};
static const struct jmember status[] = {JMEMBER_FIELD(RUN, conditions, "conditions", object_conditions_scan)};

int podgroup_parse(struct slice json, struct object_jobset *run) {
    static const struct jmember rows[] = {JMEMBER_FIELD(RUN, meta, "metadata", object_meta_scan),
                                          JMEMBER_OBJECT("spec", spec), JMEMBER_OBJECT("status", status)};
    int err = object_jobset_read(json, JMEMBERS(rows), run);
    object_jobset_end_by(run, "Finished");
    run->has_failed = run->has_ended && slice_is(run->reason, "Failed");
    return err;
}

/* Pods of a group that has ended are of the next one of its name. */
struct target *podgroup_of_pod(struct store *store, struct object_meta *pod) {
    char namespace_[254], name[254];
    bool is_of_one = pod->pod_group.size_bytes > 0 && slice_copy(namespace_, sizeof namespace_, pod->namespace_) &&
                     slice_copy(name, sizeof name, pod->pod_group);
    if (!is_of_one)
        return NULL;
    pod->replicated_job = pod->pod_set;
    pod->job_index = 0;
    pod->completion_index = -1;
    struct target *t = store_target_by_name(store, TARGET_PODGROUP, namespace_, name);
    bool is_its = t != NULL && (t->end.at_ms == TIME_UNKNOWN || pod->created_ms <= t->end.at_ms);
    return is_its ? t : store_waiting(store, TARGET_PODGROUP, pod->namespace_, pod->pod_group);
}
