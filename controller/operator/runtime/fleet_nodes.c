#include "operator/runtime/fleet_nodes.h"

#include "base/map.h"
#include "base/mem.h"
#include "kube/reflector.h"
#include "operator/objects/cluster.h"
#include "operator/objects/messages.h"
#include "operator/objects/objects.h"

#include <string.h>

#define NO_POOL "-" /* of nodes whose labels name none */

struct node_chips {
    char pool[64];
    int64_t chips;
};

struct fleets_nodes {
    const struct fleets_spec *spec;
    struct kube_reflector *reflector;
    char *refusal;    /* the server's words; NULL: they may be read */
    struct map nodes; /* name -> node_chips; those with chips that count */
    struct roll_nodes *pools;
    size_t count, capacity;
};

static bool is_capacity(const struct fleets_spec *spec, const struct object_node *node) {
    const struct object_condition *ready = object_condition_find(&node->conditions, "Ready");
    bool is_accelerator = spec->accelerators.count == 0;
    for (int i = 0; i < spec->accelerators.count && node->meta.chip != NULL; i++)
        is_accelerator |= chip_find(slice_of(spec->accelerators.items[i])) == node->meta.chip;
    return is_accelerator && node->chips > 0 && ready != NULL && slice_is(ready->status, "True");
}

static void on_event(void *context, const struct kube_event *event) {
    struct fleets_nodes *nodes = context;
    struct object_node node;
    bool is_there = event->type != KUBE_DELETED && event->type != KUBE_VANISHED &&
                    object_node_parse(event->object, &node) == 0 && is_capacity(nodes->spec, &node);
    if (!is_there) {
        map_remove(&nodes->nodes, event->name);
        return;
    }
    struct node_chips *chips = mem_new(struct node_chips);
    slice_copy(chips->pool, sizeof chips->pool,
               node.meta.node_pool.size_bytes > 0 ? node.meta.node_pool : SLICE(NO_POOL));
    chips->chips = node.chips;
    map_put(&nodes->nodes, event->name, chips);
}

static void ignore(void *context) {
    (void)context;
}

static void ignore_absent(void *context, bool is_absent) {
    (void)context, (void)is_absent;
}

static void on_trouble(void *context, const char *text) {
    struct fleets_nodes *nodes = context;
    free(nodes->refusal);
    nodes->refusal = kube_reflector_is_refused(nodes->reflector) ? mem_strdup(text) : NULL;
}

struct fleets_nodes *fleets_nodes_new(struct kube_client *client, const struct fleets_spec *spec) {
    struct fleets_nodes *nodes = mem_new(struct fleets_nodes);
    struct kube_reflector_options options = {.path = "/api/v1/nodes",
                                             .label_selector = spec->node_selector[0] ? spec->node_selector : NULL,
                                             .message = &object_node_message};
    struct kube_reflector_handler handler = {.on_event = on_event,
                                             .on_synced = ignore,
                                             .on_absent = ignore_absent,
                                             .on_trouble = on_trouble,
                                             .context = nodes};
    nodes->spec = spec;
    map_init(&nodes->nodes, free);
    nodes->reflector = kube_reflector_new(client, &options, &handler);
    return nodes;
}

void fleets_nodes_free(struct fleets_nodes *nodes) {
    if (nodes == NULL)
        return;
    kube_reflector_free(nodes->reflector);
    map_done(&nodes->nodes);
    free(nodes->pools);
    free(nodes->refusal);
    free(nodes);
}

const char *fleets_nodes_refusal(const struct fleets_nodes *nodes) {
    return nodes != NULL ? nodes->refusal : NULL;
}

static int by_pool(const void *a, const void *b) {
    return strcmp(((const struct roll_nodes *)a)->pool, ((const struct roll_nodes *)b)->pool);
}

bool fleets_nodes_count(struct fleets_nodes *nodes, const struct roll_nodes **pools, size_t *count) {
    if (nodes == NULL || nodes->refusal != NULL || !kube_reflector_is_synced(nodes->reflector))
        return false;
    nodes->count = 0;
    for (size_t i = 0; i < nodes->nodes.count; i++) {
        const struct node_chips *node = map_at(&nodes->nodes, i);
        size_t p = 0;
        while (p < nodes->count && strcmp(nodes->pools[p].pool, node->pool) != 0)
            p++;
        if (p == nodes->count) {
            MEM_GROW(nodes->pools, nodes->count, nodes->capacity);
            nodes->pools[nodes->count++] = (struct roll_nodes){.pool = node->pool};
        }
        nodes->pools[p].nodes++;
        nodes->pools[p].chips += node->chips;
    }
    if (nodes->count > 0)
        qsort(nodes->pools, nodes->count, sizeof *nodes->pools, by_pool);
    *pools = nodes->pools;
    *count = nodes->count;
    return true;
}
