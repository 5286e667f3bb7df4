/* config: where an API server is and who we are there, as a kubeconfig or the pod's service account says it; read once
 * at the start. The files that it names are read (and read again) by credentials.h. All strings are owned by it. */
#ifndef KUBE_CONFIG_H
#define KUBE_CONFIG_H

#include "base/error.h"
#include "base/slice.h"

enum kube_interactive { KUBE_INTERACTIVE_IF_AVAILABLE, KUBE_INTERACTIVE_NEVER, KUBE_INTERACTIVE_ALWAYS };

/* users[].user.exec */
struct kube_exec_config {
    char *command;      /* relative paths with a slash already made absolute */
    char **arguments;   /* NULL-terminated, without the command */
    char **environment; /* "NAME=value" */
    char *api_version;
    char *install_hint;
    enum kube_interactive interactive;
    bool wants_cluster_info;
    char *cluster_config_json; /* the cluster's extension for exec plugins, or NULL */
};

struct kube_config {
    char *origin;     /* "kubeconfig /home/a/.kube/config", "the service account", for messages */
    char *server;     /* URL without a slash at the end */
    char *namespace_; /* never NULL */
    char *ca_file, *ca_pem;
    char *cert_file, *cert_pem, *key_file, *key_pem;
    char *token, *token_file;
    char *username, *password;
    char *proxy_url, *tls_server_name;
    bool is_insecure;
    char **headers; /* impersonation, NULL-terminated; or NULL */
    struct kube_exec_config *exec;
};

void kube_config_free(struct kube_config *config);
void kube_config_freep(struct kube_config **config);

/* From kubeconfig files, merged as client-go does (tools/clientcmd/loader.go): the first file that names a cluster,
 * user or context has all of it. paths: one path, or several with colons between them, of which some may be missing.
 * is_explicit: a single path that must exist. context: NULL for current-context. */
int kube_config_load_files(const char *paths, bool is_explicit, const char *context, struct kube_config **ret_config,
                           struct error **err);

#define KUBE_SERVICE_ACCOUNT_DIRECTORY "/var/run/secrets/kubernetes.io/serviceaccount"
/* From the environment of a pod. host and port: $KUBERNETES_SERVICE_HOST and _PORT. */
int kube_config_load_in_cluster(const char *directory, const char *host, const char *port,
                                struct kube_config **ret_config, struct error **err);

/* --kubeconfig, else $KUBECONFIG, else in-cluster, else ~/.kube/config. */
int kube_config_load(const char *kubeconfig, const char *context, struct kube_config **ret_config, struct error **err);

#endif
