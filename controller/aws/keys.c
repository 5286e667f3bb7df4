#include "aws/keys.h"

#include "aws/xml.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/urlencode.h"
#include "io/http_call.h"

#include <errno.h>
#include <string.h>

#define MAX_FILE ((size_t)64 << 10)
#define MAX_REPLY ((size_t)64 << 10)
#define TIMEOUT_US INT64_C(15000000)
#define SPARE_MS INT64_C(300000) /* renewed so long before they expire */

struct aws_keys {
    struct loop *loop;
    struct http_client *http;
    char *region, *ca_file;
    struct aws_credentials credentials;
    bool is_known, is_container;
    struct http_call *call;
    struct aws_keys_waiter *waiters;
};

struct aws_keys *aws_keys_new(struct loop *loop, struct http_client *http, const char *region, const char *ca_file) {
    struct aws_keys *k = mem_new(struct aws_keys);
    *k = (struct aws_keys){.loop = loop, .http = http, .region = mem_strdup(region), .ca_file = mem_strdup(ca_file)};
    return k;
}

void aws_keys_free(struct aws_keys *k) {
    if (k == NULL)
        return;
    http_call_cancel(k->call);
    free(k->region);
    free(k->ca_file);
    free(k);
}

static void notify_all(struct aws_keys *k, const struct error *err) {
    struct aws_keys_waiter *w;
    k->is_known = err == NULL;
    while ((w = k->waiters) != NULL) {
        k->waiters = w->next;
        w->done(w->context, err == NULL ? &k->credentials : NULL, err);
    }
}

