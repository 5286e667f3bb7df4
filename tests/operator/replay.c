#include "replay.h"

#include "base/jscan.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "fake_objects.h"
#include "harness.h"
#include "random.h"
#include "status_check.h"

#include <stdlib.h>
#include <zlib.h>

static bool unpack(struct replay *r, const char *path) {
    memset(r, 0, sizeof *r);
    gzFile f = gzopen(path, "rb");
    size_t capacity = 1 << 20;
    int n;
    if (f == NULL)
        return false;
    r->bytes = mem_alloc(capacity);
    while ((n = gzread(f, r->bytes + r->size_bytes, (unsigned)(capacity - r->size_bytes))) > 0) {
        r->size_bytes += (size_t)n;
        if (r->size_bytes == capacity) {
            capacity *= 2;
            r->bytes = mem_resize(r->bytes, capacity, 1);
        }
    }
    gzclose(f);
    return n == 0;
}

static const struct {
    const char *stream;
    enum resource resource;
} streams[] = {{"jobsets", RESOURCE_JOBSET}, {"jobs", RESOURCE_JOB},     {"pods", RESOURCE_POD},
               {"nodes", RESOURCE_NODE},     {"events", RESOURCE_EVENT}, {"leases", RESOURCE_NODE_LEASE}};

static int resource_of(struct slice stream, const char *workloads) {
    if (slice_is(stream, workloads))
        return RESOURCE_WORKLOAD;
    for (size_t i = 0; i < ARRAY_SIZE(streams); i++)
        if (slice_is(stream, streams[i].stream))
            return (int)streams[i].resource;
    return -1;
}

static void name_event(struct replay_event *e) {
    struct jscan j;
    struct slice key;
    jscan_init(&j, e->object);
    if (!jscan_object(&j))
        return;
    while (jscan_key(&j, &key)) {
        if (!slice_is(key, "metadata") || !jscan_object(&j)) {
            if (!slice_is(key, "metadata"))
                jscan_skip(&j);
            continue;
        }
        while (jscan_key(&j, &key)) {
            if (slice_is(key, "namespace"))
                jscan_string_raw(&j, &e->namespace_);
            else if (slice_is(key, "name"))
                jscan_string_raw(&j, &e->name);
            else if (slice_is(key, "uid"))
                jscan_string_raw(&j, &e->uid);
            else
                jscan_skip(&j);
        }
    }
}

static void add_event(struct replay *r, struct replay_event e) {
    name_event(&e);
    MEM_GROW(r->events, r->count, r->capacity);
    r->events[r->count++] = e;
    r->is_watched[e.resource] = true;
    if (e.at_ms > r->last_ms)
        r->last_ms = e.at_ms;
}

static void add_list(struct replay *r, struct replay_event e, struct slice list) {
    struct jscan j;
    struct slice key;
    jscan_init(&j, list);
    if (!jscan_object(&j))
        return;
    while (jscan_key(&j, &key)) {
        if (!slice_is(key, "items")) {
            jscan_skip(&j);
            continue;
        }
        if (jscan_array(&j))
            while (jscan_element(&j))
                if (jscan_raw(&j, &e.object))
                    add_event(r, e);
    }
}

static void add_watch(struct replay *r, struct replay_event e, struct slice frame) {
    struct jscan j;
    struct slice key, type = {0};
    jscan_init(&j, frame);
    if (!jscan_object(&j))
        return;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "type"))
            jscan_string_raw(&j, &type);
        else if (slice_is(key, "object"))
            jscan_raw(&j, &e.object);
        else
            jscan_skip(&j);
    }
    if (slice_is(type, "BOOKMARK") || slice_is(type, "ERROR"))
        return;
    e.what = slice_is(type, "DELETED") ? OBSERVED_DELETED : OBSERVED_PRESENT;
    add_event(r, e);
}

static void add_line(struct replay *r, struct slice line, const char *workloads) {
    struct jscan j;
    struct slice key, stream = {0}, kind = {0}, body = {0};
    struct replay_event e = {.what = OBSERVED_PRESENT};
    jscan_init(&j, line);
    if (!jscan_object(&j))
        return;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "t"))
            jscan_time_ms(&j, &e.at_ms);
        else if (slice_is(key, "r"))
            jscan_string_raw(&j, &stream);
        else if (slice_is(key, "k"))
            jscan_string_raw(&j, &kind);
        else
            jscan_raw(&j, &body);
    }
    int resource = resource_of(stream, workloads);
    if (resource < 0)
        return;
    e.resource = (enum resource)resource;
    e.stream = resource;
    if (slice_is(kind, "list"))
        add_list(r, e, body);
    else if (slice_is(kind, "watch"))
        add_watch(r, e, body);
}

