#include "gcp/credentials.h"

#include "base/base64.h"
#include "base/jscan.h"
#include "base/mem.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCOPE "https://www.googleapis.com/auth/logging.read https://www.googleapis.com/auth/monitoring.write"
#define TOKEN_URI "https://oauth2.googleapis.com/token"
#define METADATA "metadata.google.internal"
#define HOLDS_S 3600
#define MAX_TEXT 16384

void gcp_credentials_done(struct gcp_credentials *c) {
    free(c->client_email);
    free(c->private_key);
    free(c->token_uri);
    free(c->client_id);
    free(c->client_secret);
    free(c->refresh_token);
    free(c->metadata_url);
    *c = (struct gcp_credentials){0};
}

static void take_text(struct jscan *j, char **text) {
    CLEANUP_FREE char *decoded = mem_alloc(MAX_TEXT);
    if (jscan_string(j, decoded, MAX_TEXT)) {
        free(*text);
        *text = mem_strdup(decoded);
    }
}

static int missing(const char *name, struct error **err) {
    return error_set(err, EINVAL, "the credentials have no %s", name);
}

/* A key must not go to whoever can write the file in clear, but over the machine's own loopback. */
static bool is_safe_url(const char *url) {
    struct slice s = slice_of(url);
    return slice_starts(s, "https://") || slice_starts(s, "http://127.0.0.1:") || slice_starts(s, "http://[::1]:");
}

static int check(const struct gcp_credentials *c, const char *type, struct error **err) {
    if (c->kind == GCP_SERVICE_ACCOUNT && c->client_email == NULL)
        return missing("client_email", err);
    if (c->kind == GCP_SERVICE_ACCOUNT && c->private_key == NULL)
        return missing("private_key", err);
    if (c->kind == GCP_AUTHORIZED_USER && c->client_id == NULL)
        return missing("client_id", err);
    if (c->kind == GCP_AUTHORIZED_USER && c->client_secret == NULL)
        return missing("client_secret", err);
    if (c->kind == GCP_AUTHORIZED_USER && c->refresh_token == NULL)
        return missing("refresh_token", err);
    if (c->kind == GCP_METADATA)
        return error_set(err, EINVAL,
                         "credentials of type %s are not supported: use a service account's key, gcloud auth "
                         "application-default login, or Workload Identity",
                         type ? type : "(none)");
    if (!is_safe_url(c->token_uri))
        return error_set(err, EINVAL, "the credentials' token_uri is not https");
    return 0;
}

int gcp_credentials_parse(struct gcp_credentials *c, struct slice json, struct error **err) {
    CLEANUP_FREE char *type = NULL;
    struct jscan j;
    struct slice key;
    const char *host = getenv("GCE_METADATA_HOST");
    *c = (struct gcp_credentials){.metadata_url = mem_format("http://%s", host && host[0] ? host : METADATA)};
    if (json.size_bytes == 0)
        return 0;
    c->token_uri = mem_strdup(TOKEN_URI);
    jscan_init(&j, json);
    if (jscan_object(&j)) {
        while (jscan_key(&j, &key)) {
            char **to = slice_is(key, "type")            ? &type
                        : slice_is(key, "client_email")  ? &c->client_email
                        : slice_is(key, "private_key")   ? &c->private_key
                        : slice_is(key, "token_uri")     ? &c->token_uri
                        : slice_is(key, "client_id")     ? &c->client_id
                        : slice_is(key, "client_secret") ? &c->client_secret
                        : slice_is(key, "refresh_token") ? &c->refresh_token
                                                         : NULL;
            if (to != NULL)
                take_text(&j, to);
            else
                jscan_skip(&j);
        }
    }
    int r = jscan_at_end(&j) ? 0 : error_set(err, EINVAL, "the credentials are not JSON");
    c->kind = type && strcmp(type, "service_account") == 0   ? GCP_SERVICE_ACCOUNT
              : type && strcmp(type, "authorized_user") == 0 ? GCP_AUTHORIZED_USER
                                                             : GCP_METADATA;
    if (r == 0)
        r = check(c, type, err);
    if (r < 0)
        gcp_credentials_done(c);
    return r;
}

char *gcp_credentials_path(void) {
    const char *named = getenv("GOOGLE_APPLICATION_CREDENTIALS"), *home = getenv("HOME");
    const char *config = getenv("CLOUDSDK_CONFIG");
    if (named && named[0])
        return mem_strdup(named);
    char *path = config && config[0] ? mem_format("%s/application_default_credentials.json", config)
                 : home && home[0]   ? mem_format("%s/.config/gcloud/application_default_credentials.json", home)
                                     : NULL;
    if (path != NULL && access(path, F_OK) == 0)
        return path;
    free(path);
    return NULL;
}

/* ---- the JWT: RFC 7515, RFC 7523 ---- */

