#include "archive/volume.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/rfc3339.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_OBJECT_BYTES ((size_t)256 << 20)

static const char *advice(int code) {
    switch (code) {
    case ENOSPC:
    case EDQUOT:
        return ": the archive's volume is full: enlarge it, or delete objects that are not needed any more";
    case EACCES:
    case EPERM:
    case EROFS:
        return ": the controller may not write there: make the volume writable for its user or group (fsGroup)";
    case EEXIST:
        return ": it has other content than the job's spans: move it away";
    default:
        return "";
    }
}

static int failed(struct error **err, int code, const char *path) {
    return error_set(err, code, "%s: %s%s", path, strerror(code), advice(code));
}

/* ---- folders ---- */

static int sync_folder(const char *path, struct error **err) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int r = fd < 0 || (fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP) ? failed(err, errno, path) : 0;
    if (fd >= 0)
        close(fd);
    return r;
}

/* Also its parents, of which the first one exists: a volume that is not mounted is not replaced by a folder. */
static int make_folder(const char *root, const char *path, struct error **err) {
    CLEANUP_FREE char *parent = mem_strdup(path);
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return 0;
    if (strlen(path) <= strlen(root))
        return error_set(err, ENOENT, "%s: it does not exist: mount the archive's volume there", root);
    *strrchr(parent, '/') = '\0';
    if (make_folder(root, parent, err) < 0)
        return -1;
    if (mkdir(path, 0775) != 0 && errno != EEXIST)
        return failed(err, errno, path);
    return sync_folder(parent, err);
}

struct sequences { /* of a job's files in a folder */
    int64_t first, last;
    int count;
};

static int find_sequences(const char *folder, const char *prefix, struct sequences *found, struct error **err) {
    DIR *d = opendir(folder);
    struct dirent *entry;
    if (d == NULL)
        return errno == ENOENT ? 0 : failed(err, errno, folder);
    while ((entry = readdir(d)) != NULL) {
        int64_t sequence = archive_object_sequence(entry->d_name, prefix);
        if (sequence < 0)
            continue;
        if (found->count == 0 || sequence < found->first)
            found->first = sequence;
        if (found->count == 0 || sequence > found->last)
            found->last = sequence;
        found->count++;
    }
    closedir(d);
    return 0;
}

/* ---- a job's object in .open/ ---- */

struct growing {
    const char *root;
    const struct archive_key *key;
    char *folder, *path;
    int64_t sequence; /* -1: there is none */
    struct member {
        struct archive_part part;
        size_t end_bytes;
    } * members; /* the whole ones */
    size_t count, capacity;
};

static void growing_done(struct growing *g) {
    free(g->folder);
    free(g->path);
    free(g->members);
}

static void set_sequence(struct growing *g, int64_t sequence) {
    char file[ARCHIVE_OBJECT_SIZE];
    g->sequence = sequence;
    g->count = 0;
    free(g->path);
    archive_object_file(file, g->key, sequence);
    g->path = mem_format("%s/%s", g->folder, file);
}

static int read_members(struct growing *g, struct error **err) {
    CLEANUP_BUF struct buf text;
    buf_init(&text, ARCHIVE_MAX_BYTES);
    int fd = open(g->path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        int r = failed(err, errno, g->path);
        if (fd >= 0)
            close(fd);
        return r;
    }
    size_t size_bytes = st.st_size > 0 && (size_t)st.st_size <= MAX_OBJECT_BYTES ? (size_t)st.st_size : 0;
    CLEANUP_FREE char *bytes = mem_alloc(size_bytes + 1);
    ssize_t n = pread(fd, bytes, size_bytes, 0);
    int code = errno;
    close(fd);
    if (n < 0)
        return failed(err, code, g->path);
    struct slice in = {bytes, (size_t)n};
    struct archive_part part;
    g->count = 0;
    while (archive_member_take(&in, &text, &part)) {
        MEM_GROW(g->members, g->count, g->capacity);
        g->members[g->count++] = (struct member){part, (size_t)(in.data - bytes)};
    }
    return 0;
}

/* Cuts off what is behind the first `count` members. */
static int keep_members(struct growing *g, size_t count, struct error **err) {
    off_t end = count > 0 ? (off_t)g->members[count - 1].end_bytes : 0;
    if (truncate(g->path, end) != 0)
        return failed(err, errno, g->path);
    g->count = count;
    return 0;
}

static bool has_time(const struct growing *g) {
    return g->count > 0 && g->members[g->count - 1].part.to_ms > g->members[0].part.from_ms;
}

