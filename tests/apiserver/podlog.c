/* GET pods/NAME/log: what the kubelet would serve: follow, previous, timestamps, sinceTime and sinceSeconds (cut to
 * whole seconds), tailLines, limitBytes; a follow ends with its container's run, or with the pod. */
#include "base/mem.h"
#include "base/rfc3339.h"
#include "srv.h"

#include <stdio.h>
#include <string.h>

enum { FLOOD_AHEAD_BYTES = 4 << 20 };

struct follow {
    struct conn *conn;
    char pod_uid[40], container[64];
    int run; /* index into runs */
    size_t at, flooded_bytes;
    bool has_stamps;
    long limit; /* bytes left; < 0: none */
    struct timer poll;
};

static void follow_free(void *p) {
    struct follow *f = p;
    timer_stop(&f->poll);
    f->conn->srv->follows--;
    free(f);
}

static void send_line(struct follow *f, const struct log_line *line) {
    char stamp[RFC3339_SIZE];
    CLEANUP_BUF struct buf out;
    buf_init(&out, 16 << 20);
    if (f->has_stamps)
        buf_format(&out, "%s ", rfc3339_format(stamp, line->time_ns, 9));
    buf_append(&out, line->text, line->size_bytes);
    buf_append_char(&out, '\n');
    size_t n = out.size_bytes;
    if (f->limit >= 0 && n > (size_t)f->limit)
        n = (size_t)f->limit;
    if (f->limit >= 0)
        f->limit -= (long)n;
    if (n > 0)
        conn_event(f->conn, out.data, n);
}

/* Sends what has been printed by now of the flood that comes at this place, no more than the peer takes: true if there
 * is more of it to come. */
static bool is_flooding(struct follow *f, const struct log_flood *flood) {
    if (f->at != flood->at || f->flooded_bytes >= flood->total_bytes)
        return false;
    double printed = (double)(srv_now_us(f->conn->srv) - flood->begin_us) / 1e6 * flood->bytes_per_s;
    while (f->flooded_bytes < flood->total_bytes && (double)f->flooded_bytes < printed) {
        uint64_t before = f->conn->body_total;
        if (f->conn->out.size_bytes - f->conn->out_at > FLOOD_AHEAD_BYTES)
            return true;
        send_line(f, &flood->line);
        f->flooded_bytes += f->conn->body_total - before;
    }
    return f->flooded_bytes < flood->total_bytes;
}

/* Sends the new lines; true when the run is over or the pod deleted. */
static bool pump(struct follow *f) {
    struct log_container *c = logs_get(&f->conn->srv->logs, f->pod_uid, f->container, false);
    if (c == NULL || f->run >= c->run_count)
        return true;
    struct log_run *r = &c->runs[f->run];
    bool is_flooded = false;
    while (f->limit != 0 && !(is_flooded = is_flooding(f, &r->flood)) && f->at < r->count)
        send_line(f, &r->lines[f->at++]);
    return (r->is_ended && !is_flooded) || f->limit == 0;
}

/* Each timer costs lws a walk over all: a hundred follows that look every 20 ms would be most of what the server does.
 */
static double poll_s(const struct srv *s) {
    return 0.02 * (1 + s->follows / 8);
}

static void on_poll(void *context) {
    struct follow *f = context;
    if (f->conn->is_ended)
        return;
    if (pump(f))
        conn_end(f->conn);
    else
        timer_start(f->conn->srv, &f->poll, poll_s(f->conn->srv), on_poll, f);
}

/* The first line to send by sinceTime, sinceSeconds and tailLines. */
static size_t first_line(const struct conn *c, const struct log_run *r) {
    int64_t since_ms = INT64_MIN;
    size_t at = 0;
    const char *text = conn_argument(c, "sinceTime");
    if (*text != '\0' && rfc3339_parse_ms(slice_of(text), &since_ms))
        since_ms -= since_ms % 1000;
    text = conn_argument(c, "sinceSeconds");
    if (*text != '\0')
        since_ms = srv_now_us(c->srv) / 1000 - strtol(text, NULL, 10) * 1000;
    while (since_ms != INT64_MIN && at < r->count && r->lines[at].time_ns < since_ms * 1000000)
        at++;
    text = conn_argument(c, "tailLines");
    size_t tail = *text != '\0' ? (size_t)strtoul(text, NULL, 10) : r->count;
    if (r->count - at > tail)
        at = r->count - tail;
    return at;
}

static const char *choose_container(struct conn *c, struct target *t, const json_t *pod, char out[static 64]) {
    const json_t *containers = jx_get(pod, "spec.containers");
    snprintf(out, 64, "%.63s", conn_argument(c, "container"));
    if (*out == '\0' && json_array_size(containers) > 1) {
        api_status(c, 400, "BadRequest", NULL, "a container name must be specified for pod %s, choose one of several",
                   t->name);
        return NULL;
    }
    if (*out == '\0')
        snprintf(out, 64, "%.63s", jx_text(containers, "0.name"));
    if (jx_find(containers, "name", out) == NULL && jx_find(jx_get(pod, "spec.initContainers"), "name", out) == NULL) {
        api_status(c, 400, "BadRequest", NULL, "container %s is not valid for pod %s", out, t->name);
        return NULL;
    }
    return out;
}

void podlog_serve(struct conn *c, struct target *t) {
    struct srv *s = c->srv;
    struct object *o = kstore_find(&s->store, t->type, t->ns, t->name);
    char container[64];
    if (o == NULL) {
        api_status(c, 404, "NotFound", t, "pods \"%s\" not found", t->name);
        return;
    }
    CLEANUP_JSON json_t *pod = kstore_json(o);
    if (choose_container(c, t, pod, container) == NULL)
        return;
    const json_t *status = jx_find(jx_get(pod, "status.containerStatuses"), "name", container);
    struct log_container *lc = logs_get(&s->logs, jx_text(pod, "metadata.uid"), container, false);
    if (lc == NULL && jx_get(status, "state.running") == NULL && jx_get(status, "state.terminated") == NULL) {
        const char *why = jx_text(status, "state.waiting.reason");
        api_status(c, 400, "BadRequest", NULL, "container \"%s\" in pod \"%s\" is waiting to start: %s", container,
                   t->name, *why != '\0' ? why : "ContainerCreating");
        return;
    }
    lc = logs_get(&s->logs, jx_text(pod, "metadata.uid"), container, true);
    bool is_previous = conn_flag(c, "previous");
    struct log_run *r = logs_run(lc, is_previous);
    if (r == NULL) {
        api_status(c, 400, "BadRequest", NULL, "previous terminated container \"%s\" in pod \"%s\" not found",
                   container, t->name);
        return;
    }
    struct follow *f = mem_new(struct follow);
    *f = (struct follow){.conn = c, .run = lc->run_count - 1 - is_previous, .limit = -1};
    snprintf(f->pod_uid, sizeof f->pod_uid, "%.39s", jx_text(pod, "metadata.uid"));
    snprintf(f->container, sizeof f->container, "%s", container);
    f->has_stamps = conn_flag(c, "timestamps");
    f->at = first_line(c, r);
    const char *limit = conn_argument(c, "limitBytes");
    if (*limit != '\0')
        f->limit = strtol(limit, NULL, 10);
    c->stream = f;
    c->on_closed = follow_free;
    s->follows++;
    conn_begin(c, 200, "text/plain");
    bool is_over = pump(f);
    if (is_over || !conn_flag(c, "follow"))
        conn_end(c);
    else
        timer_start(s, &f->poll, poll_s(s), on_poll, f);
}
