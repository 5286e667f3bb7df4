#include "operator/runtime/runtime.h"

#include "base/file.h"
#include "base/jsonlog.h"
#include "base/mem.h"
#include "formulas/owners.h"
#include "kube/lease.h"
#include "operator/model/evaluate.h"
#include "operator/runtime/fleets.h"
#include "operator/runtime/formats.h"
#include "operator/runtime/health.h"
#include "operator/runtime/jobs.h"
#include "operator/runtime/memory_watch.h"
#include "operator/runtime/records.h"
#include "operator/runtime/role.h"
#include "rootcause/node_signals.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define USER_AGENT "goodput-controller/" GOODPUT_VERSION
#define SERVICE_ACCOUNT_NAMESPACE "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
#define START_US INT64_C(5000000)       /* how long the server may take to answer first */
#define FLEET_INTERVALS 4               /* of --status-interval, between two roll-ups of the fleets */
#define CONNECT_US INT64_C(500000)      /* between the tries */
#define LAST_WRITES_US INT64_C(5000000) /* how long the last writes may take */
#define RELEASE_US INT64_C(3000000)     /* how long giving up the lease may take */

struct runtime {
    const struct runtime_flags *flags;
    const struct runtime_exports *exports;
    bool are_exports_started;
    struct loop *loop;
    struct kube_client *client;
    struct model *model;
    struct kube_recorder *recorder;
    struct runtime_watches *watches;
    struct runtime_archive *archive; /* NULL: there is none */
    struct runtime_jobs *jobs;
    struct runtime_records *records;
    struct runtime_formats *formats;
    struct fleets *fleets;
    struct kube_lease *lease;
    struct role *role; /* NULL: no pod of its own is known */
    struct server *server;
    struct runtime_health health;
    struct memory_watch memory;
    struct loop_timer *connect_timer, *end_timer;
    struct kube_call *connecting;
    struct mono_time started;
    char identity[192], lease_namespace[256];
    bool is_leading, is_warm;   /* warm: every list is read while it waits for the lease */
    bool is_ending, is_leaving; /* SIGTERM came; the last writes are over */
};

/* One line for a person, whether or not logs are read. */
static void complain(const char *text) {
    fprintf(stderr, "goodput-controller: %s\n", text);
}

/* ---- watches to jobs ---- */

static void note_warm(struct runtime *r) {
    if (r->is_warm || r->watches == NULL || !runtime_watches_are_synced(r->watches))
        return;
    r->is_warm = true;
    jsonlog(JSONLOG_INFO, "standing by", "identity", LOG_S(r->identity), NULL);
}

static void on_change(void *context) {
    struct runtime *r = context;
    if (r->is_ending)
        return;
    memory_watch_look(&r->memory, loop_now(r->loop).us, (int64_t)model_job_count(r->model));
    if (!r->is_leading) {
        note_warm(r);
        return;
    }
    runtime_jobs_wake(r->jobs);
    bool are_synced = r->watches != NULL && runtime_watches_are_synced(r->watches);
    runtime_records_set_active(r->records, are_synced);
    runtime_formats_set_active(r->formats, are_synced && runtime_watches_serve_formats(r->watches));
    fleets_set_active(r->fleets, are_synced && runtime_watches_list_all_jobgoodputs(r->watches));
}

static void on_record(void *context, enum resource resource, const char *namespace_, const char *name,
                      struct slice object) {
    struct runtime *r = context;
    if (resource != RESOURCE_JOBGOODPUT) {
        runtime_records_job(r->records, resource, namespace_, name, object);
        return;
    }
    fleets_jobgoodput(r->fleets, namespace_, name, object);
    runtime_records_jobgoodput(r->records, namespace_, name, object);
}

static void on_jobgoodput(void *context, const char *namespace_, const char *name, struct slice object) {
    struct runtime *r = context;
    runtime_jobs_observed(r->jobs, namespace_, name, object);
}

