/* kube_exec_result_parse: what a credential plugin prints. An answer is whole or refused with a sentence on one line.
 */
#include "kube/exec_result.h"
#include "reach.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct kube_exec_result result = {0};
    struct error *err = NULL;
    int r = kube_exec_result_parse((struct slice){(const char *)data, size}, "client.authentication.k8s.io/v1", &result,
                                   &err);
    assert((r < 0) == (err != NULL));
    if (r < 0) {
        REACHED("an answer that is refused");
        assert(err->text[0] != '\0' && strchr(err->text, '\n') == NULL);
        assert(result.token == NULL && result.cert_pem == NULL);
    } else {
        if (result.token != NULL)
            REACHED("a token");
        if (result.cert_pem != NULL)
            REACHED("a certificate");
        assert(result.token != NULL || result.cert_pem != NULL);
        assert((result.cert_pem == NULL) == (result.key_pem == NULL));
    }
    kube_exec_result_done(&result);
    error_free(err);
    return 0;
}
