/* flags: the command line of goodput-controller. Only flags that do something are accepted. */
#ifndef OPERATOR_RUNTIME_FLAGS_H
#define OPERATOR_RUNTIME_FLAGS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct runtime_flags {                /* texts are borrowed from argv */
    const char *kubeconfig, *context; /* NULL: as kubectl finds them */
    bool leader_elect;
    const char *lease_namespace; /* NULL: the pod's own, else goodput-system */
    const char *pod_name;        /* in lease_namespace: its label says who leads; NULL: no label is written */
    bool standby_watches;
    const char *health_bind_address, *metrics_bind_address, *page_bind_address, *shared_page_bind_address;
    bool all_job_series;
    const char *metrics_cert_dir; /* NULL: a certificate made at the start */
    const char *cluster_name;     /* "": not known */
    const char *watch_namespaces; /* "a,b"; "": all */
    bool watches_json;            /* no resource is read in protobuf */
    const char *archive;          /* NULL: no archive is written */
    const char *archive_spool, *archive_endpoint, *archive_region, *archive_ca; /* of a store; NULL: not given */
    int64_t archive_memory_mib;
    const char *log_root;                                                /* NULL: no files are read */
    const char *google_credentials, *cloud_logging_endpoint;             /* NULL: as Google's libraries find them */
    const char *cloud_logging_allow;                                     /* NULL: no namespace reads any */
    const char *ingest_bind_address, *ingest_cert_dir, *ingest_store;    /* the latter two NULL: none */
    const char *cloud_monitoring_project, *cloud_monitoring_location;    /* NULL: nothing is pushed there */
    const char *cloud_monitoring_replica_id, *cloud_monitoring_endpoint; /* the last NULL: Google's */
    bool cloud_monitoring_namespaced;
    int64_t cloud_monitoring_interval_us;
    const char *otlp_endpoint, *otlp_headers,
        *otlp_ca; /* NULL: nothing is pushed there; no headers; the system's CAs */
    int64_t otlp_interval_us;
    const char *ingest_tokens;   /* NULL: none */
    const char *tensorboard_dir; /* NULL: none */
    int64_t tensorboard_interval_us;
    int auto_create;                                      /* enum records_mode */
    const char *auto_create_format, *auto_create_windows; /* of JobGoodputs made so; windows: "3600,86400" */
    const char *node_signals;                             /* NULL: no rows of a site */
    const char *owner_policy;                             /* NULL: the default owners */
    const char *chip_peaks;                               /* NULL: as the table says */
    const char *documentation_url;                        /* NULL: none */
    const char *chip_prices, *currency;                   /* NULL: none; USD */
    int64_t auto_create_ttl_s, auto_create_keep;
    const char *auto_create_namespaces; /* "a,b"; "": all */
    const char *auto_create_labels;     /* "a=b,c=d"; "": any */
    bool install_formats;
    int64_t status_interval_us;
    int64_t status_qps, max_log_follows, max_log_reads, verbosity;
    bool wants_check, wants_help, wants_version;
};

/* Sets the defaults, then what argv says: "--name=value", "--name value", "--switch", "--switch=false". -EINVAL with
 * one line that says which flag and what it expects. */
int runtime_flags_parse(struct runtime_flags *flags, int argc, char *const *argv, struct error **err);
void runtime_flags_help(FILE *out);

#endif