/* ---- leading ---- */

static void watch(struct runtime *r, bool is_standby) {
    struct runtime_watches_handler handler = {on_change, on_jobgoodput, on_record, r};
    r->watches = runtime_watches_new(r->client, r->model, r->flags->watch_namespaces, is_standby, &handler);
    r->health.watches = r->watches;
}

/* From its own memory, if that is whole; else from the newest checkpoints of the leader before, and what lists show. */
static void lead(struct runtime *r) {
    r->is_leading = true;
    if (!r->is_warm) {
        runtime_watches_free(r->watches);
        watch(r, false);
    }
    runtime_jobs_set_watches(r->jobs, r->watches);
    if (r->is_warm)
        runtime_watches_lead(r->watches);
    runtime_jobs_set_leading(r->jobs, true);
    fleets_lead(r->fleets, r->lease);
}

static void on_leading(void *context) {
    struct runtime *r = context;
    jsonlog(JSONLOG_INFO, "leading", "identity", LOG_S(r->identity), NULL);
    lead(r);
    if (r->role != NULL)
        role_lead(r->role, kube_lease_predecessor(r->lease));
}

static void on_lost(void *context, const char *why) {
    struct runtime *r = context;
    r->is_leading = false;
    runtime_jobs_set_leading(r->jobs, false);
    runtime_records_set_active(r->records, false);
    runtime_formats_set_active(r->formats, false);
    fleets_set_active(r->fleets, false);
    jsonlog(JSONLOG_ERROR, "lease lost", "why", LOG_S(why), NULL);
    loop_stop(r->loop, 1);
}

static void on_leader(void *context, const char *identity) {
    struct runtime *r = context;
    jsonlog(JSONLOG_INFO, "leader", "identity", LOG_S(identity), NULL);
    if (r->flags->standby_watches && r->watches == NULL)
        watch(r, true);
}

static void start_election(struct runtime *r) {
    struct kube_lease_options options = {
        .namespace_ = r->lease_namespace, .name = "goodput-controller", .identity = r->identity};
    struct kube_lease_handler handler = {on_leading, on_lost, on_leader, r};
    r->lease = kube_lease_new(r->client, &options, &handler);
    r->health.lease = r->lease;
    r->health.is_cold = !r->flags->standby_watches;
    runtime_jobs_set_lease(r->jobs, r->lease);
    if (r->flags->pod_name != NULL) {
        r->role = role_new(r->client, r->lease_namespace, r->flags->pod_name);
        role_wait(r->role);
    }
}

/* ---- start: the server must answer before anything else is asked of it ---- */

static void start_work(struct runtime *r) {
    jsonlog(JSONLOG_INFO, "started", "version", LOG_S(GOODPUT_VERSION), "server", LOG_S(kube_client_server(r->client)),
            NULL);
    r->exports->begin(r->exports->context);
    if (r->flags->leader_elect)
        start_election(r);
    else
        lead(r);
}

static void on_connected(void *context, int status, struct slice body, const struct error *err) {
    struct runtime *r = context;
    (void)body;
    r->connecting = NULL;
    if (status == 401) {
        CLEANUP_FREE char *text =
            mem_format("%s does not accept these credentials: %s", kube_client_server(r->client), error_text(err));
        complain(text);
        loop_stop(r->loop, 1);
    } else if (status != 0) {
        start_work(r);
    } else if (loop_now(r->loop).us - r->started.us < START_US) {
        loop_timer_set(r->connect_timer, CONNECT_US);
    } else {
        CLEANUP_FREE char *text =
            mem_format("%s%sthe API server cannot be reached: %s", r->flags->kubeconfig ? r->flags->kubeconfig : "",
                       r->flags->kubeconfig ? ": " : "", error_text(err));
        complain(text);
        loop_stop(r->loop, 1);
    }
}