static int write_all(int fd, struct slice bytes) {
    while (bytes.size_bytes > 0) {
        ssize_t n = write(fd, bytes.data, bytes.size_bytes);
        if (n < 0 && errno != EINTR)
            return -errno;
        bytes = n > 0 ? slice_skip(bytes, (size_t)n) : bytes;
    }
    return 0;
}

static int append_bytes(struct growing *g, struct slice bytes, bool is_new, struct error **err) {
    int fd = open(g->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (is_new ? O_TRUNC : 0), 0664);
    if (fd < 0)
        return failed(err, errno, g->path);
    off_t before = lseek(fd, 0, SEEK_END);
    int r = write_all(fd, bytes);
    if (r == 0 && fsync(fd) != 0)
        r = -errno;
    if (r < 0 && ftruncate(fd, before) != 0) /* a torn member is not read either */
        errno = 0;
    if (close(fd) != 0 && r == 0)
        r = -errno;
    if (r < 0)
        return failed(err, -r, g->path);
    return is_new ? sync_folder(g->folder, err) : 0;
}

static int append_part(struct growing *g, const struct archive_part *part, struct slice lines, bool is_new,
                       struct error **err) {
    CLEANUP_BUF struct buf bytes;
    buf_init(&bytes, ARCHIVE_MAX_BYTES);
    if (!archive_member_write(part, lines, &bytes))
        return error_set(err, EMSGSIZE, "%s: a part of more than %zu bytes", g->path, ARCHIVE_MAX_BYTES);
    return append_bytes(g, buf_slice(&bytes), is_new, err);
}

/* ---- complete objects ---- */

static bool are_equal(const char *path, const char *other) {
    CLEANUP_FREE char *a = NULL, *b = NULL;
    struct stat x, y;
    if (stat(path, &x) != 0 || stat(other, &y) != 0 || x.st_size != y.st_size ||
        file_read(path, MAX_OBJECT_BYTES, &a, NULL) < 0 || file_read(other, MAX_OBJECT_BYTES, &b, NULL) < 0)
        return false;
    return memcmp(a, b, (size_t)x.st_size) == 0;
}

/* Renames the object into its folder; what is there with the same content is the same object. */
static int complete(struct growing *g, struct error **err) {
    char text[RFC3339_SIZE];
    struct stat st;
    rfc3339_format_s(text, g->members[g->count - 1].part.to_ms);
    text[10] = '\0';
    CLEANUP_FREE char *folder = archive_date_folder(g->root, g->key, text);
    CLEANUP_FREE char *path = mem_format("%s%s", folder, strrchr(g->path, '/'));
    if (make_folder(g->root, folder, err) < 0)
        return -1;
    if (stat(path, &st) == 0) {
        if (!are_equal(path, g->path))
            return failed(err, EEXIST, path);
        if (unlink(g->path) != 0)
            return failed(err, errno, g->path);
    } else if (rename(g->path, path) != 0) {
        return failed(err, errno, path);
    }
    return sync_folder(folder, err) < 0 || sync_folder(g->folder, err) < 0 ? -1 : 0;
}

/* An object whose time begins where the one before it ends. */
static int begin_behind(struct growing *g, int64_t at_ms, struct error **err) {
    int r = append_part(g, &(struct archive_part){at_ms, at_ms, false}, slice_of(""), true, err);
    return r < 0 ? r : read_members(g, err);
}

/* The next object's start was perhaps not written whole: it is now, while the object before it says when it begins. */
static int mend_start(const struct growing *g, int64_t next_sequence, struct error **err) {
    struct growing next
        __attribute__((cleanup(growing_done))) = {.root = g->root, .key = g->key, .folder = mem_strdup(g->folder)};
    const struct archive_part *last = &g->members[g->count - 1].part;
    set_sequence(&next, next_sequence);
    int r = read_members(&next, err);
    return r < 0 || next.count > 0 || last->is_final ? r : begin_behind(&next, last->to_ms, err);
}

/* The newest object. An older one is left where a process ended between the start of the next one and the rename. */
static int find_growing(struct growing *g, struct error **err) {
    char prefix[ARCHIVE_OBJECT_SIZE];
    g->folder = archive_open_folder(g->root, g->key);
    g->sequence = -1;
    archive_object_prefix(prefix, g->key);
    for (;;) {
        struct sequences found = {0};
        if (find_sequences(g->folder, prefix, &found, err) < 0)
            return -1;
        if (found.count == 0)
            return 0;
        set_sequence(g, found.first);
        if (read_members(g, err) < 0)
            return -1;
        if (found.count == 1)
            return 0;
        if (g->count == 0 && unlink(g->path) != 0)
            return failed(err, errno, g->path);
        if (g->count > 0 && (mend_start(g, found.last, err) < 0 || complete(g, err) < 0))
            return -1;
    }
}

