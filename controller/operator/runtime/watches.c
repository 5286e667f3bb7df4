#include "operator/runtime/watches.h"

#include "base/jsonlog.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "kube/reflector.h"
#include "kube/tally.h"
#include "operator/objects/messages.h"
#include "operator/runtime/feed.h"
#include "operator/runtime/watched.h"

#include <stdio.h>
#include <string.h>

#define SECOND_US INT64_C(1000000)
/* Streams that are connected may be this far apart; what comes later is counted when it comes. */
#define SKEW_MS 200
/* What may be missing is waited for so long after all else can be read: an outage ends for one watch after the other.
 */
#define OPTIONAL_WAIT_US (60 * SECOND_US)
/* A refusal that lasts so long is a missing permission: a server that starts refuses until it has read its roles. */
#define REFUSED_US (5 * SECOND_US)

struct watch {
    struct runtime_watches *owner;
    const struct watched *source;
    char *namespace_;                 /* NULL: all, or cluster-scoped */
    struct kube_reflector *reflector; /* NULL while a fallback is not needed */
    struct watch *fallback;
    const struct watch *after; /* the watch whose list it waits for; NULL */
    bool is_absent, is_in_trouble;
    int64_t trouble_us, refused_us; /* since when; refused_us 0: it is not refused */
    bool was_synced;
    int64_t known_ms, reached_ms; /* its last watermark; the same when its trouble began, 0: none did */
    char *words;                  /* of the last refusal, the server's; NULL */
    bool is_forbidden;            /* refused for REFUSED_US, and not listed since: done without */
};

/* Asks whether a silent server is at work: a stopped one keeps its connections. Any answer will do. */
#define PROBE_PATH "/livez"
/* So long nothing was heard: less than an evaluation waits for what came with an event (settle_us), as what is known
 * reaches just to the last word, and an event that bears the time of its receipt lies behind that. */
#define PROBE_AFTER_US (SECOND_US / 4)
#define PROBE_SLOW_US SECOND_US /* an answer that takes longer is not waited for */
#define PROBE_MAX_US (10 * SECOND_US)
#define COMING_BACK_US (2 * SECOND_US) /* until a server that was stopped has caught up itself */

struct runtime_watches {
    struct kube_client *client;
    struct model *model;
    struct runtime_watches_handler handler;
    struct feed *feed;
    struct watch **watches;
    size_t count, capacity;
    bool are_jobgoodputs_started, are_all_started;
    struct loop_timer *refused_timer;
    int64_t needed_us; /* since when all that must be there is; 0: it is not */
    struct kube_call *probe;
    int64_t probed_us;       /* when the probe was sent, or the last one */
    int64_t heard_before_us; /* what was heard until then */
    int64_t came_back_us;    /* when an answer was slow at last; 0: never */
};

static int64_t now_us(const struct runtime_watches *owner) {
    return loop_now(kube_client_loop(owner->client)).us;
}

static bool is_waited_for(const struct watch *watch) {
    return watch->reflector != NULL && !watch->is_absent && !kube_reflector_is_synced(watch->reflector);
}

static void find_needed(struct runtime_watches *owner) {
    bool are_there = owner->are_all_started;
    for (size_t i = 0; i < owner->count; i++) {
        const struct watch *watch = owner->watches[i];
        bool is_needed = !watch->source->is_optional && !watch->is_forbidden;
        are_there &= !is_needed || !(watch->is_in_trouble || is_waited_for(watch));
    }
    owner->needed_us = !are_there ? 0 : owner->needed_us != 0 ? owner->needed_us : now_us(owner);
}

/* It cannot be read, because it may not be, or for long while all else can: it is done without. */
static bool is_given_up(const struct watch *watch) {
    const struct runtime_watches *owner = watch->owner;
    if (watch->is_forbidden)
        return true;
    if (!watch->source->is_optional || !watch->is_in_trouble || !is_waited_for(watch))
        return false;
    int64_t since_us = max_of(watch->trouble_us, owner->needed_us);
    return owner->needed_us != 0 && now_us(owner) - since_us >= OPTIONAL_WAIT_US;
}

