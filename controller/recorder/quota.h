/* quota: what a namespace may send, and what it may make this process hold in memory: bodies that are being taken in,
 * pages that are being read. One namespace at its limits takes nothing from another. Pure but for memory; the caller
 * brings the time. */
#ifndef RECORDER_QUOTA_H
#define RECORDER_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct quota;

struct quota_limits {
    int64_t bytes_per_s, burst_bytes; /* of a namespace: sustained, and at once */
    int64_t requests_per_s, burst_requests;
    size_t held_bytes;     /* of all namespaces together */
    size_t held_bytes_one; /* of one namespace */
    size_t namespaces;     /* remembered at the same time: those that sent something recently, or hold it */
};
extern const struct quota_limits quota_default_limits;

struct quota *quota_new(const struct quota_limits *limits);
void quota_free(struct quota *quota);

/* Counts a request and its bytes; false if the namespace has sent too much. */
bool quota_send(struct quota *quota, int64_t now_us, const char *namespace_, int64_t bytes);

/* Before memory is allocated for a namespace; false: it would be too much, nothing is counted. Each is released with
 * the same number of bytes. */
bool quota_hold(struct quota *quota, int64_t now_us, const char *namespace_, size_t bytes);
bool quota_may_hold(struct quota *quota, int64_t now_us, const char *namespace_, size_t bytes); /* counts nothing */
void quota_release(struct quota *quota, const char *namespace_, size_t bytes);

#endif
