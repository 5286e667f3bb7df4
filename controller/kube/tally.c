#include "kube/tally.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "kube/client_internal.h"

#include <errno.h>
#include <string.h>

#define SLOW_LINE_US INT64_C(1000000)

static void count_duration(struct kube_client *client, const char *method, int64_t took_us) {
    size_t i = 0;
    while (i < client->duration_count && strcmp(client->durations[i].method, method) != 0)
        i++;
    if (i == client->duration_count) {
        MEM_GROW(client->durations, client->duration_count, client->duration_capacity);
        client->durations[client->duration_count++] = (struct kube_duration){0};
        slice_copy(client->durations[i].method, sizeof client->durations[i].method, slice_of(method));
    }
    histogram_add(&client->durations[i].took, took_us);
}

void kube_tally_answer(struct kube_client *client, const char *method, int status, int64_t sent_us) {
    if (sent_us > 0)
        count_duration(client, method, loop_now(client->loop).us - sent_us);
    for (size_t i = 0; i < client->count_count; i++) {
        struct kube_count *c = &client->counts[i];
        if (c->status == status && strcmp(c->method, method) == 0) {
            c->count++;
            return;
        }
    }
    MEM_GROW(client->counts, client->count_count, client->count_capacity);
    struct kube_count *c = &client->counts[client->count_count++];
    *c = (struct kube_count){.status = status, .count = 1};
    slice_copy(c->method, sizeof c->method, slice_of(method));
}

void kube_tally_hear(struct kube_client *client, int64_t at_us) {
    client->heard_us = max_of(client->heard_us, at_us);
}

void kube_tally_add(struct kube_client *client, const char *stream, const char *resource, const char *reason) {
    const char *slash = strrchr(resource, '/');
    resource = slash != NULL ? slash + 1 : resource;
    for (size_t i = 0; i < client->tally_count; i++) {
        struct kube_stream_count *c = &client->tallies[i];
        if (strcmp(c->stream, stream) == 0 && strcmp(c->resource, resource) == 0 &&
            (c->reason == NULL ? reason == NULL : reason != NULL && strcmp(c->reason, reason) == 0)) {
            c->count++;
            return;
        }
    }
    MEM_GROW(client->tallies, client->tally_count, client->tally_capacity);
    struct kube_stream_count *c = &client->tallies[client->tally_count++];
    *c = (struct kube_stream_count){.stream = stream, .reason = reason, .count = 1};
    slice_copy(c->resource, sizeof c->resource, slice_of(resource));
}

const char *kube_tally_reason(const struct error *err, bool is_partial) {
    if (err == NULL)
        return is_partial ? "truncated" : NULL;
    switch (err->code) {
    case ESTALE: /* an ERROR event: reported where it is read */
    case EOPNOTSUPP:
    case ECANCELED:
        return NULL;
    case EBADMSG:
        return "malformed";
    case ETIMEDOUT:
        return "silent";
    default:
        return "reset";
    }
}

bool kube_drip_feed(struct kube_drip *drip, bool has_new, bool is_partial, int64_t now_us) {
    bool is_slow = drip->since_us != 0 && !drip->is_reported && now_us - drip->since_us > SLOW_LINE_US;
    drip->is_reported = drip->is_reported || is_slow;
    if (!is_partial || has_new || drip->since_us == 0)
        *drip = (struct kube_drip){.since_us = is_partial ? now_us : 0};
    return is_slow;
}
