#include "operator/runtime/health.h"

#include "base/mem.h"

/* Alive: the loop answers, and no lease is held that has run out: a leader that has not renewed for a whole lease lost
 * it, or hangs; client-go's watchdog allows as much. */
static void healthz(void *context, const struct server_request *request, struct server_reply *reply) {
    const struct runtime_health *health = context;
    (void)request;
    if (health->lease != NULL && kube_lease_age_us(health->lease) > KUBE_LEASE_DURATION_US) {
        reply->status = 500;
        buf_format(&reply->body, "lease not renewed for %lld s\n",
                   (long long)(kube_lease_age_us(health->lease) / 1000000));
        return;
    }
    buf_append_text(&reply->body, "ok\n");
}

/* Ready: every served resource has been listed. So a rollout ends the old leader once a replica can continue from its
 * own memory. Without watches a replica that waits for the lease is ready at once. */
static void readyz(void *context, const struct server_request *request, struct server_reply *reply) {
    const struct runtime_health *health = context;
    (void)request;
    bool is_waiting = health->is_cold && health->lease != NULL && health->watches == NULL;
    if (is_waiting || (health->watches != NULL && runtime_watches_are_synced(health->watches))) {
        buf_append_text(&reply->body, "ok\n");
        return;
    }
    CLEANUP_BUF struct buf missing;
    buf_init(&missing, 1024);
    if (health->watches != NULL)
        runtime_watches_missing(health->watches, &missing);
    reply->status = 503;
    buf_format(&reply->body, "not listed yet: %s\n", missing.size_bytes ? buf_text(&missing) : "anything");
}

struct server *runtime_health_serve(struct loop *loop, const char *address, struct runtime_health *health,
                                    struct error **err) {
    struct server_endpoint endpoints[] = {{"/healthz", healthz, health}, {"/readyz", readyz, health}};
    struct server_options options = {
        .address = address, .endpoints = endpoints, .endpoint_count = ARRAY_SIZE(endpoints), .max_connections = 32};
    return server_new(loop, &options, err);
}
