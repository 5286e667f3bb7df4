/* credentials: the keys with which requests to AWS are signed, as the environment, a shared credentials file and AWS's
 * endpoints give them. Pure: bytes in, keys out. */
#ifndef AWS_CREDENTIALS_H
#define AWS_CREDENTIALS_H

#include "base/error.h"
#include "base/slice.h"

#include <stdint.h>

enum { AWS_KEY_SIZE = 256, AWS_TOKEN_SIZE = 16384 };

struct aws_credentials {
    char access_key_id[AWS_KEY_SIZE], secret_access_key[AWS_KEY_SIZE];
    char session_token[AWS_TOKEN_SIZE]; /* "": none */
    int64_t expires_ms;                 /* TIME_OPEN: never */
};

/* Each is -EINVAL where the keys are missing or not usable; *err says what is missing, and names no secret. */

/* The profile's section of a shared credentials file. */
int aws_credentials_of_file(struct slice file, const char *profile, struct aws_credentials *ret, struct error **err);
/* The answer to AssumeRoleWithWebIdentity. */
int aws_credentials_of_sts(struct slice xml, struct aws_credentials *ret, struct error **err);
/* The answer of a container's endpoint (EKS Pod Identity, ECS). */
int aws_credentials_of_container(struct slice json, struct aws_credentials *ret, struct error **err);
int aws_credentials_of_environment(struct aws_credentials *ret, struct error **err);

#endif
