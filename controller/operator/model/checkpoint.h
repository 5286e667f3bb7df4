/* checkpoint: what a successor must know of a running job and the cluster no longer shows: deleted pods and Jobs,
 * earlier conditions, which log lines were read, and the ledger. One update writes it into the status together with its
 * numbers, so that they cannot differ. It is read before any other object is observed. Objects of the checkpoint that
 * the first lists do not show have vanished meanwhile.
 *
 * The text is base64 of: version (one byte), CRC-32 and size of what follows unpacked, then that, deflated. At most
 * CHECKPOINT_MAX_BYTES: where all does not fit, sums replace the pods that exist and hold their slots: the cluster
 * shows them again, and they count from then on (settle.h). Then deleted pods are forgotten early (forget.c). Then sums
 * replace all pods, and the status says so. Where not even the sums fit, all time before is Unobserved, except for what
 * the existing pods prove. */
#ifndef OPERATOR_CHECKPOINT_H
#define OPERATOR_CHECKPOINT_H

#include "operator/job/job.h"

#define CHECKPOINT_MAX_BYTES 32512 /* the CRD takes 32768: the rest is for what follows MODEL_CHECKPOINT_END */

/* Appends the text; nothing if there is no target. */
void checkpoint_write(struct model_job *job, int64_t written_ms, struct buf *out);

/* Fills in a job that has no target yet. On failure the job and the store are as before, and *err says why: the
 * checkpoint is damaged, or newer than this controller. */
int checkpoint_read(struct model_job *job, struct slice text, struct error **err);

char *checkpoint_pack(struct slice raw); /* heap; NULL if it does not fit */

#endif