/* ---- appending ---- */

/* The number of members up to the one that ends at the part's start; 0: there is none. */
static size_t members_until(const struct growing *g, int64_t at_ms) {
    for (size_t i = g->count; i > 0; i--)
        if (g->members[i - 1].part.to_ms == at_ms && !g->members[i - 1].part.is_final)
            return i;
    return 0;
}

/* Completes what is there of the time before, and begins a new object. */
static int begin_object(struct growing *g, int64_t at_ms, const char *before, struct error **err) {
    size_t kept = g->sequence >= 0 ? g->count : 0;
    while (kept > 0 && g->members[kept - 1].part.to_ms > at_ms)
        kept--;
    bool is_first = g->sequence < 0;
    if (!is_first && keep_members(g, kept, err) < 0)
        return -1;
    int64_t next = has_time(g) || is_first ? max_of(g->sequence + 1, g->key->now_s) : g->sequence;
    if (has_time(g) && complete(g, err) < 0)
        return -1;
    set_sequence(g, next);
    if (make_folder(g->root, g->folder, err) < 0)
        return -1;
    return append_part(g, &(struct archive_part){at_ms, at_ms, false}, slice_of(before), true, err);
}

int archive_volume_append(const char *root, const struct archive_key *key, const struct archive_part *part,
                          const char *before, struct slice lines, bool is_restart, int64_t *ret_end_ms,
                          struct error **err) {
    struct growing g __attribute__((cleanup(growing_done))) = {.root = root, .key = key};
    if (find_growing(&g, err) < 0)
        return err != NULL && *err != NULL ? -(*err)->code : -EIO;
    size_t kept = is_restart ? 0 : members_until(&g, part->from_ms);
    if (kept == 0 && before == NULL)
        return error_set(err, ESTALE, "%s: what precedes these spans is missing", g.folder);
    *ret_end_ms = g.count > 0 ? g.members[g.count - 1].part.to_ms : TIME_UNKNOWN;
    int r = kept > 0 ? keep_members(&g, kept, err) : begin_object(&g, part->from_ms, before, err);
    if (r == 0)
        r = append_part(&g, part, lines, false, err);
    return r == 0 ? 0 : err != NULL && *err != NULL ? -(*err)->code : -EIO;
}

int archive_volume_publish(const char *root, const struct archive_key *key, bool is_last, int *ret_count,
                           int64_t *ret_end_ms, struct error **err) {
    struct growing g __attribute__((cleanup(growing_done))) = {.root = root, .key = key};
    *ret_count = 0;
    if (find_growing(&g, err) < 0)
        return err != NULL && *err != NULL ? -(*err)->code : -EIO;
    if (g.sequence < 0 || !has_time(&g))
        return g.sequence < 0 || !is_last || unlink(g.path) == 0 ? 0 : failed(err, errno, g.path);
    struct archive_part last = g.members[g.count - 1].part;
    int r = keep_members(&g, g.count, err); /* a torn member */
    if (r == 0 && !last.is_final && !is_last) {
        struct growing next
            __attribute__((cleanup(growing_done))) = {.root = root, .key = key, .folder = mem_strdup(g.folder)};
        set_sequence(&next, g.sequence + 1);
        r = begin_behind(&next, last.to_ms, err);
    }
    if (r == 0)
        r = complete(&g, err);
    *ret_count = r == 0;
    if (ret_end_ms != NULL)
        *ret_end_ms = last.to_ms;
    return r == 0 ? 0 : err != NULL && *err != NULL ? -(*err)->code : -EIO;
}

/* ---- other objects ---- */

static int write_file(const char *path, struct slice text, struct error **err) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0664);
    if (fd < 0)
        return failed(err, errno, path);
    int r = write_all(fd, text);
    if (r == 0 && fsync(fd) != 0)
        r = -errno;
    if (close(fd) != 0 && r == 0)
        r = -errno;
    return r < 0 ? failed(err, -r, path) : 0;
}

int archive_volume_put(const char *root, const char *key, struct slice text, struct error **err) {
    CLEANUP_FREE char *path = mem_format("%s/%s", root, key);
    CLEANUP_FREE char *part = mem_format("%s.part", path), *folder = mem_strdup(path);
    struct stat st;
    if (stat(path, &st) == 0)
        return 0;
    *strrchr(folder, '/') = '\0';
    bool is_put = make_folder(root, folder, err) == 0 && write_file(part, text, err) == 0 &&
                  (rename(part, path) == 0 || failed(err, errno, path) == 0) && sync_folder(folder, err) == 0;
    return is_put ? 0 : err != NULL && *err != NULL ? -(*err)->code : -EIO;
}
