/* model: hostile objects and log lines, and a controller that is killed among them. A line of input is one of:
 *
 *     3P{...}   an object of the resource with that digit (below): P present, D deleted, V vanished
 *     Ltext     a line of the first job's newest log, with the kubelet's stamp; L!text: without one
 *     E         that log ends
 *     T1500     1500 milliseconds pass
 *     S         statuses are written
 *     K         the controller is killed; the next one continues from the status that was just written and lists what
 * there is
 *
 * Whatever comes: each status is JSON whose numbers agree with each other (status_check.h), within 400 KiB, and its
 * checkpoint within what a status has room for. */
#include "base/jscan.h"
#include "base/mem.h"
#include "ledger/checkpoint.h"
#include "ledger/ledger.h"
#include "operator/model/evaluate.h"
#include "operator/model/model.h"
#include "reach.h"
#include "status_check.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_OBJECTS = 64, MAX_LINES = 512, MAX_KILLS = 16, MAX_STATUS_BYTES = 400 << 10 };

struct object {
    enum resource resource;
    struct slice namespace_, name, uid, json;
    bool is_present;
};

struct world {
    struct model *model;
    int64_t now_ms;
    struct object objects[MAX_OBJECTS];
    struct {
        struct slice text;
        int64_t stamp_ns;
    } lines[MAX_LINES];
    char *left[MAX_KILLS]; /* JobGoodputs with the status that a predecessor left */
    int object_count, line_count, kills;
};

static const struct model_options options = {.keeps_checkpoints = true};

/* The seeds' digits stay what they are when resources are added. */
static bool resource_of(char digit, enum resource *ret) {
    static const enum resource resources[] = {
        RESOURCE_JOBGOODPUT,
        RESOURCE_JOBSET,
        RESOURCE_JOB,
        RESOURCE_POD,
        RESOURCE_NODE,
        RESOURCE_WORKLOAD,
        RESOURCE_EVENT,
        RESOURCE_NODE_LEASE,
        RESOURCE_STEPLOGFORMAT,
        RESOURCE_RESOURCESLICE,
        RESOURCE_NODE_EVENT,
        RESOURCE_RAYJOB,
        RESOURCE_RAYCLUSTER,
        RESOURCE_LEADERWORKERSET,
        RESOURCE_PYTORCHJOB,
        RESOURCE_RESOURCECLAIM,
        RESOURCE_RESOURCECLAIMTEMPLATE,
    };
    _Static_assert(ARRAY_SIZE(resources) == RESOURCE_COUNT, "each resource has a digit");
    if (digit < '0' || digit >= '0' + (char)ARRAY_SIZE(resources))
        return false;
    *ret = resources[digit - '0'];
    return true;
}

static struct slice metadata_text(struct slice object, const char *member) {
    struct jscan j;
    struct slice key, value = slice_of("");
    jscan_init(&j, object);
    if (!jscan_object(&j))
        return value;
    while (jscan_key(&j, &key)) {
        if (!slice_is(key, "metadata")) {
            jscan_skip(&j);
            continue;
        }
        if (!jscan_object(&j))
            continue;
        while (jscan_key(&j, &key))
            if (slice_is(key, member))
                jscan_string_raw(&j, &value);
            else
                jscan_skip(&j);
    }
    return value;
}

/* ---- statuses ---- */

static int64_t number_after(const struct buf *status, const char *key) {
    const char *at = strstr(buf_text(status), key);
    struct slice rest = slice_of(at != NULL ? at + strlen(key) : "");
    int64_t n;
    return slice_take_int(&rest, &n) ? n : -1;
}

static void mark_reached(const struct buf *status) {
    REACHED("a status");
    if (number_after(status, "\"wallMilliseconds\":") > 0)
        REACHED("a job with a target");
    if (number_after(status, "\"retained\":") > 0)
        REACHED("steps");
    if (number_after(status, "\"interruptions\":{\"total\":") > 0)
        REACHED("an interruption");
    if (strstr(buf_text(status), "\"type\":\"Finished\",\"status\":\"True\"") != NULL)
        REACHED("final numbers");
}

static void check_checkpoint(const struct buf *status) {
    struct jscan j;
    struct slice key, raw;
    jscan_init(&j, buf_slice(status));
    assert(jscan_object(&j));
    while (jscan_key(&j, &key))
        if (slice_is(key, "checkpoint") && jscan_string_raw(&j, &raw))
            assert(raw.size_bytes <= LEDGER_SAVE_BYTES);
        else if (!slice_is(key, "checkpoint"))
            jscan_skip(&j);
    assert(jscan_at_end(&j));
}

static void write_status(struct world *w, struct model_job *job, struct buf *out) {
    struct model_summary summary;
    char why[STATUS_WHY];
    buf_init(out, 1 << 20);
    model_job_status(job, w->now_ms, out, &summary);
    model_job_add_checkpoint(job, w->now_ms, out);
    assert(!out->truncated && out->size_bytes <= MAX_STATUS_BYTES);
    if (!status_check_text(out->data, out->size_bytes, why)) {
        fprintf(stderr, "%s\n%s\n", why, buf_text(out));
        assert(false);
    }
    check_checkpoint(out);
    mark_reached(out);
}

static void know_all(struct world *w) {
    for (enum resource r = 0; r < RESOURCE_COUNT; r++)
        model_watermark(w->model, r, w->now_ms, false);
}

static void write_statuses(struct world *w) {
    know_all(w);
    for (size_t i = 0; i < model_job_count(w->model); i++) {
        CLEANUP_BUF struct buf status;
        write_status(w, model_job_at(w->model, i), &status);
    }
}

/* ---- what happens ---- */

