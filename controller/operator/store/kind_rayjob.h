/* kind_rayjob: reads a RayJob, its RayCluster and their pods: kinds.h. */
#ifndef OPERATOR_STORE_KIND_RAYJOB_H
#define OPERATOR_STORE_KIND_RAYJOB_H

#include "operator/objects/jobset.h"
#include "operator/store/store.h"

/* The container of what submits the program (utils.SubmitterContainerName); as a replicated job, the submitter's Job.
 */
#define RAYJOB_SUBMITTER "ray-job-submitter"

int rayjob_parse(struct slice json, struct object_jobset *run);
int raycluster_parse(struct slice json, struct object_jobset *run);
struct target *rayjob_of_pod(struct store *store, struct object_meta *pod);

/* A RayCluster, or the submitter's Job, as observed: kept as a Job of a JobSet is. */
struct kube_job *rayjob_part(struct store *store, struct target *t, const struct object_meta *meta);
/* The Job that submits a RayJob's program, as a part of that; NULL: it is another Job, or is measured itself. */
struct kube_job *rayjob_submitter(struct store *store, const struct object_meta *job);
/* A RayCluster does not show who submits to it. */
void rayjob_keep_submitter(const struct target *t, struct object_jobset *cluster);

#endif
