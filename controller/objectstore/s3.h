/* s3: requests and answers of S3's REST API, as AWS, MinIO, Ceph and others serve it. Pure. */
#ifndef OBJECTSTORE_S3_H
#define OBJECTSTORE_S3_H

#include "aws/credentials.h"
#include "objectstore/request.h"

/* key: with the place's prefix. content_hash: NULL: the object is read; else put, unless there is one (If-None-Match).
 * at_s: Unix time of the signature. */
void s3_request(const struct object_place *place, const char *key, const char *content_hash,
                const struct aws_credentials *credentials, int64_t at_s, struct object_request *ret);
/* An answer that is not what was asked for: what it says, and what to do. server_s: its clock; -1: not known. True: the
 * credentials have expired. */
bool s3_explain(const struct object_place *place, int status, struct slice body, int64_t now_s, int64_t server_s,
                struct error **err);

#endif