static void try_connect(void *context) {
    struct runtime *r = context;
    struct kube_request request = {.path = "/version", .timeout_us = START_US};
    r->connecting = kube_call(r->client, &request, on_connected, r);
}

/* ---- end ---- */

static void stop(void *context) {
    struct runtime *r = context;
    loop_stop(r->loop, 0);
}

static void leave(void *context) {
    struct runtime *r = context;
    if (r->is_leaving) /* the server took too long over one thing or the other */
        return;
    r->is_leaving = true;
    runtime_jobs_set_leading(r->jobs, false);
    if (r->lease == NULL) {
        loop_stop(r->loop, 0);
        return;
    }
    loop_timer_set(r->end_timer, RELEASE_US);
    kube_lease_release(r->lease, stop, r);
}

static void on_end_timer(void *context) {
    struct runtime *r = context;
    if (r->is_leaving)
        loop_stop(r->loop, 0);
    else
        leave(r);
}

/* Writes what was read of logs before it gives up the lease: a log may be deleted when the next leader looks. */
static void on_terminate(void *context) {
    struct runtime *r = context;
    if (r->is_ending) { /* asked twice: do not wait for the server */
        loop_stop(r->loop, 0);
        return;
    }
    jsonlog(JSONLOG_INFO, "ending", NULL);
    r->is_ending = true;
    runtime_records_set_active(r->records, false);
    runtime_formats_set_active(r->formats, false);
    fleets_set_active(r->fleets, false);
    loop_timer_set(r->end_timer, LAST_WRITES_US);
    runtime_jobs_settle(r->jobs, leave, r);
}

/* ---- the whole ---- */

/* "<pod or host>_<random>", as client-go does: a restarted pod must not take itself for its predecessor. */
static void make_identity(struct runtime *r) {
    char host[128] = "";
    uint64_t random = 0;
    if (r->flags->pod_name != NULL)
        slice_copy(host, sizeof host, slice_of(r->flags->pod_name));
    else if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
        slice_copy(host, sizeof host, SLICE("unknown"));
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        random = (uint64_t)clock_mono().us ^ (uint64_t)getpid() << 40;
    snprintf(r->identity, sizeof r->identity, "%s_%016llx", host, (unsigned long long)random);
}

static void find_lease_namespace(struct runtime *r) {
    slice_copy(r->lease_namespace, sizeof r->lease_namespace, SLICE("goodput-system"));
    if (r->flags->lease_namespace != NULL) {
        slice_copy(r->lease_namespace, sizeof r->lease_namespace, slice_of(r->flags->lease_namespace));
        return;
    }
    CLEANUP_FREE char *text = NULL;
    CLEANUP_ERROR struct error *err = NULL; /* out of a cluster there is none */
    if (file_read(SERVICE_ACCOUNT_NAMESPACE, 256, &text, &err) == 0 && slice_trim(slice_of(text)).size_bytes > 0)
        slice_copy(r->lease_namespace, sizeof r->lease_namespace, slice_trim(slice_of(text)));
}

/* A site's rows, once they have proved to be some; NULL: there are none. */
static int read_node_signals(const char *path, char **ret, struct error **err) {
    *ret = NULL;
    if (path == NULL)
        return 0;
    CLEANUP_FREE char *text = NULL;
    int r = file_read(path, NODE_SIGNAL_MAX_TABLE_BYTES, &text, err);
    if (r < 0)
        return error_wrap(err, -r, "--node-signals");
    struct node_signals *trial = node_signals_new();
    r = node_signals_add(trial, slice_of(text), err);
    node_signals_free(trial);
    if (r < 0)
        return error_wrap(err, -r, "--node-signals: %s", path);
    *ret = text;
    text = NULL;
    return 0;
}