static void changed(struct runtime_watches *owner) {
    owner->handler.on_change(owner->handler.context);
}

static int on_object(void *context, const struct kube_event *event) {
    struct watch *watch = context;
    int r = feed_object(watch->owner->feed, watch->source->resource, event);
    if (r < 0) {
        kube_tally_add(watch->owner->client, "watch", watch->source->plural, "misunderstood");
        jsonlog(JSONLOG_WARNING, "object not understood", "resource", LOG_S(watch->source->plural), NULL);
    }
    return r;
}

static const struct protobuf_message *message_of(void *context, struct slice uid) {
    const struct watch *watch = context;
    bool is_known = watch->source->resource == RESOURCE_POD && feed_knows_pod(watch->owner->feed, uid);
    return is_known ? &object_known_pod_message : object_message(watch->source->resource);
}

static void start(struct watch *watch);

/* A JobGoodput that resumes from an earlier controller's checkpoint reads by its StepLogFormat at once. */
static void start_after_formats(struct runtime_watches *owner) {
    if (owner->are_jobgoodputs_started)
        return;
    owner->are_jobgoodputs_started = true;
    for (size_t i = 0; i < owner->count; i++)
        if (owner->watches[i]->source->resource == RESOURCE_JOBGOODPUT)
            start(owner->watches[i]);
}

/* ---- permissions ---- */

static struct slice namespace_of(const struct watch *watch) {
    return slice_of(watch->namespace_ ? watch->namespace_ : "");
}

static bool is_same_resource(const struct watch *a, const struct watch *b) {
    return a->source->resource == b->source->resource && slice_equal(namespace_of(a), namespace_of(b));
}

/* Two watches may share a resource: the words of one that is still forbidden stay. */
static void report_forbidden(const struct watch *watch) {
    const struct runtime_watches *owner = watch->owner;
    const struct watch *forbidden = watch->is_forbidden ? watch : NULL;
    for (size_t i = 0; i < owner->count && forbidden == NULL; i++)
        if (owner->watches[i]->is_forbidden && is_same_resource(owner->watches[i], watch))
            forbidden = owner->watches[i];
    bool was_listed = watch->reflector != NULL && kube_reflector_is_synced(watch->reflector);
    int64_t through_ms = was_listed ? wall_ms(kube_reflector_watermark(watch->reflector)) : TIME_UNKNOWN;
    model_forbidden(owner->model, watch->source->resource, namespace_of(watch), forbidden ? forbidden->words : NULL,
                    through_ms);
}

/* From a refusal that lasts until all has been listed: in between half a list would be taken for the whole. */
static void find_forbidden(struct watch *watch) {
    bool is_refused = watch->reflector != NULL && kube_reflector_is_refused(watch->reflector);
    bool is_listed = watch->reflector != NULL && kube_reflector_is_synced(watch->reflector) && !watch->is_in_trouble;
    if (!is_refused)
        watch->refused_us = 0;
    else if (watch->refused_us == 0)
        watch->refused_us = now_us(watch->owner);
    bool lasts = is_refused && now_us(watch->owner) - watch->refused_us >= REFUSED_US;
    if (lasts || (watch->is_forbidden && is_listed)) {
        watch->is_forbidden = lasts;
        report_forbidden(watch);
    }
    if (is_refused && !lasts)
        loop_timer_set(watch->owner->refused_timer, REFUSED_US);
}

/* ---- one after the other ---- */

static const struct watch *jobgoodputs_of(const struct runtime_watches *owner, const struct watch *watch) {
    for (size_t i = 0; i < owner->count; i++)
        if (owner->watches[i]->source->resource == RESOURCE_JOBGOODPUT &&
            slice_equal(namespace_of(owner->watches[i]), namespace_of(watch)))
            return owner->watches[i];
    return NULL;
}

/* The permission for its JobGoodputs came after all else was listed: until this is listed too, they wait. */
static void start_late(struct watch *watch, const char *words) {
    start(watch);
    watch->is_forbidden = true;
    free(watch->words);
    watch->words = mem_strdup(words);
    report_forbidden(watch);
}

