/* store: what was observed of the cluster, trimmed: targets (JobSets and Jobs) with their pods, Jobs and Workloads, and
 * nodes. The functions of store/ record objects here and mark what changed; they know no JobGoodput. Everything is kept
 * by UID, so an object that is deleted and created again is another object, and others may refer to an object before it
 * is observed itself.
 *
 * What is stored of an object depends only on the order of that object's own stream and on the given receipt times.
 * What needs two objects is computed later, in facts/. A condition shows only its last transition, so histories are
 * kept here. The store owns all of it. */
#ifndef OPERATOR_STORE_H
#define OPERATOR_STORE_H

#include "base/map.h"
#include "formulas/price.h"
#include "operator/objects/objects.h"
#include "operator/objects/resource.h"
#include "operator/store/events.h"
#include "operator/store/forbidden.h"
#include "operator/store/history.h"
#include "operator/store/node.h"
#include "operator/store/past.h"
#include "operator/store/pod.h"
#include "operator/store/target.h"
#include "rootcause/node_signals.h"

#define STORE_MAX_UNHEALTHY 64 /* of one Workload; the oldest that is over is dropped */
#define STORE_SECOND_MS 1000   /* stamps are whole seconds */
#define STORE_SOON_MS 2000     /* older objects are known, and older than what is observed now */

struct store {
    struct map targets[TARGET_KIND_COUNT]; /* store_uid_key() -> target: what names another by a wrong kind, or from
                                              another namespace, names nothing */
    struct map names;                      /* "JobSet/ns/name" -> newest target */
    struct map pods;                       /* uid -> pod */
    struct map kube_jobs;                  /* store_uid_key() -> kube_job */
    struct map workloads;                  /* uid -> workload */
    struct map nodes;                      /* name -> node */
    struct map events;                     /* pod uid -> pod_events */
    struct map refusals;                   /* Job uid -> refusals */
    struct map claim_templates;            /* "namespace/name" -> its chips: claims.h */
    struct map claims, claims_by_pod;      /* claim uid -> claim; pod uid -> its first claim: claims.h */
    struct map strings;                    /* interned */
    struct target **touched;               /* changed since job/target.c last looked */
    size_t touched_count, touched_capacity;
    int64_t watermark_ms[RESOURCE_COUNT]; /* all changes until then were observed; TIME_UNKNOWN */
    int64_t
        pods_complete_ms; /* all pods that existed then were observed; objects of an unfinished list do not move it */
    int64_t watching_ms;  /* first receipt of this process; TIME_OPEN: none yet */
    int64_t received_ms;  /* the newest receipt */
    struct spans cuts;    /* spans after that in which the watch of pods was cut */
    struct spans unreachable; /* spans in which the API server was, so that no node could renew its lease */
    bool is_absent[RESOURCE_COUNT], is_swept[RESOURCE_COUNT];
    struct forbidden *forbidden; /* few: at most one for each watch */
    size_t forbidden_count, forbidden_capacity;
    const struct node_signals *signals; /* what nodes may show; NULL: nothing is looked for. Borrowed */
    struct node **signal_nodes;         /* those that showed one */
    size_t signal_node_count, signal_node_capacity, signal_count;
    uint64_t labels_version; /* changes when a node's labels show another chip or price */
};

void store_init(struct store *store); /* forget.h: store_done */

/* The same text gives the same pointer, valid as long as the store. Bounded to 253 bytes. */
const char *store_intern(struct store *store, struct slice text);
/* Heap copy of raw JSON text, decoded and bounded; replaces *to. True if it changed. */
bool store_text(char **to, struct slice raw);

/* Any object may bear another's UID in a label: the namespace keeps those of other tenants apart. */
#define STORE_UID_KEY 600
struct slice store_uid_key(char out[static STORE_UID_KEY], struct slice namespace_, struct slice uid);
struct target *store_find_target(const struct store *store, enum target_kind kind, struct slice namespace_,
                                 struct slice uid);
struct kube_job *store_find_job(const struct store *store, struct slice namespace_, struct slice uid);
/* Finds or adds it. NULL: the UID is empty. */
struct target *store_target(struct store *store, enum target_kind kind, struct slice uid, struct slice namespace_,
                            struct slice name);
#define STORE_NAME_KEY 520
void store_name_key(char out[static STORE_NAME_KEY], enum target_kind kind, const char *namespace_, const char *name);
struct target *store_target_by_name(struct store *store, enum target_kind kind, const char *namespace_,
                                    const char *name);
struct node *store_node(struct store *store, struct slice name);
struct pod *store_pod_new(struct store *store, struct target *t, const struct object_meta *meta);
void store_pod_bind(struct pod *p, struct node *n);
struct kube_job *store_kube_job(struct store *store, struct target *t, struct slice uid);
struct workload *store_workload(struct store *store, struct target *t, struct slice uid);

/* The status of its job may change: adds the target to touched. */
void store_touch_target(struct store *store, struct target *t);
void store_touch_pod(struct store *store, struct pod *p);
void store_touch_node(struct store *store, struct node *n);

/* A history of the target, its Jobs, Workloads or containers has lost its oldest entries: the ledger cannot rely on it.
 */
bool store_is_cut(const struct target *t);

#endif
