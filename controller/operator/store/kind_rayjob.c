/* RayJob (KubeRay): it makes a RayCluster, whose pods are the head and groups of workers. A suspension, and an attempt
 * that failed and is tried again (spec.backoffLimit), delete the RayCluster; the next one has another name. A
 * RayCluster is kept as a Job of a JobSet is.
 * Sources, KubeRay v1.7.0: ray-operator/apis/ray/v1/rayjob_types.go and raycluster_types.go (fields),
 * controllers/ray/rayjob_controller.go (the states, checkBackoffLimitAndUpdateStatusIfNeeded,
 * constructRayClusterForRayJob), controllers/ray/common/pod.go (labelPod), controllers/ray/utils/constant.go (labels).
 * Workers have indexes only behind the feature gate RayMultiHostIndexing: they are placed by their creation.
 * The program's output is the log of what submits it: the pod of a Job with the RayJob's name (spec.submissionMode
 * K8sJobMode, the default), or a container of the head's pod (SidecarMode). In the other modes no pod logs it.
 * Sources, v1.5.1: controllers/ray/rayjob_controller.go (createNewK8sJob, getSubmitterContainer),
 * controllers/ray/common/ job.go (BuildJobSubmitCommand: `ray job logs --follow`). */
#include "operator/store/kind_rayjob.h"

#include "operator/store/adopt.h"
#include "operator/store/ray_chips.h"

#include "base/mem.h"
#include "base/minmax.h"

#include <string.h>

#define HEAD "headgroup" /* label ray.io/group of the head: utils.RayNodeHeadGroupLabelValue */

struct rayjob {
    struct object_jobset run; /* first: rows of either kind are read into it */
    struct slice status, deployment_status, submission_mode;
};

struct group {
    struct object_replicated_job job;
    int64_t replicas, hosts; /* -1: the defaults, none and one */
    bool is_suspended;
    struct ray_chips declared;
};

static const struct jmember group_rows[] = {
    JMEMBER(struct group, job.name, "groupName"),
    JMEMBER_WITHIN(struct group, replicas, "replicas", 0, 1000000),
    JMEMBER_WITHIN(struct group, hosts, "numOfHosts", 1, 1000000),
    JMEMBER(struct group, is_suspended, "suspend"),
    JMEMBER_FIELD(struct group, job, "template", object_template_scan),
    JMEMBER_FIELD(struct group, declared, "resources", ray_resources_scan),
    JMEMBER_FIELD(struct group, declared, "rayStartParams", ray_start_parameters_scan),
};

static void group_read(struct jscan *j, struct group *g) {
    *g = (struct group){.job = {.replicas = 1, .completions = -1}, .hosts = 1, .declared = {-1, -1, -1}};
    jmembers_read(j, JMEMBERS(group_rows), g);
    bool asks = g->job.chips > 0 || g->job.claims.size_bytes > strlen("[]");
    g->job.has_node_chips = !asks && g->job.selects_chips && !ray_declares(&g->declared);
    if (g->job.chips == 0)
        g->job.chips = ray_chips(&g->declared);
}

static void group_scan(struct jscan *j, void *run) {
    struct group g;
    group_read(j, &g);
    g.job.parallelism = g.is_suspended ? 0 : min_of(g.replicas * g.hosts, 1000000);
    object_jobset_add(run, &g.job);
}

static void head_scan(struct jscan *j, void *run) {
    struct group g;
    group_read(j, &g);
    g.job.parallelism = 1;
    g.job.name = slice_of(HEAD);
    object_jobset_add(run, &g.job);
}

#define RAYJOB struct rayjob

static const struct jmember cluster_spec[] = {JMEMBER_SELF("headGroupSpec", head_scan),
                                              JMEMBER_ELEMENTS("workerGroupSpecs", group_scan),
                                              JMEMBER(RAYJOB, run.is_suspended, "suspend")};
static const struct jmember rayjob_cluster_spec[] = {JMEMBER_SELF("headGroupSpec", head_scan),
                                                     JMEMBER_ELEMENTS("workerGroupSpecs", group_scan)};
static const struct jmember spec[] = {
    JMEMBER_OBJECT("rayClusterSpec", rayjob_cluster_spec), JMEMBER(RAYJOB, run.managed_by, "managedBy"),
    JMEMBER(RAYJOB, submission_mode, "submissionMode"), JMEMBER(RAYJOB, run.is_suspended, "suspend")};
static const struct jmember info[] = {JMEMBER_TIME(RAYJOB, run.restarted_ms, "endTime")};
static const struct jmember status[] = {
    JMEMBER(RAYJOB, status, "jobStatus"),        JMEMBER(RAYJOB, deployment_status, "jobDeploymentStatus"),
    JMEMBER(RAYJOB, run.reason, "reason"),       JMEMBER(RAYJOB, run.message, "message"),
    JMEMBER_TIME(RAYJOB, run.end_ms, "endTime"), JMEMBER_WITHIN(RAYJOB, run.restarts, "failed", 0, 1000000),
    JMEMBER_OBJECT("rayJobInfo", info),
};

