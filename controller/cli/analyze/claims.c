#include "cli/analyze/claims.h"

#include "base/mem.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#define NO_LOG "between two attempts: no line of a log covers it"

static void forget_unobserved(struct ledger_entries *entries) {
    for (size_t i = 0; i < entries->count; i++) {
        const struct ledger_entry *e = &entries->items[i];
        if (e->bucket != BUCKET_UNOBSERVED || e->text < 0)
            continue;
        free(entries->texts[e->text]);
        entries->texts[e->text] = mem_strdup(NO_LOG);
    }
}

void analyze_claims_forget(struct view *v, struct ledger_entries *entries) {
    struct ledger_result *r = &v->result;
    v->scheduling_ppm = v->scheduling_upper_ppm = RECORD_NONE;
    r->mttr_ms = RECORD_NONE; /* the time to reschedule is in it */
    for (int i = 0; i < r->interruption_count; i++)
        r->interruptions[i].tre_ms = r->interruptions[i].wait_ms = RECORD_NONE;
    for (int i = 0; i < r->execution_count; i++) { /* the time before its first line belongs to none */
        struct ledger_execution *e = &r->executions[i];
        bool is_clipped = e->first_step_ms != TIME_UNKNOWN && e->first_step_ms < e->available_ms; /* an interval */
        if (e->available_ms != TIME_UNKNOWN && !is_clipped)
            e->start_ms = e->available_ms;
    }
    for (int i = 0; i < r->bucket_count; i++)
        if (r->buckets[i].bucket == BUCKET_UNOBSERVED)
            slice_copy(r->buckets[i].evidence, sizeof r->buckets[i].evidence, slice_of(NO_LOG));
    forget_unobserved(entries);
}

static void drop(json_t *status) {
    static const char no_wait[] = "To reschedule takes no time: a log does not show how long it takes.";
    size_t i;
    json_t *item, *assumptions = json_object_get(json_object_get(status, "forecast"), "assumptions");
    json_object_del(status, "availability");
    json_object_del(status, "otherDefinitions");
    json_array_foreach(json_object_get(status, "windows"), i, item) json_object_del(item, "scheduling");
    json_array_foreach(assumptions, i, item) {
        if (strncmp(json_string_value(item), no_wait, strcspn(no_wait, ":")) == 0)
            json_array_set_new(assumptions, i, json_string(no_wait));
    }
    json_array_foreach(json_object_get(status, "intervals"), i, item) drop(item);
}

int analyze_claims_drop(struct buf *status, struct error **err) {
    json_error_t why;
    json_t *value = json_loadb(status->data, status->size_bytes, 0, &why);
    if (value == NULL)
        return error_set(err, EINVAL, "cannot parse the ledger's status: %s", why.text);
    drop(value);
    CLEANUP_FREE char *text = json_dumps(value, JSON_COMPACT);
    json_decref(value);
    buf_clear(status);
    buf_append_text(status, text);
    return 0;
}
