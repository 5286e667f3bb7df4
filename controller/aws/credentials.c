#include "aws/credentials.h"

#include "aws/xml.h"
#include "base/clock.h"
#include "base/jmembers.h"
#include "base/mem.h"
#include "base/rfc3339.h"

#include <errno.h>
#include <stdlib.h>

static bool is_printable(const char *text) { /* it goes into a header */
    for (; *text != '\0'; text++)
        if (*text <= ' ' || *text >= 0x7f)
            return false;
    return true;
}

static int check(const struct aws_credentials *c, const char *source, struct error **err) {
    if (c->access_key_id[0] == '\0' || c->secret_access_key[0] == '\0')
        return error_set(err, EINVAL, "%s has no access key ID or no secret access key", source);
    if (!is_printable(c->access_key_id) || !is_printable(c->secret_access_key) || !is_printable(c->session_token))
        return error_set(err, EINVAL, "%s has keys with blanks or control characters", source);
    return 0;
}

static bool is_section(struct slice line, const char *profile) {
    return slice_take_char(&line, '[') && slice_ends(line, "]") &&
           slice_is(slice_trim((struct slice){line.data, line.size_bytes - 1}), profile);
}

int aws_credentials_of_file(struct slice file, const char *profile, struct aws_credentials *ret, struct error **err) {
    struct slice line, name;
    bool is_mine = false, is_there = false;
    *ret = (struct aws_credentials){.expires_ms = TIME_OPEN};
    while (slice_take_line(&file, &line)) {
        line = slice_trim(line);
        if (slice_starts(line, "["))
            is_there |= is_mine = is_section(line, profile);
        if (!is_mine || slice_starts(line, "#") || !slice_take_until(&line, '=', &name))
            continue;
        name = slice_trim(name);
        line = slice_trim(line);
        if (slice_is(name, "aws_access_key_id"))
            slice_copy(ret->access_key_id, sizeof ret->access_key_id, line);
        else if (slice_is(name, "aws_secret_access_key"))
            slice_copy(ret->secret_access_key, sizeof ret->secret_access_key, line);
        else if (slice_is(name, "aws_session_token"))
            slice_copy(ret->session_token, sizeof ret->session_token, line);
    }
    if (!is_there)
        return error_set(err, EINVAL, "there is no profile [%s]", profile);
    return check(ret, "the profile", err);
}

int aws_credentials_of_sts(struct slice xml, struct aws_credentials *ret, struct error **err) {
    char time[64];
    *ret = (struct aws_credentials){.expires_ms = TIME_OPEN};
    xml_text(xml, "AccessKeyId", ret->access_key_id, sizeof ret->access_key_id);
    xml_text(xml, "SecretAccessKey", ret->secret_access_key, sizeof ret->secret_access_key);
    xml_text(xml, "SessionToken", ret->session_token, sizeof ret->session_token);
    if (!xml_text(xml, "Expiration", time, sizeof time) || !rfc3339_parse_ms(slice_of(time), &ret->expires_ms))
        return error_set(err, EINVAL, "the answer of STS has no Expiration");
    return check(ret, "the answer of STS", err);
}

int aws_credentials_of_container(struct slice json, struct aws_credentials *ret, struct error **err) {
    typedef struct aws_credentials answer;
    static const struct jmember rows[] = {
        JMEMBER(answer, access_key_id, "AccessKeyId"), JMEMBER(answer, secret_access_key, "SecretAccessKey"),
        JMEMBER(answer, session_token, "Token"), JMEMBER_TIME(answer, expires_ms, "Expiration")};
    *ret = (struct aws_credentials){.expires_ms = TIME_OPEN};
    if (!jmembers_parse(json, JMEMBERS(rows), ret))
        return error_set(err, EINVAL, "the container's credentials are not JSON");
    return check(ret, "the container's credentials", err);
}

static void take(char *to, size_t size, const char *variable) {
    slice_copy(to, size, slice_of(getenv(variable)));
}

int aws_credentials_of_environment(struct aws_credentials *ret, struct error **err) {
    *ret = (struct aws_credentials){.expires_ms = TIME_OPEN};
    take(ret->access_key_id, sizeof ret->access_key_id, "AWS_ACCESS_KEY_ID");
    take(ret->secret_access_key, sizeof ret->secret_access_key, "AWS_SECRET_ACCESS_KEY");
    take(ret->session_token, sizeof ret->session_token, "AWS_SESSION_TOKEN");
    return check(ret, "the environment", err);
}
