#include "operator/runtime/flags.h"

#include "base/duration.h"
#include "base/mem.h"
#include "base/slice.h"
#include "formulas/chips.h"
#include "formulas/price.h"
#include "operator/runtime/records.h"
#include "sources/cloud_logging_allow.h"
#include "steplog/shipped.h"
#include "steplog/steplog.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum kind {
    TEXT,
    CLUSTER,
    SWITCH,
    AUTO,
    FORMAT,
    WINDOWS,
    LABELS,
    PEAKS,
    PRICES,
    CURRENCY,
    URL,
    RULES,
    ENCODING,
    NUMBER,
    DURATION,
    CHECK,
    HELP,
    VERSION
};

struct flag {
    const char *name, *value_name;
    enum kind kind;
    size_t offset;
    int64_t min, max; /* NUMBER: the value; DURATION: microseconds */
    const char *help;
};

#define AT(field) offsetof(struct runtime_flags, field)
#define HOUR_US INT64_C(3600000000)

static const struct flag table[] = {
    {"kubeconfig", "FILE", TEXT, AT(kubeconfig), 0, 0,
     "how to reach the cluster; default $KUBECONFIG, then the service account, then ~/.kube/config"},
    {"context", "NAME", TEXT, AT(context), 0, 0, "context of the kubeconfig; default its current one"},
    {"leader-elect", "BOOL", SWITCH, AT(leader_elect), 0, 0,
     "only the holder of the Lease goodput-controller writes; default true"},
    {"lease-namespace", "NAME", TEXT, AT(lease_namespace), 0, 0,
     "where the Lease is; default the pod's own namespace, else goodput-system"},
    {"standby-watches", "BOOL", SWITCH, AT(standby_watches), 0, 0,
     "a replica that waits for the Lease watches too, so that nothing is missed while the leader changes; false spares "
     "the API server these watches; default true"},
    {"pod-name", "NAME", TEXT, AT(pod_name), 0, 0,
     "this pod in the Lease's namespace: its label goodput.dev/role becomes leader or standby, for Services that only "
     "the "
     "leader may serve; default none: no label is written"},
    {"health-bind-address", "ADDRESS", TEXT, AT(health_bind_address), 0, 0,
     "where /healthz and /readyz are served, 0 for nowhere; default :8081"},
    {"metrics-bind-address", "ADDRESS", TEXT, AT(metrics_bind_address), 0, 0,
     "where /metrics is served: with TLS and to those whom the cluster lets get it, such as :8443; in clear on a "
     "loopback address, such as 127.0.0.1:8080; default 0, nowhere"},
    {"all-job-series", "BOOL", SWITCH, AT(all_job_series), 0, 0,
     "/metrics has every number of each job: buckets, causes, owners, windows, costs, forecasts; default false: at "
     "most "
     "12 series a job, which the alerts and dashboards need most"},
    {"metrics-cert-dir", "DIR", TEXT, AT(metrics_cert_dir), 0, 0,
     "where tls.crt and tls.key for metrics (and for a page that is not on a loopback address) are, as a mounted "
     "Secret "
     "has them; read again when they change; default a certificate made at each start"},
    {"page-bind-address", "ADDRESS", TEXT, AT(page_bind_address), 0, 0,
     "where the page is served, for kubectl port-forward, such as 127.0.0.1:8082; on any other address it is served to "
     "everybody who can reach it; default 0, nowhere"},
    {"shared-page-bind-address", "ADDRESS", TEXT, AT(shared_page_bind_address), 0, 0,
     "where the page is served, with TLS, to everybody who signs in with a token of this cluster, such as :8444; each "
     "sees "
     "the JobGoodputs that they may list; default 0, nowhere"},
    {"cluster-name", "NAME", CLUSTER, AT(cluster_name), 0, 0,
     "name of this cluster where several are looked at together: on the page, on each series of /metrics (label "
     "cluster), in OpenTelemetry (k8s.cluster.name), in "
     "Cloud Monitoring (cluster_name) and in a ledger's records; default $CLUSTER_NAME, then none"},
    {"watch-namespaces", "A,B", TEXT, AT(watch_namespaces), 0, 0, "namespaces to work in; default all"},
    {"watch-encoding", "ENCODING", ENCODING, AT(watches_json), 0, 0,
     "how pods, nodes, Jobs and Events are read: protobuf, or json, which costs the API server three to five times the "
     "CPU "
     "time; default protobuf"},
    {"auto-create", "MODE", AUTO, AT(auto_create), 0, 0,
     "make JobGoodputs for jobs of every kind: off, annotated (or labeled goodput.dev/enabled: \"true\") or all "
     "(JobSets, "
     "and Jobs, RayJobs and PyTorchJobs whose pods ask for chips; not those with \"false\"); default off"},
    {"auto-create-format", "FORMAT", FORMAT, AT(auto_create_format), 0, 0,
     "stepLog.format of JobGoodputs made so, unless the job is annotated goodput.dev/log-format; default Auto"},
    {"auto-create-windows", "S,S", WINDOWS, AT(auto_create_windows), 60, 2592000,
     "windowSeconds of JobGoodputs made so, up to four; default 3600,86400"},
    {"auto-create-ttl-seconds", "N", NUMBER, AT(auto_create_ttl_s), 0, 315360000,
     "JobGoodputs made so are deleted so long after their job ended; default 2592000 (30 days)"},
    {"auto-create-namespaces", "A,B", TEXT, AT(auto_create_namespaces), 0, 0,
     "namespaces in which JobGoodputs are made so; default all that are watched"},
    {"auto-create-labels", "K=V,K=V", LABELS, AT(auto_create_labels), 0, 0,
     "labels of jobs for which JobGoodputs are made so, all of them; default none: any job"},
    {"auto-create-keep", "N", NUMBER, AT(auto_create_keep), 0, 1000000,
     "of the JobGoodputs made so, how many finished ones are kept in a namespace, the newest; default 0: all, until "
     "their time is over"},
    {"install-formats", "BOOL", SWITCH, AT(install_formats), 0, 0,
     "make objects of the StepLogFormats that the controller knows, to look at and to copy; those with the "
     "label app.kubernetes.io/managed-by=goodput-controller are written again when it starts to lead; default false"},
    {"node-signals", "FILE", TEXT, AT(node_signals), 0, 0,
     "rows of signals of nodes that come before the built-in ones, as controller/rootcause/node_signals.tsv has them; "
     "default none"},
    {"owner-policy", "FILE", TEXT, AT(owner_policy), 0, 0,
     "rows that name other owners of lost time than the defaults: class, cause or bucket, its name, node pool, queue, "
     "owner, separated by tabs; default none"},
    {"chip-peaks", "CHIP=GFLOPS,...", PEAKS, AT(chip_peaks), 0, 0,
     "peaks of chips in 10^9 FLOP/s instead of the table's, such as \"TPU v5e=197000\""},
    {"chip-prices", "CHIP=PRICE,...", PRICES, AT(chip_prices), 0, 0,
     "what a chip costs per hour, such as \"TPU v5e=1.2,*=2.5\" (* is any other chip), unless the spec or the label "
     "goodput.dev/price-per-chip-hour of its nodes says; default none: then costs are absent"},
    {"currency", "CODE", CURRENCY, AT(currency), 0, 0, "currency of prices whose spec names none; default USD"},
    {"documentation-url", "URL", URL, AT(documentation_url), 0, 0,
     "where the folder deploy/docs can be read, such as https://git.example.com/goodput/blob/main/deploy/docs: links "
     "of status.advice begin with it; default none: they are paths in the source"},
    {"status-interval", "DURATION", DURATION, AT(status_interval_us), 100000, 24 * HOUR_US,
     "how often running totals are written while steps come in; default 15s"},
    {"status-qps", "N", NUMBER, AT(status_qps), 1, 10000,
     "running totals written per second at most, over all jobs; changes of phase, interruptions and ends have a "
     "separate "
     "budget of 1000 writes, which grows back at the same rate; default 20"},
    {"max-log-follows", "N", NUMBER, AT(max_log_follows), 0, 10000,
     "pod logs read at the same time, beyond it in turns; default 100"},
    {"max-log-reads", "N", NUMBER, AT(max_log_reads), 0, 1000,
     "ends of logs of failed containers read at the same time; default 16, 0: none is read"},
    {"archive", "DIR|URL", TEXT, AT(archive), 0, 0,
     "where the spans of each job's ledger are kept for years as JSON lines: a folder of a volume that is mounted "
     "there, or s3://BUCKET/PREFIX or gs://BUCKET/PREFIX with --archive-spool; default none"},
    {"archive-spool", "DIR", TEXT, AT(archive_spool), 0, 0,
     "folder in which objects grow until they are complete, and from which they are moved to --archive's store; on a "
     "volume that outlives the pod nothing is lost with it"},
    {"archive-endpoint", "URL", TEXT, AT(archive_endpoint), 0, 0,
     "where --archive's store answers, such as https://minio.example.com; default $AWS_ENDPOINT_URL_S3, "
     "$AWS_ENDPOINT_URL, then AWS's or Google's own"},
    {"archive-region", "NAME", TEXT, AT(archive_region), 0, 0,
     "region of an S3 bucket; default $AWS_REGION, $AWS_DEFAULT_REGION, then us-east-1"},
    {"archive-ca", "FILE", TEXT, AT(archive_ca), 0, 0,
     "who signed the certificate of --archive's store; default the system's"},
    {"archive-memory", "MIB", NUMBER, AT(archive_memory_mib), 1, 65536,
     "spans that wait for the archive's volume, all together, at most, and as much again of objects that are being "
     "uploaded; default 64"},
    {"log-root", "DIR", TEXT, AT(log_root), 0, 0,
     "below it, in a folder named as the JobGoodput's namespace, are the files of stepLog.source File; default none"},
    {"ingest-bind-address", "ADDRESS", TEXT, AT(ingest_bind_address), 0, 0,
     "where recorders write to as if to Cloud Logging, and trainers push lines, such as :8444 (with TLS); in clear on "
     "a "
     "loopback address; default 0, nowhere"},
    {"ingest-cert-dir", "DIR", TEXT, AT(ingest_cert_dir), 0, 0,
     "where tls.crt and tls.key for it are, for the names by which it is reached (logging.googleapis.com for "
     "recorders)"},
    {"ingest-store", "DIR", TEXT, AT(ingest_store), 0, 0,
     "folder on a volume where what was written to it is kept, and read by stepLog.source Push"},
    {"ingest-tokens", "DIR", TEXT, AT(ingest_tokens), 0, 0,
     "where tokens of single jobs are, as a mounted Secret has them: files named NAMESPACE.JOB, a token a line; read "
     "again as they change; default none, then only ServiceAccounts write"},
    {"tensorboard-dir", "DIR", TEXT, AT(tensorboard_dir), 0, 0,
     "folder on a volume below which each job's scores are written as TensorBoard's event files, in "
     "NAMESPACE/NAME/START; default none"},
    {"tensorboard-interval", "DURATION", DURATION, AT(tensorboard_interval_us), 0, 24 * HOUR_US,
     "a job's points there are so far from each other at least; default 30s"},
    {"google-credentials", "FILE", TEXT, AT(google_credentials), 0, 0,
     "for stepLog.source CloudLogging and for Cloud Monitoring: a service account's key, or what gcloud auth "
     "application-default login wrote; "
     "default $GOOGLE_APPLICATION_CREDENTIALS, then gcloud's file, then the metadata server (Workload Identity)"},
    {"cloud-logging-endpoint", "URL", TEXT, AT(cloud_logging_endpoint), 0, 0,
     "where Cloud Logging is; default https://logging.googleapis.com"},
    {"cloud-logging-allow", "RULE,...", RULES, AT(cloud_logging_allow), 0, 0,
     "which namespaces may have which loggers read by stepLog.source CloudLogging, as NAMESPACE=PROJECT/LOGGER, where "
     "* "
     "may end each part, such as \"research=my-project/goodput_*\"; default none: CloudLogging is not read"},
    {"cloud-monitoring-project", "PROJECT", TEXT, AT(cloud_monitoring_project), 0, 0,
     "push every job's numbers to Cloud Monitoring in this project, with the credentials above; default none"},
    {"cloud-monitoring-location", "LOCATION", TEXT, AT(cloud_monitoring_location), 0, 0,
     "zone or region of the series, such as us-east5-a"},
    {"cloud-monitoring-replica-id", "ID", TEXT, AT(cloud_monitoring_replica_id), 0, 0,
     "replica_id of the series; default 0, as the library's"},
    {"cloud-monitoring-namespaced", "BOOL", SWITCH, AT(cloud_monitoring_namespaced), 0, 0,
     "workload_id is NAMESPACE/NAME: for clusters where two namespaces have jobs of one name; default false: NAME, as "
     "the "
     "library's"},
    {"cloud-monitoring-interval", "DURATION", DURATION, AT(cloud_monitoring_interval_us), 5000000, 24 * HOUR_US,
     "how often points are written, at most; default 30s"},
    {"cloud-monitoring-endpoint", "URL", TEXT, AT(cloud_monitoring_endpoint), 0, 0,
     "where Cloud Monitoring is; default https://monitoring.googleapis.com"},
    {"otlp-endpoint", "URL", TEXT, AT(otlp_endpoint), 0, 0,
     "push metrics and traces to this OpenTelemetry collector by OTLP/HTTP, such as http://collector:4318; default "
     "none"},
    {"otlp-headers", "FILE", TEXT, AT(otlp_headers), 0, 0,
     "headers of these requests, a line each, such as Authorization: Bearer TOKEN; read at the start"},
    {"otlp-ca", "FILE", TEXT, AT(otlp_ca), 0, 0, "who signed the collector's certificate; default the system's"},
    {"otlp-interval", "DURATION", DURATION, AT(otlp_interval_us), 1000000, 24 * HOUR_US,
     "how often metrics are pushed, at most; default 30s"},
    {"v", "N", NUMBER, AT(verbosity), 0, 10, "log verbosity; 1 and more is debug; default 0"},
    {"check", NULL, CHECK, 0, 0, 0,
     "ask the API server once for everything that is watched, say of each whether it can be read, and end; 1 if "
     "JobGoodputs cannot be"},
    {"version", NULL, VERSION, 0, 0, 0, "print the version and end"},
    {"help", NULL, HELP, 0, 0, 0, "print this and end"},
};

