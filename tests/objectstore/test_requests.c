/* What stores are asked, and what is said of their answers. The stores themselves: tests/stores. */
#include "harness.h"

#include "base/mem.h"
#include "io/loop.h"
#include "objectstore/gcs.h"
#include "objectstore/s3.h"
#include "objectstore/store.h"

#include <errno.h>

static char bucket[] = "b", endpoint[] = "https://b.s3.eu-west-3.amazonaws.com", url[] = "s3://b/p",
            region[] = "eu-west-3";
static const struct object_place place = {
    .url = url, .bucket = bucket, .endpoint = endpoint, .region = region, .has_own_host = true};

static const char *header(const struct object_request *r, const char *name) {
    for (size_t i = 0; r->headers[i] != NULL; i++)
        if (strncmp(r->headers[i], name, strlen(name)) == 0)
            return r->headers[i] + strlen(name);
    return NULL;
}

TEST(s3_puts_only_where_nothing_is_and_signs_the_content_and_the_token) {
    struct object_request put, get;
    const struct aws_credentials keys = {"A", "B", "C", 0}, without = {"A", "B", "", 0};
    s3_request(&place, "p/date=2026/a%2Fb", "hash", &keys, 1440938160, &put);
    CHECK_TEXT(put.method, "PUT");
    CHECK_TEXT(put.url, "https://b.s3.eu-west-3.amazonaws.com/p/date%3D2026/a%252Fb");
    CHECK_TEXT(header(&put, "If-None-Match: "), "*");
    CHECK_TEXT(header(&put, "X-Amz-Content-Sha256: "), "hash");
    CHECK_TEXT(header(&put, "X-Amz-Security-Token: "), "C");
    CHECK(strstr(header(&put, "Authorization: "),
                 "Credential=A/20150830/eu-west-3/s3/aws4_request, SignedHeaders=content-type;host;if-none-match;"
                 "x-amz-content-sha256;x-amz-date;x-amz-security-token, ") != NULL);
    s3_request(&place, "k", NULL, &without, 0, &get);
    CHECK_TEXT(get.method, "GET");
    CHECK(header(&get, "If-None-Match: ") == NULL && header(&get, "X-Amz-Security-Token: ") == NULL);
    object_request_done(&put);
    object_request_done(&get);
}

TEST(google_puts_only_where_nothing_is) {
    struct object_request put, get;
    gcs_request(&place, "p/date=2026/a%2Fb", true, "T", &put);
    gcs_request(&place, "p/k", false, "T", &get);
    CHECK_TEXT(put.url,
               "https://b.s3.eu-west-3.amazonaws.com/upload/storage/v1/b/b/o?uploadType=media&ifGenerationMatch=0"
               "&name=p%2Fdate%3D2026%2Fa%252Fb");
    CHECK_TEXT(header(&put, "Authorization: "), "Bearer T");
    CHECK_TEXT(get.url, "https://b.s3.eu-west-3.amazonaws.com/storage/v1/b/b/o/p%2Fk?alt=media");
    object_request_done(&put);
    object_request_done(&get);
}

static void says(int status, const char *body, bool is_expired, int code, const char *text) {
    CLEANUP_ERROR struct error *err = NULL;
    CHECK_INT(s3_explain(&place, status, slice_of(body), 0, 1795766400, &err), is_expired);
    CHECK_INT(err->code, code);
    if (strstr(error_text(err), text) == NULL)
        harness_fail(__FILE__, __LINE__, "\"%s\" does not say \"%s\"", error_text(err), text);
}

TEST(each_refusal_says_what_to_do) {
    says(404, "<Error><Code>NoSuchBucket</Code></Error>", false, ENOENT, "create the bucket, or correct --archive");
    says(403, "", false, EACCES, "allow s3:PutObject and s3:GetObject");
    says(400, "<Error><Code>ExpiredToken</Code></Error>", true, EKEYEXPIRED, "renew the credentials");
    says(403, "<Error><Code>RequestTimeTooSkewed</Code></Error>", false, ETIME,
         "set the clock of the controller's node: it is 1970-01-01T00:00:00Z here and 2026-11-27T08:00:00Z there");
    says(400, "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-3</Region></Error>", false, EXDEV,
         "set --archive-region=eu-west-3");
    says(301, "<Error><Code>PermanentRedirect</Code><Endpoint>b.s3.x.amazonaws.com</Endpoint></Error>", false, EXDEV,
         "it is at b.s3.x.amazonaws.com");
    says(501, "<Error><Code>NotImplemented</Code></Error>", false, ENOSYS, "conditional writes");
    says(503, "", false, EAGAIN, "it is tried again");
    says(599, "\x01", false, EIO, "it is tried again");
}

TEST(a_store_is_one_of_two_kinds) {
    struct loop *loop = loop_new(NULL);
    static const char *const wrong[] = {"s3://", "s3://a", "gs://x y/z", "http://bucket/", "s3:bucket", "s3://a/../b"};
    REQUIRE(loop != NULL);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        CLEANUP_ERROR struct error *err = NULL;
        CHECK(object_store_new(loop, &(struct object_store_options){.url = wrong[i]}, &err) == NULL);
        CHECK(err != NULL);
    }
    CHECK(!object_store_is_url("/var/lib/archive"));
    struct object_store *store = object_store_new(loop, &(struct object_store_options){.url = "gs://bucket"}, NULL);
    REQUIRE(store != NULL);
    CHECK_TEXT(object_store_url(store), "gs://bucket");
    object_store_free(store);
    loop_free(loop);
}
