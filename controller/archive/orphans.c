#include "archive/orphans.h"

#include "archive/volume.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

struct search {
    const char *root, *cluster, *namespace_;
    int64_t now_s;
    archive_is_ended *is_ended;
    void *context;
    int *count;
    struct error **err;
};

/* Calls visit for each name in the folder; a folder that does not exist has none. */
static int each_name(struct search *s, const char *folder, int (*visit)(struct search *s, const char *name)) {
    struct dirent *entry;
    int r = 0;
    DIR *d = opendir(folder);
    if (d == NULL)
        return errno == ENOENT ? 0 : error_set(s->err, errno, "%s: %s", folder, strerror(errno));
    while ((entry = readdir(d)) != NULL) {
        int one = entry->d_name[0] != '.' ? visit(s, entry->d_name) : 0;
        r = one < 0 ? one : r;
    }
    closedir(d);
    return r;
}

static int visit_object(struct search *s, const char *file) {
    struct archive_names names;
    struct error *mine = NULL;
    int count = 0;
    if (!archive_object_parse(file, &names))
        return 0;
    const struct archive_key key = {s->cluster, s->namespace_, names.name, names.uid, names.target_uid, s->now_s};
    if (!s->is_ended(s->context, &key))
        return 0;
    int r = archive_volume_publish(s->root, &key, true, &count, NULL, &mine);
    *s->count += count;
    if (r == 0)
        return 0;
    error_free(*s->err);
    *s->err = mine;
    return r;
}

static int visit_namespace(struct search *s, const char *part) {
    char namespace_[ARCHIVE_OBJECT_SIZE];
    if (!archive_namespace_parse(part, namespace_))
        return 0;
    const struct archive_key key = {.cluster = s->cluster, .namespace_ = namespace_};
    CLEANUP_FREE char *folder = archive_open_folder(s->root, &key);
    s->namespace_ = namespace_;
    int r = each_name(s, folder, visit_object);
    s->namespace_ = NULL;
    return r;
}

int archive_complete_orphans(const char *root, const char *cluster, int64_t now_s, archive_is_ended *is_ended,
                             void *context, int *ret_count, struct error **err) {
    struct error *newest = NULL;
    struct search s = {root, cluster, NULL, now_s, is_ended, context, ret_count, &newest};
    CLEANUP_FREE char *folder = archive_cluster_folder(root, cluster);
    CLEANUP_FREE char *open = mem_format("%s/.open", folder);
    *ret_count = 0;
    int r = each_name(&s, open, visit_namespace);
    if (err != NULL)
        *err = newest;
    else
        error_free(newest);
    return r;
}
