/* LeaderWorkerSet: groups of a leader and its workers. A group whose pod fails is made again (restartPolicy
 * RecreateGroupOnPodRestart), which its pods show. It never ends by itself. Its pods name it by a label alone; their
 * owners are StatefulSets. Kueue queues each group by itself and holds its pods with a scheduling gate.
 * Sources, kubernetes-sigs/lws v0.8.0: api/leaderworkerset/v1/leaderworkerset_types.go (labels, replicas, size,
 * leaderTemplate), pkg/controllers/pod_controller.go (handleRestartPolicy). Kueue v0.16:
 * pkg/controller/jobs/leaderworkerset. */
#include "operator/store/kind_leaderworkerset.h"

#include "operator/store/adopt.h"

#include "base/mem.h"

#include <string.h>

struct set {
    struct object_jobset run; /* first */
    struct object_replicated_job leader, worker;
    int64_t replicas, size;
    bool has_leader;
};

static void leader_scan(struct jscan *j, void *at) {
    struct set *s = at;
    s->has_leader = jscan_peek(j) == JSCAN_OBJECT;
    object_template_scan(j, &s->leader);
}

static const struct jmember template_[] = {
    JMEMBER_SELF("leaderTemplate", leader_scan),
    JMEMBER_WITHIN(struct set, size, "size", 1, 1000000),
    JMEMBER_FIELD(struct set, worker, "workerTemplate", object_template_scan),
};
static const struct jmember spec[] = {JMEMBER_OBJECT("leaderWorkerTemplate", template_),
                                      JMEMBER_WITHIN(struct set, replicas, "replicas", 0, 1000000)};

int leaderworkerset_parse(struct slice json, struct object_jobset *run) {
    static const struct jmember rows[] = {JMEMBER_FIELD(struct set, run.meta, "metadata", object_meta_scan),
                                          JMEMBER_OBJECT("spec", spec)};
    struct set s = {.leader = {.name = slice_of("leader"), .parallelism = 1, .completions = -1},
                    .worker = {.name = slice_of("worker"), .completions = -1},
                    .replicas = 1,
                    .size = 1};
    int err = object_jobset_read(json, JMEMBERS(rows), &s.run);
    s.leader.replicas = s.worker.replicas = s.replicas;
    s.leader.chips = s.has_leader ? s.leader.chips : s.worker.chips;
    s.worker.parallelism = s.size - 1;
    object_jobset_add(&s.run, &s.leader);
    if (s.size > 1)
        object_jobset_add(&s.run, &s.worker);
    s.run.meta.queue = (struct slice){0}; /* no Workload is for the whole */
    *run = s.run;
    return err;
}

/* Of a set that was deleted and created again, the new one has no pods that are older than itself. */
struct target *leaderworkerset_of_pod(struct store *store, struct object_meta *pod) {
    char namespace_[254], name[254];
    bool is_of_one = pod->set_name.size_bytes > 0 && slice_copy(namespace_, sizeof namespace_, pod->namespace_) &&
                     slice_copy(name, sizeof name, pod->set_name);
    if (!is_of_one)
        return NULL;
    bool is_leader = pod->member_index == 0;
    pod->replicated_job = slice_of(is_leader ? "leader" : "worker");
    pod->job_index = pod->group_index;
    pod->completion_index = is_leader || pod->member_index < 0 ? pod->member_index : pod->member_index - 1;
    struct target *t = store_target_by_name(store, TARGET_LEADERWORKERSET, namespace_, name);
    if (t != NULL && !t->end.is_deleted && t->created_ms <= pod->created_ms + STORE_SECOND_MS)
        return t;
    return store_waiting(store, TARGET_LEADERWORKERSET, pod->namespace_, pod->set_name);
}
