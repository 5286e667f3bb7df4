#include "recorder/store.h"

#include "base/map.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPIRE_EVERY_S 3600
#define TAIL_BYTES ((off_t)1 << 20) /* longer than any line */

/* 16 files of a job: fewer than its follower remembers (sources/look.h). */
const struct store_limits store_default_limits = {.file_bytes = 16 << 20,
                                                  .job_bytes = (int64_t)256 << 20,
                                                  .namespace_bytes = (int64_t)1 << 30,
                                                  .max_jobs = 1000,
                                                  .keep_s = 30 * 86400};

struct job {
    int first, last; /* numbers of its files; last 0: none */
    int64_t last_bytes;
};

struct tenant {
    struct map jobs; /* folder to struct job: those written to since the start */
    int64_t bytes;
    int job_count;
};

struct store {
    char *root;
    struct store_limits limits;
    struct map tenants; /* namespace to struct tenant */
    int64_t expired_s;
};

static void tenant_free(void *value) {
    struct tenant *t = value;
    map_done(&t->jobs);
    free(t);
}

struct store *store_new(const char *root, const struct store_limits *limits) {
    struct store *s = mem_new(struct store);
    s->root = mem_strdup(root);
    s->limits = *limits;
    map_init(&s->tenants, tenant_free);
    return s;
}

const char *store_root(const struct store *store) {
    return store->root;
}

void store_free(struct store *store) {
    if (store == NULL)
        return;
    map_done(&store->tenants);
    free(store->root);
    free(store);
}