/* Their objects have their own times, and stay long enough for a leader to read them late. */
static bool is_read_by_leader_alone(enum resource resource) {
    return resource == RESOURCE_EVENT || resource == RESOURCE_NODE_EVENT || resource == RESOURCE_RESOURCESLICE ||
           resource == RESOURCE_RESOURCECLAIM || resource == RESOURCE_RESOURCECLAIMTEMPLATE;
}

static bool is_served(const struct watch *watch) {
    return watch != NULL && watch->reflector != NULL && !watch->is_absent && kube_reflector_is_synced(watch->reflector);
}

static bool waits_for_kind(const struct watch *watch) {
    const struct watch *kind = watch->after;
    while (kind != NULL && !is_served(kind))
        kind = kind->fallback;
    return watch->after != NULL && kind == NULL;
}

static void start_rest(struct runtime_watches *owner, bool is_late) {
    for (size_t i = 0; i < owner->count; i++) {
        struct watch *watch = owner->watches[i];
        const struct watch *jobgoodputs = watch->source->scope == WATCHED_CLUSTER ? NULL : jobgoodputs_of(owner, watch);
        bool is_for_later = feed_is_standby(owner->feed) && is_read_by_leader_alone(watch->source->resource);
        if (watch->source->is_fallback || is_for_later || waits_for_kind(watch) || watch->reflector != NULL ||
            (jobgoodputs != NULL && !kube_reflector_is_synced(jobgoodputs->reflector)))
            continue;
        if (is_late && jobgoodputs != NULL && jobgoodputs->words != NULL)
            start_late(watch, jobgoodputs->words);
        else
            start(watch);
    }
}

/* What JobGoodputs hold from an earlier controller is read before anything that continues from it. A namespace whose
 * JobGoodputs may not be read holds up no other. */
static void start_after_jobgoodputs(struct runtime_watches *owner) {
    bool are_some_listed = false;
    if (!owner->are_jobgoodputs_started)
        return;
    for (size_t i = 0; i < owner->count; i++) {
        const struct watch *watch = owner->watches[i];
        if (watch->source->resource != RESOURCE_JOBGOODPUT)
            continue;
        bool is_listed = kube_reflector_is_synced(watch->reflector);
        if (!is_listed && !watch->is_forbidden)
            return;
        are_some_listed |= is_listed;
    }
    if (!are_some_listed)
        return;
    bool is_late = owner->are_all_started;
    owner->are_all_started = true;
    start_rest(owner, is_late);
}

/* Something is synced, absent or in trouble. */
static void start_more(struct runtime_watches *owner) {
    start_after_formats(owner);
    start_after_jobgoodputs(owner);
}

static int64_t now_wall_ms(const struct runtime_watches *owner) {
    return wall_ms(loop_wall(kube_client_loop(owner->client)));
}

/* A list again: what came and went since the last word of the watch before was not observed. */
static void report_relist(struct watch *watch) {
    bool is_again = watch->was_synced && watch->known_ms > 0;
    watch->was_synced = true;
    if (is_again && watch->source->resource == RESOURCE_POD && !feed_is_standby(watch->owner->feed))
        model_unwatched(watch->owner->model, watch->known_ms, now_wall_ms(watch->owner));
}

/* Nodes renew their leases at the same server. */
static void report_outage(struct watch *watch, bool is_over) {
    if (watch->source->resource != RESOURCE_NODE || feed_is_standby(watch->owner->feed))
        return;
    if (!is_over && watch->reached_ms == 0 && !kube_reflector_is_refused(watch->reflector))
        watch->reached_ms = watch->known_ms;
    if (is_over && watch->reached_ms > 0)
        model_unreachable(watch->owner->model, watch->reached_ms, now_wall_ms(watch->owner));
    if (is_over)
        watch->reached_ms = 0;
}

static void on_synced(void *context) {
    struct watch *watch = context;
    report_relist(watch);
    jsonlog(JSONLOG_INFO, "synced", "resource", LOG_S(watch->source->plural), "namespace",
            LOG_S(watch->namespace_ ? watch->namespace_ : ""), "encoding",
            LOG_S(kube_reflector_is_protobuf(watch->reflector) ? "protobuf" : "json"), NULL);
    feed_listed(watch->owner->feed, watch->source->resource, kube_reflector_version(watch->reflector));
    find_forbidden(watch);
    start_more(watch->owner);
    find_needed(watch->owner);
    changed(watch->owner);
}