/* The variable's value; NULL if it is not set or empty. */
static const char *setting(const char *variable) {
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static int read_trimmed(const char *path, char **ret, struct error **err) {
    CLEANUP_FREE char *text = NULL;
    if (file_read(path, MAX_FILE, &text, err) < 0)
        return -EINVAL;
    *ret = slice_dup(slice_trim(slice_of(text)));
    return 0;
}

/* ---- over the network ---- */

static void on_reply(void *context, const struct http_reply *reply, struct slice body, const struct error *err) {
    struct aws_keys *k = context;
    CLEANUP_ERROR struct error *mine = NULL;
    char code[128], message[512];
    k->call = NULL;
    if (err != NULL)
        error_set(&mine, EIO, "no AWS credentials: %s", error_text(err));
    else if (reply->status != 200 && xml_text(body, "Code", code, sizeof code)) {
        xml_text(body, "Message", message, sizeof message);
        error_set(&mine, EACCES, "no AWS credentials: the token service answers %s: %s", code, message);
    } else if (reply->status != 200)
        error_set(&mine, EACCES, "no AWS credentials: HTTP status %d", reply->status);
    else if (k->is_container)
        aws_credentials_of_container(body, &k->credentials, &mine);
    else
        aws_credentials_of_sts(body, &k->credentials, &mine);
    notify_all(k, mine);
}

static int ask_sts(struct aws_keys *k, const char *token_file, const char *role, struct error **err) {
    static const char *const headers[] = {"Content-Type: application/x-www-form-urlencoded", NULL};
    const char *session = setting("AWS_ROLE_SESSION_NAME"), *endpoint = setting("AWS_ENDPOINT_URL_STS");
    CLEANUP_FREE char *token = NULL;
    CLEANUP_BUF struct buf form;
    buf_init(&form, MAX_FILE * 4);
    if (read_trimmed(token_file, &token, err) < 0)
        return -EINVAL;
    CLEANUP_FREE char *url = endpoint != NULL ? mem_strdup(endpoint)
                                              : mem_format("https://sts.%s.amazonaws.com%s/", k->region,
                                                           slice_starts(slice_of(k->region), "cn-") ? ".cn" : "");
    buf_append_text(&form, "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=");
    urlencode(&form, role, "");
    buf_append_text(&form, "&RoleSessionName=");
    urlencode(&form, session != NULL ? session : "goodput-controller", "");
    buf_append_text(&form, "&WebIdentityToken=");
    urlencode(&form, token, "");
    const struct http_call_request request = {.method = "POST",
                                              .url = url,
                                              .headers = headers,
                                              .body = buf_slice(&form),
                                              .ca_file = k->ca_file,
                                              .max_bytes = MAX_REPLY,
                                              .timeout_us = TIMEOUT_US};
    k->is_container = false;
    k->call = http_call_start(k->http, &request, on_reply, k);
    return 0;
}

/* Keys in clear only from this machine, or from the addresses of EKS and ECS. */
static bool is_safe_url(const char *url) {
    static const char *const prefixes[] = {"https://",
                                           "http://127.0.0.1:",
                                           "http://[::1]:",
                                           "http://localhost:",
                                           "http://169.254.170.2/",
                                           "http://169.254.170.23/",
                                           "http://[fd00:ec2::23]/"};
    for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
        if (slice_starts(slice_of(url), prefixes[i]))
            return true;
    return false;
}

static int ask_container(struct aws_keys *k, const char *url, struct error **err) {
    const char *file = setting("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"),
               *given = setting("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    CLEANUP_FREE char *token = mem_strdup(given != NULL ? given : "");
    if (!is_safe_url(url))
        return error_set(err, EINVAL, "AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor of this machine");
    if (file != NULL) {
        free(token);
        token = NULL;
        if (read_trimmed(file, &token, err) < 0)
            return -EINVAL;
    }
    CLEANUP_FREE char *authorization = mem_format("Authorization: %s", token);
    const char *const headers[] = {token[0] != '\0' ? authorization : NULL, NULL};
    const struct http_call_request request = {
        .method = "GET", .url = url, .headers = headers, .max_bytes = MAX_REPLY, .timeout_us = TIMEOUT_US};
    k->is_container = true;
    k->call = http_call_start(k->http, &request, on_reply, k);
    return 0;
}

/* ---- from here ---- */

static int read_file(struct aws_keys *k, struct error **err) {
    const char *named = setting("AWS_SHARED_CREDENTIALS_FILE"), *home = setting("HOME"),
               *profile = setting("AWS_PROFILE");
    CLEANUP_FREE char *path = named != NULL ? mem_strdup(named) : mem_format("%s/.aws/credentials", home ? home : "");
    CLEANUP_FREE char *text = NULL;
    if (file_read(path, MAX_FILE, &text, err) < 0)
        return named != NULL
                   ? -EINVAL
                   : error_wrap(err, EINVAL,
                                "no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give "
                                "the service account a role (IRSA or Pod Identity)");
    int r = aws_credentials_of_file(slice_of(text), profile != NULL ? profile : "default", &k->credentials, err);
    return r < 0 ? error_wrap(err, EINVAL, "%s", path) : 0;
}

static int start(struct aws_keys *k, struct error **err) {
    const char *token_file = setting("AWS_WEB_IDENTITY_TOKEN_FILE"), *role = setting("AWS_ROLE_ARN"),
               *container = setting("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    if (setting("AWS_ACCESS_KEY_ID") != NULL)
        return aws_credentials_of_environment(&k->credentials, err);
    if (token_file != NULL && role != NULL)
        return ask_sts(k, token_file, role, err);
    return container != NULL ? ask_container(k, container, err) : read_file(k, err);
}

void aws_keys_get(struct aws_keys *k, struct aws_keys_waiter *waiter) {
    CLEANUP_ERROR struct error *err = NULL;
    int64_t now_ms = wall_ms(loop_wall(k->loop));
    if (k->is_known && k->call == NULL && (k->credentials.expires_ms - SPARE_MS > now_ms)) {
        waiter->done(waiter->context, &k->credentials, NULL);
        return;
    }
    waiter->next = k->waiters;
    k->waiters = waiter;
    if (k->call != NULL)
        return;
    start(k, &err);
    if (k->call == NULL)
        notify_all(k, err);
}

void aws_keys_forget(struct aws_keys *k, struct aws_keys_waiter *waiter) {
    MEM_UNLINK(k->waiters, waiter);
}

void aws_keys_refused(struct aws_keys *k) {
    k->is_known = false;
}
