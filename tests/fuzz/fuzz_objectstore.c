/* What a token service, a container's endpoint, a file and a store answer: any bytes. Keys that are taken can go into a
 * header, and an answer always says what to do. */
#include "aws/credentials.h"
#include "aws/xml.h"
#include "base/mem.h"
#include "objectstore/gcs.h"
#include "objectstore/s3.h"
#include "reach.h"

#include <assert.h>
#include <stddef.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct aws_credentials *c) {
    assert(c->access_key_id[0] != '\0' && c->secret_access_key[0] != '\0');
    for (const char *p = c->session_token; *p != '\0'; p++)
        assert(*p > ' ' && *p < 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct slice in = {(const char *)data, size};
    struct aws_credentials *c = mem_new(struct aws_credentials);
    const struct object_place place = {.url = (char *)(uintptr_t) "s3://bucket"};
    CLEANUP_ERROR struct error *s3 = NULL, *gcs = NULL;
    char code[16];
    if (aws_credentials_of_file(in, "default", c, NULL) == 0) {
        REACHED("keys of a file");
        check(c);
    }
    if (aws_credentials_of_sts(in, c, NULL) == 0) {
        REACHED("keys of a token service");
        check(c);
    }
    if (aws_credentials_of_container(in, c, NULL) == 0) {
        REACHED("keys of a container");
        check(c);
    }
    free(c);
    int status = size > 0 ? 200 + data[0] : 503;
    if (s3_explain(&place, status, in, 0, status, &s3))
        REACHED("expired keys");
    assert(s3 != NULL && strlen(error_text(s3)) < 2048);
    if (gcs_explain(&place, status, in, &gcs))
        REACHED("an expired token");
    assert(gcs != NULL && strlen(error_text(gcs)) < 2048);
    if (xml_text(in, "Code", code, sizeof code))
        REACHED("a code");
    return 0;
}
