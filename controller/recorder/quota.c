#include "recorder/quota.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/minmax.h"

#define HOUR_US INT64_C(3600000000)
#define MILLION INT64_C(1000000)

const struct quota_limits quota_default_limits = {.bytes_per_s = 1 << 20,
                                                  .burst_bytes = 16 << 20,
                                                  .requests_per_s = 20,
                                                  .burst_requests = 200,
                                                  .held_bytes = 48 << 20,
                                                  .held_bytes_one = 24 << 20,
                                                  .namespaces = 4096};

struct tenant {
    int64_t at_us, microbytes, microrequests; /* what it may still send; in millionths, so that no refill rounds */
    size_t held_bytes;
};

struct quota {
    struct quota_limits limits;
    struct map tenants; /* by namespace */
    size_t held_bytes;
};

struct quota *quota_new(const struct quota_limits *limits) {
    struct quota *q = mem_new(struct quota);
    q->limits = *limits;
    map_init(&q->tenants, free);
    return q;
}

void quota_free(struct quota *quota) {
    if (quota == NULL)
        return;
    map_done(&quota->tenants);
    free(quota);
}

static void refill(const struct quota *q, struct tenant *t, int64_t now_us) {
    const struct quota_limits *l = &q->limits;
    int64_t passed_us = min_of(max_of(now_us - t->at_us, 0), HOUR_US);
    t->at_us = now_us;
    t->microbytes = min_of(t->microbytes + passed_us * l->bytes_per_s, l->burst_bytes * MILLION);
    t->microrequests = min_of(t->microrequests + passed_us * l->requests_per_s, l->burst_requests * MILLION);
}

/* A tenant that may send all again and holds nothing is as one that was never seen. */
static void forget_idle(struct quota *q, int64_t now_us) {
    for (size_t i = q->tenants.count; i-- > 0;) { /* removal moves the last entry, which was looked at, to this place */
        struct tenant *t = map_at(&q->tenants, i);
        refill(q, t, now_us);
        if (t->held_bytes == 0 && t->microbytes == q->limits.burst_bytes * MILLION &&
            t->microrequests == q->limits.burst_requests * MILLION)
            map_remove(&q->tenants, map_key_at(&q->tenants, i));
    }
}

static struct tenant *find(struct quota *q, int64_t now_us, const char *namespace_) {
    struct tenant *t = map_get(&q->tenants, slice_of(namespace_));
    if (t == NULL && q->tenants.count >= q->limits.namespaces)
        forget_idle(q, now_us);
    if (t == NULL && q->tenants.count < q->limits.namespaces) {
        t = mem_new(struct tenant);
        *t = (struct tenant){now_us, q->limits.burst_bytes * MILLION, q->limits.burst_requests * MILLION, 0};
        map_put(&q->tenants, slice_of(namespace_), t);
    }
    if (t != NULL)
        refill(q, t, now_us);
    return t;
}

bool quota_send(struct quota *quota, int64_t now_us, const char *namespace_, int64_t bytes) {
    struct tenant *t = find(quota, now_us, namespace_);
    if (t == NULL || t->microbytes / MILLION < bytes || t->microrequests < MILLION)
        return false;
    t->microbytes -= bytes * MILLION;
    t->microrequests -= MILLION;
    return true;
}

static bool fits(const struct quota *q, const struct tenant *t, size_t bytes) {
    return t != NULL && bytes <= q->limits.held_bytes_one - t->held_bytes &&
           bytes <= q->limits.held_bytes - q->held_bytes;
}

bool quota_may_hold(struct quota *quota, int64_t now_us, const char *namespace_, size_t bytes) {
    return fits(quota, find(quota, now_us, namespace_), bytes);
}

bool quota_hold(struct quota *quota, int64_t now_us, const char *namespace_, size_t bytes) {
    struct tenant *t = find(quota, now_us, namespace_);
    if (!fits(quota, t, bytes))
        return false;
    t->held_bytes += bytes;
    quota->held_bytes += bytes;
    return true;
}

void quota_release(struct quota *quota, const char *namespace_, size_t bytes) {
    struct tenant *t = map_get(&quota->tenants, slice_of(namespace_));
    if (t == NULL || bytes == 0)
        return;
    t->held_bytes -= bytes;
    quota->held_bytes -= bytes;
}
