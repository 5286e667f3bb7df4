#include "kube/config_load.h"

#include "base/mem.h"
#include "kube/kubeconfig.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int kube_config_load_in_cluster(const char *directory, const char *host, const char *port,
                                struct kube_config **ret_config, struct error **err) {
    struct kube_config *c __attribute__((cleanup(kube_config_freep))) = mem_new(struct kube_config);
    bool is_ipv6 = strchr(host, ':') != NULL;
    c->origin = mem_format("the service account in %s", directory);
    c->server = mem_format("https://%s%s%s:%s", is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", port);
    c->token_file = mem_format("%s/token", directory);
    c->ca_file = mem_format("%s/ca.crt", directory);
    if (access(c->token_file, R_OK) != 0)
        return error_set(err, errno,
                         "in-cluster: %s cannot be read: %s; the pod needs automountServiceAccountToken: true",
                         c->token_file, strerror(errno));
    *ret_config = c;
    c = NULL;
    return 0;
}

int kube_config_load(const char *kubeconfig, const char *context, struct kube_config **ret_config, struct error **err) {
    if (kubeconfig != NULL && kubeconfig[0] != '\0')
        return kubeconfig_load(kubeconfig, true, context, ret_config, err);
    const char *listed = getenv("KUBECONFIG");
    if (listed != NULL && listed[0] != '\0')
        return kubeconfig_load(listed, false, context, ret_config, err);
    const char *host = getenv("KUBERNETES_SERVICE_HOST"), *port = getenv("KUBERNETES_SERVICE_PORT");
    if (host != NULL && host[0] != '\0' && port != NULL && port[0] != '\0')
        return kube_config_load_in_cluster(KUBE_SERVICE_ACCOUNT_DIRECTORY, host, port, ret_config, err);
    const char *home = getenv("HOME");
    char *path CLEANUP_FREE = mem_format("%s/.kube/config", home != NULL ? home : "");
    if (access(path, F_OK) != 0)
        return error_set(err, ENOENT,
                         "no cluster is configured: --kubeconfig and $KUBECONFIG are not given, this is not a pod, "
                         "and %s does not exist",
                         path);
    return kubeconfig_load(path, true, context, ret_config, err);
}