static int set_number(const struct flag *flag, const char *value, int64_t *to, struct error **err) {
    struct slice s = slice_of(value);
    int64_t number;
    if (!slice_take_int(&s, &number) || s.size_bytes > 0 || number < flag->min || number > flag->max)
        return error_set(err, EINVAL, "--%s: \"%s\" is not a number from %lld to %lld", flag->name, value,
                         (long long)flag->min, (long long)flag->max);
    *to = number;
    return 0;
}

static int set_duration(const struct flag *flag, const char *value, int64_t *to, struct error **err) {
    int64_t duration_us;
    if (!duration_parse(value, &duration_us) || duration_us < flag->min || duration_us > flag->max)
        return error_set(err, EINVAL, "--%s: \"%s\" is not a duration such as 15s or 1m30s, from %lldms to %lldh",
                         flag->name, value, (long long)flag->min / 1000, (long long)(flag->max / HOUR_US));
    *to = duration_us;
    return 0;
}

static int set_mode(const struct flag *flag, const char *value, int *to, struct error **err) {
    static const char *const modes[] = {
        [RECORDS_OFF] = "off", [RECORDS_ANNOTATED] = "annotated", [RECORDS_ALL] = "all"};
    assert(value != NULL); /* a flag that needs one was refused without */
    for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
        if (strcmp(value, modes[i]) == 0) {
            *to = (int)i;
            return 0;
        }
    return error_set(err, EINVAL, "--%s: \"%s\" is not one of off, annotated, all", flag->name, value);
}

