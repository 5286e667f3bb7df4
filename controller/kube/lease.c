#include "kube/lease.h"

#include "base/jsonlog.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "kube/backoff.h"
#include "kube/lease_record.h"

#include <string.h>

/* One round: read (or, while leading, skip that: our own last write is what the server holds), judge, write.
 * Source: client-go tools/leaderelection/leaderelection.go, tryAcquireOrRenew, with its fast path.
 *
 * A leader wakes up once per renewal: the reply stays in the socket until the next renewal is due and is judged then.
 * A lost renewal cannot be acted on earlier: client-go too lets retryPeriod pass before it tries again. A later
 * reply is read as it comes. The deadline counts from the last renewal whose success was read: three tries fit in. */

struct kube_lease {
    struct kube_client *client;
    struct loop *loop;
    struct kube_lease_handler handler;
    char *namespace_, *name, *identity;
    int64_t duration_us, renew_deadline_us, renew_us, retry_us;
    struct lease_record seen;
    int64_t seen_us;    /* when the record last changed, on our clock */
    int64_t renewed_us; /* the start of our last successful write */
    int64_t asked_us;   /* of the write under way */
    bool is_leading, is_over;
    char leader[256]; /* last reported */
    char predecessor[256];
    char *trouble; /* last logged */
    struct kube_call *call;
    struct loop_timer *timer, *deadline;
    loop_callback *released;
    void *released_context;
};

static void round_begin(void *context);
static void on_read(void *context, int status, struct slice body, const struct error *err);
static void on_written(void *context, int status, struct slice body, const struct error *err);
static void on_released(void *context, int status, struct slice body, const struct error *err);

static int64_t now_us(const struct kube_lease *l) {
    return loop_now(l->loop).us;
}

static void next_round(struct kube_lease *l) {
    if (l->is_over)
        return;
    /* Contenders spread out; the leader keeps its beat. */
    int64_t extra_us = l->is_leading ? 0 : kube_random(l->retry_us * 6 / 5 + 1);
    loop_timer_set(l->timer, l->retry_us + extra_us);
}

static void lose(struct kube_lease *l, const char *why) {
    l->is_leading = false;
    l->is_over = true;
    loop_timer_stop(l->timer);
    loop_timer_stop(l->deadline);
    kube_call_cancel(l->call);
    l->call = NULL;
    l->handler.on_lost(l->handler.context, why);
}

/* A lease that cannot be read or written (RBAC, a namespace that is not there), once per change. */
static void log_trouble(struct kube_lease *l, const char *text) {
    if (text == NULL ? l->trouble == NULL : l->trouble != NULL && strcmp(l->trouble, text) == 0)
        return;
    free(l->trouble);
    l->trouble = mem_strdup(text);
    if (text != NULL)
        jsonlog(JSONLOG_WARNING, "the lease cannot be used", "lease", LOG_S(l->name), "namespace", LOG_S(l->namespace_),
                "error", LOG_S(text), NULL);
}

static void deadline_due(void *context) {
    struct kube_lease *l = context;
    if (l->is_leading)
        lose(l, "the lease could not be renewed in time");
}

static void see(struct kube_lease *l, const struct lease_record *r) {
    if (strcmp(r->resource_version, l->seen.resource_version) != 0)
        l->seen_us = now_us(l);
    if (r->holder[0] != '\0' && strcmp(r->holder, l->identity) != 0)
        slice_copy(l->predecessor, sizeof l->predecessor, slice_of(r->holder));
    l->seen = *r;
}

