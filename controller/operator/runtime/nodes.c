#include "operator/runtime/nodes.h"

#include "base/jsonlog.h"
#include "base/map.h"
#include "base/mem.h"
#include "operator/runtime/json.h"

#define NAMESPACE "kube-node-lease"
#define AGAIN_US INT64_C(5000000)

struct outage {
    struct runtime_nodes *owner;
    char *name;
    struct kube_call *call;   /* NULL once answered */
    struct loop_timer *again; /* it is asked until the lease was read, or there is none */
};

struct runtime_nodes {
    struct kube_client *client;
    struct model *model;
    loop_callback *on_change;
    void *context;
    struct map outages; /* node name -> struct outage, while the node is not ready */
};

static void outage_free(void *value) {
    struct outage *outage = value;
    kube_call_cancel(outage->call);
    loop_timer_free(outage->again);
    free(outage->name);
    free(outage);
}

struct runtime_nodes *runtime_nodes_new(struct kube_client *client, struct model *model, loop_callback *on_change,
                                        void *context) {
    struct runtime_nodes *nodes = mem_new(struct runtime_nodes);
    nodes->client = client;
    nodes->model = model;
    nodes->on_change = on_change;
    nodes->context = context;
    map_init(&nodes->outages, outage_free);
    return nodes;
}

void runtime_nodes_free(struct runtime_nodes *nodes) {
    if (nodes == NULL)
        return;
    map_done(&nodes->outages);
    free(nodes);
}

static void set_forbidden(struct runtime_nodes *nodes, const char *words) {
    model_forbidden(nodes->model, RESOURCE_NODE_LEASE, slice_of(""), words, TIME_UNKNOWN);
}

static void on_lease(void *context, int status, struct slice body, const struct error *err) {
    struct outage *outage = context;
    struct runtime_nodes *nodes = outage->owner;
    outage->call = NULL;
    set_forbidden(nodes, status == 403 ? error_text(err) : NULL);
    if (status != 200) {
        jsonlog(JSONLOG_DEBUG, "node lease not read", "node", LOG_S(outage->name), "error", LOG_S(error_text(err)),
                NULL);
        if (status != 404)
            loop_timer_set(outage->again, AGAIN_US);
        nodes->on_change(nodes->context);
        return;
    }
    model_observe(nodes->model, RESOURCE_NODE_LEASE, OBSERVED_PRESENT, SLICE(NAMESPACE), slice_of(outage->name),
                  slice_of(NULL), body, wall_ms(loop_wall(kube_client_loop(nodes->client))));
    nodes->on_change(nodes->context);
}

static void ask(void *context) {
    struct outage *outage = context;
    CLEANUP_FREE char *path =
        mem_format("/apis/coordination.k8s.io/v1/namespaces/" NAMESPACE "/leases/%s", outage->name);
    struct kube_request request = {.path = path, .may_retry = true};
    outage->call = kube_call(outage->owner->client, &request, on_lease, outage);
}

void runtime_nodes_observed(struct runtime_nodes *nodes, struct slice name, enum observed what, struct slice node) {
    if (what != OBSERVED_PRESENT || !runtime_json_node_is_not_ready(node)) {
        map_remove(&nodes->outages, name);
        if (nodes->outages.count == 0)
            set_forbidden(nodes, NULL);
        return;
    }
    if (map_get(&nodes->outages, name) != NULL)
        return;
    struct outage *outage = mem_new(struct outage);
    outage->owner = nodes;
    outage->name = slice_dup(name);
    map_put(&nodes->outages, name, outage);
    outage->again = loop_timer_new(kube_client_loop(nodes->client), ask, outage);
    ask(outage);
}