/* Which replicated job prints the log: one more, of the submitter, or the head. */
static void add_submitter(struct object_jobset *run, struct slice mode) {
    struct object_replicated_job job = {.name = SLICE(RAYJOB_SUBMITTER),
                                        .replicas = 1,
                                        .parallelism = 1,
                                        .completions = -1,
                                        .prints_log = true,
                                        .is_helper = true};
    if (run->job_count > 0 && (mode.size_bytes == 0 || slice_is(mode, "K8sJobMode")))
        object_jobset_add(run, &job);
    for (int i = 0; i < run->job_count && slice_is(mode, "SidecarMode"); i++)
        run->jobs[i].prints_log = slice_is(run->jobs[i].name, HEAD);
}

void rayjob_keep_submitter(const struct target *t, struct object_jobset *cluster) {
    for (int i = 0; i < t->spec.job_count; i++)
        if (t->spec.jobs[i].prints_log)
            add_submitter(cluster, slice_of(t->spec.jobs[i].is_helper ? "K8sJobMode" : "SidecarMode"));
}

/* status.failed counts the last attempt, too, which nothing follows. */
int rayjob_parse(struct slice json, struct object_jobset *run) {
    static const struct jmember rows[] = {JMEMBER_FIELD(RAYJOB, run.meta, "metadata", object_meta_scan),
                                          JMEMBER_OBJECT("spec", spec), JMEMBER_OBJECT("status", status)};
    struct rayjob r = {.status = {0}};
    int err = object_jobset_read(json, JMEMBERS(rows), &r.run);
    bool is_complete = slice_is(r.deployment_status, "Complete"), has_failed = slice_is(r.deployment_status, "Failed");
    r.run.restarts = max_of(r.run.restarts - has_failed, 0);
    r.run.has_ended = is_complete || has_failed || slice_is(r.deployment_status, "ValidationFailed");
    r.run.has_failed = !is_complete || (r.status.size_bytes > 0 && !slice_is(r.status, "SUCCEEDED"));
    if (r.run.reason.size_bytes == 0)
        r.run.reason = is_complete ? r.status : r.deployment_status;
    add_submitter(&r.run, r.submission_mode);
    *run = r.run;
    return err;
}

int raycluster_parse(struct slice json, struct object_jobset *run) {
    static const struct jmember rows[] = {JMEMBER_FIELD(RAYJOB, run.meta, "metadata", object_meta_scan),
                                          JMEMBER_OBJECT("spec", cluster_spec)};
    struct rayjob r = {.status = {0}};
    int err = object_jobset_read(json, JMEMBERS(rows), &r.run);
    *run = r.run;
    return err;
}

struct kube_job *rayjob_part(struct store *store, struct target *t, const struct object_meta *meta) {
    struct kube_job *part = store_kube_job(store, t, meta->uid);
    part->is_restored = false;
    if (part->name == NULL)
        part->name = slice_dup(meta->name);
    t->jobs_version += part->created_ms != meta->created_ms;
    part->created_ms = meta->created_ms;
    if (meta->deletion_ms != TIME_UNKNOWN && part->deletion_ms == TIME_UNKNOWN)
        part->deletion_ms = meta->deletion_ms - meta->grace_seconds * 1000;
    store_touch_target(store, t);
    for (struct pod *p = part->pods; p; p = p->next_in_job)
        store_touch_pod(store, p);
    return part;
}

/* Its pods may have been observed before it, as those of a Job that belongs to none. */
static void adopt_submitter(struct store *store, struct target *itself, struct target *t) {
    for (size_t i = 0; itself != NULL && i < itself->pods.count; i++) {
        itself->pods.items[i]->replicated_job = store_intern(store, SLICE(RAYJOB_SUBMITTER));
        itself->pods.items[i]->completion_index = 0;
    }
    store_adopt(store, itself, t);
}

struct kube_job *rayjob_submitter(struct store *store, const struct object_meta *job) {
    struct target *itself, *t = store_owner_of_job(store, job, TARGET_RAYJOB, "RayJob", &itself);
    if (t == NULL || job->uid.size_bytes == 0)
        return NULL;
    adopt_submitter(store, itself, t);
    struct kube_job *submitter = rayjob_part(store, t, job);
    submitter->replicated_job = store_intern(store, SLICE(RAYJOB_SUBMITTER));
    return submitter;
}

static struct target *of_submitters_pod(const struct store *store, struct object_meta *pod) {
    const struct kube_job *submitter = store_find_job(store, pod->namespace_, pod->controller_uid);
    if (submitter == NULL || submitter->target->kind != TARGET_RAYJOB)
        return NULL;
    pod->replicated_job = SLICE(RAYJOB_SUBMITTER);
    pod->completion_index = 0;
    return submitter->target;
}

/* The pod names its RayCluster alone: until that was observed, the RayCluster is a target itself. */
struct target *rayjob_of_pod(struct store *store, struct object_meta *pod) {
    if (slice_is(pod->owner_kind, "Job"))
        return of_submitters_pod(store, pod);
    if (!slice_is(pod->owner_kind, "RayCluster"))
        return NULL;
    if (pod->default_container.size_bytes == 0)
        pod->default_container = SLICE(RAYJOB_SUBMITTER); /* where the head has it */
    const struct kube_job *cluster = store_find_job(store, pod->namespace_, pod->owner_uid);
    pod->controller_uid = pod->owner_uid;
    pod->replicated_job = pod->ray_group;
    pod->job_index = 0;
    pod->completion_index = -1;
    return cluster ? cluster->target
                   : store_target(store, TARGET_RAYCLUSTER, pod->owner_uid, pod->namespace_, pod->owner_name);
}
