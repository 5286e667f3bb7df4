/* The ledgers of recorded clusters, span by span, while their jobs run and when they have ended. tests/recompute
 * computes the statuses from those that RECORDS_DIR keeps. */
#include "harness.h"
#include "operator/job/job.h"
#include "operator/status/records.h"
#include "recordings.h"

#include "base/mem.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define EVERY 16 /* events */

static void keep(const char *name, size_t event, struct slice records, const char *status) {
    const char *dir = getenv("RECORDS_DIR");
    if (dir == NULL)
        return;
    CLEANUP_BUF struct buf out;
    buf_init(&out, RECORDS_MAX_BYTES);
    buf_append_slice(&out, records);
    records_write_status(slice_of(status), &out);
    CLEANUP_FREE char *path = mem_format("%s/%s-%zu.jsonl", dir, name, event);
    FILE *f = fopen(path, "w");
    REQUIRE(f != NULL);
    CHECK(fwrite(out.data, 1, out.size_bytes, f) == out.size_bytes);
    CHECK_INT(fclose(f), 0);
}

/* Spans follow each other from the job's start to observedThrough. */
static void check_spans(struct slice records, const char *status, const char *name) {
    struct slice line;
    int64_t sum_ms = 0;
    CLEANUP_FREE char *at = NULL;
    while (slice_take_line(&records, &line)) {
        json_t *x = json_loadb(line.data, line.size_bytes, 0, NULL);
        REQUIRE(x != NULL);
        const char *kind = json_string_value(json_object_get(x, "record"));
        if (strcmp(kind, "job") == 0)
            CHECK_TEXT(json_string_value(json_object_get(x, "cluster")), "recorded");
        const char *from = json_string_value(json_object_get(x, "from")),
                   *to = json_string_value(json_object_get(x, "to"));
        if (strcmp(kind, "span") == 0) {
            CHECK_TEXT(from, at);
            sum_ms += json_integer_value(json_object_get(x, "milliseconds"));
        }
        if (strcmp(kind, "span") == 0 || strcmp(kind, "job") == 0) {
            free(at);
            at = mem_strdup(strcmp(kind, "span") == 0 ? to : from);
        }
        json_decref(x);
    }
    if (sum_ms != status_int(status, "time.wallMilliseconds"))
        harness_fail(__FILE__, __LINE__, "%s: spans of %" PRId64 " ms in all, of %" PRId64, name, sum_ms,
                     status_int(status, "time.wallMilliseconds"));
    CHECK_TEXT(at, status_text(status, "time.observedThrough"));
}

static int look(struct model *m, const struct recording *rec, int i, size_t event, int64_t at_ms) {
    CLEANUP_FREE char *status = replay_status(m, rec->namespace_, rec->jobs[i].name, at_ms, NULL);
    struct model_job *job = model_job_find(m, rec->namespace_, rec->jobs[i].name);
    CLEANUP_FREE char *name = mem_format("%s-%s", rec->name, rec->jobs[i].name);
    if (job == NULL || status_int(status, "time.wallMilliseconds") <= 0)
        return 0;
    check_spans(buf_slice(&job->publication.records), status, name);
    keep(name, event, buf_slice(&job->publication.records), status);
    return 1;
}

TEST(a_recorded_ledger_has_every_span) {
    int looks = 0;
    for (int k = 0; k < RECORDING_COUNT; k++) {
        const struct recording *rec = &recordings[k];
        struct replay events, logs = {0};
        REQUIRE(replay_load(&events, rec->path, "workloads"));
        REQUIRE(rec->logs == NULL || replay_open_logs(&logs, rec->logs));
        events.is_watched[RESOURCE_NODE] &= !rec->lacks_nodes;
        struct model *m = recording_model(rec, NULL, events.events[0].at_ms);
        for (size_t e = 0; e < events.count; e++) {
            replay_feed(m, &events.events[e]);
            bool is_last = e + 1 == events.count;
            if (!is_last && (e % EVERY != 0 || events.events[e + 1].at_ms == events.events[e].at_ms))
                continue;
            int64_t at_ms = events.events[e].at_ms;
            replay_watermarks_of(m, &events, at_ms);
            if (rec->logs != NULL)
                recording_read_logs(m, rec, &logs, at_ms);
            for (int i = 0; i < recording_job_count(rec); i++)
                looks += look(m, rec, i, e, at_ms);
        }
        model_free(m);
        replay_done(&events);
        replay_done(&logs);
    }
    CHECK(looks > 100);
}