static void append_base64url(struct buf *out, struct slice bytes) {
    CLEANUP_FREE char *text = base64_encode(bytes);
    for (const char *p = text; *p != '\0' && *p != '='; p++)
        buf_append_char(out, *p == '+' ? '-' : *p == '/' ? '_' : *p);
}

static int sign(const char *pem, struct slice text, struct buf *out, struct error **err) {
    unsigned char signature[1024];
    size_t size = sizeof signature;
    BIO *bio = BIO_new_mem_buf(pem, -1);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool is_signed = key != NULL && EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA &&
                     EVP_DigestSignInit(ctx, NULL, EVP_sha256(), NULL, key) == 1 &&
                     EVP_DigestSign(ctx, signature, &size, (const unsigned char *)text.data, text.size_bytes) == 1;
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(key);
    BIO_free(bio);
    if (!is_signed)
        return error_set(err, EINVAL, "the credentials' private_key is not an RSA key that can sign");
    append_base64url(out, (struct slice){(const char *)signature, size});
    return 0;
}

static int append_jwt(const struct gcp_credentials *c, int64_t now_s, struct buf *out, struct error **err) {
    CLEANUP_BUF struct buf jwt, claims;
    buf_init(&jwt, MAX_TEXT);
    buf_init(&claims, MAX_TEXT);
    append_base64url(&jwt, SLICE("{\"alg\":\"RS256\",\"typ\":\"JWT\"}"));
    buf_append_char(&jwt, '.');
    buf_format(&claims, "{\"iss\":\"%s\",\"scope\":\"" SCOPE "\",\"aud\":\"%s\",\"iat\":%lld,\"exp\":%lld}",
               c->client_email, c->token_uri, (long long)now_s, (long long)now_s + HOLDS_S);
    append_base64url(&jwt, buf_slice(&claims));
    CLEANUP_BUF struct buf signature;
    buf_init(&signature, MAX_TEXT);
    if (sign(c->private_key, buf_slice(&jwt), &signature, err) < 0)
        return -EINVAL;
    buf_append_slice(out, buf_slice(&jwt));
    buf_append_char(out, '.');
    return buf_append_slice(out, buf_slice(&signature));
}

/* ---- request and reply ---- */

static void append_field(struct buf *form, const char *name, const char *value) {
    buf_format(form, "%s%s=", form->size_bytes > 0 ? "&" : "", name);
    for (const char *p = value; *p != '\0'; p++) {
        unsigned char u = (unsigned char)*p;
        bool is_plain = (u >= '0' && u <= '9') || (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || u == '-' ||
                        u == '_' || u == '.';
        if (is_plain)
            buf_append_char(form, *p);
        else
            buf_format(form, "%%%02X", u);
    }
}

int gcp_credentials_request(const struct gcp_credentials *c, int64_t now_s, char **url, struct buf *form,
                            struct error **err) {
    CLEANUP_BUF struct buf jwt;
    buf_init(&jwt, MAX_TEXT);
    if (c->kind == GCP_SERVICE_ACCOUNT) {
        if (append_jwt(c, now_s, &jwt, err) < 0)
            return -EINVAL;
        append_field(form, "grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer");
        append_field(form, "assertion", buf_text(&jwt));
    } else if (c->kind == GCP_AUTHORIZED_USER) {
        append_field(form, "grant_type", "refresh_token");
        append_field(form, "client_id", c->client_id);
        append_field(form, "client_secret", c->client_secret);
        append_field(form, "refresh_token", c->refresh_token);
    }
    *url = c->kind == GCP_METADATA
               ? mem_format("%s/computeMetadata/v1/instance/service-accounts/default/token", c->metadata_url)
               : mem_strdup(c->token_uri);
    return 0;
}

int gcp_credentials_reply(struct slice body, int status, char **token, int64_t *expires_s, struct error **err) {
    CLEANUP_FREE char *access = NULL, *description = NULL;
    int64_t expires = 0;
    struct jscan j;
    struct slice key;
    jscan_init(&j, body);
    if (jscan_object(&j)) {
        while (jscan_key(&j, &key)) {
            if (slice_is(key, "access_token"))
                take_text(&j, &access);
            else if (slice_is(key, "error_description"))
                take_text(&j, &description);
            else if (slice_is(key, "expires_in"))
                jscan_int(&j, &expires);
            else
                jscan_skip(&j);
        }
    }
    if (status == 200 && jscan_at_end(&j) && access != NULL && access[0] != '\0' && expires > 0) {
        for (const char *p = access; *p != '\0'; p++)
            if (*p <= ' ' || *p == 0x7f) /* it goes into a header */
                return error_set(err, EBADMSG, "the token endpoint's answer is not a token");
        *token = mem_strdup(access);
        *expires_s = expires;
        return 0;
    }
    return error_set(err, EACCES, "no access token: HTTP status %d%s%s", status, description ? ": " : "",
                     description ? description : "");
}
