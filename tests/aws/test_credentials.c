#include "harness.h"

#include "aws/credentials.h"
#include "aws/xml.h"
#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>

/* The shape of the example answer in the AWS Security Token Service API Reference, AssumeRoleWithWebIdentity. */
#define STS                                                                                                            \
    "<AssumeRoleWithWebIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">\n"                        \
    "  <AssumeRoleWithWebIdentityResult>\n    <Audience>client</Audience>\n    <Credentials>\n"                        \
    "      <SessionToken>token&amp;more</SessionToken>\n      <SecretAccessKey>secret/+=</SecretAccessKey>\n"          \
    "      <Expiration>2014-10-24T23:00:23Z</Expiration>\n      <AccessKeyId>ASgeIAIOSFODNN7EXAMPLE</AccessKeyId>\n"   \
    "    </Credentials>\n  </AssumeRoleWithWebIdentityResult>\n</AssumeRoleWithWebIdentityResponse>"

TEST(reads_the_answer_of_the_token_service_and_no_part_of_it) {
    struct aws_credentials c;
    CLEANUP_ERROR struct error *err = NULL;
    struct slice whole = SLICE(STS);
    CHECK_INT(aws_credentials_of_sts(whole, &c, &err), 0);
    CHECK_TEXT(c.access_key_id, "ASgeIAIOSFODNN7EXAMPLE");
    CHECK_TEXT(c.secret_access_key, "secret/+=");
    CHECK_TEXT(c.session_token, "token&more");
    CHECK_INT(c.expires_ms, INT64_C(1414191623000));
    size_t end = (size_t)(slice_find(whole, "</AccessKeyId>") - whole.data) + strlen("</AccessKeyId");
    for (size_t n = 0; n < end - strlen("AccessKeyId"); n++)
        CHECK_INT(aws_credentials_of_sts((struct slice){whole.data, n}, &c, NULL), -EINVAL);
}

TEST(reads_a_profile_of_a_shared_credentials_file) {
    struct aws_credentials c;
    CLEANUP_ERROR struct error *err = NULL, *absent = NULL, *empty = NULL, *odd = NULL;
    struct slice file =
        SLICE("[default]\naws_access_key_id=A\naws_secret_access_key=B\n\n# x\n[ two ]\r\n"
              "aws_access_key_id = C\r\naws_secret_access_key = D=E\r\naws_session_token=F\r\n[three]\n");
    CHECK_INT(aws_credentials_of_file(file, "default", &c, &err), 0);
    CHECK_TEXT(c.access_key_id, "A");
    CHECK_TEXT(c.session_token, "");
    CHECK_INT(c.expires_ms, TIME_OPEN);
    CHECK_INT(aws_credentials_of_file(file, "two", &c, &err), 0);
    CHECK_TEXT(c.secret_access_key, "D=E");
    CHECK_TEXT(c.session_token, "F");
    CHECK_INT(aws_credentials_of_file(file, "four", &c, &absent), -EINVAL);
    CHECK_TEXT(error_text(absent), "there is no profile [four]");
    CHECK_INT(aws_credentials_of_file(file, "three", &c, &empty), -EINVAL);
    CHECK_TEXT(error_text(empty), "the profile has no access key ID or no secret access key");
    CHECK_INT(aws_credentials_of_file(SLICE("[x]\naws_access_key_id=a b\naws_secret_access_key=c\n"), "x", &c, &odd),
              -EINVAL);
    CHECK_TEXT(error_text(odd), "the profile has keys with blanks or control characters");
}

TEST(reads_a_containers_credentials) {
    struct aws_credentials c;
    CHECK_INT(aws_credentials_of_container(SLICE("{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"B\",\"Token\":\"C\","
                                                 "\"Expiration\":\"2026-11-27T08:00:00Z\",\"AccountId\":\"1\"}"),
                                           &c, NULL),
              0);
    CHECK_TEXT(c.session_token, "C");
    CHECK_INT(c.expires_ms, INT64_C(1795766400000));
    CHECK_INT(aws_credentials_of_container(SLICE("{\"AccessKeyId\":\"A\"}"), &c, NULL), -EINVAL);
    CHECK_INT(aws_credentials_of_container(SLICE("no"), &c, NULL), -EINVAL);
}

TEST(reads_the_environment) {
    struct aws_credentials c;
    setenv("AWS_ACCESS_KEY_ID", "A", 1);
    unsetenv("AWS_SECRET_ACCESS_KEY");
    CHECK_INT(aws_credentials_of_environment(&c, NULL), -EINVAL);
    setenv("AWS_SECRET_ACCESS_KEY", "B", 1);
    setenv("AWS_SESSION_TOKEN", "", 1);
    CHECK_INT(aws_credentials_of_environment(&c, NULL), 0);
    CHECK_TEXT(c.secret_access_key, "B");
}

TEST(an_elements_text_is_decoded_and_cut) {
    char out[8];
    CHECK(xml_text(SLICE("<a/><Codes>1</Codes><Code>a&lt;&gt;&amp;&quot;&apos;</Code><Code>2</Code>"), "Code", out,
                   sizeof out));
    CHECK_TEXT(out, "a<>&\"'");
    CHECK(xml_text(SLICE("<Code>0123456789</Code>"), "Code", out, sizeof out));
    CHECK_TEXT(out, "0123456");
    CHECK(!xml_text(SLICE("<Code>0<b/></Code><Code x='1'>2</Code><Code>3"), "Code", out, sizeof out));
    CHECK_TEXT(out, "");
}
