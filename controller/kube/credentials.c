#include "kube/credentials.h"

#include "base/base64.h"
#include "base/file.h"
#include "base/jsonlog.h"
#include "base/mem.h"
#include "kube/exec.h"

#include <errno.h>
#include <string.h>

enum { TOKEN_MAX_BYTES = 256 << 10, PEM_MAX_BYTES = 1 << 20 };
#define REREAD_US INT64_C(60000000)
#define EXPIRY_LEEWAY_US INT64_C(10000000)
#define REJECT_PAUSE_US INT64_C(1000000) /* a plugin whose answers are refused is not run in a tight loop */

struct kube_credentials {
    struct loop *loop;
    const struct kube_config *config;
    struct http_transport transport; /* points into the texts below */
    char *ca_pem, *cert_pem, *key_pem, *authorization;
    int64_t read_us; /* monotonic; INT64_MIN: never */
    int generation;
    struct kube_exec *running;
    struct kube_exec_result given; /* by the plugin */
    bool has_given;
    int64_t last_run_us;
    struct kube_credentials_waiter *waiters;
};

static void set_transport(struct kube_credentials *c) {
    const struct kube_config *f = c->config;
    const char *cert = c->given.cert_pem != NULL ? c->given.cert_pem : c->cert_pem;
    const char *key = c->given.key_pem != NULL ? c->given.key_pem : c->key_pem;
    c->transport = (struct http_transport){.ca_pem = slice_of(c->ca_pem),
                                           .client_cert_pem = slice_of(cert),
                                           .client_key_pem = slice_of(key),
                                           .proxy_url = f->proxy_url,
                                           .tls_server_name = f->tls_server_name,
                                           .is_insecure = f->is_insecure};
}

/* The header of a token. Blanks around it are dropped; one inside it is an error, since a newline would end the header
 * and a request without the header is anonymous. */
static int bearer(struct slice token, const char *origin, char **ret, struct error **err) {
    token = slice_trim(token);
    bool is_word = token.size_bytes > 0;
    for (size_t i = 0; i < token.size_bytes; i++)
        is_word &= (unsigned char)token.data[i] > ' ' && token.data[i] != 0x7f;
    if (!is_word)
        return error_set(err, EINVAL, "%s holds no token (one word is expected)", origin);
    *ret = mem_format("Authorization: Bearer %.*s", SLICE_ARG(token));
    return 0;
}

static int read_token(struct kube_credentials *c, char **ret, struct error **err) {
    const struct kube_config *f = c->config;
    char *text CLEANUP_FREE = NULL;
    if (f->token_file == NULL && f->token == NULL)
        return 0;
    int r = 0;
    if (f->token_file != NULL)
        r = file_read(f->token_file, TOKEN_MAX_BYTES, &text, err);
    else
        text = mem_strdup(f->token);
    if (r < 0)
        return r;
    r = bearer(slice_of(text), f->token_file != NULL ? f->token_file : "token", ret, err);
    explicit_bzero(text, strlen(text));
    return r;
}

static int make_authorization(struct kube_credentials *c, struct error **err) {
    char *made = NULL;
    const struct kube_config *f = c->config;
    int r = read_token(c, &made, err);
    if (r < 0)
        return r;
    if (c->given.token != NULL) {
        free(made);
        made = NULL;
        r = bearer(slice_of(c->given.token), "the answer of the credential plugin", &made, err);
        if (r < 0)
            return r;
    }
    if (made == NULL && f->username != NULL) {
        char *both CLEANUP_FREE = mem_format("%s:%s", f->username, f->password != NULL ? f->password : "");
        char *coded CLEANUP_FREE = base64_encode(slice_of(both));
        made = mem_format("Authorization: Basic %s", coded);
    }
    free(c->authorization);
    c->authorization = made;
    return 0;
}

static int read_pem(const char *data, const char *path, char **to, struct error **err) {
    char *text = NULL;
    if (data == NULL && path == NULL)
        return 0;
    if (data != NULL)
        text = mem_strdup(data);
    else {
        int r = file_read(path, PEM_MAX_BYTES, &text, err);
        if (r == 0 && strstr(text, "-----BEGIN ") == NULL)
            r = error_set(err, EINVAL, "%s holds no PEM block (\"-----BEGIN ...\")", path);
        if (r < 0) {
            free(text);
            return r;
        }
    }
    free(*to);
    *to = text;
    return 0;
}

