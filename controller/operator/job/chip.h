/* chip: the chip that the labels of the nodes name, and its price; else those of the status of a predecessor. */
#ifndef OPERATOR_JOB_CHIP_H
#define OPERATOR_JOB_CHIP_H

#include "operator/job/job.h"

void job_find_chip(struct model_job *job);
void job_remember_chip(struct model_job *job, const struct object_jobgoodput *o);

#endif
