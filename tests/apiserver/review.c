/* TokenReview: a token is HEADER.CLAIMS.signed, the claims base64url as in a JWT; its user is their "sub".
 * SubjectAccessReview: a ServiceAccount may do all in its own namespace, the user "admin" everywhere. */
#include "base/base64.h"
#include "base/mem.h"
#include "srv.h"

#include <string.h>

static json_t *read_claims(const char *token) {
    const char *first = strchr(token, '.'), *second = first ? strchr(first + 1, '.') : NULL;
    char why[200];
    size_t size;
    if (second == NULL || strcmp(second, ".signed") != 0)
        return NULL;
    CLEANUP_FREE char *text = mem_format("%.*s%s", (int)(second - first - 1), first + 1,
                                         &"===="[(second - first - 1) % 4 ? (second - first - 1) % 4 : 4]);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '-' ? '+' : *c == '_' ? '/' : *c;
    CLEANUP_FREE char *json = base64_decode(slice_of(text), &size);
    return json != NULL ? jx_load(json, size, false, why) : NULL;
}

/* One that names no audience is meant for the API server. */
static bool is_meant(const json_t *claims, const json_t *review) {
    const json_t *audiences = json_object_get(json_object_get(review, "spec"), "audiences"), *one;
    const char *audience = jx_text(claims, "aud");
    size_t i;
    if (json_array_size(audiences) == 0)
        return *audience == '\0';
    json_array_foreach((json_t *)audiences, i, one) if (strcmp(json_string_value(one), audience) == 0) return true;
    return false;
}

void review_token(struct conn *c) {
    char why[200];
    CLEANUP_JSON json_t *review = jx_load(c->body.data, c->body.size_bytes, false, why);
    CLEANUP_JSON json_t *claims = review ? read_claims(jx_text(review, "spec.token")) : NULL;
    if (review == NULL) {
        api_status(c, 400, "BadRequest", NULL, "the body is not a TokenReview: %s", why);
        return;
    }
    bool is_known = claims != NULL && is_meant(claims, review);
    jx_set(review, "status.authenticated", json_boolean(is_known));
    if (is_known)
        jx_set_text(review, "status.user.username", jx_text(claims, "sub"));
    api_reply_json(c, 201, review);
}

void review_access(struct conn *c) {
    char why[200];
    CLEANUP_JSON json_t *review = jx_load(c->body.data, c->body.size_bytes, false, why);
    if (review == NULL) {
        api_status(c, 400, "BadRequest", NULL, "the body is not a SubjectAccessReview: %s", why);
        return;
    }
    const char *user = jx_text(review, "spec.user"), *namespace_ = jx_text(review, "spec.resourceAttributes.namespace");
    CLEANUP_FREE char *own = mem_format("system:serviceaccount:%s:", namespace_);
    bool is_own = *namespace_ != '\0' && strncmp(user, own, strlen(own)) == 0;
    jx_set(review, "status.allowed", json_boolean(is_own || strcmp(user, "admin") == 0));
    api_reply_json(c, 201, review);
}
