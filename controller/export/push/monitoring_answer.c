/* Reads the answer of timeSeries.create if not all was written: google.rpc.Status with a CreateTimeSeriesSummary in its
 * details. */
#include "export/push/monitoring.h"

#include "base/jscan.h"

#include <string.h>

static bool is_old(const char *text) {
    return strstr(text, "Points must be written in order") != NULL ||
           strstr(text, "more frequently than the maximum sampling period") != NULL;
}

/* Reads one of the summary's errors: {"status": {"code", "message"}, "pointCount"}. */
static void read_error(struct jscan *j, bool *is_other) {
    struct slice key;
    char text[512] = "";
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (!slice_is(key, "status") || !jscan_object(j)) {
            if (!slice_is(key, "status"))
                jscan_skip(j);
            continue;
        }
        while (jscan_key(j, &key)) {
            if (slice_is(key, "message"))
                jscan_string(j, text, sizeof text);
            else
                jscan_skip(j);
        }
    }
    *is_other = *is_other || (text[0] != '\0' && !is_old(text));
}

static void read_detail(struct jscan *j, struct monitoring_answer *a, bool *is_other) {
    struct slice key;
    int64_t total = -1, taken = 0;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "totalPointCount"))
            jscan_int(j, &total);
        else if (slice_is(key, "successPointCount"))
            jscan_int(j, &taken);
        else if (slice_is(key, "errors") && jscan_array(j))
            while (jscan_element(j))
                read_error(j, is_other);
        else if (!slice_is(key, "errors"))
            jscan_skip(j);
    }
    if (total >= 0 && taken >= 0 && taken <= total) {
        a->total = total;
        a->taken = taken; /* 0 is not written in JSON */
    }
}

void monitoring_read_answer(struct slice body, struct monitoring_answer *a) {
    struct jscan j;
    struct slice key;
    bool is_other = false;
    *a = (struct monitoring_answer){.total = -1, .taken = -1};
    jscan_init(&j, body);
    if (!jscan_object(&j))
        return;
    while (jscan_key(&j, &key)) {
        if (!slice_is(key, "error") || !jscan_object(&j)) {
            if (!slice_is(key, "error"))
                jscan_skip(&j);
            continue;
        }
        while (jscan_key(&j, &key)) {
            if (slice_is(key, "message"))
                jscan_string(&j, a->text, sizeof a->text);
            else if (slice_is(key, "details") && jscan_array(&j))
                while (jscan_element(&j))
                    read_detail(&j, a, &is_other);
            else if (!slice_is(key, "details"))
                jscan_skip(&j);
        }
    }
    if (jscan_error(&j, NULL) != NULL)
        a->total = a->taken = -1;
    a->is_old_only = is_old(a->text) && !is_other && jscan_error(&j, NULL) == NULL;
}
