/* kubeconfig: reads kubeconfig files, merged as client-go does (tools/clientcmd/loader.go): the first file that names a
 * cluster, user or context has all of it. */
#ifndef KUBE_KUBECONFIG_H
#define KUBE_KUBECONFIG_H

#include "base/error.h"
#include "kube/config.h"

/* paths: one path, or several with colons between them, of which some may be missing.
 * is_explicit: a single path that must exist. context: NULL for current-context. */
int kubeconfig_load(const char *paths, bool is_explicit, const char *context, struct kube_config **ret_config,
                    struct error **err);

#endif
