#include "export/push/otlp.h"

#include "base/file.h"
#include "base/mem.h"
#include "export/push/otlp_metrics.h"
#include "export/push/otlp_spans.h"
#include "export/push/otlp_wire.h"
#include "export/push/round.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A request of this size gets no further job; collectors accept 20 MiB. */
enum { ENOUGH_BYTES = 512 << 10, MAX_HEADERS = 16, MAX_HEADERS_BYTES = 32 << 10 };

struct otlp {
    struct http_client *http;
    struct round *metrics, *spans;
    struct push_figures figures;
    char *metrics_url, *spans_url, *header_text;
    const char *headers[MAX_HEADERS + 2];
};

static void begin(void *context, struct buf *body) {
    (void)context, (void)body;
}

static int append_metrics(void *context, struct round_job *job, const struct round_now *now, struct buf *body,
                          int count) {
    (void)context, (void)job;
    return count > 0 && body->size_bytes > ENOUGH_BYTES ? ROUND_NO_ROOM : otlp_metrics_write(now, body);
}

static int append_spans(void *context, struct round_job *job, const struct round_now *now, struct buf *body,
                        int count) {
    (void)context;
    return count > 0 && body->size_bytes > ENOUGH_BYTES ? ROUND_NO_ROOM
                                                        : otlp_spans_write(now, job->note, &job->sending_note, body);
}

static enum sender_verdict judge(void *context, const struct sender_reply *reply, int64_t *dropped,
                                 char text[static SENDER_TEXT]) {
    struct otlp_answer a;
    int status = reply->status;
    bool is_taken = status >= 200 && status < 300;
    (void)context;
    otlp_read_answer(reply->body, !is_taken, &a);
    if (is_taken) { /* partial success: rejected values must not be sent again */
        *dropped = a.rejected;
        if (a.rejected > 0 || a.text[0] != '\0')
            snprintf(text, SENDER_TEXT, "the collector %s: %.500s",
                     a.rejected > 0 ? "accepted only a part" : "accepted it with a warning", a.text);
        return SENDER_DELIVERED;
    }
    snprintf(text, SENDER_TEXT, "%s: HTTP status %d%s%.500s",
             status == 401 || status == 403 ? "the collector does not accept the headers of --otlp-headers"
             : status == 404                ? "--otlp-endpoint is not an OTLP/HTTP receiver"
                                            : "the collector refuses the request",
             status, a.text[0] ? ": " : "", a.text);
    return status == 429 || status == 502 || status == 503 || status == 504 ? SENDER_RETRY : SENDER_REFUSED;
}

static void changed(void *context, const struct fleet_job *job) {
    struct otlp *o = context;
    round_changed(o->metrics, job);
    round_changed(o->spans, job);
}

static void deleted(void *context, const struct fleet_job *job) {
    struct otlp *o = context;
    round_deleted(o->metrics, job);
    round_deleted(o->spans, job);
}

static void tick(void *context) {
    struct otlp *o = context;
    round_tick(o->metrics);
    round_tick(o->spans);
}

static void otlp_free(void *context) {
    struct otlp *o = context;
    round_free(o->metrics);
    round_free(o->spans);
    if (o->http != NULL)
        http_client_free(o->http);
    free(o->metrics_url);
    free(o->spans_url);
    free(o->header_text);
    free(o);
}

/* ---- making ---- */

/* Reads lines of "Name: value"; the texts stay in header_text. An error never quotes a line: it may hold a secret. */
static int read_headers(struct otlp *o, const char *path, struct error **err) {
    static const char allowed[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    int count = 0, number = 0;
    o->headers[count++] = "Content-Type: application/x-protobuf";
    if (path == NULL)
        return 0;
    if (file_read(path, MAX_HEADERS_BYTES, &o->header_text, err) < 0)
        return error_wrap(err, EINVAL, "--otlp-headers");
    for (char *line = o->header_text, *next; line != NULL && *line != '\0'; line = next) {
        number++;
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        size_t size = strlen(line), name = strspn(line, allowed);
        if (size > 0 && line[size - 1] == '\r')
            line[--size] = '\0';
        if (size == 0)
            continue;
        if (name == 0 || line[name] != ':' || strchr(line, '\r') != NULL || count > MAX_HEADERS)
            return error_set(err, EINVAL, "--otlp-headers %s: line %d is not \"Name: value\" (of at most %d lines)",
                             path, number, MAX_HEADERS);
        o->headers[count++] = line;
    }
    return 0;
}

static int check(const struct runtime_flags *f, struct error **err) {
    struct slice url = slice_of(f->otlp_endpoint);
    bool is_http = slice_starts(url, "http://") && url.size_bytes > 7;
    bool is_https = slice_starts(url, "https://") && url.size_bytes > 8;
    for (size_t i = 0; i < url.size_bytes; i++)
        is_http = is_http && url.data[i] > ' ', is_https = is_https && url.data[i] > ' ';
    if (!is_http && !is_https)
        return error_set(
            err, EINVAL,
            "--otlp-endpoint: \"%s\" is not the URL of an OTLP/HTTP receiver, such as http://collector:4318",
            f->otlp_endpoint);
    if (f->otlp_ca != NULL && access(f->otlp_ca, R_OK) != 0)
        return error_set(err, errno, "--otlp-ca %s: %s", f->otlp_ca, strerrordesc_np(errno));
    return 0;
}

int otlp_make(const struct push_options *options, struct push_exporter *exporter, struct error **err) {
    const struct runtime_flags *f = options->flags;
    if (f->otlp_endpoint == NULL || f->otlp_endpoint[0] == '\0')
        return 0;
    if (check(f, err) < 0)
        return -EINVAL;
    struct otlp *o = mem_new(struct otlp);
    if (read_headers(o, f->otlp_headers, err) < 0) {
        otlp_free(o);
        return -EINVAL;
    }
    int size = (int)strlen(f->otlp_endpoint) - (f->otlp_endpoint[strlen(f->otlp_endpoint) - 1] == '/' ? 1 : 0);
    o->figures.exporter = "otlp";
    o->metrics_url = mem_format("%.*s/v1/metrics", size, f->otlp_endpoint);
    o->spans_url = mem_format("%.*s/v1/traces", size, f->otlp_endpoint);
    o->http = http_client_new(options->loop);
    struct round_options how = {.fleet = options->fleet,
                                .url = o->metrics_url,
                                .headers = o->headers,
                                .interval_us = f->otlp_interval_us,
                                .spacing_ms = 1,
                                .sender = {.name = "OTLP metrics", .ca_file = f->otlp_ca}};
    o->metrics = round_new(options->loop, o->http, &how,
                           &(struct round_handler){begin, append_metrics, begin, judge, o}, &o->figures);
    how.url = o->spans_url;
    how.spacing_ms = 0;
    how.sender.name = "OTLP traces";
    o->spans = round_new(options->loop, o->http, &how, &(struct round_handler){begin, append_spans, begin, judge, o},
                         &o->figures);
    *exporter = (struct push_exporter){changed, deleted, tick, otlp_free, &o->figures, o};
    return 1;
}
