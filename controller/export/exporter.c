#include "export/exporter.h"

#include "base/jsonlog.h"
#include "base/mem.h"
#include "export/certificate.h"
#include "export/certificate_files.h"
#include "export/fleet.h"
#include "export/gate.h"
#include "export/metrics.h"
#include "export/page.h"
#include "export/prometheus.h"
#include "export/push/push.h"
#include "io/server.h"
#include "io/server_listen.h"
#include "kube/reflector.h"
#include "operator/runtime/runtime.h"
#include "recorder/endpoint.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct exporter {
    const struct runtime *runtime;
    struct loop *loop;
    struct fleet fleet, rollups;     /* JobGoodputs; FleetGoodputs */
    struct certificate_files *files; /* NULL: no --metrics-cert-dir */
    struct server *metrics;
    struct gate *gate; /* NULL: metrics are served without TLS */
    struct page *page, *shared_page;
    struct viewers *viewers; /* of the shared page */
    struct push *push;       /* NULL: nothing is pushed */
    struct certificate_files *ingest_files;
    struct server *ingest;
    struct endpoint *endpoint;
    const char *namespaces; /* "a,b"; "": all */
    bool has_all_job_series;
    struct kube_client *client;
    struct kube_reflector **reflectors;
    size_t count, capacity;
};

static void serve_metrics(void *context, const struct server_request *request, struct server_reply *reply) {
    const struct exporter *e = context;
    struct runtime_figures figures;
    bool is_openmetrics = prometheus_wants_openmetrics(request->accept);
    runtime_figures(e->runtime, &figures);
    figures.ingest = e->endpoint != NULL ? endpoint_figures(e->endpoint) : NULL;
    figures.push_count = push_figures(e->push, &figures.pushes);
    const struct metrics_options options = {wall_ms(loop_wall(e->loop)), is_openmetrics, e->has_all_job_series,
                                            prometheus_wants_gzip(request->accept_encoding)};
    metrics_write(&e->fleet, &e->rollups, &figures, &options, &reply->body);
    reply->content_type = is_openmetrics ? PROMETHEUS_OPENMETRICS_TYPE : PROMETHEUS_TEXT_TYPE;
    reply->content_encoding = options.is_gzip ? "gzip" : NULL;
}

static bool is_off(const char *address) {
    return address[0] == '\0' || strcmp(address, "0") == 0;
}

/* Serves with the certificate from files, else with one made for this process. */
static struct server *serve_with_tls(void *context, struct server_options *options, struct error **err) {
    struct exporter *e = context;
    CLEANUP_BUF struct buf certificate, key;
    buf_init(&certificate, 1);
    buf_init(&key, 1);
    if (e->files != NULL)
        return certificate_files_serve(e->files, options, err);
    if (certificate_make("goodput-controller", loop_wall(e->loop).us / 1000000, &certificate, &key, err) < 0)
        return NULL;
    options->certificate_pem = buf_slice(&certificate);
    options->private_key_pem = buf_slice(&key);
    return server_new(e->loop, options, err);
}

/* Plain HTTP on a loopback address; elsewhere TLS, for users whom the cluster allows to read metrics. */
static int start_metrics(struct exporter *e, struct kube_client *client, const char *address, struct error **err) {
    struct server_endpoint endpoint = {"/metrics", serve_metrics, e};
    struct server_options options = {.address = address, .endpoints = &endpoint, .endpoint_count = 1};
    if (is_off(address))
        return 0;
    if (server_address_is_loopback(address))
        e->metrics = server_new(e->loop, &options, err);
    else {
        e->gate = gate_new(client, &endpoint);
        endpoint = (struct server_endpoint){"/metrics", gate_handle, e->gate};
        e->metrics = serve_with_tls(e, &options, err);
    }
    if (e->metrics == NULL)
        return error_wrap(err, EINVAL, "--metrics-bind-address");
    jsonlog(JSONLOG_INFO, "metrics served", "port", LOG_I(server_port(e->metrics)), "tls", LOG_B(e->gate != NULL),
            NULL);
    return 0;
}

static bool is_leading(const void *runtime) {
    return runtime_is_leading(runtime);
}

