#include "operator/runtime/feed.h"

#include "base/jsonlog.h"
#include "base/mem.h"
#include "operator/runtime/nodes.h"
#include "operator/runtime/standby.h"
#include "operator/store/kinds.h"

struct feed {
    struct kube_client *client;
    struct model *model;
    struct runtime_watches_handler handler;
    struct runtime_nodes *nodes;
    struct standby *standby; /* NULL: objects go to the model */
};

struct feed *feed_new(struct kube_client *client, struct model *model, bool is_standby,
                      const struct runtime_watches_handler *handler) {
    struct feed *feed = mem_new(struct feed);
    feed->client = client;
    feed->model = model;
    feed->handler = *handler;
    feed->nodes = runtime_nodes_new(client, model, handler->on_change, handler->context);
    feed->standby = is_standby ? standby_new(0) : NULL;
    return feed;
}

void feed_free(struct feed *feed) {
    runtime_nodes_free(feed->nodes);
    standby_free(feed->standby);
    free(feed);
}

static struct wall_time now(const struct feed *feed) {
    return loop_wall(kube_client_loop(feed->client));
}

static void report_record(const struct feed *feed, enum resource resource, const struct kube_event *event,
                          bool is_present) {
    const struct runtime_watches_handler *h = &feed->handler;
    char namespace_[256], name[256];
    if (!slice_copy(namespace_, sizeof namespace_, event->namespace_) || !slice_copy(name, sizeof name, event->name))
        return;
    if (resource == RESOURCE_JOBGOODPUT && is_present)
        h->on_jobgoodput(h->context, namespace_, name, event->object);
    h->on_record(h->context, resource, namespace_, name, is_present ? event->object : slice_of(NULL));
}

static int hand_on(const struct feed *feed, enum resource resource, enum observed what,
                   const struct kube_event *event) {
    enum target_kind kind;
    int r = model_observe(feed->model, resource, what, event->namespace_, event->name, event->uid, event->object,
                          wall_ms(event->received));
    if (resource == RESOURCE_NODE)
        runtime_nodes_observed(feed->nodes, event->name, what, event->object);
    if (resource == RESOURCE_JOBGOODPUT || resource == RESOURCE_JOB || kind_shown_by(resource, &kind) != NULL)
        report_record(feed, resource, event, what == OBSERVED_PRESENT);
    feed->handler.on_change(feed->handler.context);
    return r;
}

int feed_object(struct feed *feed, enum resource resource, const struct kube_event *event) {
    static const enum observed observed[] = {[KUBE_ADDED] = OBSERVED_PRESENT,
                                             [KUBE_MODIFIED] = OBSERVED_PRESENT,
                                             [KUBE_DELETED] = OBSERVED_DELETED,
                                             [KUBE_VANISHED] = OBSERVED_VANISHED};
    return feed->standby != NULL ? standby_observe(feed->standby, resource, observed[event->type], event)
                                 : hand_on(feed, resource, observed[event->type], event);
}

bool feed_knows_pod(const struct feed *feed, struct slice uid) {
    return feed->standby == NULL && model_knows_pod(feed->model, uid);
}

void feed_listed(struct feed *feed, enum resource resource, const char *version) {
    if (feed->standby != NULL)
        standby_listed(feed->standby, resource, slice_of(version), now(feed));
}

bool feed_is_standby(const struct feed *feed) {
    return feed->standby != NULL;
}

/* ---- the takeover ---- */

static void on_object(void *context, enum resource resource, enum observed what, const struct kube_event *event) {
    hand_on(context, resource, what, event);
}

static void on_resume(void *context, const char *namespace_, const char *name, int64_t missed_until_ms) {
    const struct feed *feed = context;
    struct model_job *job = model_job_find(feed->model, namespace_, name);
    if (missed_until_ms != TIME_UNKNOWN)
        jsonlog(JSONLOG_INFO, "changes since the last written status may be missing", "namespace", LOG_S(namespace_),
                "name", LOG_S(name), NULL);
    if (job != NULL)
        model_job_resume(job, missed_until_ms, wall_ms(now(feed)));
}

void feed_lead(struct feed *feed) {
    struct standby *standby = feed->standby;
    const struct standby_handler handler = {on_object, on_resume, feed};
    struct standby_figures figures;
    if (standby == NULL)
        return;
    feed->standby = NULL;
    standby_figures(standby, &figures);
    jsonlog(JSONLOG_INFO, "continuing from the standby's memory", "objects", LOG_I(figures.objects), "changes",
            LOG_I(figures.changes), "bytes", LOG_I(figures.object_bytes), NULL);
    standby_replay(standby, now(feed), &handler);
    standby_free(standby);
}