static int set_encoding(const struct flag *flag, const char *value, bool *is_json, struct error **err) {
    *is_json = strcmp(value, "json") == 0;
    if (!*is_json && strcmp(value, "protobuf") != 0)
        return error_set(err, EINVAL, "--%s: \"%s\" is neither protobuf nor json", flag->name, value);
    return 0;
}

static int set_format(const struct flag *flag, const char *value, const char **to, struct error **err) {
    int format = steplog_format_of_name(slice_of(value));
    if ((format < 0 && shipped_find(slice_of(value)) == NULL) || format == STEPLOG_REGEX)
        return error_set(err, EINVAL, "--%s: \"%s\" is not a log format such as Auto or MaxText (Regex needs a spec)",
                         flag->name, value);
    *to = value;
    return 0;
}

/* As the API server will have it: up to four lengths, each once. */
static int set_windows(const struct flag *flag, const char *value, const char **to, struct error **err) {
    struct slice s = slice_of(value);
    int64_t seen[4], number = 0;
    size_t count = 0;
    bool is_fine = true;
    do {
        is_fine = count < ARRAY_SIZE(seen) && slice_take_int(&s, &number) && number >= flag->min && number <= flag->max;
        for (size_t i = 0; i < count && is_fine; i++)
            is_fine = seen[i] != number;
        if (is_fine)
            seen[count++] = number;
    } while (is_fine && slice_take_char(&s, ','));
    if (!is_fine || s.size_bytes > 0)
        return error_set(err, EINVAL, "--%s: \"%s\" is not a list of up to four numbers, each once, from %lld to %lld",
                         flag->name, value, (long long)flag->min, (long long)flag->max);
    *to = value;
    return 0;
}

