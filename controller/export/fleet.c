#include "export/fleet.h"

#include "base/jscan.h"
#include "base/jwrite.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>

enum { MAX_DELETED = 256, MAX_OBJECT_BYTES = 2 << 20, KEY_SIZE = 520 };

/* ---- objects ---- */

static void drop_object(struct fleet_job *job) {
    if (job->fleet->unpacked == job)
        job->fleet->unpacked = NULL;
    free(job->packed);
    free(job->brief);
    pack_sample_unref(job->sample);
    job->packed = NULL;
    job->brief = NULL;
    job->sample = NULL;
}

/* The sample for those that come now: one that is much longer than those before, as it has more members. */
static struct pack_sample *sample_for(struct fleet *f, struct slice object) {
    if (f->sample == NULL || 2 * object.size_bytes > 3 * f->sample->size_bytes) {
        pack_sample_unref(f->sample);
        f->sample = pack_sample_new(object);
    }
    return f->sample;
}

static void keep_object(struct fleet_job *job, struct slice object) {
    struct fleet *f = job->fleet;
    drop_object(job);
    job->sample = pack_sample_ref(sample_for(f, object));
    struct slice packed = packer_pack(f->packer, job->sample, object);
    job->packed = memcpy(mem_alloc(packed.size_bytes), packed.data, packed.size_bytes);
    job->packed_bytes = (uint32_t)packed.size_bytes;
    job->size_bytes = (uint32_t)object.size_bytes;
    job->brief = fleet_brief_new(object);
}

struct slice fleet_object(const struct fleet_job *job) {
    struct fleet *f = job->fleet;
    if (job->packed == NULL)
        return slice_of("");
    if (f->unpacked != job) {
        free(f->text);
        f->text =
            packer_unpack(f->packer, job->sample, (struct slice){job->packed, job->packed_bytes}, job->size_bytes);
        f->unpacked = job;
    }
    return (struct slice){f->text, job->size_bytes};
}

/* ---- the fleet ---- */

static void job_free(void *value) {
    struct fleet_job *job = value;
    drop_object(job);
    free(job->namespace_);
    free(job->name);
    free(job);
}

void fleet_init(struct fleet *f) {
    *f = (struct fleet){.cluster_name = "", .change = 1, .packer = packer_new()};
    map_init(&f->jobs, job_free);
}

void fleet_done(struct fleet *f) {
    map_done(&f->jobs);
    pack_sample_unref(f->sample);
    packer_free(f->packer);
    free(f->text);
    *f = (struct fleet){0};
}

static struct slice key_of(char space[static KEY_SIZE], const char *namespace_, const char *name) {
    struct buf key;
    buf_init(&key, KEY_SIZE);
    buf_format(&key, "%s/%s", namespace_, name);
    slice_copy(space, KEY_SIZE, buf_slice(&key));
    buf_done(&key);
    return slice_of(space);
}

static void unlink_job(struct fleet *f, struct fleet_job *job) {
    *(job->earlier ? &job->earlier->later : &f->first) = job->later;
    *(job->later ? &job->later->earlier : &f->last) = job->earlier;
    job->earlier = job->later = NULL;
}

static void touch(struct fleet *f, struct fleet_job *job) {
    if (job->change != 0)
        unlink_job(f, job);
    job->change = ++f->change;
    job->earlier = f->last;
    *(f->last ? &f->last->later : &f->first) = job;
    f->last = job;
}

/* Whether the API uses such a name; members with any other name are dropped. */
static bool is_field_name(struct slice key) {
    for (size_t i = 0; i < key.size_bytes; i++) {
        char c = key.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')))
            return false;
    }
    return key.size_bytes > 0 && key.size_bytes < 64;
}

/* Copies one object, value by value, without the member `left_out`; at depth 0 two members are trimmed. */
static void copy_object(struct jscan *j, struct jwrite *w, int depth, const char *left_out) {
    struct slice key, value;
    jwrite_object(w);
    while (jscan_key(j, &key)) {
        char name[64];
        if (!is_field_name(key) || slice_is(key, left_out) || (depth == 1 && slice_is(key, "settled"))) {
            jscan_skip(j);
            continue;
        }
        slice_copy(name, sizeof name, key);
        jwrite_key(w, name);
        bool is_status = slice_is(key, "status");
        bool is_part = depth == 0 && (is_status || slice_is(key, "metadata")) && jscan_peek(j) == JSCAN_OBJECT;
        if (is_part && jscan_object(j))
            copy_object(j, w, 1, is_status ? "checkpoint" : "managedFields");
        else if (jscan_raw(j, &value))
            jwrite_raw(w, value);
    }
    jwrite_object_end(w);
}

int fleet_trim(struct slice object, struct buf *out) {
    struct jscan j;
    struct jwrite w;
    jscan_init(&j, object);
    jwrite_init(&w, out);
    if (!jscan_object(&j))
        return -EINVAL;
    copy_object(&j, &w, 0, "");
    return jscan_error(&j, NULL) != NULL || !jscan_at_end(&j) || out->truncated ? -EINVAL : 0;
}

int fleet_put(struct fleet *f, const char *namespace_, const char *name, struct slice object) {
    char space[KEY_SIZE];
    struct slice key = key_of(space, namespace_, name);
    CLEANUP_BUF struct buf trimmed;
    buf_init(&trimmed, MAX_OBJECT_BYTES);
    if (fleet_trim(object, &trimmed) < 0)
        return -EINVAL;
    struct fleet_job *job = map_get(&f->jobs, key);
    if (job == NULL) {
        job = mem_new(struct fleet_job);
        job->fleet = f;
        job->namespace_ = mem_strdup(namespace_);
        job->name = mem_strdup(name);
        map_put(&f->jobs, key, job);
    } else if (job->size_bytes == trimmed.size_bytes && slice_equal(fleet_object(job), buf_slice(&trimmed))) {
        return 0;
    }
    f->deleted_count -= job->is_deleted ? 1 : 0;
    job->is_deleted = false;
    keep_object(job, buf_slice(&trimmed));
    touch(f, job);
    return 0;
}

/* Forgets the oldest deleted job. A reader that did not know of it starts again. */
static void forget_oldest(struct fleet *f) {
    struct fleet_job *job = f->first;
    while (!job->is_deleted)
        job = job->later;
    char space[KEY_SIZE];
    f->forgotten = job->change;
    f->deleted_count--;
    unlink_job(f, job);
    map_remove(&f->jobs, key_of(space, job->namespace_, job->name));
}

void fleet_remove(struct fleet *f, const char *namespace_, const char *name) {
    char space[KEY_SIZE];
    struct fleet_job *job = map_get(&f->jobs, key_of(space, namespace_, name));
    if (job == NULL || job->is_deleted)
        return;
    drop_object(job);
    job->is_deleted = true;
    touch(f, job);
    if (++f->deleted_count > MAX_DELETED)
        forget_oldest(f);
}

const struct fleet_job *fleet_find(const struct fleet *f, const char *namespace_, const char *name) {
    char space[KEY_SIZE];
    const struct fleet_job *job = map_get(&f->jobs, key_of(space, namespace_, name));
    return job == NULL || job->is_deleted ? NULL : job;
}
