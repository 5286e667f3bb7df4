/* kubeconfig: a file of anything. It gives a configuration that can be used, or one sentence on one line. */
#include "kube/kubeconfig.h"
#include "reach.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct kube_config *c) {
    assert(strncmp(c->server, "http://", 7) == 0 || strncmp(c->server, "https://", 8) == 0);
    assert(c->origin != NULL);
    assert((c->cert_file != NULL || c->cert_pem != NULL) == (c->key_file != NULL || c->key_pem != NULL));
    assert(c->exec == NULL || (c->exec->command != NULL && c->exec->api_version != NULL));
    assert(c->ca_pem == NULL || strstr(c->ca_pem, "-----BEGIN ") != NULL);
    for (char **h = c->headers; h != NULL && *h != NULL; h++)
        assert(strpbrk(*h, "\r\n") == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    int fd = memfd_create("kubeconfig", MFD_CLOEXEC);
    assert(fd >= 0);
    if (write(fd, data, size) != (ssize_t)size) {
        close(fd);
        return 0;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct kube_config *config = NULL;
    struct error *err = NULL;
    int r = kubeconfig_load(path, true, NULL, &config, &err);
    assert((r < 0) == (err != NULL) && (r < 0) == (config == NULL));
    if (r < 0) {
        REACHED("a file that is refused");
        assert(err->text[0] != '\0' && strpbrk(err->text, "\r\n") == NULL);
    } else {
        if (config->exec != NULL)
            REACHED("a credential plugin");
        if (config->ca_pem != NULL)
            REACHED("a certificate authority");
        check(config);
    }
    kube_config_free(config);
    error_free(err);
    close(fd);
    return 0;
}
