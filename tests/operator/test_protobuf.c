/* Every recording in both encodings: tests/data/protobuf has its objects as Kubernetes' own serializer writes them
 * (tests/protobuf). */
#include "base/mem.h"
#include "harness.h"
#include "kube/frame.h"
#include "kube/protobuf_reply.h"
#include "operator/objects/messages.h"
#include "recordings.h"

#include <jansson.h>
#include <stdlib.h>
#include <zlib.h>

/* The object of an event, in JSON that came as protobuf. */
static int keep_object(void *object, struct slice line) {
    struct kube_frame f;
    if (kube_frame_parse(slice_trim(line), &f) < 0)
        return -EBADMSG;
    *(char **)object = slice_dup(f.event.object);
    return 0;
}

static char *read_frame(struct slice frame, const struct protobuf_message *message) {
    char *object = NULL;
    struct kube_protobuf p;
    kube_protobuf_init(&p, message);
    kube_protobuf_feed_watch(&p, frame, keep_object, &object);
    kube_protobuf_done(&p);
    return object;
}

/* The next frame of the file. NULL: there is none, or it is malformed. Heap. known: as one whose UID is known. */
static char *read_object(gzFile file, enum resource resource, char **known) {
    unsigned char header[4];
    if (gzread(file, header, sizeof header) != sizeof header)
        return NULL;
    unsigned size = (unsigned)header[0] << 24 | (unsigned)header[1] << 16 | (unsigned)header[2] << 8 | header[3];
    char *frame CLEANUP_FREE = mem_alloc(size + sizeof header);
    memcpy(frame, header, sizeof header);
    struct slice whole = {frame, size + sizeof header};
    if (gzread(file, frame + sizeof header, size) != (int)size)
        return NULL;
    if (resource == RESOURCE_POD)
        *known = read_frame(whole, &object_known_pod_message);
    return read_frame(whole, object_message(resource));
}

/* ---- member by member ---- */

enum { MAX_ROWS = 200 };

struct seen {
    const struct protobuf_field *rows[MAX_ROWS];
    size_t count;
};

static bool has(const struct seen *seen, const struct protobuf_field *row) {
    for (size_t i = 0; i < seen->count; i++)
        if (seen->rows[i] == row)
            return true;
    return false;
}

/* Marks the rows whose members are there. */
static void mark(struct seen *seen, const struct protobuf_message *message, const json_t *object) {
    for (size_t i = 0; i < message->count; i++) {
        const struct protobuf_field *row = &message->fields[i];
        const json_t *value = json_object_get(object, row->name);
        if (value == NULL)
            continue;
        if (!has(seen, row) && seen->count < MAX_ROWS)
            seen->rows[seen->count++] = row;
        for (size_t k = 0; row->message != NULL && k < (row->is_repeated ? json_array_size(value) : 1); k++)
            mark(seen, row->message, row->is_repeated ? json_array_get(value, k) : value);
    }
}

static void check_marked(const struct seen *seen, const struct protobuf_message *message, const char *of) {
    for (size_t i = 0; i < message->count; i++) {
        const struct protobuf_field *row = &message->fields[i];
        if (!has(seen, row))
            harness_fail(__FILE__, __LINE__, "no object has %s of %s: add one to tests/data/protobuf/full.jsonl",
                         row->name, of);
        else if (row->message != NULL)
            check_marked(seen, row->message, row->name);
    }
}

/* Go leaves out of JSON what is zero. */
static bool is_zero(const json_t *value) {
    return json_is_false(value) || (json_is_integer(value) && json_integer_value(value) == 0) ||
           (json_is_object(value) && json_object_size(value) == 0);
}

/* Whether all members of `part` are the same in `whole`. */
static bool is_part(const json_t *part, const json_t *whole) {
    const char *key;
    json_t *value;
    if (whole == NULL)
        return is_zero(part);
    bool is = json_typeof(part) == json_typeof(whole);
    if (json_is_object(part))
        json_object_foreach((json_t *)part, key, value) is = is && is_part(value, json_object_get(whole, key));
    else if (json_is_array(part))
        for (size_t i = 0; i < json_array_size(part); i++)
            is = is && json_array_size(part) == json_array_size(whole) &&
                 is_part(json_array_get(part, i), json_array_get(whole, i));
    else
        is = is && json_equal(part, whole);
    return is;
}

static bool check_members(const struct replay_event *recorded, const char *read, struct seen *seen) {
    json_t *part = json_loads(read, 0, NULL);
    json_t *whole = json_loadb(recorded->object.data, recorded->object.size_bytes, 0, NULL);
    if (json_object_get(whole, "kind") == NULL) /* items of a list have none */
        json_object_del(part, "kind");
    bool is_same = part != NULL && is_part(part, whole);
    if (!is_same)
        harness_fail(__FILE__, __LINE__, "protobuf gives\n  %s\nJSON\n  %.*s", read, SLICE_ARG(recorded->object));
    mark(seen, object_message(recorded->resource), part);
    json_decref(part);
    json_decref(whole);
    return is_same;
}

