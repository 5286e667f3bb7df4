/* exec: runs a credential plugin (users[].user.exec, such as gke-gcloud-auth-plugin) off the loop. The only place that
 * starts processes.
 * Source: client.authentication.k8s.io/v1 and v1beta1; client-go plugin/pkg/client/auth/exec. */
#ifndef KUBE_EXEC_H
#define KUBE_EXEC_H

#include "io/loop.h"
#include "kube/config.h"
#include "kube/exec_result.h"

struct kube_exec;

/* Exactly once, never from within kube_exec_start; the kube_exec is freed afterwards. result is NULL if err is not. */
typedef void kube_exec_done(void *context, struct kube_exec_result *result, const struct error *err);

/* config is borrowed for as long as it runs. timeout_us: 0 is one minute (five if a person may be asked). */
struct kube_exec *kube_exec_start(struct loop *loop, const struct kube_config *config, int64_t timeout_us,
                                  kube_exec_done *done, void *context);
void kube_exec_cancel(struct kube_exec *exec); /* kills the plugin; no callback follows; NULL-safe */

#endif
