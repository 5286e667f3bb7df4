/* keys: AWS credentials, asked for when they are needed, and again before they run out. As AWS's libraries, it takes
 * the first of these that is there:
 *
 *   AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY
 *   AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN            IAM roles for service accounts: AssumeRoleWithWebIdentity
 *   AWS_CONTAINER_CREDENTIALS_FULL_URI                      EKS Pod Identity
 *   AWS_SHARED_CREDENTIALS_FILE, ~/.aws/credentials         the profile AWS_PROFILE, or "default"
 *
 * Files are read at each request: they may be renewed. The instance metadata service is not asked. */
#ifndef AWS_KEYS_H
#define AWS_KEYS_H

#include "aws/credentials.h"
#include "io/http.h"

struct aws_keys;

/* ca_file: of the token service; NULL: the system's. Texts are copied. */
struct aws_keys *aws_keys_new(struct loop *loop, struct http_client *http, const char *region, const char *ca_file);
void aws_keys_free(struct aws_keys *keys); /* after all who wait were forgotten */

struct aws_keys_waiter { /* the caller's own */
    /* credentials: borrowed for the call; NULL: err says why there are none. */
    void (*done)(void *context, const struct aws_credentials *credentials, const struct error *err);
    void *context;
    struct aws_keys_waiter *next; /* private */
};
/* done is called once, perhaps within this call. */
void aws_keys_get(struct aws_keys *keys, struct aws_keys_waiter *waiter);
void aws_keys_forget(struct aws_keys *keys, struct aws_keys_waiter *waiter); /* if it still waits */
void aws_keys_refused(struct aws_keys *keys);                                /* they have expired: ask again */

#endif
