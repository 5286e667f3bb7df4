#include "archive/read.h"

#include "archive/members.h"
#include "archive/object.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_OBJECT_BYTES ((size_t)256 << 20)
#define JOB_MAX_BYTES ((size_t)64 << 20) /* of a job's lines */

struct object {
    const char *path, *file; /* file: its name in path */
    size_t cluster_bytes;    /* of path, up to the cluster's folder */
};

static int compare_objects(const void *a, const void *b) { /* by cluster, then by job and sequence */
    const struct object *x = a, *y = b;
    int order = strncmp(x->path, y->path, x->cluster_bytes > y->cluster_bytes ? x->cluster_bytes : y->cluster_bytes);
    return order != 0 ? order : strcmp(x->file, y->file);
}

static bool is_same_job(const struct object *x, const struct object *y) {
    size_t n = (size_t)(strrchr(x->file, '_') - x->file); /* where the sequence begins */
    return x->cluster_bytes == y->cluster_bytes && strncmp(x->path, y->path, x->cluster_bytes) == 0 &&
           n == (size_t)(strrchr(y->file, '_') - y->file) && strncmp(x->file, y->file, n) == 0;
}

static int find(const char *pattern, glob_t *paths, int flags, struct error **err) {
    int r = glob(pattern, flags, NULL, paths);
    if (r == 0 || r == GLOB_NOMATCH)
        return 0;
    return error_set(err, EIO, "%s: the folders of the archive cannot be read", pattern);
}

static int find_all(const char *root, const char *namespace_, const char *name, glob_t *paths, struct error **err) {
    char part[ARCHIVE_OBJECT_SIZE] = "namespace=*", prefix[ARCHIVE_OBJECT_SIZE] = "";
    struct stat st;
    if (stat(root, &st) != 0)
        return error_set(err, errno, "%s: %s", root, strerror(errno));
    if (namespace_ != NULL)
        archive_namespace_part(part, namespace_);
    if (name != NULL)
        archive_object_name_prefix(prefix, name);
    CLEANUP_FREE char *complete = mem_format("%s/cluster=*/date=*/%s/%s*%s", root, part, prefix, ARCHIVE_SUFFIX);
    CLEANUP_FREE char *growing = mem_format("%s/cluster=*/.open/%s/%s*%s", root, part, prefix, ARCHIVE_SUFFIX);
    int r = find(complete, paths, 0, err);
    if (r == 0)
        r = find(growing, paths, paths->gl_pathc > 0 ? GLOB_APPEND : 0, err);
    return r;
}

/* Appends an object's lines; *to_ms: where its time ends. What a process is writing at the end is not there yet. */
static int read_object(const struct object *x, struct buf *out, int64_t *to_ms, struct error **err) {
    CLEANUP_BUF struct buf text;
    CLEANUP_FREE char *bytes = NULL;
    struct stat st;
    struct archive_part part;
    buf_init(&text, ARCHIVE_MAX_BYTES);
    if (stat(x->path, &st) != 0)
        return error_set(err, errno, "%s: %s", x->path, strerror(errno));
    int r = file_read(x->path, MAX_OBJECT_BYTES, &bytes, err);
    if (r < 0)
        return r;
    struct slice in = {bytes, (size_t)st.st_size};
    while (archive_member_take(&in, &text, &part)) {
        *to_ms = part.to_ms;
        if (buf_append_slice(out, buf_slice(&text)) < 0)
            return error_set(err, EFBIG, "%s: the job has too many spans: query them with SQL", x->path);
    }
    if (in.size_bytes > 0 && strstr(x->path, "/.open/") == NULL)
        return error_set(err, EBADMSG, "%s is damaged: restore it from a copy", x->path);
    return 0;
}

static int read_job(const struct object *objects, size_t count, struct buf *out, int64_t *to_ms, struct error **err) {
    CLEANUP_BUF struct buf lines;
    int r = 0;
    buf_init(&lines, out->maximum_bytes);
    for (size_t i = 0; i < count && r == 0; i++) {
        buf_clear(&lines);
        r = read_object(&objects[i], &lines, to_ms, err);
        if (strstr(buf_text(&lines), "{\"record\":\"job\"") != NULL) /* a new count */
            buf_clear(out);
        if (r == 0 && buf_append_slice(out, buf_slice(&lines)) < 0)
            r = error_set(err, EFBIG, "%s: the job has too many spans: query them with SQL", objects[i].path);
    }
    return r;
}

int archive_each(const char *root, const char *namespace_, const char *name, archive_visit *visit, void *context,
                 struct error **err) {
    glob_t paths = {0};
    int r = find_all(root, namespace_, name, &paths, err);
    CLEANUP_FREE struct object *all = mem_alloc((paths.gl_pathc + 1) * sizeof *all);
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        const char *path = paths.gl_pathv[i], *folder = path + strlen(root) + 1;
        all[i] = (struct object){path, strrchr(path, '/') + 1, (size_t)(strchr(folder, '/') - path)};
    }
    if (paths.gl_pathc > 1)
        qsort(all, paths.gl_pathc, sizeof *all, compare_objects);
    for (size_t i = 0, next; r == 0 && i < paths.gl_pathc; i = next) {
        CLEANUP_BUF struct buf lines;
        int64_t to_ms = INT64_MIN;
        for (next = i + 1; next < paths.gl_pathc && is_same_job(&all[i], &all[next]); next++)
            continue;
        buf_init(&lines, JOB_MAX_BYTES);
        r = read_job(&all[i], next - i, &lines, &to_ms, err);
        if (r == 0)
            r = visit(context, buf_slice(&lines), to_ms, err);
    }
    globfree(&paths);
    return r;
}

struct newest {
    struct buf *out;
    int64_t to_ms;
    bool is_found;
};

static int keep_newest(void *context, struct slice lines, int64_t to_ms, struct error **err) {
    struct newest *n = context;
    if (n->is_found && to_ms < n->to_ms)
        return 0;
    n->is_found = true;
    n->to_ms = to_ms;
    buf_clear(n->out);
    return buf_append_slice(n->out, lines) == 0
               ? 0
               : error_set(err, EFBIG, "the job has too many spans: query them with SQL");
}

int archive_read(const char *root, const char *namespace_, const char *name, struct buf *out, struct error **err) {
    struct newest n = {.out = out};
    int r = archive_each(root, namespace_, name, keep_newest, &n, err);
    if (r == 0 && !n.is_found)
        return error_set(err, ENOENT, "%s: the archive has no job %s%s%s", root, namespace_ ? namespace_ : "",
                         namespace_ ? "/" : "", name);
    return r;
}