bool replay_load(struct replay *r, const char *path, const char *workloads) {
    if (!unpack(r, path)) {
        harness_fail(__FILE__, __LINE__, "%s cannot be read", path);
        replay_done(r);
        return false;
    }
    struct slice rest = {r->bytes, r->size_bytes}, line;
    while (slice_take_line(&rest, &line))
        add_line(r, line, workloads);
    return r->count > 0;
}

void replay_done(struct replay *r) {
    free(r->events);
    free(r->bytes);
}

void replay_feed(struct model *m, const struct replay_event *e) {
    CHECK_INT(model_observe(m, e->resource, e->what, e->namespace_, e->name, e->uid, e->object, e->at_ms), 0);
}

const struct replay_event *replay_shuffled(struct replay_shuffle *s) {
    const struct replay *r = s->replay;
    while (s->handed_on < r->count) {
        if (s->burst == 0) {
            s->stream = (int)(random_next(s->seed) % RESOURCE_COUNT);
            s->burst = 1 + random_next(s->seed) % 40;
        }
        s->burst--;
        size_t *i = &s->next[s->stream];
        while (*i < r->count && r->events[*i].stream != s->stream)
            (*i)++;
        if (*i < r->count) {
            s->handed_on++;
            return &r->events[(*i)++];
        }
        s->burst = 0;
    }
    return NULL;
}

/* The file in a tar whose name has `part` in it; empty if there is none. */
static struct slice tar_find(struct slice tar, const char *part) {
    while (tar.size_bytes > 512 && tar.data[0] != '\0') {
        size_t size = strtoul(tar.data + 124, NULL, 8), blocks = (size + 511) / 512 * 512;
        if (512 + blocks > tar.size_bytes)
            break;
        if (strstr(tar.data, part) != NULL && strlen(tar.data) < 100)
            return (struct slice){tar.data + 512, size};
        tar = slice_skip(tar, 512 + blocks);
    }
    return (struct slice){0};
}

bool replay_open_logs(struct replay *tar, const char *tgz) {
    if (unpack(tar, tgz))
        return true;
    harness_fail(__FILE__, __LINE__, "%s cannot be read", tgz);
    return false;
}

static void read_log(struct model_job *job, const struct model_log *log, struct slice rest, int64_t through_ns) {
    struct slice line;
    while (slice_take_line(&rest, &line)) {
        int64_t stamp_ns = INT64_MIN;
        if (rfc3339_take(&line, &stamp_ns, NULL))
            slice_take_char(&line, ' ');
        if (stamp_ns > through_ns)
            return;
        if (stamp_ns == INT64_MIN || stamp_ns > log->read_through_ns)
            model_job_log_line(job, log->pod_uid, log->restart_count, stamp_ns, line);
    }
}

void replay_log_through(struct model_job *job, const struct replay *tar, int index, int64_t through_ms) {
    struct model_log log;
    char part[300];
    model_job_log_get(job, index, &log);
    if (log.first_unread > log.restart_count)
        return;
    snprintf(part, sizeof part, "%s__%s__", log.pod, log.container);
    read_log(job, &log, tar_find((struct slice){tar->bytes, tar->size_bytes}, part),
             through_ms == INT64_MAX ? INT64_MAX : through_ms * 1000000);
}

void replay_logs_through(struct model_job *job, const struct replay *tar, int64_t through_ms, bool at_end) {
    for (int i = 0; i < model_job_log_count(job); i++) {
        struct model_log log;
        model_job_log_get(job, i, &log);
        replay_log_through(job, tar, i, through_ms);
        if (at_end && log.first_unread <= log.restart_count)
            model_job_log_end(job, log.pod_uid, log.restart_count, NULL);
    }
}

void replay_logs(struct model_job *job, const char *tgz) {
    struct replay tar;
    if (replay_open_logs(&tar, tgz))
        replay_logs_through(job, &tar, INT64_MAX, true);
    replay_done(&tar);
}

void replay_words(struct model_job *job, const struct replay *tar) {
    struct model_words w;
    char part[300];
    while (model_job_words_next(job, &w)) {
        snprintf(part, sizeof part, "%s__%s__", w.pod, w.container);
        struct slice text = tar_find((struct slice){tar->bytes, tar->size_bytes}, part);
        if (text.size_bytes > 0)
            model_job_words_read(job, w.pod_uid, w.container, w.restart_count, text, false);
        else
            model_job_words_failed(job, w.pod_uid, w.container, w.restart_count, true);
    }
}

char *replay_left(const char *status) {
    return status && status[0] ? mem_format("},\"status\":%.*s", (int)strlen(status) - 1, status) : mem_strdup("");
}

void replay_watermarks_of(struct model *m, const struct replay *r, int64_t at_ms) {
    for (int resource = 0; resource < RESOURCE_COUNT; resource++)
        model_watermark(m, (enum resource)resource, at_ms, !r->is_watched[resource]);
}

