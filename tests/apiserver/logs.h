/* logs: what the containers of pods printed, line by line with the kubelet's time stamps. Keyed by pod UID, so that a
 * pod of the same name starts empty. Each container has runs; a restart begins a new one; `previous` is the one before
 * the last. A pod that is deleted takes its logs with it. */
#ifndef TESTS_APISERVER_LOGS_H
#define TESTS_APISERVER_LOGS_H

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log_line {
    int64_t time_ns;
    char *text; /* without the newline */
    size_t size_bytes;
};

/* Printed, but kept nowhere: bytes per second, from an instant on. */
struct log_flood {
    size_t at, total_bytes; /* before the line of this index */
    double bytes_per_s;
    int64_t begin_us;
    struct log_line line;
};

struct log_run {
    struct log_line *lines;
    size_t count, capacity;
    bool is_ended;
    struct log_flood flood;
};

struct log_container {
    struct log_container *next; /* of the pod */
    char name[64];
    struct log_run runs[16];
    int run_count;
};

struct logs {
    struct map pods; /* by UID: the first container */
};

void logs_done(struct logs *l);
struct log_container *logs_get(struct logs *l, const char *pod_uid, const char *container, bool is_made);
struct log_run *logs_run(struct log_container *c, bool is_previous); /* NULL if there is none */
void logs_append(struct log_container *c, int64_t time_ns, const char *text, size_t size_bytes);
void logs_flood(struct log_container *c, int64_t time_ns, double bytes_per_s, double seconds, int64_t now_us);
void logs_end_run(struct log_container *c);   /* the container exited */
void logs_start_run(struct log_container *c); /* the container started (again) */
void logs_drop_pod(struct logs *l, const char *pod_uid);

#endif