bool store_folder(char folder[static STORE_NAME_SIZE], struct slice job) {
    size_t n = 0;
    for (size_t i = 0; i < job.size_bytes; i++) {
        char c = job.data[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                        c == '_' || (c == '.' && i > 0);
        if (n + 4 > STORE_NAME_SIZE)
            return false;
        n += (size_t)snprintf(folder + n, 4, is_plain ? "%c" : "%%%02X", (unsigned char)c);
    }
    return n > 0;
}

/* EIO, whatever the file system says: its EPERM or EINVAL would read as the writer's fault. */
static int fail(struct error **err, int code, const char *what, const char *name) {
    return error_set(err, EIO, "the store cannot %s %s: %s", what, name, strerror(code));
}

/* ---- what is there ---- */

static int file_number(const char *name) {
    char *end;
    long number = strtol(name, &end, 10);
    return end == name + 8 && strcmp(end, ".jsonl") == 0 && number > 0 ? (int)number : 0;
}

/* Calls on each entry that is not hidden; -1: it cannot be read. */
static int each(int at, const char *name, void (*on_one)(void *context, int dir, const char *name), void *context) {
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;
    if (dir == NULL) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    while ((e = readdir(dir)) != NULL)
        if (e->d_name[0] != '.')
            on_one(context, dirfd(dir), e->d_name);
    closedir(dir);
    return 0;
}

struct sizes {
    int64_t bytes, written_s;
    int first, last;
};

static void add_size(void *context, int dir, const char *name) {
    struct sizes *s = context;
    struct stat st;
    int number = file_number(name);
    if (number == 0 || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    s->bytes += st.st_size;
    s->written_s = st.st_mtim.tv_sec > s->written_s ? st.st_mtim.tv_sec : s->written_s;
    s->first = s->first == 0 || number < s->first ? number : s->first;
    s->last = number > s->last ? number : s->last;
}

struct sweep {
    struct tenant *tenant;
    int64_t before_s; /* jobs last written before it are dropped */
};

static void remove_one(void *context, int dir, const char *name) {
    (void)context;
    unlinkat(dir, name, 0);
}

static void add_job(void *context, int dir, const char *name) {
    struct sweep *s = context;
    struct sizes sizes = {0};
    if (each(dir, name, add_size, &sizes) < 0)
        return;
    if (sizes.written_s < s->before_s) {
        each(dir, name, remove_one, NULL);
        unlinkat(dir, name, AT_REMOVEDIR);
        map_remove(&s->tenant->jobs, slice_of(name));
        return;
    }
    s->tenant->bytes += sizes.bytes;
    s->tenant->job_count++;
}

/* Counts what a namespace holds, and drops what is old. */
static void count(struct store *store, struct tenant *t, const char *namespace_, int64_t now_s) {
    struct sweep sweep = {t, now_s - store->limits.keep_s};
    int root = open(store->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    t->bytes = t->job_count = 0;
    if (root < 0)
        return;
    each(root, namespace_, add_job, &sweep);
    close(root);
}

static void expire_one(void *context, int dir, const char *name) {
    struct store *s = context;
    struct tenant *t = map_get(&s->tenants, slice_of(name));
    (void)dir;
    if (t == NULL) {
        t = mem_new(struct tenant);
        map_init(&t->jobs, free);
        map_put(&s->tenants, slice_of(name), t);
    }
    count(s, t, name, s->expired_s);
}

static void expire(struct store *store, int64_t now_s) {
    if (store->expired_s != 0 && now_s - store->expired_s < EXPIRE_EVERY_S)
        return;
    store->expired_s = now_s;
    int root = open(store->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return;
    each(root, ".", expire_one, store);
    close(root);
}

/* ---- appending ---- */

/* A folder, made if it is not there, durable in the one above. */
static int open_folder(int at, const char *name, bool *is_new) {
    *is_new = mkdirat(at, name, 0750) == 0;
    if (*is_new ? fsync(at) < 0 : errno != EEXIST)
        return -1;
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int open_job(struct store *store, const char *namespace_, const char *folder, bool *is_new) {
    int root = open(store->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int tenant = root < 0 ? -1 : open_folder(root, namespace_, is_new);
    int job = tenant < 0 ? -1 : open_folder(tenant, folder, is_new);
    int code = errno;
    if (root >= 0)
        close(root);
    if (tenant >= 0)
        close(tenant);
    errno = code;
    return job;
}

/* What a crash left without an end was acknowledged to no client. Returns the size, or -1. */
static int64_t mend_tail(int fd) {
    struct stat st;
    char c = '\n';
    if (fstat(fd, &st) < 0)
        return -1;
    if (st.st_size == 0 || (pread(fd, &c, 1, st.st_size - 1) == 1 && c == '\n'))
        return st.st_size;
    off_t size = st.st_size, n = size < TAIL_BYTES ? size : TAIL_BYTES;
    CLEANUP_FREE char *tail = mem_alloc((size_t)n);
    if (pread(fd, tail, (size_t)n, size - n) != n)
        return -1;
    const char *end = memrchr(tail, '\n', (size_t)n);
    off_t whole = end != NULL ? size - n + (end + 1 - tail) : size - n;
    return ftruncate(fd, whole) == 0 ? whole : -1;
}

static bool write_all(int fd, struct slice bytes) {
    while (bytes.size_bytes > 0) {
        ssize_t n = write(fd, bytes.data, bytes.size_bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes = slice_skip(bytes, (size_t)n);
    }
    return true;
}

static void drop_oldest(struct store *store, struct tenant *t, struct job *job, int dir) {
    while ((job->last - job->first + 1) * store->limits.file_bytes > store->limits.job_bytes &&
           job->first < job->last) {
        char name[32];
        struct stat st;
        snprintf(name, sizeof name, "%08d.jsonl", job->first++);
        if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && unlinkat(dir, name, 0) == 0)
            t->bytes -= st.st_size;
    }
}

/* Into the job's newest file, or the next. Negative: errno; what was written then is taken back. */
static int write_lines(struct store *store, struct tenant *t, struct job *job, int dir, struct slice lines) {
    bool is_next = job->last == 0 || job->last_bytes + (int64_t)lines.size_bytes > store->limits.file_bytes;
    char name[32];
    if (is_next) {
        job->last++;
        job->first = job->first == 0 ? 1 : job->first;
        job->last_bytes = 0;
    }
    snprintf(name, sizeof name, "%08d.jsonl", job->last);
    int fd = openat(dir, name, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0640);
    if (fd < 0)
        return -errno;
    int64_t size = mend_tail(fd);
    if (size < 0 || !write_all(fd, lines) || fdatasync(fd) < 0 || (is_next && fsync(dir) < 0)) {
        int code = errno;
        if (size >= 0 && ftruncate(fd, size) < 0)
            code = errno;
        close(fd);
        return -(code > 0 ? code : EIO);
    }
    close(fd);
    job->last_bytes = size + (int64_t)lines.size_bytes;
    t->bytes += (int64_t)lines.size_bytes;
    drop_oldest(store, t, job, dir);
    return 0;
}

static struct job *find_job(struct tenant *t, const char *folder, int dir) {
    struct job *job = map_get(&t->jobs, slice_of(folder));
    struct sizes sizes = {0};
    char name[32];
    struct stat st;
    if (job != NULL)
        return job;
    job = mem_new(struct job);
    each(dir, ".", add_size, &sizes);
    job->first = sizes.first;
    job->last = sizes.last;
    snprintf(name, sizeof name, "%08d.jsonl", job->last);
    job->last_bytes = fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_size : 0;
    map_put(&t->jobs, slice_of(folder), job);
    return job;
}

static bool is_there(const struct store *store, const char *namespace_, const char *folder) {
    CLEANUP_FREE char *path = mem_format("%s/%s/%s", store->root, namespace_, folder);
    return access(path, F_OK) == 0;
}

int store_append(struct store *store, const char *namespace_, struct slice job, struct slice lines, int64_t now_s,
                 struct error **err) {
    char folder[STORE_NAME_SIZE];
    bool is_new = false;
    if (!store_folder(folder, job))
        return error_set(err, EINVAL, "a job's name of %zu bytes is too long", job.size_bytes);
    expire(store, now_s);
    struct tenant *t = map_get(&store->tenants, slice_of(namespace_));
    if (t == NULL) {
        expire_one(store, -1, namespace_);
        t = map_get(&store->tenants, slice_of(namespace_));
    }
    if (t->bytes + (int64_t)lines.size_bytes > store->limits.namespace_bytes ||
        (t->job_count >= store->limits.max_jobs && !is_there(store, namespace_, folder)))
        return error_set(
            err, EDQUOT,
            "namespace %s holds %lld MiB of %d jobs, and may hold %lld MiB of %d: old jobs go after %d days",
            namespace_, (long long)(t->bytes >> 20), t->job_count, (long long)(store->limits.namespace_bytes >> 20),
            store->limits.max_jobs, (int)(store->limits.keep_s / 86400));
    int dir = open_job(store, namespace_, folder, &is_new);
    if (dir < 0)
        return fail(err, errno, "make the folder of", folder);
    t->job_count += is_new;
    int r = write_lines(store, t, find_job(t, folder, dir), dir, lines);
    close(dir);
    if (r < 0) {
        map_remove(&t->jobs, slice_of(folder)); /* it is read again */
        return fail(err, -r, "write to", folder);
    }
    return 0;
}