/* A file that cannot be read keeps what it said before: it may be in the middle of its rotation. */
static int read_files(struct kube_credentials *c, struct error **err) {
    const struct kube_config *f = c->config;
    int r = read_pem(f->ca_pem, f->ca_file, &c->ca_pem, err);
    if (r == 0)
        r = read_pem(f->cert_pem, f->cert_file, &c->cert_pem, err);
    if (r == 0)
        r = read_pem(f->key_pem, f->key_file, &c->key_pem, err);
    if (r == 0)
        r = make_authorization(c, err);
    set_transport(c);
    c->generation++;
    if (r < 0)
        error_wrap(err, -r, "%s", f->origin);
    return r;
}

/* One at a time from the list: a callback may take others off it. */
static void wake(struct kube_credentials *c, const struct error *err) {
    while (c->waiters != NULL && c->running == NULL) {
        struct kube_credentials_waiter *w = c->waiters;
        c->waiters = w->next;
        w->next = NULL;
        w->ready(w->context, err);
    }
}

static void plugin_done(void *context, struct kube_exec_result *result, const struct error *err) {
    struct kube_credentials *c = context;
    c->running = NULL;
    c->last_run_us = loop_now(c->loop).us;
    struct error *failure CLEANUP_ERROR = NULL;
    if (result != NULL) {
        kube_exec_result_done(&c->given);
        c->given = *result;
        *result = (struct kube_exec_result){0};
        c->has_given = true;
        read_files(c, &failure);
    }
    wake(c, err != NULL ? err : failure);
}

static bool wants_plugin(const struct kube_credentials *c) {
    return c->config->exec != NULL &&
           (!c->has_given || c->given.expires_us - EXPIRY_LEEWAY_US <= loop_wall(c->loop).us);
}

int kube_credentials_get(struct kube_credentials *c, struct error **err) {
    int64_t now_us = loop_now(c->loop).us;
    if (c->running != NULL)
        return -EINPROGRESS;
    if (wants_plugin(c)) {
        c->running = kube_exec_start(c->loop, c->config, 0, plugin_done, c);
        return -EINPROGRESS;
    }
    if (c->read_us != INT64_MIN && now_us - c->read_us < REREAD_US)
        return 0;
    bool is_first = c->read_us == INT64_MIN;
    struct error *failure CLEANUP_ERROR = NULL;
    int r = read_files(c, &failure);
    c->read_us = now_us;
    if (r == 0)
        return 0;
    if (!is_first) {
        jsonlog(JSONLOG_WARNING, "credentials were not read again; the earlier ones stay", "error",
                LOG_S(error_text(failure)), NULL);
        return 0;
    }
    c->read_us = INT64_MIN;
    return error_set(err, -r, "%s", failure->text);
}

void kube_credentials_wait(struct kube_credentials *c, struct kube_credentials_waiter *waiter) {
    struct kube_credentials_waiter **end = &c->waiters;
    while (*end != NULL)
        end = &(*end)->next;
    waiter->next = NULL;
    *end = waiter;
}

void kube_credentials_wait_cancel(struct kube_credentials *c, struct kube_credentials_waiter *waiter) {
    MEM_UNLINK(c->waiters, waiter);
}

const struct http_transport *kube_credentials_transport(const struct kube_credentials *c) {
    return &c->transport;
}

const char *kube_credentials_authorization(const struct kube_credentials *c) {
    return c->authorization;
}

int kube_credentials_generation(const struct kube_credentials *c) {
    return c->generation;
}

void kube_credentials_reject(struct kube_credentials *c, int generation) {
    if (generation != c->generation || c->running != NULL)
        return;
    int64_t now_us = loop_now(c->loop).us;
    if (c->read_us != INT64_MIN)
        c->read_us = now_us - REREAD_US;
    if (c->has_given && now_us - c->last_run_us > REJECT_PAUSE_US)
        c->has_given = false;
}

struct kube_credentials *kube_credentials_new(struct loop *loop, const struct kube_config *config, struct error **err) {
    struct kube_credentials *c = mem_new(struct kube_credentials);
    *c = (struct kube_credentials){.loop = loop, .config = config, .read_us = INT64_MIN};
    if (read_files(c, err) < 0) {
        kube_credentials_free(c);
        return NULL;
    }
    c->read_us = loop_now(loop).us;
    return c;
}

void kube_credentials_free(struct kube_credentials *c) {
    if (c == NULL)
        return;
    kube_exec_cancel(c->running);
    kube_exec_result_done(&c->given);
    free(c->ca_pem);
    free(c->cert_pem);
    free(c->key_pem);
    free(c->authorization);
    free(c);
}
