/* request: what a store's dialect (s3.h, gcs.h) makes of "put this object where none is" and "give me this object", and
 * what it says of an answer that is neither. */
#ifndef OBJECTSTORE_REQUEST_H
#define OBJECTSTORE_REQUEST_H

#include "base/error.h"
#include "base/slice.h"

#include <stdbool.h>

struct object_place { /* texts are heap */
    char *url;        /* as given: "s3://BUCKET/PREFIX" */
    char *bucket;
    char *prefix;      /* of each key: "" or "PREFIX/" */
    char *endpoint;    /* "https://HOST", without "/" at its end */
    char *region;      /* of S3 */
    bool has_own_host; /* the bucket is in the host's name */
};

struct object_request {
    const char *method;
    char *url, *headers[12]; /* heap; headers end with NULL */
};

static inline void object_request_add(struct object_request *r, char *header) {
    size_t n = 0;
    while (r->headers[n] != NULL)
        n++;
    r->headers[n] = header;
}
void object_request_done(struct object_request *r);

/* What to do about an answer's code or status. */
struct object_advice {
    const char *code; /* of S3; NULL: any */
    int status;       /* 0: any */
    int errno_;       /* of the error: the same trouble has the same */
    bool is_expired;  /* other credentials may help at once */
    const char *text;
};

/* The first row for the answer; the last row is for any. */
const struct object_advice *object_advice_find(const struct object_advice *rows, const char *code, int status);

#endif