/* The same of who owns lost time. */
static int read_owner_policy(const char *path, char **ret, struct error **err) {
    *ret = NULL;
    if (path == NULL)
        return 0;
    CLEANUP_FREE char *text = NULL;
    int r = file_read(path, OWNERS_MAX_TABLE_BYTES, &text, err);
    if (r < 0)
        return error_wrap(err, -r, "--owner-policy");
    struct owners_policy *trial = owners_policy_parse(slice_of(text), err);
    if (trial == NULL)
        return error_wrap(err, EINVAL, "--owner-policy: %s", path);
    owners_policy_free(trial);
    *ret = text;
    text = NULL;
    return 0;
}

static int set_up(struct runtime *r, struct error **err) {
    const struct runtime_flags *flags = r->flags;
    CLEANUP_FREE char *node_signals = NULL, *owner_policy = NULL;
    if (read_node_signals(flags->node_signals, &node_signals, err) < 0 ||
        read_owner_policy(flags->owner_policy, &owner_policy, err) < 0)
        return -1;
    struct kube_options kube = {.kubeconfig = flags->kubeconfig,
                                .context = flags->context,
                                .user_agent = USER_AGENT,
                                .is_json_only = flags->watches_json};
    if (flags->archive != NULL && (r->archive = runtime_archive_new(r->loop, flags, err)) == NULL)
        return -1;
    r->client = kube_client_new(r->loop, &kube, err);
    if (r->client == NULL)
        return -1;
    r->server = runtime_health_serve(r->loop, flags->health_bind_address, &r->health, err);
    if (r->server == NULL && *err != NULL)
        return error_wrap(err, (*err)->code, "--health-bind-address");
    if (r->server != NULL)
        jsonlog(JSONLOG_INFO, "health served", "port", LOG_I(server_port(r->server)), NULL);
    struct model_options model = {.keeps_checkpoints = true,
                                  .archives = flags->archive != NULL,
                                  .reads_last_words = flags->max_log_reads > 0,
                                  .chip_peaks = flags->chip_peaks,
                                  .chip_prices = flags->chip_prices,
                                  .node_signals = node_signals,
                                  .owner_policy = owner_policy,
                                  .currency = flags->currency,
                                  .cluster_name = flags->cluster_name,
                                  .documentation_url = flags->documentation_url};
    r->model = model_new(&model);
    r->recorder = kube_recorder_new(r->client, "goodput-controller");
    struct runtime_jobs_options jobs = {
        .client = r->client,
        .model = r->model,
        .recorder = r->recorder,
        .archive = r->archive,
        .cadence = {.coalesce_us = 250000,
                    .settle_us = 300000,
                    .active_us = flags->status_interval_us,
                    .quiet_us = flags->status_interval_us > 60000000 ? flags->status_interval_us : 60000000,
                    .writes_per_second = (int)flags->status_qps},
        .max_log_follows = flags->max_log_follows,
        .max_log_reads = flags->max_log_reads,
        .sources = {flags->log_root, flags->google_credentials, flags->cloud_logging_endpoint, flags->ingest_store,
                    flags->cloud_logging_allow}};
    r->jobs = runtime_jobs_new(&jobs);
    const struct records_defaults defaults = {flags->auto_create_format, flags->auto_create_windows,
                                              flags->auto_create_ttl_s,  flags->auto_create_namespaces,
                                              flags->auto_create_labels, flags->auto_create_keep};
    r->records = runtime_records_new(r->client, (enum records_mode)flags->auto_create, &defaults);
    r->formats = runtime_formats_new(r->client, r->model, flags->install_formats);
    r->fleets = fleets_new(r->client, r->model, r->archive, flags->status_interval_us * FLEET_INTERVALS);
    r->connect_timer = loop_timer_new(r->loop, try_connect, r);
    r->end_timer = loop_timer_new(r->loop, on_end_timer, r);
    r->are_exports_started = true;
    return r->exports->start(r->exports->context, r, r->client, flags, err);
}