/* The first job, and its newest log; NULL if there is none. */
static struct model_job *find_log(struct world *w, struct model_log *ret) {
    struct model_job *job = model_job_count(w->model) > 0 ? model_job_at(w->model, 0) : NULL;
    if (job == NULL || model_job_log_count(job) == 0)
        return NULL;
    model_job_log_get(job, model_job_log_count(job) - 1, ret);
    return ret->pod_uid != NULL ? job : NULL;
}

/* The lines from that one on; from the first one on, those that the newest log has not given yet. */
static void feed(struct world *w, int from) {
    struct model_log log;
    struct model_job *job = find_log(w, &log);
    if (job == NULL)
        return;
    CLEANUP_FREE char *uid = mem_strdup(log.pod_uid);
    for (int i = from; i < w->line_count; i++)
        if (from != 0 || w->lines[i].stamp_ns == INT64_MIN || w->lines[i].stamp_ns > log.read_through_ns)
            model_job_log_line(job, uid, log.restart_count, w->lines[i].stamp_ns, w->lines[i].text);
}

static void print_line(struct world *w, struct slice text) {
    if (w->line_count == MAX_LINES)
        return;
    bool has_stamp = text.size_bytes == 0 || text.data[0] != '!';
    w->lines[w->line_count].text = has_stamp ? text : slice_skip(text, 1);
    w->lines[w->line_count].stamp_ns = has_stamp ? w->now_ms * 1000000 : INT64_MIN;
    w->line_count++;
    feed(w, w->line_count - 1);
}

static void end_log(struct world *w) {
    struct model_log log;
    struct model_job *job = find_log(w, &log);
    CLEANUP_FREE char *uid = job != NULL ? mem_strdup(log.pod_uid) : NULL;
    if (job != NULL)
        model_job_log_end(job, uid, log.restart_count, NULL);
}

static void observe(struct world *w, enum resource resource, char what, struct slice json) {
    enum observed observed = what == 'D' ? OBSERVED_DELETED : what == 'V' ? OBSERVED_VANISHED : OBSERVED_PRESENT;
    struct object o = {
        resource, metadata_text(json, "namespace"), metadata_text(json, "name"), metadata_text(json, "uid"),
        json,     observed == OBSERVED_PRESENT};
    int i = 0;
    while (i < w->object_count &&
           !(w->objects[i].resource == resource && slice_equal(w->objects[i].namespace_, o.namespace_) &&
             slice_equal(w->objects[i].name, o.name)))
        i++;
    if (i < MAX_OBJECTS) {
        w->objects[i] = o;
        w->object_count += i == w->object_count;
    }
    model_observe(w->model, resource, observed, o.namespace_, o.name, o.uid,
                  observed == OBSERVED_VANISHED ? slice_of("") : json, w->now_ms);
}

/* JobGoodputs first, the first job's with the status that its predecessor left. */
static void list_objects(struct world *w, const char *namespace_, const char *name, const struct buf *status) {
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < w->object_count; i++) {
            const struct object *o = &w->objects[i];
            struct slice json = o->json;
            if (!o->is_present || (o->resource == RESOURCE_JOBGOODPUT) != (pass == 0))
                continue;
            bool is_it = pass == 0 && slice_is(o->name, name) && slice_is(o->namespace_, namespace_);
            if (is_it && json.size_bytes > 2 && json.data[json.size_bytes - 1] == '}') {
                free(w->left[w->kills]);
                w->left[w->kills] =
                    mem_format("%.*s,\"status\":%s}", (int)json.size_bytes - 1, json.data, buf_text(status));
                json = slice_of(w->left[w->kills]);
            }
            model_observe(w->model, o->resource, OBSERVED_PRESENT, o->namespace_, o->name, o->uid, json, w->now_ms);
        }
}

static void kill_and_succeed(struct world *w) {
    if (w->kills == MAX_KILLS || model_job_count(w->model) == 0)
        return;
    struct model_job *job = model_job_at(w->model, 0);
    CLEANUP_FREE char *namespace_ = mem_strdup(model_job_namespace(job)), *name = mem_strdup(model_job_name(job));
    CLEANUP_BUF struct buf status;
    know_all(w);
    write_status(w, job, &status);
    model_free(w->model);
    w->model = model_new(&options);
    list_objects(w, namespace_, name, &status);
    w->kills++;
    know_all(w);
    feed(w, 0);
    if (strstr(buf_text(&status), "\"checkpoint\":\"") != NULL)
        REACHED("a successor");
}

static void take_line(struct world *w, struct slice line) {
    enum resource resource;
    int64_t ms;
    struct slice rest = slice_skip(line, 1);
    w->now_ms += 500;
    if (line.data[0] == 'L')
        print_line(w, rest);
    else if (line.data[0] == 'E')
        end_log(w);
    else if (line.data[0] == 'T' && slice_take_int(&rest, &ms) && ms > -1000000000 && ms < 1000000000)
        w->now_ms += ms;
    else if (line.data[0] == 'S')
        write_statuses(w);
    else if (line.data[0] == 'K')
        kill_and_succeed(w);
    else if (line.size_bytes > 2 && resource_of(line.data[0], &resource))
        observe(w, resource, line.data[1], slice_skip(line, 2));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct world w;
    struct slice rest = {(const char *)data, size}, line;
    memset(&w, 0, sizeof w);
    w.model = model_new(&options);
    w.now_ms = 1795226400000; /* 2026-11-21T02:00:00Z, when the recordings begin */
    while (slice_take_line(&rest, &line))
        if (line.size_bytes > 0)
            take_line(&w, line);
    write_statuses(&w);
    model_free(w.model);
    for (int i = 0; i < MAX_KILLS; i++)
        free(w.left[i]);
    return 0;
}