/* Reflectors are not to be freed in their own callbacks; those of the fallbacks are others. */
static void on_absent(void *context, bool is_absent) {
    struct watch *watch = context;
    watch->is_absent = is_absent;
    if (is_absent)
        feed_listed(watch->owner->feed, watch->source->resource, "");
    enum resource resource = watch->source->resource;
    bool is_missed = resource != RESOURCE_WORKLOAD && resource != RESOURCE_RESOURCESLICE &&
                     resource != RESOURCE_RESOURCECLAIM && resource != RESOURCE_RESOURCECLAIMTEMPLATE;
    jsonlog(is_absent && is_missed ? JSONLOG_WARNING : JSONLOG_INFO,
            is_absent ? "resource not served" : "resource served", "resource", LOG_S(watch->source->plural), "path",
            LOG_S(watch->source->group_path), "meaning", LOG_S(is_absent ? watch->source->absent : ""), NULL);
    if (watch->fallback != NULL && is_absent && watch->fallback->reflector == NULL)
        start(watch->fallback);
    for (struct watch *unneeded = watch->fallback; unneeded != NULL && !is_absent; unneeded = unneeded->fallback) {
        kube_reflector_free(unneeded->reflector);
        unneeded->reflector = NULL;
    }
    find_forbidden(watch);
    start_more(watch->owner);
    find_needed(watch->owner);
    changed(watch->owner);
}

/* An outage is over for all at once: what happens while a watch still waits for its next try may leave no trace. */
static void hurry_others(const struct watch *watch) {
    struct runtime_watches *owner = watch->owner;
    for (size_t i = 0; i < owner->count; i++)
        if (owner->watches[i] != watch && owner->watches[i]->reflector != NULL)
            kube_reflector_hurry(owner->watches[i]->reflector);
}

static void on_trouble(void *context, const char *text) {
    struct watch *watch = context;
    if (text != NULL)
        jsonlog(JSONLOG_WARNING, "watch in trouble", "resource", LOG_S(watch->source->plural), "error", LOG_S(text),
                NULL);
    else
        jsonlog(JSONLOG_INFO, "watch works again", "resource", LOG_S(watch->source->plural), NULL);
    if (text == NULL)
        hurry_others(watch);
    report_outage(watch, text == NULL);
    if (!watch->is_in_trouble)
        watch->trouble_us = now_us(watch->owner);
    watch->is_in_trouble = text != NULL;
    if (kube_reflector_is_refused(watch->reflector)) {
        free(watch->words);
        watch->words = mem_strdup(text);
    }
    find_forbidden(watch);
    start_more(watch->owner);
    find_needed(watch->owner);
    changed(watch->owner);
}

static void on_refused(void *context) {
    struct runtime_watches *owner = context;
    for (size_t i = 0; i < owner->count; i++)
        find_forbidden(owner->watches[i]);
    start_more(owner);
    find_needed(owner);
    changed(owner);
}

static void start(struct watch *watch) {
    const struct watched *source = watch->source;
    CLEANUP_FREE char *path = watched_path(source, namespace_of(watch));
    struct kube_reflector_options options = {.path = path,
                                             .label_selector = source->label_selector,
                                             .field_selector = source->field_selector,
                                             .message = object_message(source->resource),
                                             .is_busy = source->resource == RESOURCE_POD,
                                             .absent_retry_us = source->absent_retry_us};
    struct kube_reflector_handler handler = {.on_object = on_object,
                                             .message_of = message_of,
                                             .on_synced = on_synced,
                                             .on_absent = on_absent,
                                             .on_trouble = on_trouble,
                                             .context = watch};
    watch->is_absent = watch->is_in_trouble = false;
    watch->reflector = kube_reflector_new(watch->owner->client, &options, &handler);
}