static int set_labels(const struct flag *flag, const char *value, const char **to, struct error **err) {
    struct slice rest = slice_of(value), label, key;
    bool is_fine = !slice_ends(rest, ",");
    while (is_fine && slice_take_item(&rest, ',', &label))
        is_fine = slice_take_until(&label, '=', &key) && key.size_bytes > 0 && !slice_contains(label, "=");
    if (!is_fine)
        return error_set(err, EINVAL, "--%s: \"%s\" is not a list of labels, such as team=a,tier=gold", flag->name,
                         value);
    *to = value;
    return 0;
}

static int set_peaks(const struct flag *flag, const char *value, const char **to, struct error **err) {
    int r = chip_overrides_check(value, err);
    if (r < 0)
        return error_wrap(err, -r, "--%s", flag->name);
    *to = value;
    return 0;
}

static int set_prices(const struct flag *flag, const char *value, const char **to, struct error **err) {
    int r = price_list_check(value, err);
    if (r < 0)
        return error_wrap(err, -r, "--%s", flag->name);
    *to = value;
    return 0;
}

/* What names of clusters are made of at GKE ("europe-west4_prod"), EKS (also ARNs) and kubeadm. */
static int set_cluster(const char *source, const char *value, const char **to, struct error **err) {
    static const char allowed[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._:/-";
    if (strlen(value) > 253 || value[strspn(value, allowed)] != '\0')
        return error_set(err, EINVAL,
                         "%s: \"%s\" is not a name of a cluster: at most 253 letters, digits and any of . _ : / -",
                         source, value);
    *to = value;
    return 0;
}

/* At most so long that the longest topic still fits into status.advice[].topic. */
static int set_url(const struct flag *flag, const char *value, void *to, struct error **err) {
    struct slice rest = slice_of(value);
    bool is_url = slice_take_prefix(&rest, "https://") || slice_take_prefix(&rest, "http://");
    for (size_t i = 0; i < rest.size_bytes; i++)
        is_url = is_url && rest.data[i] > ' ' && rest.data[i] < 0x7f && strchr("\"<>\\^`{|}#", rest.data[i]) == NULL;
    if (!is_url || rest.size_bytes == 0 || strlen(value) > 384)
        return error_set(err, EINVAL, "--%s: \"%s\" is not the URL of a folder: https://HOST/PATH, at most 384 bytes",
                         flag->name, value);
    *(const char **)to = value;
    return 0;
}

static int set_rules(const struct flag *flag, const char *value, const char **to, struct error **err) {
    int r = cloud_logging_allow_check(value, err);
    if (r < 0)
        return error_wrap(err, -r, "--%s", flag->name);
    *to = value;
    return 0;
}

static int set_currency(const struct flag *flag, const char *value, const char **to, struct error **err) {
    if (!price_is_currency(slice_of(value)))
        return error_set(err, EINVAL, "--%s: \"%s\" is not a code of three capital letters, such as USD", flag->name,
                         value);
    *to = value;
    return 0;
}

static int set(struct runtime_flags *flags, const struct flag *flag, const char *value, struct error **err) {
    void *to = (char *)flags + flag->offset;
    switch (flag->kind) {
    case TEXT:
        *(const char **)to = value;
        return 0;
    case CLUSTER:
        return set_cluster("--cluster-name", value, to, err);
    case SWITCH:
        if (value != NULL && strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
            return error_set(err, EINVAL, "--%s: \"%s\" is neither true nor false", flag->name, value);
        *(bool *)to = value == NULL || strcmp(value, "true") == 0;
        return 0;
    case AUTO:
        return set_mode(flag, value, to, err);
    case FORMAT:
        return set_format(flag, value, to, err);
    case LABELS:
        return set_labels(flag, value, to, err);
    case WINDOWS:
        return set_windows(flag, value, to, err);
    case PEAKS:
        return set_peaks(flag, value, to, err);
    case PRICES:
        return set_prices(flag, value, to, err);
    case CURRENCY:
        return set_currency(flag, value, to, err);
    case RULES:
        return set_rules(flag, value, to, err);
    case URL:
        return set_url(flag, value, to, err);
    case ENCODING:
        return set_encoding(flag, value, to, err);
    case NUMBER:
        return set_number(flag, value, to, err);
    case DURATION:
        return set_duration(flag, value, to, err);
    case CHECK:
        flags->wants_check = true;
        return 0;
    case HELP:
        flags->wants_help = true;
        return 0;
    case VERSION:
        flags->wants_version = true;
        return 0;
    }
    return 0;
}

static const struct flag *find(struct slice name) {
    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        if (slice_is(name, table[i].name))
            return &table[i];
    return NULL;
}

int runtime_flags_parse(struct runtime_flags *flags, int argc, char *const *argv, struct error **err) {
    *flags = (struct runtime_flags){.leader_elect = true,
                                    .standby_watches = true,
                                    .health_bind_address = ":8081",
                                    .metrics_bind_address = "0",
                                    .page_bind_address = "0",
                                    .shared_page_bind_address = "0",
                                    .ingest_bind_address = "0",
                                    .cluster_name = "",
                                    .watch_namespaces = "",
                                    .auto_create_format = "Auto",
                                    .auto_create_namespaces = "",
                                    .auto_create_labels = "",
                                    .auto_create_windows = "3600,86400",
                                    .auto_create_ttl_s = 2592000,
                                    .status_interval_us = 15000000,
                                    .tensorboard_interval_us = 30000000,
                                    .status_qps = 20,
                                    .cloud_monitoring_replica_id = "0",
                                    .cloud_monitoring_interval_us = 30000000,
                                    .otlp_interval_us = 30000000,
                                    .archive_memory_mib = 64,
                                    .max_log_follows = 100,
                                    .max_log_reads = 16};
    const char *cluster = getenv("CLUSTER_NAME");
    if (cluster != NULL && set_cluster("$CLUSTER_NAME", cluster, &flags->cluster_name, err) < 0)
        return -EINVAL;
    for (int i = 1; i < argc; i++) {
        struct slice name = slice_of(argv[i]);
        if (!slice_take_prefix(&name, "--"))
            return error_set(err, EINVAL, "unexpected argument \"%s\"; --help lists the flags", argv[i]);
        const char *equals = slice_find_char(name, '=');
        const char *value = equals ? equals + 1 : NULL;
        if (equals)
            name = slice_range(name.data, equals);
        const struct flag *flag = find(name);
        if (flag == NULL)
            return error_set(err, EINVAL, "unknown flag \"--%.*s\"; --help lists the flags", SLICE_ARG(name));
        if (value == NULL && flag->value_name != NULL && flag->kind != SWITCH) {
            if (++i == argc)
                return error_set(err, EINVAL, "--%s needs a value (%s)", flag->name, flag->value_name);
            value = argv[i];
        }
        if (value != NULL && flag->value_name == NULL)
            return error_set(err, EINVAL, "--%s takes no value", flag->name);
        int r = set(flags, flag, value, err);
        if (r < 0)
            return r;
    }
    return 0;
}

void runtime_flags_help(FILE *out) {
    fputs(
        "goodput-controller: says where the accelerator time of training jobs goes (JobGoodput, JobSet, Job, Kueue)\n\n"
        "usage: goodput-controller [flags]\n\n",
        out);
    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        const char *value_name = table[i].value_name;
        fprintf(out, "  --%s%s%s\n      %s\n", table[i].name, value_name ? " " : "", value_name ? value_name : "",
                table[i].help);
    }
}
