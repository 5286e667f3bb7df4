/* AWS's published signatures: of its test suite (aws-sig-v4-test-suite) and of the examples in the Amazon S3 API
 * Reference, "Signature Calculations for the Authorization Header". */
#include "harness.h"

#include "aws/sigv4.h"
#include "base/mem.h"
#include "base/urlencode.h"

#define SUITE "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
#define S3 "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
#define SUITE_HEADERS "Host: example.amazonaws.com", "X-Amz-Date: 20150830T123600Z"
#define EMPTY_HASH "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define S3_HEADERS "Host: examplebucket.s3.amazonaws.com", "x-amz-date: 20130524T000000Z"

static const struct vector {
    const char *name;
    struct sigv4_keys keys;
    const char *service, *method, *key, *query, *body, *headers[8], *signed_names, *signature;
} vectors[] = {
    {"get-vanilla",
     {SUITE},
     "service",
     "GET",
     "/",
     "",
     "",
     {SUITE_HEADERS},
     "host;x-amz-date",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"post-vanilla",
     {SUITE},
     "service",
     "POST",
     "/",
     "",
     "",
     {SUITE_HEADERS},
     "host;x-amz-date",
     "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
    {"get-vanilla-query-order-key-case",
     {SUITE},
     "service",
     "GET",
     "/",
     "Param1=value1&Param2=value2",
     "",
     {SUITE_HEADERS},
     "host;x-amz-date",
     "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
    {"get-utf8",
     {SUITE},
     "service",
     "GET",
     "/\xe1\x88\xb4",
     "",
     "",
     {SUITE_HEADERS},
     "host;x-amz-date",
     "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
    {"get-unreserved",
     {SUITE},
     "service",
     "GET",
     "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
     "",
     "",
     {SUITE_HEADERS},
     "host;x-amz-date",
     "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
    {"get-header-value-trim",
     {SUITE},
     "service",
     "GET",
     "/",
     "",
     "",
     {SUITE_HEADERS, "My-Header1:  value1", "My-Header2:  \"a   b   c\""},
     "host;my-header1;my-header2;x-amz-date",
     "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
    {"S3: GET Object",
     {S3},
     "s3",
     "GET",
     "/test.txt",
     "",
     "",
     {S3_HEADERS, "Range: bytes=0-9", EMPTY_HASH},
     "host;range;x-amz-content-sha256;x-amz-date",
     "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
    {"S3: PUT Object",
     {S3},
     "s3",
     "PUT",
     "/test$file.text",
     "",
     "Welcome to Amazon S3.",
     {S3_HEADERS, "Date: Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class: REDUCED_REDUNDANCY",
      "x-amz-content-sha256: 44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"},
     "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
     "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
    {"S3: GET Bucket Lifecycle",
     {S3},
     "s3",
     "GET",
     "/",
     "lifecycle=",
     "",
     {S3_HEADERS, EMPTY_HASH},
     "host;x-amz-content-sha256;x-amz-date",
     "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
    {"S3: GET Bucket (List Objects)",
     {S3},
     "s3",
     "GET",
     "/",
     "max-keys=2&prefix=J",
     "",
     {S3_HEADERS, EMPTY_HASH},
     "host;x-amz-content-sha256;x-amz-date",
     "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
};

static char *sign(const struct vector *v, const struct sigv4_keys *keys, const char *region) {
    CLEANUP_BUF struct buf path, out;
    char hash[SIGV4_HASH_SIZE];
    buf_init(&path, 1024);
    buf_init(&out, 4096);
    urlencode(&path, v->key, "/");
    sigv4_hash(hash, slice_of(v->body));
    const struct sigv4_request request = {v->method, buf_text(&path), v->query, v->headers, hash};
    const char *time = strcmp(v->service, "s3") == 0 ? "20130524T000000Z" : "20150830T123600Z";
    sigv4_authorization(&out, &request, keys, time, region, v->service);
    return buf_take(&out);
}

TEST(signs_what_aws_published_as_aws_did) {
    for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
        const struct vector *v = &vectors[i];
        const char *day = strcmp(v->service, "s3") == 0 ? "20130524" : "20150830";
        CLEANUP_FREE char *signature = sign(v, &v->keys, "us-east-1");
        CLEANUP_FREE char *expected =
            mem_format("AWS4-HMAC-SHA256 Credential=%s/%s/us-east-1/%s/aws4_request, SignedHeaders=%s, Signature=%s",
                       v->keys.access_key_id, day, v->service, v->signed_names, v->signature);
        if (strcmp(signature, expected) != 0)
            harness_fail(__FILE__, __LINE__, "%s: %s, expected %s", v->name, signature, expected);
    }
}

TEST(a_signature_depends_on_each_part) {
    const struct vector *v = &vectors[7];
    const struct sigv4_keys other = {v->keys.access_key_id, "x"};
    struct vector changed = *v;
    CLEANUP_FREE char *first = sign(v, &v->keys, "us-east-1");
    CLEANUP_FREE char *region = sign(v, &v->keys, "us-east-2"), *keys = sign(v, &other, "us-east-1");
    changed.body = "Welcome to Amazon S3!";
    CLEANUP_FREE char *body = sign(&changed, &v->keys, "us-east-1");
    CHECK(strcmp(first, region) != 0);
    CHECK(strcmp(first, keys) != 0);
    CHECK(strcmp(first, body) != 0);
}

TEST(times_are_written_as_x_amz_date_has_them) {
    char text[SIGV4_TIME_SIZE];
    sigv4_format_time(text, 1440938160);
    CHECK_TEXT(text, "20150830T123600Z");
    sigv4_format_time(text, 0);
    CHECK_TEXT(text, "19700101T000000Z");
}