/* What we write: to take it, to renew it, or (holder "") to give it up. */
static void write_lease(struct kube_lease *l, const char *holder, struct buf *out) {
    struct lease_record r = l->seen;
    bool is_ours = strcmp(r.holder, l->identity) == 0, is_new = r.resource_version[0] == '\0';
    char now[RFC3339_SIZE];
    rfc3339_format(now, loop_wall(l->loop).us * 1000, 6);
    slice_copy(r.holder, sizeof r.holder, slice_of(holder));
    if (!is_ours || r.acquire_time[0] == '\0')
        slice_copy(r.acquire_time, sizeof r.acquire_time, slice_of(now));
    r.duration_s = holder[0] == '\0' ? 1 : (l->duration_us + 999999) / 1000000;
    r.transitions += is_ours || is_new || r.transitions == INT32_MAX ? 0 : 1;
    lease_record_write(&r, l->namespace_, l->name, now, out);
}

static char *path_of(const struct kube_lease *l, bool with_name) {
    return mem_format("/apis/coordination.k8s.io/v1/namespaces/%s/leases%s%s", l->namespace_, with_name ? "/" : "",
                      with_name ? l->name : "");
}

static void send_write(struct kube_lease *l, const char *holder, kube_done *done) {
    bool is_new = l->seen.resource_version[0] == '\0';
    struct buf body CLEANUP_BUF = {0};
    buf_init(&body, 8192);
    write_lease(l, holder, &body);
    char *path CLEANUP_FREE = path_of(l, !is_new);
    struct kube_request request = {.method = is_new ? "POST" : "PUT",
                                   .path = path,
                                   .body = buf_slice(&body),
                                   .timeout_us = l->renew_deadline_us / 2,
                                   .is_lazy = l->is_leading};
    l->asked_us = now_us(l);
    if (l->is_leading)
        loop_timer_set(l->timer, l->renew_us);
    l->call = kube_call(l->client, &request, done, l);
}

static void read_lease(struct kube_lease *l) {
    char *path CLEANUP_FREE = path_of(l, true);
    struct kube_request request = {.path = path, .timeout_us = l->renew_deadline_us / 2};
    l->call = kube_call(l->client, &request, on_read, l);
}

static void round_go(void *context) {
    struct kube_lease *l = context;
    if (l->call != NULL || l->is_over)
        return;
    loop_timer_stop(l->timer);
    if (l->is_leading && l->seen.resource_version[0] != '\0')
        send_write(l, l->identity, on_written);
    else
        read_lease(l);
}

/* The reply to the last renewal, if it is there, is handed to on_written before round_go runs. */
static void round_begin(void *context) {
    struct kube_lease *l = context;
    kube_call_hurry(l->call);
    loop_defer(l->loop, round_go, l);
}

static void notify_leader(struct kube_lease *l) {
    if (strcmp(l->leader, l->seen.holder) == 0)
        return;
    slice_copy(l->leader, sizeof l->leader, slice_of(l->seen.holder));
    if (l->handler.on_leader != NULL && l->leader[0] != '\0')
        l->handler.on_leader(l->handler.context, l->leader);
}

static void on_read(void *context, int status, struct slice body, const struct error *err) {
    struct kube_lease *l = context;
    l->call = NULL;
    struct lease_record r;
    if (status == 404)
        l->seen = (struct lease_record){0};
    else if (err != NULL || !lease_record_parse(body, &r)) {
        log_trouble(l, err != NULL ? err->text : "it is malformed");
        next_round(l);
        return;
    } else
        see(l, &r);
    bool is_ours = strcmp(l->seen.holder, l->identity) == 0;
    bool is_held = l->seen.holder[0] != '\0' && now_us(l) - l->seen_us < l->seen.duration_s * 1000000;
    if (l->is_leading && !is_ours && l->seen.holder[0] != '\0') {
        lose(l, "another replica holds the lease");
        return;
    }
    if (!is_ours && is_held) {
        next_round(l);
        notify_leader(l);
        return;
    }
    send_write(l, l->identity, on_written);
}

