#include "operator/job/jobs.h"

#include "rootcause/log.h"

#include <stdio.h>

struct slice jobs_name_key(char out[static JOBS_NAME_KEY], const char *namespace_, const char *name) {
    int n = snprintf(out, JOBS_NAME_KEY, "%s/%s", namespace_, name);
    return (struct slice){out, n < JOBS_NAME_KEY ? (size_t)n : JOBS_NAME_KEY - 1};
}

struct matcher *jobs_matcher(struct jobs *jobs) {
    if (jobs->matcher == NULL)
        jobs->matcher = matcher_new();
    return jobs->matcher;
}

struct rootcause_log *jobs_new_words(struct jobs *jobs) {
    return rootcause_log_new(jobs_matcher(jobs), true);
}