/* Plain HTTP on a loopback address; elsewhere TLS with a certificate that the recorders can verify. */
static int start_ingest(struct exporter *e, const struct runtime_flags *flags, struct error **err) {
    struct server_options options = {.address = flags->ingest_bind_address};
    bool is_local = server_address_is_loopback(options.address);
    if (is_off(options.address))
        return 0;
    if (flags->ingest_store == NULL || access(flags->ingest_store, W_OK) != 0)
        return error_set(err, EINVAL, "--ingest-bind-address needs --ingest-store, a writable folder%s%s",
                         flags->ingest_store ? ", not " : "", flags->ingest_store ? flags->ingest_store : "");
    if (!is_local && flags->ingest_cert_dir == NULL)
        return error_set(
            err, EINVAL,
            "--ingest-bind-address %s needs --ingest-cert-dir: recorders must be able to verify the server",
            options.address);
    e->endpoint = endpoint_new(e->client, flags->ingest_store, flags->ingest_tokens);
    endpoint_serve_while(e->endpoint, is_leading, e->runtime);
    endpoint_serve(e->endpoint, &options);
    if (flags->ingest_cert_dir == NULL)
        e->ingest = server_new(e->loop, &options, err);
    else if ((e->ingest_files = certificate_files_new(e->loop, flags->ingest_cert_dir, err)) != NULL)
        e->ingest = certificate_files_serve(e->ingest_files, &options, err);
    if (e->ingest == NULL)
        return error_wrap(err, EINVAL,
                          e->ingest_files || !flags->ingest_cert_dir ? "--ingest-bind-address" : "--ingest-cert-dir");
    jsonlog(JSONLOG_INFO, "ingest served", "port", LOG_I(server_port(e->ingest)), "tls", LOG_B(e->ingest_files != NULL),
            NULL);
    return 0;
}

static bool write_trace(void *context, const char *namespace_, const char *name, struct buf *json) {
    return runtime_trace(((struct exporter *)context)->runtime, namespace_, name, json);
}

static int write_ledger(void *context, const char *namespace_, const char *name, struct buf *lines) {
    static const int statuses[] = {
        [RUNTIME_LEDGER_WRITTEN] = 200, [RUNTIME_LEDGER_NO_JOB] = 404, [RUNTIME_LEDGER_NOT_YET] = 503};
    return statuses[runtime_ledger(((struct exporter *)context)->runtime, namespace_, name, lines)];
}

static struct page *open_page(struct exporter *e, const char *address, bool has_tls, struct viewers *viewers,
                              struct error **err) {
    const struct page_options options = {.loop = e->loop,
                                         .address = address,
                                         .serve = has_tls ? serve_with_tls : NULL,
                                         .context = e,
                                         .fleet = &e->fleet,
                                         .rollups = &e->rollups,
                                         .traces = {write_trace, e},
                                         .ledgers = {write_ledger, e},
                                         .viewers = viewers};
    struct page *page = page_new(&options, err);
    if (page != NULL)
        jsonlog(JSONLOG_INFO, "page served", "port", LOG_I(page_port(page)), "tls", LOG_B(has_tls), "signIn",
                LOG_B(viewers != NULL), NULL);
    return page;
}

/* The page for port-forward, and the shared one, which asks for a token. */
static int start_pages(struct exporter *e, const struct runtime_flags *flags, struct error **err) {
    const char *address = flags->page_bind_address, *shared = flags->shared_page_bind_address;
    if (!is_off(address)) {
        e->page = open_page(e, address, e->files != NULL && !server_address_is_loopback(address), NULL, err);
        if (e->page == NULL)
            return error_wrap(err, EINVAL, "--page-bind-address");
    }
    if (!is_off(shared)) {
        e->viewers = viewers_new(e->client, &e->fleet);
        e->shared_page = open_page(e, shared, true, e->viewers, err);
        if (e->shared_page == NULL)
            return error_wrap(err, EINVAL, "--shared-page-bind-address");
    }
    return 0;
}

static int start(void *context, const struct runtime *runtime, struct kube_client *client,
                 const struct runtime_flags *flags, struct error **err) {
    struct exporter *e = context;
    e->runtime = runtime;
    e->loop = kube_client_loop(client);
    e->client = client;
    e->namespaces = flags->watch_namespaces;
    e->has_all_job_series = flags->all_job_series;
    e->fleet.cluster_name = flags->cluster_name;
    if (flags->metrics_cert_dir != NULL) {
        e->files = certificate_files_new(e->loop, flags->metrics_cert_dir, err);
        if (e->files == NULL)
            return error_wrap(err, EINVAL, "--metrics-cert-dir");
    }
    if (start_metrics(e, client, flags->metrics_bind_address, err) < 0)
        return -EINVAL;
    if (start_pages(e, flags, err) < 0 || start_ingest(e, flags, err) < 0)
        return -EINVAL;
    struct push_options options = {e->loop, &e->fleet, flags};
    return push_new(&e->push, &options, runtime, err);
}

