/* lease_record: a Lease as a server may send it. What was read is written and read again: the same, but for
 * bytes that are no UTF-8, which are replaced the first time. */
#include "base/jscan.h"
#include "kube/lease_record.h"
#include "reach.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void rewrite(const struct lease_record *r, struct lease_record *ret) {
    struct buf json CLEANUP_BUF = {0};
    buf_init(&json, 8192);
    lease_record_write(r, "n", "l", "2026-01-01T00:00:00.000000Z", &json);
    assert(!json.truncated);
    assert(lease_record_parse(buf_slice(&json), ret));
    assert(r->duration_s == ret->duration_s && r->transitions == ret->transitions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct lease_record first, second, third;
    if (!lease_record_parse((struct slice){(const char *)data, size}, &first))
        return 0;
    if (first.holder[0] != '\0')
        REACHED("a lease that somebody holds");
    assert(first.resource_version[0] != '\0');
    assert(first.duration_s >= 0 && first.duration_s <= INT32_MAX);
    assert(first.transitions >= 0 && first.transitions <= INT32_MAX);
    rewrite(&first, &second);
    rewrite(&second, &third);
    assert(strcmp(second.holder, third.holder) == 0 && strcmp(second.acquire_time, third.acquire_time) == 0);
    assert(strcmp(second.resource_version, third.resource_version) == 0);
    return 0;
}
