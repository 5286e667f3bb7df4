/* sigv4: signs HTTP requests as AWS's services and other stores that speak S3 ask for it: Signature Version 4, in the
 * header Authorization ("Signature Calculations for the Authorization Header", Amazon S3 API Reference). Pure: no
 * clock, no I/O. tests/aws/test_sigv4.c has AWS's published vectors. libcurl 7.88's own signing is not used: it sends
 * no hash of the content and encodes '=' of a key otherwise. */
#ifndef AWS_SIGV4_H
#define AWS_SIGV4_H

#include "base/buf.h"

#include <stdint.h>

#define SIGV4_TIME_SIZE 17 /* "20130524T000000Z" */
#define SIGV4_HASH_SIZE 65 /* a SHA-256 in hexadecimal digits */
#define SIGV4_MAX_HEADERS 16

struct sigv4_keys {
    const char *access_key_id, *secret_access_key;
};

struct sigv4_request {
    const char *method;
    const char *path;  /* as sent: urlencode(key, "/") */
    const char *query; /* as sent: encoded, in the order of the names; "" if there is none */
    const char *const
        *headers;             /* "Name: value", NULL-terminated: those that are signed, Host and X-Amz-Date included */
    const char *content_hash; /* sigv4_hash of the body */
};

void sigv4_hash(char out[static SIGV4_HASH_SIZE], struct slice content);
void sigv4_format_time(char out[static SIGV4_TIME_SIZE], int64_t unix_s);

/* Appends the value of the header Authorization. time: of X-Amz-Date. At most SIGV4_MAX_HEADERS are signed. */
void sigv4_authorization(struct buf *out, const struct sigv4_request *request, const struct sigv4_keys *keys,
                         const char *time, const char *region, const char *service);

#endif
