/* archive_keep: what a model's job has for its archive, on a volume. */
#ifndef HARNESS_ARCHIVE_KEEP_H
#define HARNESS_ARCHIVE_KEEP_H

#include "archive/volume.h"
#include "operator/model/model.h"

/* Appends what waits. The number of pieces; -1: an error, on stderr. */
int archive_keep(struct model_job *job, const char *root, const char *cluster);
/* Completes the object of its target. */
int archive_keep_complete(struct model_job *job, const char *root, const char *cluster);

#endif
