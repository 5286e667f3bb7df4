#include "operator/store/observe_raycluster.h"

#include "operator/store/adopt.h"
#include "operator/store/kind_rayjob.h"
#include "operator/store/observe_target.h"

#include "base/mem.h"

#include <errno.h>

/* Among RayClusters; a submitter's Job has a name as a replicated job. */
static bool is_newest(const struct kube_job *cluster) {
    for (const struct kube_job *j = cluster->target->kube_jobs; j; j = j->next_in_target)
        if (j->created_ms > cluster->created_ms && j->replicated_job[0] == '\0')
            return false;
    return true;
}

int observe_raycluster(struct store *store, enum observed what, struct slice namespace_, struct slice uid,
                       struct slice json, int64_t received_ms) {
    struct object_jobset o;
    struct kube_job *cluster = store_find_job(store, namespace_, uid);
    bool is_part = cluster != NULL && cluster->target->kind == TARGET_RAYJOB;
    if (what == OBSERVED_VANISHED && is_part) {
        store_job_removed(store, cluster, NULL, received_ms);
        return 0;
    }
    int err = what == OBSERVED_VANISHED ? 0 : raycluster_parse(json, &o);
    if (err < 0)
        return err;
    if (what == OBSERVED_VANISHED || !slice_is(o.meta.owner_kind, kind_name(TARGET_RAYJOB)))
        return observe_run(store, TARGET_RAYCLUSTER, what, namespace_, uid, json, received_ms);
    struct target *t = store_target(store, TARGET_RAYJOB, o.meta.owner_uid, o.meta.namespace_, o.meta.owner_name);
    if (t == NULL || o.meta.uid.size_bytes == 0)
        return -EINVAL;
    store_adopt(store, store_find_target(store, TARGET_RAYCLUSTER, o.meta.namespace_, o.meta.uid), t);
    cluster = rayjob_part(store, t, &o.meta);
    rayjob_keep_submitter(t, &o);
    if (is_newest(cluster))
        store_apply_shape(store, t, &o, received_ms);
    if (what == OBSERVED_DELETED)
        store_job_removed(store, cluster, &o.meta, received_ms);
    return 0;
}
