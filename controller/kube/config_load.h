/* config_load: which configuration applies: a kubeconfig's, or the one that a pod's service account gives. */
#ifndef KUBE_CONFIG_LOAD_H
#define KUBE_CONFIG_LOAD_H

#include "base/error.h"
#include "kube/config.h"

#define KUBE_SERVICE_ACCOUNT_DIRECTORY "/var/run/secrets/kubernetes.io/serviceaccount"
/* From the environment of a pod. host and port: $KUBERNETES_SERVICE_HOST and _PORT. */
int kube_config_load_in_cluster(const char *directory, const char *host, const char *port,
                                struct kube_config **ret_config, struct error **err);

/* --kubeconfig, else $KUBECONFIG, else in-cluster, else ~/.kube/config. */
int kube_config_load(const char *kubeconfig, const char *context, struct kube_config **ret_config, struct error **err);

#endif