/* Called once per turn of the loop, however many objects changed. */
static void notify(void *context) {
    struct exporter *e = context;
    page_notify(e->page);
    page_notify(e->shared_page);
    push_notify(e->push);
}

/* ---- a separate watch of JobGoodputs, so that a replica that waits for the lease has a page too ---- */

static void on_event(void *context, const struct kube_event *event) {
    struct exporter *e = context;
    char namespace_[256], name[256];
    if (!slice_copy(namespace_, sizeof namespace_, event->namespace_) || !slice_copy(name, sizeof name, event->name))
        return;
    if (event->type == KUBE_DELETED || event->type == KUBE_VANISHED)
        fleet_remove(&e->fleet, namespace_, name);
    else if (fleet_put(&e->fleet, namespace_, name, event->object) < 0)
        jsonlog(JSONLOG_WARNING, "JobGoodput not shown", "namespace", LOG_S(namespace_), "name", LOG_S(name), NULL);
    loop_defer(e->loop, notify, e);
}

static void on_rollup(void *context, const struct kube_event *event) {
    struct exporter *e = context;
    char name[256];
    if (!slice_copy(name, sizeof name, event->name))
        return;
    if (event->type == KUBE_DELETED || event->type == KUBE_VANISHED)
        fleet_remove(&e->rollups, "", name);
    else if (fleet_put(&e->rollups, "", name, event->object) < 0)
        jsonlog(JSONLOG_WARNING, "FleetGoodput not shown", "name", LOG_S(name), NULL);
}

static void ignore(void *context) {
    (void)context;
}

static void ignore_absent(void *context, bool is_absent) {
    (void)context, (void)is_absent;
}

static void watch(struct exporter *e, const char *path, int64_t absent_retry_us,
                  void (*on_object)(void *context, const struct kube_event *event)) {
    struct kube_reflector_options options = {.path = path, .absent_retry_us = absent_retry_us};
    struct kube_reflector_handler handler = {
        .on_event = on_object, .on_synced = ignore, .on_absent = ignore_absent, .context = e};
    MEM_GROW(e->reflectors, e->count, e->capacity);
    e->reflectors[e->count++] = kube_reflector_new(e->client, &options, &handler);
}

/* Of all namespaces if it is empty. */
static void watch_namespace(struct exporter *e, struct slice namespace_) {
    CLEANUP_FREE char *path =
        namespace_.size_bytes > 0
            ? mem_format("/apis/goodput.dev/v1alpha1/namespaces/%.*s/jobgoodputs", SLICE_ARG(namespace_))
            : mem_strdup("/apis/goodput.dev/v1alpha1/jobgoodputs");
    watch(e, path, 10000000, on_event);
}

static void begin(void *context) {
    struct exporter *e = context;
    struct slice rest = slice_of(e->namespaces), name;
    if (e->metrics == NULL && e->page == NULL && e->shared_page == NULL && e->push == NULL)
        return;
    while (slice_take_until(&rest, ',', &name))
        watch_namespace(e, slice_trim(name));
    if (rest.size_bytes > 0 || e->count == 0)
        watch_namespace(e, slice_trim(rest));
    watch(e, "/apis/goodput.dev/v1alpha1/fleetgoodputs", 60000000, on_rollup);
}

static void stop(void *context) {
    struct exporter *e = context;
    for (size_t i = 0; i < e->count; i++)
        kube_reflector_free(e->reflectors[i]);
    free(e->reflectors);
    e->reflectors = NULL;
    e->count = e->capacity = 0;
    loop_defer_cancel(e->loop, notify, e);
    certificate_files_free(e->files);
    e->files = NULL;
    server_free(e->metrics);
    page_free(e->page);
    page_free(e->shared_page);
    viewers_free(e->viewers);
    gate_free(e->gate);
    certificate_files_free(e->ingest_files);
    server_free(e->ingest);
    endpoint_free(e->endpoint);
    push_free(e->push);
    e->push = NULL;
    e->ingest_files = NULL;
    e->ingest = NULL;
    e->endpoint = NULL;
    e->gate = NULL;
    e->metrics = NULL;
    e->page = e->shared_page = NULL;
    e->viewers = NULL;
}

struct exporter *exporter_new(void) {
    struct exporter *e = mem_new(struct exporter);
    fleet_init(&e->fleet);
    fleet_init(&e->rollups);
    return e;
}

void exporter_free(struct exporter *exporter) {
    fleet_done(&exporter->fleet);
    fleet_done(&exporter->rollups);
    free(exporter);
}

struct runtime_exports exporter_hooks(struct exporter *exporter) {
    return (struct runtime_exports){start, begin, stop, exporter};
}
