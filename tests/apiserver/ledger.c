/* The identities that hold in every status of a JobGoodput, at every moment: looked at with each write of one. */
#include "base/mem.h"
#include "jx.h"
#include "srv.h"

#include <stdio.h>
#include <string.h>

static int wrong(char why[static 200], const char *what, int64_t is, int64_t should) {
    snprintf(why, 200, "%s: %lld, not %lld", what, (long long)is, (long long)should);
    return -1;
}

static int check_buckets(const json_t *status, char why[static 200]) {
    int64_t wall = jx_int(status, "time.wallMs"), available = jx_int(status, "time.availableMs"), scheduling = 0;
    int64_t productive = jx_int(status, "time.productiveMs"), sum = productive;
    size_t i;
    json_t *bucket;
    if (wall < 0 || available < 0 || productive < 0 || productive > available || available > wall) {
        snprintf(why, 200, "not 0 <= productive %lld <= available %lld <= wall %lld", (long long)productive,
                 (long long)available, (long long)wall);
        return -1;
    }
    json_array_foreach(jx_get(status, "badput"), i, bucket) {
        int64_t ms = jx_int(bucket, "ms");
        if (ms < 0)
            return wrong(why, jx_text(bucket, "bucket"), ms, 0);
        if (strcmp(jx_text(bucket, "bucket"), "Productive") != 0)
            sum += ms;
        if (strcmp(jx_text(bucket, "family"), "Scheduling") == 0)
            scheduling += ms;
    }
    if (sum != wall)
        return wrong(why, "the buckets and the productive time sum to", sum, wall);
    return scheduling == wall - available ? 0
                                          : wrong(why, "the scheduling buckets sum to", scheduling, wall - available);
}

static int check_ratio(const json_t *status, const char *path, int64_t part, int64_t whole, char why[static 200]) {
    int64_t ppm = jx_int(status, path);
    if (jx_get(status, path) == NULL || whole == 0)
        return 0;
    int64_t off = ppm * whole - part * 1000000; /* rounded one way or the other: within one */
    return off <= whole && off >= -whole ? 0 : wrong(why, path, ppm, part * 1000000 / whole);
}

int ledger_check(const json_t *object, char why[static 200]) {
    const json_t *status = jx_get(object, "status");
    int64_t wall = jx_int(status, "time.wallMs"), available = jx_int(status, "time.availableMs");
    int64_t productive = jx_int(status, "time.productiveMs");
    size_t i;
    json_t *item;
    if (jx_get(status, "time.wallMs") == NULL)
        return 0;
    if (check_buckets(status, why) < 0 || check_ratio(status, "goodputPPM.scheduling", available, wall, why) < 0 ||
        check_ratio(status, "goodputPPM.runtime", productive, available, why) < 0 ||
        check_ratio(status, "goodputPPM.job", productive, wall, why) < 0)
        return -1;
    json_array_foreach(jx_get(status, "windows"), i, item) {
        int64_t ms = jx_int(item, "ms");
        if (ms < 0 || ms > jx_int(item, "windowSeconds") * 1000 || ms > wall)
            return wrong(why, "a window's ms", ms, jx_int(item, "windowSeconds") * 1000);
    }
    json_array_foreach(jx_get(status, "executions"), i, item) {
        static const char *const spans[] = {"tchMs", "waitMs", "treMs", "trmMs", "catchUpMs"};
        for (size_t k = 0; k < ARRAY_SIZE(spans); k++)
            if (jx_int(item, spans[k]) < 0)
                return wrong(why, spans[k], jx_int(item, spans[k]), 0);
    }
    return 0;
}

void ledger_look(struct srv *s, const json_t *object) {
    char why[200];
    s->ledgers_seen++;
    if (ledger_check(object, why) == 0)
        return;
    s->ledgers_bad++;
    fprintf(stderr, "test-apiserver: %s/%s: %s\n", jx_text(object, "metadata.namespace"),
            jx_text(object, "metadata.name"), why);
    if (s->ledger_why[0] == '\0')
        snprintf(s->ledger_why, sizeof s->ledger_why, "%.120s: %.190s", jx_text(object, "metadata.name"), why);
}