static struct watch *add(struct runtime_watches *owner, const struct watched *source, struct slice namespace_) {
    struct watch *watch = mem_new(struct watch);
    watch->owner = owner;
    watch->source = source;
    watch->namespace_ = namespace_.size_bytes > 0 ? slice_dup(namespace_) : NULL;
    MEM_GROW(owner->watches, owner->count, owner->capacity);
    owner->watches[owner->count++] = watch;
    return watch;
}

static void add_scope(struct runtime_watches *owner, enum watched_scope scope, struct slice namespace_) {
    struct watch *before = NULL;
    for (size_t i = 0; i < watched_count; i++) {
        if (watched_table[i].scope != scope)
            continue;
        struct watch *watch = add(owner, &watched_table[i], namespace_);
        if (watched_is_of_kind(&watched_table[i]))
            watch->after = before;
        struct watch *last = before;
        while (watched_table[i].is_fallback && last != NULL && last->fallback != NULL)
            last = last->fallback;
        if (watched_table[i].is_fallback && last != NULL)
            last->fallback = watch;
        else
            before = watch;
    }
}

struct runtime_watches *runtime_watches_new(struct kube_client *client, struct model *model, const char *namespaces,
                                            bool is_standby, const struct runtime_watches_handler *handler) {
    struct runtime_watches *owner = mem_new(struct runtime_watches);
    owner->client = client;
    owner->model = model;
    owner->handler = *handler;
    owner->refused_timer = loop_timer_new(kube_client_loop(client), on_refused, owner);
    owner->feed = feed_new(client, model, is_standby, handler);

    add_scope(owner, WATCHED_CLUSTER, slice_of(NULL));
    struct slice rest = slice_of(namespaces), namespace_;
    for (bool is_first = true; watched_take_namespace(&rest, is_first, &namespace_); is_first = false)
        add_scope(owner, WATCHED_NAMESPACED, namespace_);

    model_watermark(model, RESOURCE_NODE_LEASE, 0, true);
    for (size_t i = 0; i < owner->count; i++)
        if (owner->watches[i]->source->resource == RESOURCE_STEPLOGFORMAT)
            start(owner->watches[i]);
    return owner;
}

void runtime_watches_free(struct runtime_watches *owner) {
    if (owner == NULL)
        return;
    for (size_t i = 0; i < owner->count; i++) {
        kube_reflector_free(owner->watches[i]->reflector);
        free(owner->watches[i]->namespace_);
        free(owner->watches[i]->words);
        free(owner->watches[i]);
    }
    kube_call_cancel(owner->probe);
    loop_timer_free(owner->refused_timer);
    feed_free(owner->feed);
    free(owner->watches);
    free(owner);
}

void runtime_watches_lead(struct runtime_watches *owner) {
    feed_lead(owner->feed);
    start_rest(owner, false);
    changed(owner);
}

bool runtime_watches_are_synced(const struct runtime_watches *owner) {
    if (!owner->are_all_started)
        return false;
    for (size_t i = 0; i < owner->count; i++) {
        const struct watch *watch = owner->watches[i];
        if (is_waited_for(watch) && !is_given_up(watch))
            return false;
    }
    return true;
}

bool runtime_watches_list_all_jobgoodputs(const struct runtime_watches *owner) {
    for (size_t i = 0; i < owner->count; i++)
        if (owner->watches[i]->source->resource == RESOURCE_JOBGOODPUT && owner->watches[i]->is_forbidden)
            return false;
    return true;
}

bool runtime_watches_serve_formats(const struct runtime_watches *owner) {
    for (size_t i = 0; i < owner->count; i++)
        if (owner->watches[i]->source->resource == RESOURCE_STEPLOGFORMAT)
            return is_served(owner->watches[i]);
    return false;
}

void runtime_watches_missing(const struct runtime_watches *owner, struct buf *out) {
    for (size_t i = 0; i < owner->count; i++) {
        if (!is_waited_for(owner->watches[i]))
            continue;
        if (out->size_bytes > 0)
            buf_append_text(out, ", ");
        buf_append_text(out, owner->watches[i]->source->plural);
    }
}

