#include "kube/config.h"

#include "base/buf.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    char *texts[] = {c->origin,     c->server,   c->namespace_, c->ca_file,   c->ca_pem,
                     c->cert_file,  c->cert_pem, c->key_file,   c->key_pem,   c->token,
                     c->token_file, c->username, c->password,   c->proxy_url, c->tls_server_name};
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        free(texts[i]);
    free_list(c->headers);
    exec_free(c->exec);
    free(c);
}

void kube_config_freep(struct kube_config **config) {
    kube_config_free(*config);
}

static int read_all(int fd, const char *path, size_t max_bytes, struct buf *out, struct error **err) {
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
        return error_set(err, EISDIR, "%s is a directory", path);
    char part[8192];
    ssize_t n;
    while ((n = read(fd, part, sizeof part)) > 0)
        if (buf_append(out, part, (size_t)n) < 0)
            return error_set(err, EFBIG, "%s is larger than %zu bytes", path, max_bytes);
    return n == 0 ? 0 : error_set(err, errno, "%s cannot be read: %s", path, strerror(errno));
}

int kube_read_file(const char *path, size_t max_bytes, char **ret_text, struct error **err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_set(err, errno, "%s cannot be opened: %s", path, strerror(errno));
    struct buf text CLEANUP_BUF = {0};
    buf_init(&text, max_bytes);
    int r = read_all(fd, path, max_bytes, &text, err);
    close(fd);
    if (r == 0)
        *ret_text = buf_take(&text);
    return r;
}
