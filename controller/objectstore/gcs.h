/* gcs: requests and answers of Google Cloud Storage's JSON API. Pure. */
#ifndef OBJECTSTORE_GCS_H
#define OBJECTSTORE_GCS_H

#include "objectstore/request.h"

/* key: with the place's prefix. is_put: unless there is an object (ifGenerationMatch=0); else it is read. */
void gcs_request(const struct object_place *place, const char *key, bool is_put, const char *token,
                 struct object_request *ret);
/* An answer that is not what was asked for: what it says, and what to do. True: the token has expired. */
bool gcs_explain(const struct object_place *place, int status, struct slice body, struct error **err);

#endif
