#include "gcp/credentials.h"

#include "base/base64.h"
#include "base/jmembers.h"
#include "base/mem.h"
#include "base/urlencode.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCOPE                                                                                                          \
    "https://www.googleapis.com/auth/logging.read https://www.googleapis.com/auth/monitoring.write "                   \
    "https://www.googleapis.com/auth/devstorage.read_write"
#define TOKEN_URI "https://oauth2.googleapis.com/token"
#define METADATA "metadata.google.internal"
#define HOLDS_S 3600
#define MAX_TEXT 16384

void gcp_credentials_done(struct gcp_credentials *c) {
    free(c->type);
    free(c->client_email);
    free(c->private_key);
    free(c->token_uri);
    free(c->client_id);
    free(c->client_secret);
    free(c->refresh_token);
    free(c->metadata_url);
    *c = (struct gcp_credentials){0};
}

static void take_text(struct jscan *j, void *to) {
    CLEANUP_FREE char *decoded = mem_alloc(MAX_TEXT);
    char **text = to;
    if (jscan_string(j, decoded, MAX_TEXT)) {
        free(*text);
        *text = mem_strdup(decoded);
    }
}

/* A key must not go to whoever can write the file in clear, but over the machine's own loopback. */
static bool is_safe_url(const char *url) {
    struct slice s = slice_of(url);
    return slice_starts(s, "https://") || slice_starts(s, "http://127.0.0.1:") || slice_starts(s, "http://[::1]:");
}

static int check(const struct gcp_credentials *c, struct error **err) {
    const struct {
        enum gcp_credentials_kind kind;
        const char *name, *value;
    } required[] = {{GCP_SERVICE_ACCOUNT, "client_email", c->client_email},
                    {GCP_SERVICE_ACCOUNT, "private_key", c->private_key},
                    {GCP_AUTHORIZED_USER, "client_id", c->client_id},
                    {GCP_AUTHORIZED_USER, "client_secret", c->client_secret},
                    {GCP_AUTHORIZED_USER, "refresh_token", c->refresh_token}};
    for (size_t i = 0; i < ARRAY_SIZE(required); i++)
        if (c->kind == required[i].kind && required[i].value == NULL)
            return error_set(err, EINVAL, "the credentials have no %s", required[i].name);
    if (c->kind == GCP_METADATA)
        return error_set(err, EINVAL,
                         "credentials of type %s are not supported: use a service account's key, gcloud auth "
                         "application-default login, or Workload Identity",
                         c->type ? c->type : "(none)");
    if (!is_safe_url(c->token_uri))
        return error_set(err, EINVAL, "the credentials' token_uri is not https");
    return 0;
}

int gcp_credentials_parse(struct gcp_credentials *c, struct slice json, struct error **err) {
    typedef struct gcp_credentials file;
    static const struct jmember rows[] = {JMEMBER_FIELD(file, type, "type", take_text),
                                          JMEMBER_FIELD(file, client_email, "client_email", take_text),
                                          JMEMBER_FIELD(file, private_key, "private_key", take_text),
                                          JMEMBER_FIELD(file, token_uri, "token_uri", take_text),
                                          JMEMBER_FIELD(file, client_id, "client_id", take_text),
                                          JMEMBER_FIELD(file, client_secret, "client_secret", take_text),
                                          JMEMBER_FIELD(file, refresh_token, "refresh_token", take_text)};
    struct jscan j;
    const char *host = getenv("GCE_METADATA_HOST");
    *c = (struct gcp_credentials){.metadata_url = mem_format("http://%s", host && host[0] ? host : METADATA)};
    if (json.size_bytes == 0)
        return 0;
    c->token_uri = mem_strdup(TOKEN_URI);
    jscan_init(&j, json);
    jmembers_read(&j, JMEMBERS(rows), c);
    int r = jscan_at_end(&j) ? 0 : error_set(err, EINVAL, "the credentials are not JSON");
    struct slice type = slice_of(c->type);
    c->kind = slice_is(type, "service_account")   ? GCP_SERVICE_ACCOUNT
              : slice_is(type, "authorized_user") ? GCP_AUTHORIZED_USER
                                                  : GCP_METADATA;
    if (r == 0)
        r = check(c, err);
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
    urlencode(form, value, "");
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
    struct reply {
        char access[MAX_TEXT], description[MAX_TEXT];
        int64_t expires_s;
    };
    static const struct jmember rows[] = {JMEMBER(struct reply, access, "access_token"),
                                          JMEMBER(struct reply, description, "error_description"),
                                          JMEMBER(struct reply, expires_s, "expires_in")};
    CLEANUP_FREE struct reply *r = mem_new(struct reply);
    if (jmembers_parse(body, JMEMBERS(rows), r) && status == 200 && r->access[0] != '\0' && r->expires_s > 0) {
        for (const char *p = r->access; *p != '\0'; p++)
            if (*p <= ' ' || *p == 0x7f) /* it goes into a header */
                return error_set(err, EBADMSG, "the token endpoint's answer is not a token");
        *token = mem_strdup(r->access);
        *expires_s = r->expires_s;
        return 0;
    }
    return error_set(err, EACCES, "no access token: HTTP status %d%s%s", status, r->description[0] != '\0' ? ": " : "",
                     r->description);
}
