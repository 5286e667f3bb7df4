/* client_internal: the inside of a kube_client, for client.c, stream.c, podlog.c and tally.c. */
#ifndef KUBE_CLIENT_INTERNAL_H
#define KUBE_CLIENT_INTERNAL_H

#include "kube/client.h"
#include "kube/config.h"
#include "kube/credentials.h"

struct kube_client {
    struct loop *loop;
    struct http_client *http;
    struct kube_config *config;
    struct kube_credentials *credentials;
    char *user_agent; /* the header line */
    bool is_http1_only, is_json_only;
    struct kube_count *counts;
    size_t count_count, count_capacity;
    struct kube_duration *durations;
    size_t duration_count, duration_capacity;
    struct kube_stream_count *tallies; /* tally.h */
    size_t tally_count, tally_capacity;
    int64_t log_bytes;
    int64_t heard_us;
};

#endif
