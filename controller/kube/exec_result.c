#include "kube/exec_result.h"

#include "base/jmembers.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>

enum { VALUE_MAX_BYTES = 256 << 10 };

static void take_text(struct jscan *j, void *to) {
    char *text CLEANUP_FREE = mem_alloc(VALUE_MAX_BYTES), **ret = to;
    if (!jscan_string(j, text, VALUE_MAX_BYTES) || text[0] == '\0')
        return;
    free(*ret);
    *ret = mem_strdup(text);
}

static void take_time(struct jscan *j, void *us) {
    int64_t ms;
    if (jscan_time_ms(j, &ms))
        *(int64_t *)us = ms * 1000;
}

struct answer {
    char kind[64], version[128];
    struct kube_exec_result result;
};

int kube_exec_result_parse(struct slice output, const char *api_version, struct kube_exec_result *ret,
                           struct error **err) {
    typedef struct answer answer;
    static const struct jmember status[] = {JMEMBER_FIELD(answer, result.token, "token", take_text),
                                            JMEMBER_FIELD(answer, result.cert_pem, "clientCertificateData", take_text),
                                            JMEMBER_FIELD(answer, result.key_pem, "clientKeyData", take_text),
                                            JMEMBER_FIELD(answer, result.expires_us, "expirationTimestamp", take_time)};
    static const struct jmember rows[] = {JMEMBER(answer, kind, "kind"), JMEMBER(answer, version, "apiVersion"),
                                          JMEMBER_OBJECT("status", status)};
    struct answer a = {.result = {.expires_us = INT64_MAX}};
    struct jscan j;
    jscan_init(&j, output);
    jmembers_read(&j, JMEMBERS(rows), &a);
    int r = 0;
    size_t offset = 0;
    const char *problem = jscan_error(&j, &offset);
    if (slice_trim(output).size_bytes == 0)
        r = error_set(err, EPROTO, "it printed nothing");
    else if (problem != NULL)
        r = error_set(err, EPROTO, "its output is not JSON: %s at byte %zu", problem, offset);
    else if (strcmp(a.kind, "ExecCredential") != 0)
        r = error_set(err, EPROTO, "it printed kind \"%s\", expected ExecCredential", a.kind);
    else if (strcmp(a.version, api_version) != 0)
        r = error_set(err, EPROTO, "it answered in %s, the kubeconfig asks for %s", a.version, api_version);
    else if (a.result.token == NULL && a.result.cert_pem == NULL)
        r = error_set(err, EPROTO, "it gave neither a token nor a client certificate");
    else if ((a.result.cert_pem == NULL) != (a.result.key_pem == NULL))
        r = error_set(err, EPROTO, "it gave a client certificate without its key, or a key without a certificate");
    if (r < 0) {
        kube_exec_result_done(&a.result);
        return r;
    }
    *ret = a.result;
    return 0;
}

void kube_exec_result_done(struct kube_exec_result *result) {
    char *secrets[] = {result->token, result->key_pem};
    for (size_t i = 0; i < ARRAY_SIZE(secrets); i++)
        if (secrets[i] != NULL)
            explicit_bzero(secrets[i], strlen(secrets[i]));
    free(result->token);
    free(result->cert_pem);
    free(result->key_pem);
    *result = (struct kube_exec_result){0};
}
