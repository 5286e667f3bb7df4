/* client: one Kubernetes API server: who we are, and requests. Knows nothing of any resource. Every call is
 * asynchronous on the loop. Retries (429 and 5xx with Retry-After, connection errors) with back-off and jitter are
 * done here for requests marked idempotent; 401 re-reads the credentials once. */
#ifndef KUBE_CLIENT_H
#define KUBE_CLIENT_H

#include "base/error.h"
#include "base/histogram.h"
#include "base/slice.h"
#include "io/http.h"

struct kube_client;
struct kube_call;

struct kube_options {
    const char *kubeconfig; /* --kubeconfig; NULL: $KUBECONFIG, then in-cluster, then ~/.kube/config */
    const char *context;    /* --context; NULL: the current one */
    const char *user_agent; /* "goodput-controller/<version>" */
    bool is_http1_only;     /* for tests */
    bool is_json_only;      /* no list and no watch asks for protobuf */
};

/* One line on failure that says which file and what is wrong. */
struct kube_client *kube_client_new(struct loop *loop, const struct kube_options *options, struct error **err);
void kube_client_free(struct kube_client *client);
const char *kube_client_server(const struct kube_client *client); /* URL */
bool kube_client_reads_json(const struct kube_client *client);    /* is_json_only */
struct loop *kube_client_loop(const struct kube_client *client);

struct kube_request {
    const char *method; /* NULL: GET */
    const char *path;   /* "/apis/goodput.dev/v1alpha1/..." with query; caller has escaped */
    struct slice body;
    const char
        *content_type; /* NULL: application/json. Also application/apply-patch+yaml, application/merge-patch+json */
    size_t max_reply_bytes; /* 0: 4 MiB; larger replies fail with -EMSGSIZE */
    int64_t timeout_us;     /* 0: 30 s, over all tries */
    bool may_retry;
    bool is_lazy; /* the reply wakes nobody and waits for kube_call_hurry (io/http.h) */
};

/* status: HTTP status, 0 if no reply came. body: whole reply. err: NULL for 2xx; for other replies the Status message
 * of the server ("jobgoodputs.goodput.dev \"x\" not found"), else what failed. Borrowed for the call. */
typedef void kube_done(void *context, int status, struct slice body, const struct error *err);
struct kube_call *kube_call(struct kube_client *client, const struct kube_request *request, kube_done *done,
                            void *context);
void kube_call_hurry(struct kube_call *call);  /* as http_hurry; NULL-safe */
void kube_call_cancel(struct kube_call *call); /* no callback follows; NULL-safe */

/* How long the server took to answer, from sending to its headers, by method: those whose reply never came as well. */
struct kube_duration {
    char method[8];
    struct histogram took;
};
int kube_client_durations(const struct kube_client *client, const struct kube_duration **durations);

/* How often the server answered what so far (status 0: it did not). Borrowed; the number of entries. */
struct kube_count {
    char method[8];
    int status;
    int64_t count;
};
int kube_client_counts(const struct kube_client *client, const struct kube_count **counts);

/* What became of streams so far: reason NULL counts those started. Borrowed; the number of entries. */
struct kube_stream_count {
    const char *stream; /* "list", "watch", "log", "call" */
    char resource[40];  /* plural; of a call: the method */
    const char *reason; /* "reset", "truncated", "malformed", "silent", "slow", "expired", ... */
    int64_t count;
};
int kube_client_streams(const struct kube_client *client, const struct kube_stream_count **counts);
/* When the server was last at work, as what it sent proves: an answer other than its own failure proves the time
 * of its request, a piece of a stream of the time when it came. Monotonic; 0: never. A stopped server keeps its
 * connections, and its watches are as silent as those of a cluster in which nothing happens. */
int64_t kube_client_heard_us(const struct kube_client *client);
/* Of pod logs, as they came. */
int64_t kube_client_log_bytes(const struct kube_client *client);

/* Percent-encodes a path segment or query value into out (bounded); false if it did not fit. */
bool kube_escape(char *out, size_t out_size, const char *text);

#endif
