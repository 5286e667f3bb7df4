#include "kube/config.h"

#include "base/mem.h"

static void free_list(char **list) {
    for (size_t i = 0; list != NULL && list[i] != NULL; i++)
        free(list[i]);
    free(list);
}

static void exec_free(struct kube_exec_config *exec) {
    if (exec == NULL)
        return;
    free(exec->command);
    free_list(exec->arguments);
    free_list(exec->environment);
    free(exec->api_version);
    free(exec->install_hint);
    free(exec->cluster_config_json);
    free(exec);
}

void kube_config_free(struct kube_config *c) {
    if (c == NULL)
        return;
    char *texts[] = {c->origin,  c->server, c->ca_file,    c->ca_pem,   c->cert_file, c->cert_pem,  c->key_file,
                     c->key_pem, c->token,  c->token_file, c->username, c->password,  c->proxy_url, c->tls_server_name};
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        free(texts[i]);
    free_list(c->headers);
    exec_free(c->exec);
    free(c);
}

void kube_config_freep(struct kube_config **config) {
    kube_config_free(*config);
}
