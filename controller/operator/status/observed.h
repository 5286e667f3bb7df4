/* observed: how far what is known of the cluster and of a job's log reaches. */
#ifndef OPERATOR_STATUS_OBSERVED_H
#define OPERATOR_STATUS_OBSERVED_H

#include <stdint.h>

struct model_job;
struct store;

int64_t view_known_ms(const struct store *store, int64_t now_ms);           /* model_known_ms() */
int64_t view_objects_known(const struct model_job *job, int64_t now_ms);    /* all objects that the job depends on */
int64_t view_observed_through(const struct model_job *job, int64_t now_ms); /* the status' observedThrough */
int64_t view_awaits_ms(const struct model_job *job, int64_t now_ms);        /* model_summary.awaits_ms */

#endif
