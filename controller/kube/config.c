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

static int base64_value(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

char *kube_base64_decode(struct slice text, size_t *ret_size_bytes) {
    char *out CLEANUP_FREE = mem_alloc(text.size_bytes / 4 * 3 + 4);
    size_t size = 0, digits = 0, padding = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < text.size_bytes; i++) {
        char c = text.data[i];
        if (c == '\n' || c == '\r' || c == ' ' || c == '\t')
            continue;
        int value = base64_value(c);
        if (c == '=')
            padding++;
        else if (value < 0 || padding > 0)
            return NULL;
        bits = bits << 6 | (unsigned)(value < 0 ? 0 : value);
        if (++digits % 4 == 0) {
            out[size++] = (char)(bits >> 16 & 0xff);
            out[size++] = (char)(bits >> 8 & 0xff);
            out[size++] = (char)(bits & 0xff);
        }
    }
    if (digits % 4 != 0 || padding > 2)
        return NULL;
    size -= padding;
    out[size] = '\0';
    if (ret_size_bytes != NULL)
        *ret_size_bytes = size;
    char *result = out;
    out = NULL;
    return result;
}

char *kube_base64_encode(struct slice bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = mem_alloc((bytes.size_bytes + 2) / 3 * 4 + 1);
    size_t n = 0;
    for (size_t i = 0; i < bytes.size_bytes; i += 3) {
        size_t left = bytes.size_bytes - i;
        unsigned a = (unsigned char)bytes.data[i];
        unsigned b = left > 1 ? (unsigned char)bytes.data[i + 1] : 0;
        unsigned c = left > 2 ? (unsigned char)bytes.data[i + 2] : 0;
        unsigned bits = a << 16 | b << 8 | c;
        out[n++] = digits[bits >> 18];
        out[n++] = digits[bits >> 12 & 63];
        out[n++] = left > 1 ? digits[bits >> 6 & 63] : '=';
        out[n++] = left > 2 ? digits[bits & 63] : '=';
    }
    return out;
}
