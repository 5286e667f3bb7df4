/* Reads the answer of timeSeries.create if not all was written: google.rpc.Status with a CreateTimeSeriesSummary in its
 * details. */
#include "export/push/monitoring.h"

#include "base/jmembers.h"

#include <string.h>

static bool is_old(const char *text) {
    return strstr(text, "Points must be written in order") != NULL ||
           strstr(text, "more frequently than the maximum sampling period") != NULL;
}

struct reading {
    struct monitoring_answer a;
    bool is_other;
    char text[512];       /* of an error */
    int64_t total, taken; /* of a detail */
};

/* Reads one of the summary's errors: {"status": {"code", "message"}, "pointCount"}. */
static void read_error(struct jscan *j, void *reading) {
    static const struct jmember status[] = {JMEMBER(struct reading, text, "message")};
    static const struct jmember rows[] = {JMEMBER_OBJECT("status", status)};
    struct reading *r = reading;
    r->text[0] = '\0';
    jmembers_read(j, JMEMBERS(rows), r);
    r->is_other = r->is_other || (r->text[0] != '\0' && !is_old(r->text));
}

static void read_detail(struct jscan *j, void *reading) {
    static const struct jmember rows[] = {JMEMBER(struct reading, total, "totalPointCount"),
                                          JMEMBER(struct reading, taken, "successPointCount"),
                                          JMEMBER_ELEMENTS("errors", read_error)};
    struct reading *r = reading;
    r->total = -1;
    r->taken = 0; /* 0 is not written in JSON */
    jmembers_read(j, JMEMBERS(rows), r);
    if (r->total >= 0 && r->taken >= 0 && r->taken <= r->total) {
        r->a.total = r->total;
        r->a.taken = r->taken;
    }
}

void monitoring_read_answer(struct slice body, struct monitoring_answer *a) {
    static const struct jmember error[] = {JMEMBER(struct reading, a.text, "message"),
                                           JMEMBER_ELEMENTS("details", read_detail)};
    static const struct jmember rows[] = {JMEMBER_OBJECT("error", error)};
    struct reading r = {.a = {.total = -1, .taken = -1}};
    struct jscan j;
    jscan_init(&j, body);
    jmembers_read(&j, JMEMBERS(rows), &r);
    bool is_json = jscan_error(&j, NULL) == NULL;
    *a = r.a;
    if (!is_json)
        a->total = a->taken = -1;
    a->is_old_only = is_json && is_old(a->text) && !r.is_other;
}
