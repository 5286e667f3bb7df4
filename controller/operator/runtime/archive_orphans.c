#include "operator/runtime/archive_orphans.h"

#include "archive/orphans.h"
#include "base/map.h"
#include "base/mem.h"
#include "operator/model/model.h"
#include "operator/runtime/watched.h"

#include <stdlib.h>
#include <string.h>

struct archive_orphans_jobs {
    bool has_all_namespaces;
    struct map namespaces;
    struct map targets; /* of a job that continues, by its place: the UID of its target; "": not known */
};

/* Where objects of a job are, whatever its target is. */
static char *place_of(const char *namespace_, const char *name, const char *uid) {
    const struct archive_key key = {.namespace_ = namespace_, .name = name, .uid = uid, .target_uid = ""};
    char prefix[ARCHIVE_OBJECT_SIZE];
    archive_object_prefix(prefix, &key);
    return mem_format("%s/%s", namespace_, prefix);
}

static bool is_ended(void *context, const struct archive_key *key) {
    const struct archive_orphans_jobs *jobs = context;
    CLEANUP_FREE char *place = place_of(key->namespace_, key->name, key->uid);
    const char *target = map_get(&jobs->targets, slice_of(place));
    if (target != NULL)
        return target[0] != '\0' && strcmp(target, key->target_uid) != 0;
    return jobs->has_all_namespaces || map_get(&jobs->namespaces, slice_of(key->namespace_)) != NULL;
}

static void add_job(struct archive_orphans_jobs *jobs, const struct model_job *job) {
    const struct archive_key key = {.name = "", .uid = "", .namespace_ = "", .target_uid = model_job_target_uid(job)};
    char file[ARCHIVE_OBJECT_SIZE];
    struct archive_names names = {0};
    CLEANUP_FREE char *place = place_of(model_job_namespace(job), model_job_name(job), model_job_uid(job));
    archive_object_file(file, &key, 0); /* as the names of objects have it */
    archive_object_parse(file, &names);
    map_put(&jobs->targets, slice_of(place), mem_strdup(names.target_uid));
}

struct archive_orphans *archive_orphans_new(const char *root, const char *cluster, const char *namespaces,
                                            const struct model *model, int64_t now_s) {
    struct archive_orphans *o = mem_new(struct archive_orphans);
    struct archive_orphans_jobs *jobs = mem_new(struct archive_orphans_jobs);
    struct slice rest = slice_of(namespaces), namespace_;
    *o = (struct archive_orphans){
        .jobs = jobs, .root = mem_strdup(root), .cluster = mem_strdup(cluster), .now_s = now_s};
    map_init(&jobs->namespaces, NULL);
    map_init(&jobs->targets, free);
    for (bool is_first = true; watched_take_namespace(&rest, is_first, &namespace_); is_first = false) {
        jobs->has_all_namespaces |= namespace_.size_bytes == 0;
        map_put(&jobs->namespaces, namespace_, jobs);
    }
    for (size_t i = 0; i < model_job_count(model); i++) {
        const struct model_job *job = model_job_at((struct model *)model, i);
        if (!model_job_is_final(job) && !model_job_is_deleted(job))
            add_job(jobs, job);
    }
    return o;
}

void archive_orphans_run(void *orphans) {
    struct archive_orphans *o = orphans;
    o->code = archive_complete_orphans(o->root, o->cluster, o->now_s, is_ended, o->jobs, &o->count, &o->err);
}

void archive_orphans_free(void *orphans) {
    struct archive_orphans *o = orphans;
    if (o == NULL)
        return;
    map_done(&o->jobs->namespaces);
    map_done(&o->jobs->targets);
    free(o->jobs);
    free(o->root);
    free(o->cluster);
    error_free(o->err);
    free(o);
}