struct texts {
    char *object;
    char *known; /* what is read of a pod that is known; NULL: not a pod */
};

/* Puts what came in protobuf in the place of the recorded JSON. heap: one more for each event. */
static bool exchange_objects(struct replay *r, const char *name, struct seen *seen, struct texts *heap) {
    char path[128];
    snprintf(path, sizeof path, "tests/data/protobuf/%s.frames.gz", name);
    gzFile file = gzopen(path, "rb");
    bool is_whole = file != NULL;
    size_t recorded_bytes = 0, read_bytes = 0;
    for (size_t i = 0; i < r->count && is_whole; i++) {
        struct replay_event *e = &r->events[i];
        if (object_message(e->resource) == NULL)
            continue;
        heap[i].object = read_object(file, e->resource, &heap[i].known);
        is_whole = heap[i].object != NULL && check_members(e, heap[i].object, seen);
        recorded_bytes += e->object.size_bytes;
        e->object = slice_of(is_whole ? heap[i].object : NULL);
        read_bytes += e->object.size_bytes;
    }
    is_whole = is_whole && gzgetc(file) < 0;
    gzclose(file);
    CHECK(read_bytes > 0 && read_bytes < recorded_bytes); /* what is not read is left out */
    return is_whole;
}

/* The statuses of all jobs after every few events, and at the end. texts: of each event, as a watch would read it;
 * *shortened counts the pods of which only a part was read. */
static void run(const struct recording *rec, const struct replay *r, const struct texts *texts, int *shortened,
                struct buf *out) {
    enum { EVERY = 7 };
    struct replay logs = {0};
    if (rec->logs != NULL)
        REQUIRE(replay_open_logs(&logs, rec->logs));
    struct model *m = recording_model(rec, NULL, r->events[0].at_ms);
    for (size_t i = 0; i < r->count; i++) {
        struct replay_event e = r->events[i];
        if (texts != NULL && texts[i].known != NULL && model_knows_pod(m, e.uid)) {
            e.object = slice_of(texts[i].known);
            ++*shortened;
        }
        replay_feed(m, &e);
        recording_read_logs(m, rec, &logs, r->events[i].at_ms);
        bool is_last = i + 1 == r->count;
        for (int k = 0; k < recording_job_count(rec) && (i % EVERY == 0 || is_last); k++) {
            if (is_last)
                recording_end_logs(m, rec, &logs, k);
            char *status CLEANUP_FREE = replay_status(m, rec->namespace_, rec->jobs[k].name, r->events[i].at_ms, NULL);
            buf_append_text(out, status);
            buf_append_char(out, '\n');
        }
    }
    model_free(m);
    replay_done(&logs);
}

static void name_of(char name[static 64], const char *path) {
    slice_copy(name, 64, slice_of(strrchr(path, '/') + 1));
    *strchr(name, '.') = '\0';
}

/* rec NULL: its members alone are compared. */
static void check_recording(const char *path, const struct recording *rec, struct seen *seen, int *shortened) {
    struct replay r;
    struct buf json CLEANUP_BUF = {0}, protobuf CLEANUP_BUF = {0};
    char name[64];
    buf_init(&json, 1 << 30);
    buf_init(&protobuf, 1 << 30);
    REQUIRE(replay_load(&r, path, "workloads"));
    if (rec != NULL)
        run(rec, &r, NULL, shortened, &json);
    struct texts *heap = mem_alloc((r.count + 1) * sizeof *heap);
    memset(heap, 0, (r.count + 1) * sizeof *heap);
    name_of(name, path);
    if (!exchange_objects(&r, name, seen, heap))
        harness_fail(__FILE__, __LINE__, "tests/data/protobuf/%s.frames.gz lacks objects of %s: make protobuf-frames",
                     name, path);
    else if (rec != NULL) {
        run(rec, &r, heap, shortened, &protobuf);
        CHECK_TEXT(buf_text(&protobuf), buf_text(&json));
        CHECK(json.size_bytes > 1000);
    }
    for (size_t i = 0; i < r.count; i++) {
        free(heap[i].object);
        free(heap[i].known);
    }
    free(heap);
    replay_done(&r);
}

TEST(both_encodings_of_a_recording_give_the_same_statuses) {
    static struct seen seen;
    int shortened = 0;
    for (int i = 0; i < RECORDING_COUNT; i++)
        check_recording(recordings[i].path, &recordings[i], &seen, &shortened);
    CHECK(shortened > 1000);
    check_recording("tests/data/protobuf/full.jsonl", NULL, &seen, &shortened);
    check_marked(&seen, &object_pod_message, "Pod");
    check_marked(&seen, &object_job_message, "Job");
    check_marked(&seen, &object_node_message, "Node");
    check_marked(&seen, &object_event_message, "Event");
}