static void on_written(void *context, int status, struct slice body, const struct error *err) {
    struct kube_lease *l = context;
    l->call = NULL;
    struct lease_record r;
    if (l->released != NULL) {
        if (err == NULL && lease_record_parse(body, &r))
            see(l, &r);
        send_write(l, "", on_released);
        return;
    }
    next_round(l);
    if (err != NULL || status >= 300 || !lease_record_parse(body, &r)) {
        if (status != 409)
            log_trouble(l, err != NULL ? err->text : "it is malformed");
        if (status != 0 && status < 500 && status != 429)
            l->seen.resource_version[0] = '\0'; /* a lost race, or it was deleted: read it first */
        return;
    }
    log_trouble(l, NULL);
    see(l, &r);
    l->renewed_us = l->asked_us;
    loop_timer_set(l->deadline, l->renewed_us + l->renew_deadline_us - now_us(l));
    if (l->is_leading)
        return;
    l->is_leading = true;
    loop_timer_set(l->timer, l->renew_us);
    slice_copy(l->leader, sizeof l->leader, slice_of(l->identity));
    l->handler.on_leading(l->handler.context);
}

struct kube_lease *kube_lease_new(struct kube_client *client, const struct kube_lease_options *options,
                                  const struct kube_lease_handler *handler) {
    struct kube_lease *l = mem_new(struct kube_lease);
    l->client = client;
    l->loop = kube_client_loop(client);
    l->handler = *handler;
    l->namespace_ = mem_strdup(options->namespace_);
    l->name = mem_strdup(options->name);
    l->identity = mem_strdup(options->identity);
    l->duration_us = options->duration_us > 0 ? options->duration_us : KUBE_LEASE_DURATION_US;
    l->renew_deadline_us = options->renew_deadline_us > 0 ? options->renew_deadline_us : 20000000;
    l->renew_us = options->renew_us > 0 ? options->renew_us : 5000000;
    l->retry_us = options->retry_us > 0 ? options->retry_us : 2000000;
    l->timer = loop_timer_new(l->loop, round_begin, l);
    l->deadline = loop_timer_new(l->loop, deadline_due, l);
    loop_timer_set(l->timer, 0);
    return l;
}

static void on_released(void *context, int status, struct slice body, const struct error *err) {
    (void)status, (void)body, (void)err; /* if it failed, the lease runs out by itself */
    struct kube_lease *l = context;
    l->call = NULL;
    l->released(l->released_context);
}

static void released_at_once(void *context) {
    struct kube_lease *l = context;
    l->released(l->released_context);
}

void kube_lease_release(struct kube_lease *lease, loop_callback *done, void *context) {
    bool was_leading = lease->is_leading && lease->seen.resource_version[0] != '\0';
    lease->is_leading = false;
    lease->is_over = true;
    loop_timer_stop(lease->timer);
    loop_timer_stop(lease->deadline);
    lease->released = done;
    lease->released_context = context;
    if (was_leading && lease->call != NULL) {
        kube_call_hurry(lease->call); /* on_written continues: it needs the resourceVersion of that renewal */
        return;
    }
    kube_call_cancel(lease->call);
    lease->call = NULL;
    if (was_leading)
        send_write(lease, "", on_released);
    else
        loop_defer(lease->loop, released_at_once, lease);
}

void kube_lease_free(struct kube_lease *lease) {
    if (lease == NULL)
        return;
    kube_call_cancel(lease->call);
    loop_defer_cancel(lease->loop, released_at_once, lease);
    loop_defer_cancel(lease->loop, round_go, lease);
    loop_timer_free(lease->timer);
    loop_timer_free(lease->deadline);
    free(lease->namespace_);
    free(lease->name);
    free(lease->identity);
    free(lease->trouble);
    free(lease);
}

const char *kube_lease_predecessor(const struct kube_lease *lease) {
    return lease->predecessor;
}

bool kube_lease_is_held(const struct kube_lease *lease) {
    return lease->is_leading && loop_clock(lease->loop).us - lease->renewed_us < lease->renew_deadline_us;
}

int64_t kube_lease_age_us(const struct kube_lease *lease) {
    return lease->is_leading ? now_us(lease) - lease->renewed_us : 0;
}
