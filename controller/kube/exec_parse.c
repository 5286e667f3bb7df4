#include "base/jscan.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "kube/exec.h"

#include <errno.h>
#include <string.h>

enum { VALUE_MAX_BYTES = 256 << 10 };

static void take_text(struct jscan *j, char **ret) {
    char *text CLEANUP_FREE = mem_alloc(VALUE_MAX_BYTES);
    if (!jscan_string(j, text, VALUE_MAX_BYTES) || text[0] == '\0')
        return;
    free(*ret);
    *ret = mem_strdup(text);
}

static void parse_status(struct jscan *j, struct kube_exec_result *ret) {
    struct slice key;
    int64_t expires_ms;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "token"))
            take_text(j, &ret->token);
        else if (slice_is(key, "clientCertificateData"))
            take_text(j, &ret->cert_pem);
        else if (slice_is(key, "clientKeyData"))
            take_text(j, &ret->key_pem);
        else if (slice_is(key, "expirationTimestamp")) {
            if (jscan_time_ms(j, &expires_ms))
                ret->expires_us = expires_ms * 1000;
        } else
            jscan_skip(j);
    }
}

int kube_exec_parse(struct slice output, const char *api_version, struct kube_exec_result *ret, struct error **err) {
    struct kube_exec_result result = {.expires_us = INT64_MAX};
    char kind[64] = "", version[128] = "";
    struct jscan j;
    struct slice key;
    jscan_init(&j, output);
    if (jscan_object(&j))
        while (jscan_key(&j, &key)) {
            if (slice_is(key, "kind"))
                jscan_string(&j, kind, sizeof kind);
            else if (slice_is(key, "apiVersion"))
                jscan_string(&j, version, sizeof version);
            else if (slice_is(key, "status"))
                parse_status(&j, &result);
            else
                jscan_skip(&j);
        }
    int r = 0;
    size_t offset = 0;
    const char *problem = jscan_error(&j, &offset);
    if (slice_trim(output).size_bytes == 0)
        r = error_set(err, EPROTO, "it printed nothing");
    else if (problem != NULL)
        r = error_set(err, EPROTO, "its output is not JSON: %s at byte %zu", problem, offset);
    else if (strcmp(kind, "ExecCredential") != 0)
        r = error_set(err, EPROTO, "it printed kind \"%s\", expected ExecCredential", kind);
    else if (strcmp(version, api_version) != 0)
        r = error_set(err, EPROTO, "it answered in %s, the kubeconfig asks for %s", version, api_version);
    else if (result.token == NULL && result.cert_pem == NULL)
        r = error_set(err, EPROTO, "it gave neither a token nor a client certificate");
    else if ((result.cert_pem == NULL) != (result.key_pem == NULL))
        r = error_set(err, EPROTO, "it gave a client certificate without its key, or a key without a certificate");
    if (r < 0) {
        kube_exec_result_done(&result);
        return r;
    }
    *ret = result;
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
