/* store: a bucket that speaks S3 or is of Google Cloud Storage. It puts an object where none is, and reads one. Calls
 * are on the loop and do not block. */
#ifndef OBJECTSTORE_STORE_H
#define OBJECTSTORE_STORE_H

#include "base/error.h"
#include "io/http.h"

struct object_store;
struct object_call;

struct object_store_options {
    const char *url;                /* "s3://BUCKET/PREFIX" or "gs://BUCKET/PREFIX" */
    const char *endpoint;           /* NULL: $AWS_ENDPOINT_URL_S3, $AWS_ENDPOINT_URL, then AWS's; Google's */
    const char *region;             /* NULL: $AWS_REGION, $AWS_DEFAULT_REGION, then us-east-1 */
    const char *ca_file;            /* NULL: the system's */
    const char *google_credentials; /* NULL: as Google's libraries find them */
};

/* Whether it is the URL of a store, and not a folder. */
bool object_store_is_url(const char *text);
/* NULL: the URL is not one of a store, or a setting is wrong. */
struct object_store *object_store_new(struct loop *loop, const struct object_store_options *options,
                                      struct error **err);
void object_store_free(struct object_store *store); /* after its calls */
const char *object_store_url(const struct object_store *store);

enum object_outcome {
    OBJECT_DONE,   /* it was put, or `body` is its content */
    OBJECT_EXISTS, /* it was not put: there is one */
    OBJECT_FAILED, /* err says why, and what to do; err->code: the same for the same trouble */
};
typedef void object_done(void *context, enum object_outcome outcome, struct slice body, int64_t retry_after_us,
                         const struct error *err);

/* Of a key below the URL's prefix. body: borrowed until done. content_hash: its SHA-256 (aws/sigv4.h). */
struct object_call *object_put(struct object_store *store, const char *key, struct slice body, const char *content_hash,
                               object_done *done, void *context);
/* Content of more than max_bytes is a failure. */
struct object_call *object_get(struct object_store *store, const char *key, size_t max_bytes, object_done *done,
                               void *context);
void object_call_cancel(struct object_call *call); /* no callback follows; NULL-safe */

#endif
