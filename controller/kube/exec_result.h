/* exec_result: what a credential plugin printed (an ExecCredential). Strings are owned. */
#ifndef KUBE_EXEC_RESULT_H
#define KUBE_EXEC_RESULT_H

#include "base/error.h"
#include "base/slice.h"

struct kube_exec_result {
    char *token, *cert_pem, *key_pem; /* NULL where the plugin gave none; moved out by setting them to NULL */
    int64_t expires_us;               /* wall clock; INT64_MAX: it gave none */
};

int kube_exec_result_parse(struct slice output, const char *api_version, struct kube_exec_result *ret,
                           struct error **err);
void kube_exec_result_done(struct kube_exec_result *result);

#endif
