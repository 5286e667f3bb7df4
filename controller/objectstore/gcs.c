#include "objectstore/gcs.h"

#include "base/jmembers.h"
#include "base/mem.h"
#include "base/urlencode.h"

#include <errno.h>

enum { KEY_MAX_BYTES = 8192, MESSAGE_BYTES = 256 };

void gcs_request(const struct object_place *place, const char *key, bool is_put, const char *token,
                 struct object_request *ret) {
    CLEANUP_BUF struct buf encoded;
    buf_init(&encoded, KEY_MAX_BYTES);
    urlencode(&encoded, key, "");
    *ret = (struct object_request){
        .method = is_put ? "POST" : "GET",
        .url = is_put ? mem_format("%s/upload/storage/v1/b/%s/o?uploadType=media&ifGenerationMatch=0&name=%s",
                                   place->endpoint, place->bucket, buf_text(&encoded))
                      : mem_format("%s/storage/v1/b/%s/o/%s?alt=media", place->endpoint, place->bucket,
                                   buf_text(&encoded))};
    object_request_add(ret, mem_format("Authorization: Bearer %s", token));
    if (is_put)
        object_request_add(ret, mem_strdup("Content-Type: application/gzip"));
}

static const struct object_advice advice[] = {
    {NULL, 401, EKEYEXPIRED, true, "give the controller credentials that Google accepts (--google-credentials)"},
    {NULL, 403, EACCES, false,
     "allow storage.objects.create and storage.objects.get on the bucket, such as by roles/storage.objectUser"},
    {NULL, 404, ENOENT, false, "create the bucket, or correct --archive"},
    {NULL, 429, EAGAIN, false, "it is tried again"},
    {NULL, 503, EAGAIN, false, "it is tried again"},
    {NULL, 0, EIO, false, "it is tried again"},
};

bool gcs_explain(const struct object_place *place, int status, struct slice body, struct error **err) {
    struct answer {
        char message[MESSAGE_BYTES];
    } answer = {""};
    static const struct jmember error_rows[] = {JMEMBER(struct answer, message, "message")};
    static const struct jmember rows[] = {JMEMBER_OBJECT("error", error_rows)};
    jmembers_parse(body, JMEMBERS(rows), &answer);
    const struct object_advice *row = object_advice_find(advice, "", status);
    error_set(err, row->errno_, "%s: HTTP status %d%s%s: %s", place->url, status, answer.message[0] != '\0' ? ", " : "",
              answer.message, row->text);
    return row->is_expired;
}