/* The server was at work until then; of one that comes back after it was stopped only what was heard before counts. */
static int64_t at_work_until_us(const struct runtime_watches *owner) {
    bool is_silent = owner->probe != NULL && now_us(owner) - owner->probed_us >= PROBE_SLOW_US;
    bool is_coming_back = owner->came_back_us != 0 && now_us(owner) - owner->came_back_us < COMING_BACK_US;
    return is_silent || is_coming_back ? owner->heard_before_us : kube_client_heard_us(owner->client);
}

static void on_probed(void *context, int status, struct slice body, const struct error *err) {
    struct runtime_watches *owner = context;
    (void)status, (void)body, (void)err; /* what was heard is the client's to know */
    owner->probe = NULL;
    if (now_us(owner) - owner->probed_us >= PROBE_SLOW_US)
        owner->came_back_us = now_us(owner);
    changed(owner);
}

bool runtime_watches_await_server(struct runtime_watches *owner, int64_t *ret_wait_us) {
    int64_t waited_us = now_us(owner) - owner->probed_us;
    if (owner->probe == NULL && now_us(owner) - kube_client_heard_us(owner->client) >= PROBE_AFTER_US &&
        waited_us >= PROBE_AFTER_US) {
        owner->probed_us = now_us(owner);
        owner->heard_before_us = kube_client_heard_us(owner->client);
        waited_us = 0;
        struct kube_request request = {.path = PROBE_PATH, .timeout_us = PROBE_MAX_US};
        owner->probe = kube_call(owner->client, &request, on_probed, owner);
    }
    *ret_wait_us = PROBE_SLOW_US - waited_us;
    return owner->probe != NULL && waited_us < PROBE_SLOW_US;
}

/* How far this watch has reported everything; is_absent: it does not report. */
static int64_t watermark_ms(const struct watch *watch, bool *is_absent) {
    *is_absent = watch->reflector == NULL || watch->is_absent || is_given_up(watch);
    if (*is_absent)
        return 0;
    int64_t reported_ms = wall_ms(kube_reflector_watermark(watch->reflector));
    int64_t unheard_us = now_us(watch->owner) - at_work_until_us(watch->owner);
    int64_t silent_ms =
        wall_ms(loop_wall(kube_client_loop(watch->owner->client))) - max_of(SKEW_MS, (unheard_us + 999) / 1000);
    bool is_current = kube_reflector_is_current(watch->reflector, SKEW_MS * 1000);
    return is_current && silent_ms > reported_ms ? silent_ms : reported_ms;
}

void runtime_watches_positions(const struct runtime_watches *owner, const char *namespace_,
                               struct positions *positions) {
    *positions = (struct positions){0};
    for (size_t i = 0; i < owner->count; i++) {
        const struct watch *watch = owner->watches[i];
        bool is_of_it = watch->namespace_ == NULL || strcmp(watch->namespace_, namespace_) == 0;
        if (!is_of_it || watch->reflector == NULL || watch->is_absent || !positions_has(watch->source->resource))
            continue;
        int64_t *lowest = &positions->version[watch->source->resource]; /* pods have several watches */
        int64_t version = positions_version(slice_of(kube_reflector_version(watch->reflector)));
        *lowest = *lowest == 0 ? version : min_of(*lowest, version);
    }
}

void runtime_watches_report_watermarks(struct runtime_watches *owner) {
    int64_t min_ms[RESOURCE_COUNT];
    bool is_served[RESOURCE_COUNT] = {false};
    for (size_t i = 0; i < owner->count; i++) {
        enum resource resource = owner->watches[i]->source->resource;
        bool is_absent;
        int64_t ms = watermark_ms(owner->watches[i], &is_absent);
        if (is_absent)
            continue;
        owner->watches[i]->known_ms = max_of(owner->watches[i]->known_ms, ms); /* also after it was cut */
        if (!is_served[resource] || ms < min_ms[resource])
            min_ms[resource] = ms;
        is_served[resource] = true;
    }
    for (int r = 0; r < RESOURCE_COUNT; r++)
        if (r != RESOURCE_NODE_LEASE)
            model_watermark(owner->model, (enum resource)r, is_served[r] ? min_ms[r] : 0, !is_served[r]);
}