void replay_watermarks(struct model *m, int64_t at_ms) {
    for (int resource = 0; resource < RESOURCE_COUNT; resource++)
        model_watermark(m, (enum resource)resource, at_ms, resource == RESOURCE_NODE_LEASE);
}

void replay_jobgoodput(struct model *m, const char *namespace_, const char *name, const char *source,
                       const char *more_spec, int64_t created_ms) {
    CLEANUP_FREE char *step_log = mem_format("\"source\":\"%s\",\"format\":\"Auto\"", source);
    CLEANUP_FREE char *uid = mem_format("goodput-of-%s", name);
    CLEANUP_FREE char *json = fake_jobgoodput_json(&(struct fake_jobgoodput){
        .namespace_ = namespace_,
        .name = name,
        .created = (int)((created_ms - fake_ms(0)) / 1000) - (created_ms < fake_ms(0)), /* rounded down */
        .step_log = step_log,
        .more = more_spec});
    CHECK_INT(model_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_PRESENT, slice_of(namespace_), slice_of(name),
                            slice_of(uid), slice_of(json), created_ms),
              0);
}

char *replay_status(struct model *m, const char *namespace_, const char *name, int64_t now_ms,
                    struct model_summary *summary) {
    struct model_job *job = model_job_find(m, namespace_, name);
    struct buf out;
    if (job == NULL)
        return mem_strdup("");
    buf_init(&out, 1 << 20);
    model_job_status(job, now_ms, &out, summary);
    model_job_add_checkpoint(job, now_ms, &out);
    CHECK(!out.truncated);
    char why[STATUS_WHY];
    if (!status_check_text(out.data, out.size_bytes, why))
        harness_fail(name, 0, "at %" PRId64 ": %s", now_ms, why);
    return buf_take(&out);
}

/* ---- looking into a status ---- */

/* Leaves j at the value of the member `name` of the object at the cursor. */
static bool enter_member(struct jscan *j, struct slice name) {
    struct slice key;
    if (!jscan_object(j))
        return false;
    while (jscan_key(j, &key)) {
        if (slice_equal(key, name))
            return true;
        jscan_skip(j);
    }
    return false;
}

static bool element_matches(struct slice object, struct slice key, struct slice value) {
    struct jscan j;
    struct slice raw;
    jscan_init(&j, object);
    if (!enter_member(&j, key))
        return false;
    if (jscan_peek(&j) == JSCAN_STRING)
        return jscan_string_raw(&j, &raw) && slice_equal(raw, value);
    return jscan_raw(&j, &raw) && slice_equal(raw, value);
}

/* "[key=value]" on the array at the cursor. */
static bool enter_element(struct slice *json, struct slice key, struct slice value) {
    struct jscan j;
    struct slice element;
    jscan_init(&j, *json);
    if (!jscan_array(&j))
        return false;
    while (jscan_element(&j)) {
        if (!jscan_raw(&j, &element))
            return false;
        if (element_matches(element, key, value)) {
            *json = element;
            return true;
        }
    }
    return false;
}

static bool find(const char *status, const char *path, struct slice *json) {
    struct slice rest = slice_of(path);
    *json = slice_of(status);
    while (rest.size_bytes > 0) {
        size_t n = 0;
        while (n < rest.size_bytes && rest.data[n] != '.' && rest.data[n] != '[')
            n++;
        struct slice name = {rest.data, n}, key, value;
        struct jscan j;
        rest = slice_skip(rest, n);
        jscan_init(&j, *json);
        if (!enter_member(&j, name) || !jscan_raw(&j, json))
            return false;
        if (slice_take_char(&rest, '[') && (!slice_take_until(&rest, '=', &key) ||
                                            !slice_take_until(&rest, ']', &value) || !enter_element(json, key, value)))
            return false;
        slice_take_char(&rest, '.');
    }
    return true;
}

int64_t status_int(const char *status, const char *path) {
    struct slice json;
    struct jscan j;
    int64_t value;
    if (!find(status, path, &json))
        return -1;
    jscan_init(&j, json);
    return jscan_int(&j, &value) ? value : -1;
}

const char *status_text(const char *status, const char *path) {
    static char text[2048];
    struct slice json;
    struct jscan j;
    text[0] = '\0';
    if (!find(status, path, &json))
        return text;
    jscan_init(&j, json);
    jscan_string(&j, text, sizeof text);
    return text;
}

void replay_log_file(struct model_job *job, const char *pod_uid, const char *path) {
    size_t size;
    char *text = harness_read_file(path, &size);
    REQUIRE(text != NULL);
    struct slice rest = {text, size}, line;
    while (slice_take_line(&rest, &line)) {
        int64_t stamp_ns = INT64_MIN;
        if (rfc3339_take(&line, &stamp_ns, NULL))
            slice_take_char(&line, ' ');
        model_job_log_line(job, pod_uid, 0, stamp_ns, line);
    }
    model_job_log_end(job, pod_uid, 0, NULL);
    free(text);
}
