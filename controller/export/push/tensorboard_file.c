#include "export/push/tensorboard_file.h"

#include "base/mem.h"
#include "base/rfc3339.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "events.out.tfevents."
#define SUFFIX ".goodput-controller"
#define MAX_READ_BYTES ((int64_t)64 << 20) /* limit for a foreign file with a name of ours */

static void fail(struct tensorboard_write *w, const char *what, int code) {
    w->place = (struct tensorboard_place){0}; /* it is read again */
    snprintf(w->error, sizeof w->error, "cannot %s %s/%s below %s: %s", what, w->namespace_, w->name, w->root,
             code == ELOOP || code == ENOTDIR ? "a file or link is in the folder's place" : strerrordesc_np(code));
}

/* ---- folders ---- */

/* Opens or makes a subfolder, never through a symbolic link. */
static int open_folder(int at, const char *name) {
    if (mkdirat(at, name, 0755) < 0 && errno != EEXIST)
        return -1;
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* "20261121T181751Z": sorts by time, and is a valid name everywhere. */
static void run_name(char name[static 32], int64_t start_ms) {
    char text[RFC3339_SIZE];
    size_t n = 0;
    rfc3339_format_s(text, start_ms);
    for (const char *c = text; *c != '\0' && n < 31; c++)
        if (*c != '-' && *c != ':')
            name[n++] = *c;
    name[n] = '\0';
}

static int open_run(const struct tensorboard_write *w) {
    char run[32];
    run_name(run, w->point.start_ms);
    const char *const way[] = {w->namespace_, w->name, run};
    int fd = open(w->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; i < ARRAY_SIZE(way) && fd >= 0; i++) {
        int next = open_folder(fd, way[i]);
        int code = errno;
        close(fd);
        errno = code;
        fd = next;
    }
    return fd;
}

/* ---- existing files ---- */

static bool is_ours(const char *name) {
    struct slice s = slice_of(name);
    return slice_starts(s, PREFIX) && slice_ends(s, SUFFIX) && s.size_bytes < 80;
}

/* Finds the last name before `before` ("": of all). -1: the folder cannot be read. */
static int find_last(int folder, const char *before, char last[static 80]) {
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;
    last[0] = '\0';
    if (dir == NULL) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    while ((e = readdir(dir)) != NULL)
        if (is_ours(e->d_name) && strcmp(e->d_name, last) > 0 && (before[0] == '\0' || strcmp(e->d_name, before) < 0))
            slice_copy(last, 80, slice_of(e->d_name));
    closedir(dir);
    return 0;
}

static char *read_file(int fd, int64_t size_bytes) {
    char *bytes = mem_alloc((size_t)size_bytes + 1);
    int64_t at = 0;
    while (at < size_bytes) {
        ssize_t n = pread(fd, bytes + at, (size_t)(size_bytes - at), at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            free(bytes);
            return NULL;
        }
        at += n;
    }
    return bytes;
}

/* Reads the whole records. Returns the file's size; 0: it cannot be appended to. */
static int64_t scan(struct tensorboard_place *place, struct slice file) {
    struct slice event;
    struct tensorboard_event e;
    const int64_t size_bytes = (int64_t)file.size_bytes;
    int r;
    bool is_first = true, is_good = true;
    while ((r = tensorboard_take(&file, &event)) > 0) {
        if (tensorboard_read(event, &e) < 0 || is_first != e.is_version)
            is_good = false;
        else if (e.has_summary) {
            place->last_step = e.step;
            place->last_at_ms = (int64_t)(e.wall_s * 1000 + 0.5);
            place->has_points = true;
        }
        is_first = false;
    }
    return r == 0 && is_good && !is_first ? size_bytes : 0;
}

/* Scans a file. -1: it cannot be read. *end: the result of scan(). */
static int look_into(struct tensorboard_place *place, int folder, const char *name, int64_t *end) {
    struct stat st;
    CLEANUP_FREE char *bytes = NULL;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *end = 0;
    if (fd < 0)
        return errno == ELOOP ? 0 : -1; /* a link is not followed: another file is started */
    int code = fstat(fd, &st) < 0 ? errno : 0;
    bool is_file = code == 0 && S_ISREG(st.st_mode) && st.st_size <= MAX_READ_BYTES;
    if (is_file && (bytes = read_file(fd, st.st_size)) == NULL)
        code = errno != 0 ? errno : EIO;
    close(fd);
    errno = code;
    if (bytes != NULL)
        *end = scan(place, (struct slice){bytes, (size_t)st.st_size});
    return code == 0 ? 0 : -1;
}

/* Reads the newest file, and older ones until one holds a point (a crash may leave a file with only its version). */
static int look(struct tensorboard_place *place, int folder) {
    char name[80], before[80] = "";
    int64_t end;
    for (;;) {
        if (find_last(folder, before, name) < 0)
            return -1;
        if (name[0] == '\0')
            break;
        if (look_into(place, folder, name, &end) < 0)
            return -1;
        if (before[0] == '\0') {
            slice_copy(place->file, sizeof place->file, slice_of(name));
            place->size_bytes = end;
        }
        if (place->has_points)
            break;
        slice_copy(before, sizeof before, slice_of(name));
    }
    place->is_known = true;
    return 0;
}

/* ---- writing ---- */

static bool write_all(int fd, struct slice bytes) {
    while (bytes.size_bytes > 0) {
        ssize_t n = write(fd, bytes.data, bytes.size_bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n == 0 ? EIO : errno;
            return false;
        }
        bytes = slice_skip(bytes, (size_t)n);
    }
    return true;
}

/* Appends to the file, whole or not at all. */
static int append(int fd, int64_t size_bytes, struct slice bytes) {
    struct stat st;
    if (fstat(fd, &st) < 0)
        return -errno;
    if (st.st_size != size_bytes)
        return -ESTALE; /* another process writes to the file */
    int code = write_all(fd, bytes) && fdatasync(fd) == 0 ? 0 : -errno;
    if (code < 0 && ftruncate(fd, (off_t)size_bytes) < 0)
        code = -errno;
    return code;
}

/* A name greater than the newest file's, whatever the clock says: TensorBoard reads files in the order of their
 * names. */
static void next_name(struct tensorboard_place *place, int64_t at_ms) {
    struct slice before = slice_of(place->file);
    int64_t number = at_ms / 1000, last = 0;
    if (slice_take_prefix(&before, PREFIX) && slice_take_uint(&before, &last) && last >= number &&
        last < INT64_C(9999999999))
        number = last + 1;
    snprintf(place->file, sizeof place->file, PREFIX "%010lld" SUFFIX, (long long)number);
}

static int write_point(struct tensorboard_write *w, int folder) {
    struct tensorboard_place *place = &w->place;
    const struct tensorboard_point *p = &w->point;
    bool is_next = place->file[0] == '\0' || place->size_bytes == 0 || place->size_bytes >= w->file_bytes;
    CLEANUP_BUF struct buf bytes;
    buf_init(&bytes, 1 << 20);
    if (is_next) {
        next_name(place, p->at_ms);
        place->size_bytes = 0;
        tensorboard_write_version(&bytes, (double)p->at_ms / 1000);
    }
    tensorboard_write_scalars(&bytes, (double)p->at_ms / 1000, p->step, p->values, p->count);
    int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (is_next ? O_CREAT | O_EXCL : 0);
    int fd = openat(folder, place->file, flags, 0644);
    if (fd < 0)
        return -errno;
    int r = append(fd, place->size_bytes, buf_slice(&bytes));
    if (r < 0 && is_next)
        unlinkat(folder, place->file, 0);
    if (close(fd) < 0 && r == 0)
        r = -errno; /* NFS and GCS FUSE report errors here */
    if (r < 0)
        return r;
    place->size_bytes += (int64_t)bytes.size_bytes;
    place->last_step = p->step;
    place->last_at_ms = p->at_ms;
    place->has_points = true;
    return 0;
}

void tensorboard_file_run(void *write) {
    struct tensorboard_write *w = write;
    struct tensorboard_place *place = &w->place;
    w->was_written = false;
    w->error[0] = '\0';
    int folder = open_run(w);
    if (folder < 0) {
        fail(w, "make the folder of", errno);
        return;
    }
    if (!place->is_known && look(place, folder) < 0) {
        fail(w, "read the events of", errno);
    } else if (!place->has_points || (w->point.at_ms > place->last_at_ms && w->point.step != place->last_step)) {
        int r = write_point(w, folder);
        if (r < 0)
            fail(w, "write the events of", -r);
        w->was_written = r == 0;
    }
    close(folder);
}

void tensorboard_write_free(void *write) {
    struct tensorboard_write *w = write;
    if (w == NULL)
        return;
    free(w->root);
    free(w->namespace_);
    free(w->name);
    free(w);
}
