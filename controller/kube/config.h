/* config: where an API server is and who we are there, as a kubeconfig or the pod's service account says it; read once
 * at the start (config_load.h). The files that it names are read (and read again) by credentials.h. All strings are
 * owned by it. */
#ifndef KUBE_CONFIG_H
#define KUBE_CONFIG_H

#include <stdbool.h>

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
    char *origin; /* "kubeconfig /home/a/.kube/config", "the service account", for messages */
    char *server; /* URL without a slash at the end */
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

#endif