void runtime_figures(const struct runtime *runtime, struct runtime_figures *figures) {
    *figures = (struct runtime_figures){0};
    runtime_jobs_figures(runtime->jobs, figures);
    if (runtime->archive != NULL)
        runtime_archive_figures(runtime->archive, &figures->archive);
    figures->has_archive = runtime->archive != NULL;
    figures->request_count = kube_client_counts(runtime->client, &figures->requests);
    figures->stream_count = kube_client_streams(runtime->client, &figures->streams);
    figures->log_bytes = kube_client_log_bytes(runtime->client);
    figures->dropped_lines = jsonlog_dropped();
    figures->clock_steps = loop_clock_steps(runtime->loop);
    figures->duration_count = kube_client_durations(runtime->client, &figures->durations);
}

bool runtime_is_leading(const struct runtime *runtime) {
    return runtime->is_leading && (runtime->lease == NULL || kube_lease_is_held(runtime->lease));
}

bool runtime_trace(const struct runtime *runtime, const char *namespace_, const char *name, struct buf *json) {
    const struct model_job *job = runtime->model ? model_job_find(runtime->model, namespace_, name) : NULL;
    if (job == NULL)
        return false;
    model_job_trace(job, json);
    return true;
}

enum runtime_ledger_answer runtime_ledger(const struct runtime *runtime, const char *namespace_, const char *name,
                                          struct buf *lines) {
    if (!runtime_is_leading(runtime))
        return RUNTIME_LEDGER_NOT_YET;
    struct model_job *job = runtime->model ? model_job_find(runtime->model, namespace_, name) : NULL;
    if (job == NULL)
        return runtime->watches && runtime_watches_are_synced(runtime->watches) ? RUNTIME_LEDGER_NO_JOB
                                                                                : RUNTIME_LEDGER_NOT_YET;
    return model_job_ledger(job, wall_ms(loop_wall(runtime->loop)), lines) ? RUNTIME_LEDGER_WRITTEN
                                                                           : RUNTIME_LEDGER_NOT_YET;
}

static void tear_down(struct runtime *r) {
    kube_call_cancel(r->connecting);
    if (r->are_exports_started)
        r->exports->stop(r->exports->context);
    runtime_jobs_free(r->jobs);
    runtime_archive_free(r->archive);
    runtime_records_free(r->records);
    runtime_formats_free(r->formats);
    fleets_free(r->fleets);
    runtime_watches_free(r->watches);
    role_free(r->role);
    if (r->recorder != NULL)
        kube_recorder_free(r->recorder);
    if (r->lease != NULL)
        kube_lease_free(r->lease);
    if (r->model != NULL)
        model_free(r->model);
    if (r->server != NULL)
        server_free(r->server);
    loop_timer_free(r->connect_timer);
    loop_timer_free(r->end_timer);
    if (r->client != NULL)
        kube_client_free(r->client);
    if (r->loop != NULL)
        loop_free(r->loop);
}

/* What is larger is scratch (a list page, a checkpoint, the changes of 12,736 pods): it goes back to the system, where
 * glibc would raise its threshold and keep it. */
#define LARGE_BYTES (256 << 10)

int runtime_run(const struct runtime_flags *flags, const struct runtime_exports *exports) {
    struct runtime r = {.flags = flags, .exports = exports};
    CLEANUP_ERROR struct error *err = NULL;
    mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
    jsonlog_init(flags->verbosity > 0 ? JSONLOG_DEBUG : JSONLOG_INFO);
    make_identity(&r);
    find_lease_namespace(&r);
    int code = 1;
    r.loop = loop_new(&err);
    if (r.loop == NULL || set_up(&r, &err) < 0) {
        complain(error_text(err));
    } else {
        r.started = loop_now(r.loop);
        loop_on_terminate(r.loop, on_terminate, &r);
        try_connect(&r);
        code = loop_run(r.loop);
        if (r.lease != NULL || r.watches != NULL)
            jsonlog(JSONLOG_INFO, "ended", "exit_code", LOG_I(code), NULL);
    }
    tear_down(&r);
    return code;
}
