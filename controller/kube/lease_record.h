/* lease_record: what a Lease object says, from and to JSON. Knows nothing of elections. */
#ifndef KUBE_LEASE_RECORD_H
#define KUBE_LEASE_RECORD_H

#include "base/buf.h"

struct lease_record {
    char holder[256];
    char resource_version[128];      /* "": not known */
    char acquire_time[64];           /* as the server wrote it */
    int64_t duration_s, transitions; /* 0 to INT32_MAX, as in the API */
};

/* False: not a Lease from a server (malformed, or without a resourceVersion). */
bool lease_record_parse(struct slice body, struct lease_record *ret);
/* The whole object. renew_time: RFC 3339. Without a resource_version it is a new one. */
void lease_record_write(const struct lease_record *r, const char *namespace_, const char *name, const char *renew_time,
                        struct buf *out);

#endif
