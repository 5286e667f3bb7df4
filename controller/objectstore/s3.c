#include "objectstore/s3.h"

#include "aws/sigv4.h"
#include "aws/xml.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "base/urlencode.h"

#include <errno.h>

#define EMPTY_HASH "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

enum { PATH_MAX_BYTES = 8192, AUTHORIZATION_MAX_BYTES = 4096 };

static void sign(const struct object_place *place, const char *path, const char *hash,
                 const struct aws_credentials *credentials, int64_t at_s, struct object_request *r) {
    CLEANUP_BUF struct buf authorization;
    char time[SIGV4_TIME_SIZE];
    struct slice host = slice_of(place->endpoint), scheme;
    buf_init(&authorization, AUTHORIZATION_MAX_BYTES);
    sigv4_format_time(time, at_s);
    slice_take_until(&host, '/', &scheme);
    slice_take_prefix(&host, "/");
    object_request_add(r, mem_format("Host: %.*s", SLICE_ARG(host)));
    object_request_add(r, mem_format("X-Amz-Date: %s", time));
    object_request_add(r, mem_format("X-Amz-Content-Sha256: %s", hash));
    if (credentials->session_token[0] != '\0')
        object_request_add(r, mem_format("X-Amz-Security-Token: %s", credentials->session_token));
    const struct sigv4_request request = {r->method, path, "", (const char *const *)r->headers, hash};
    const struct sigv4_keys keys = {credentials->access_key_id, credentials->secret_access_key};
    sigv4_authorization(&authorization, &request, &keys, time, place->region, "s3");
    object_request_add(r, mem_format("Authorization: %s", buf_text(&authorization)));
}

void s3_request(const struct object_place *place, const char *key, const char *content_hash,
                const struct aws_credentials *credentials, int64_t at_s, struct object_request *ret) {
    CLEANUP_BUF struct buf path;
    buf_init(&path, PATH_MAX_BYTES);
    if (!place->has_own_host)
        buf_format(&path, "/%s", place->bucket);
    buf_append_char(&path, '/');
    urlencode(&path, key, "/");
    *ret = (struct object_request){.method = content_hash != NULL ? "PUT" : "GET",
                                   .url = mem_format("%s%s", place->endpoint, buf_text(&path))};
    if (content_hash != NULL) {
        object_request_add(ret, mem_strdup("Content-Type: application/gzip"));
        object_request_add(ret, mem_strdup("If-None-Match: *"));
    }
    sign(place, buf_text(&path), content_hash != NULL ? content_hash : EMPTY_HASH, credentials, at_s, ret);
}

static const struct object_advice advice[] = {
    {"NoSuchBucket", 0, ENOENT, false, "create the bucket, or correct --archive"},
    {"AccessDenied", 0, EACCES, false, "allow s3:PutObject and s3:GetObject on the objects of the bucket"},
    {"ExpiredToken", 0, EKEYEXPIRED, true, "renew the credentials"},
    {"ExpiredTokenException", 0, EKEYEXPIRED, true, "renew the credentials"},
    {"TokenRefreshRequired", 0, EKEYEXPIRED, true, "renew the credentials"},
    {"InvalidToken", 0, EKEYREJECTED, true, "give it the session token that belongs to the access key"},
    {"InvalidTokenId", 0, EKEYREJECTED, true, "give it the session token that belongs to the access key"},
    {"InvalidAccessKeyId", 0, EKEYREJECTED, true, "give it an access key that the store knows"},
    {"SignatureDoesNotMatch", 0, EKEYREJECTED, true, "give it the secret access key that belongs to the access key"},
    {"RequestTimeTooSkewed", 0, ETIME, false, "set the clock of the controller's node"},
    {"PermanentRedirect", 0, EXDEV, false, "set --archive-region to the bucket's region"},
    {"TemporaryRedirect", 0, EXDEV, false, "set --archive-region to the bucket's region"},
    {"AuthorizationHeaderMalformed", 0, EXDEV, false, "set --archive-region to the bucket's region"},
    {"IllegalLocationConstraintException", 0, EXDEV, false, "set --archive-region to the bucket's region"},
    {"NotImplemented", 0, ENOSYS, false, "use a store that has conditional writes (If-None-Match)"},
    {"NoSuchKey", 0, EIO, false, "it is tried again"},
    {"SlowDown", 0, EAGAIN, false, "it is tried again"},
    {NULL, 503, EAGAIN, false, "it is tried again"},
    {NULL, 403, EACCES, false, "allow s3:PutObject and s3:GetObject on the objects of the bucket"},
    {NULL, 301, EXDEV, false, "set --archive-region to the bucket's region"},
    {NULL, 404, ENOENT, false, "correct --archive and --archive-endpoint"},
    {NULL, 0, EIO, false, "it is tried again"},
};

bool s3_explain(const struct object_place *place, int status, struct slice body, int64_t now_s, int64_t server_s,
                struct error **err) {
    char code[64], message[256], region[64], endpoint[256], here[RFC3339_SIZE], there[RFC3339_SIZE];
    xml_text(body, "Code", code, sizeof code);
    xml_text(body, "Message", message, sizeof message);
    xml_text(body, "Region", region, sizeof region);
    xml_text(body, "Endpoint", endpoint, sizeof endpoint);
    const struct object_advice *row = object_advice_find(advice, code, status);
    CLEANUP_FREE char *what = mem_format("%s: HTTP status %d%s%s%s%s", place->url, status, code[0] != '\0' ? ", " : "",
                                         code, message[0] != '\0' ? ": " : "", message);
    if (row->errno_ == EXDEV && region[0] != '\0')
        error_set(err, EXDEV, "%s: set --archive-region=%s", what, region);
    else if (row->errno_ == EXDEV && endpoint[0] != '\0')
        error_set(err, EXDEV, "%s: %s (it is at %s)", what, row->text, endpoint);
    else if (row->errno_ == ETIME && server_s >= 0)
        error_set(err, ETIME, "%s: %s: it is %s here and %s there", what, row->text,
                  rfc3339_format_s(here, now_s * 1000), rfc3339_format_s(there, server_s * 1000));
    else
        error_set(err, row->errno_, "%s: %s", what, row->text);
    return row->is_expired;
}
