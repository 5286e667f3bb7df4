#include "sources/look.h"

#include "base/hash.h"
#include "base/jscan.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_NAMES 10000                     /* in a folder */
#define MAX_REST_BYTES ((int64_t)256 << 20) /* looked through for what steps took */
#define MAX_STEP_MS INT64_C(86400000)

struct found { /* a file */
    char *name;
    int64_t written_ns, size_bytes;
    int entry; /* in the table; -1: none */
    bool is_copy;
};

struct found_list {
    struct found *items;
    size_t count, capacity;
};

struct look *look_new(const char *root, const char *folder, const char *path) {
    struct look *l = mem_new(struct look);
    l->root = mem_strdup(root);
    l->folder = mem_strdup(folder);
    l->path = mem_strdup(path);
    l->table.floor_ns = INT64_MIN;
    buf_init(&l->lines, LOOK_CHUNK_BYTES);
    return l;
}

void look_free(void *look) {
    struct look *l = look;
    if (l == NULL)
        return;
    free(l->root);
    free(l->folder);
    free(l->path);
    buf_done(&l->lines);
    free(l);
}

static int64_t time_ns(struct timespec t) {
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void fail(struct look *l, const char *what, int code) {
    const char *why = code == ENOENT  ? "does not exist (yet)"
                      : code == ELOOP ? "is a symbolic link, and those are not followed"
                                      : NULL;
    l->is_absent = code == ENOENT;
    if (why != NULL)
        snprintf(l->error, sizeof l->error, "%s, below the log root, %s", what, why);
    else
        snprintf(l->error, sizeof l->error, "%s, below the log root: %s", what, strerrordesc_np(code));
}

/* ---- the way there ---- */

/* One component, never through a symbolic link. O_NONBLOCK: a pipe in its place must not hold up the thread. */
static int open_below(int at, const char *name, int flags) {
    return openat(at, name, flags | O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static int open_component(int at, struct slice name, int flags) {
    char text[256];
    if (!slice_copy(text, sizeof text, name) || slice_is(name, "..")) {
        errno = EINVAL;
        return -1;
    }
    int fd = open_below(at, text, flags);
    /* What a symbolic link gives with O_DIRECTORY. */
    struct stat s;
    if (fd < 0 && errno == ENOTDIR)
        errno = fstatat(at, text, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(s.st_mode) ? ELOOP : ENOTDIR;
    return fd;
}

/* The folder that holds the file, and the file's name; or the folder that was named, and "". -1 with l->error set. */
static int open_folder(struct look *l, char name[static 256]) {
    int fd = open(l->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        snprintf(l->error, sizeof l->error, "the log root %s: %s", l->root, strerrordesc_np(errno));
        return -1;
    }
    struct slice rest = slice_of(l->path), component = slice_of(l->folder);
    char so_far[512];
    slice_copy(so_far, sizeof so_far, component);
    for (bool is_last = false; !is_last;) {
        int next = open_component(fd, component, O_DIRECTORY);
        int code = errno;
        close(fd);
        if (next < 0) {
            fail(l, so_far, code);
            return -1;
        }
        fd = next;
        is_last = !slice_take_until(&rest, '/', &component);
        if (is_last)
            component = rest;
        size_t size = strlen(so_far);
        snprintf(so_far + size, sizeof so_far - size, "/%.*s", SLICE_ARG(component));
    }
    int folder = open_component(fd, component, O_DIRECTORY);
    if (folder >= 0) {
        close(fd);
        name[0] = '\0';
        return folder;
    }
    if (errno != ENOTDIR && errno != ENOENT) {
        fail(l, so_far, errno);
        close(fd);
        return -1;
    }
    slice_copy(name, 256, component);
    return fd;
}

/* ---- what is there ---- */

static bool is_compressed(struct slice name) {
    static const char *const ends[] = {".gz", ".zst", ".xz", ".bz2", ".lz4", ".tmp"};
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
        if (slice_ends(name, ends[i]))
            return true;
    return false;
}

/* The file itself, or what it became when it was rotated: "train.log.1", "train.log-20261121"; or any of a folder. */
static bool is_selected(const char *entry, const char *name) {
    struct slice rest = slice_of(entry);
    if (name[0] == '\0')
        return entry[0] != '.' && !is_compressed(rest);
    if (!slice_take_prefix(&rest, name))
        return false;
    if (rest.size_bytes == 0)
        return true;
    if (!slice_take_char(&rest, '.') && !slice_take_char(&rest, '-'))
        return false;
    for (size_t i = 0; i < rest.size_bytes; i++)
        if ((rest.data[i] < '0' || rest.data[i] > '9') && strchr("-.:_TZ", rest.data[i]) == NULL)
            return false;
    return rest.size_bytes > 0;
}

static int compare_found(const void *a, const void *b) {
    const struct found *x = a, *y = b;
    if (x->written_ns != y->written_ns)
        return x->written_ns < y->written_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void free_found(struct found_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].name);
    free(list->items);
}

/* Takes fd. False with l->error set. */
static bool list_files(struct look *l, int fd, const char *name, struct found_list *list) {
    DIR *dir = fdopendir(fd);
    struct dirent *e;
    if (dir == NULL) {
        fail(l, l->path, errno);
        close(fd);
        return false;
    }
    while ((errno = 0, e = readdir(dir)) != NULL && list->count < MAX_NAMES) {
        struct stat s;
        if (!is_selected(e->d_name, name) || fstatat(dirfd(dir), e->d_name, &s, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (!S_ISREG(s.st_mode)) {
            if (name[0] != '\0' && strcmp(e->d_name, name) == 0)
                snprintf(l->error, sizeof l->error, "%s/%s, below the log root, is %s", l->folder, l->path,
                         S_ISLNK(s.st_mode) ? "a symbolic link, and those are not followed" : "not a file");
            continue;
        }
        MEM_GROW(list->items, list->count, list->capacity);
        list->items[list->count++] = (struct found){
            .name = mem_strdup(e->d_name), .written_ns = time_ns(s.st_mtim), .size_bytes = s.st_size, .entry = -1};
    }
    if (errno != 0)
        fail(l, l->path, errno);
    else if (list->count == 0 && l->error[0] == '\0' && name[0] != '\0') {
        CLEANUP_FREE char *whole = mem_format("%s/%s", l->folder, l->path);
        fail(l, whole, ENOENT);
    }
    closedir(dir);
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare_found);
    return l->error[0] == '\0';
}

/* The bytes before the offset. */
static size_t read_before(int folder, const char *name, int64_t offset, char before[static LOOK_PRINT_BYTES]) {
    size_t n = offset < LOOK_PRINT_BYTES ? (size_t)offset : LOOK_PRINT_BYTES;
    int fd = open_below(folder, name, 0);
    ssize_t got = fd < 0 ? -1 : pread(fd, before, n, offset - (int64_t)n);
    if (fd >= 0)
        close(fd);
    return got == (ssize_t)n ? n : 0;
}

static bool is_same(int folder, const struct found *f, const struct look_file *entry) {
    char before[LOOK_PRINT_BYTES];
    if (f->size_bytes < entry->offset)
        return false;
    size_t n = read_before(folder, f->name, entry->offset, before);
    return n > 0 && hash_stable(0, (struct slice){before, n}) == entry->print;
}

/* Which of the files are in the table: under their names, or renamed; and which are copies of such, made by a rotation
 * that will truncate the other. */
static void match(const struct look_table *t, int folder, struct found_list *list) {
    bool is_claimed[LOOK_FILES] = {false};
    for (size_t i = 0; i < list->count; i++)
        for (int k = 0; k < t->count && list->items[i].entry < 0; k++)
            if (t->files[k].name == hash_stable(0, slice_of(list->items[i].name)) && !is_claimed[k] &&
                is_same(folder, &list->items[i], &t->files[k])) {
                list->items[i].entry = k;
                is_claimed[k] = true;
            }
    for (size_t i = 0; i < list->count; i++) {
        struct found *f = &list->items[i];
        for (int k = 0; k < t->count && f->entry < 0 && !f->is_copy && f->written_ns > t->floor_ns; k++) {
            if (!is_same(folder, f, &t->files[k]))
                continue;
            f->is_copy = is_claimed[k];
            f->entry = is_claimed[k] ? -1 : k;
            is_claimed[k] = true;
        }
    }
}

/* ---- reading ---- */

int64_t look_step_ms(struct slice line) {
    struct jscan j;
    struct slice key;
    int64_t ms = 0;
    if (!slice_starts(line, "{") || !slice_contains(line, "\"perf/step_time_seconds\""))
        return 0;
    jscan_init(&j, line);
    if (!jscan_object(&j))
        return 0;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "perf/step_time_seconds"))
            jscan_scaled(&j, 3, &ms);
        else
            jscan_skip(&j);
    }
    return jscan_at_end(&j) && ms > 0 && ms <= MAX_STEP_MS ? ms : 0;
}

/* What steps took whose lines are behind the chunk: the lines of a metrics file hold no other time. */
static int64_t rest_ms(int fd, int64_t offset) {
    int64_t sum_ms = 0, end = offset + MAX_REST_BYTES;
    while (offset < end) {
        struct slice lines, line;
        char *to = mem_alloc(LOOK_CHUNK_BYTES);
        ssize_t n = pread(fd, to, LOOK_CHUNK_BYTES, offset);
        lines = (struct slice){to, n > 0 ? (size_t)n : 0};
        int64_t before = offset;
        while (slice_take_until(&lines, '\n', &line)) {
            sum_ms += look_step_ms(line);
            offset += (int64_t)line.size_bytes + 1;
        }
        free(to);
        if (offset == before)
            break;
    }
    return sum_ms;
}

/* The unread lines of one file; false: it has none, but perhaps a tail. */
static bool read_lines(struct look *l, int folder, const struct found *f, bool may_be_tail) {
    int64_t offset = f->entry >= 0 ? l->table.files[f->entry].offset : 0;
    CLEANUP_FREE char *chunk = NULL;
    struct stat s;
    l->is_tail = false;
    if (f->size_bytes <= offset)
        return false;
    int fd = open_below(folder, f->name, 0);
    if (fd < 0 || fstat(fd, &s) < 0 || !S_ISREG(s.st_mode)) {
        if (fd >= 0)
            close(fd);
        else if (errno != ENOENT) /* rotated away just now: next time it is found under its new name */
            fail(l, f->name, errno);
        return false;
    }
    chunk = mem_alloc(LOOK_CHUNK_BYTES);
    ssize_t n = pread(fd, chunk, LOOK_CHUNK_BYTES, offset);
    if (n < 0)
        fail(l, f->name, errno);
    struct slice bytes = {chunk, n > 0 ? (size_t)n : 0};
    const char *end = bytes.size_bytes > 0 ? memrchr(bytes.data, '\n', bytes.size_bytes) : NULL;
    bool is_whole = end != NULL;
    if (is_whole)
        bytes = slice_range(bytes.data, end + 1);
    l->is_tail = !is_whole && bytes.size_bytes > 0 && bytes.size_bytes < LOOK_CHUNK_BYTES;
    if (is_whole || bytes.size_bytes == LOOK_CHUNK_BYTES || (l->is_tail && may_be_tail)) {
        buf_append_slice(&l->lines, bytes);
        l->file = (struct look_file){
            .name = hash_stable(0, slice_of(f->name)), .offset = offset, .written_ns = time_ns(s.st_mtim)};
        slice_copy(l->name, sizeof l->name, slice_of(f->name));
        l->before_bytes = read_before(folder, f->name, offset, l->before);
        if (slice_contains((struct slice){bytes.data, bytes.size_bytes < 4096 ? bytes.size_bytes : 4096},
                           "\"perf/step_time_seconds\""))
            l->rest_ms = rest_ms(fd, offset + (int64_t)bytes.size_bytes);
    }
    close(fd);
    return l->lines.size_bytes > 0;
}

/* One that was in the table and is not any more: it is not read again from its start. One that grew since is reported.
 */
static bool is_old(struct look *l, int folder, const struct found *f) {
    for (int i = 0; i < l->table.old_count && f->entry < 0; i++) {
        const struct look_old *o = &l->table.old[i];
        char before[LOOK_PRINT_BYTES];
        if (o->name != (uint32_t)hash_stable(0, slice_of(f->name)) || f->size_bytes < o->offset)
            continue;
        size_t n = read_before(folder, f->name, o->offset, before);
        if (n == 0 || (uint32_t)hash_stable(0, (struct slice){before, n}) != o->print)
            continue;
        if (f->size_bytes > o->offset)
            snprintf(
                l->warning, sizeof l->warning,
                "what %s of %s/%s grew by since %d other files were read is left out: of a folder at most %d files "
                "may grow in turns; name one file",
                f->name, l->folder, l->path, LOOK_FILES, LOOK_FILES);
        return true;
    }
    return false;
}

/* The next lines of the first file that has some; where none has, the first tail. */
static void read_next(struct look *l, int folder, const struct found_list *list) {
    const struct found *tail = NULL;
    for (size_t i = 0; i < list->count && !l->has_rest && l->error[0] == '\0'; i++) {
        const struct found *f = &list->items[i];
        if (f->is_copy || (f->entry < 0 && f->written_ns <= l->table.floor_ns) || is_old(l, folder, f))
            continue;
        l->has_rest = read_lines(l, folder, f, false);
        if (l->is_tail && tail == NULL)
            tail = f;
    }
    if (!l->has_rest && tail != NULL && l->error[0] == '\0')
        l->has_rest = read_lines(l, folder, tail, true) && !l->is_tail; /* or whole meanwhile */
    else
        l->is_tail = false;
}

void look_run(void *look) {
    struct look *l = look;
    struct found_list list = {0};
    char name[256];
    l->error[0] = l->warning[0] = l->name[0] = '\0';
    l->is_absent = l->is_tail = false;
    l->has_rest = false;
    l->rest_ms = 0;
    buf_clear(&l->lines);
    int fd = open_folder(l, name);
    int folder = fd >= 0 ? dup(fd) : -1;
    if (fd < 0)
        return;
    if (list_files(l, fd, name, &list)) {
        match(&l->table, folder, &list);
        read_next(l, folder, &list);
    }
    free_found(&list);
    close(folder);
}

/* ---- what was taken ---- */

void look_take(struct look *l, size_t bytes, bool is_cut) {
    struct look_table *t = &l->table;
    CLEANUP_BUF struct buf before;
    buf_init(&before, LOOK_PRINT_BYTES + LOOK_CHUNK_BYTES);
    buf_append(&before, l->before, l->before_bytes);
    buf_append(&before, l->lines.data, bytes);
    if (before.size_bytes > LOOK_PRINT_BYTES)
        buf_consume(&before, before.size_bytes - LOOK_PRINT_BYTES);
    struct look_file f = l->file;
    f.offset += (int64_t)bytes;
    f.print = hash_stable(0, buf_slice(&before));
    /* Its entry, under whatever name, is the one with the place from which it was read. */
    int k = 0;
    uint64_t print = hash_stable(0, (struct slice){l->before, l->before_bytes});
    while (k < t->count && !(t->files[k].offset == l->file.offset && t->files[k].print == print))
        k++;
    if (k < t->count || t->count == LOOK_FILES) {
        if (k == t->count) {
            k = 0;
            if (t->files[0].written_ns > t->floor_ns)
                t->floor_ns = t->files[0].written_ns;
            look_table_add_old(t, &t->files[0]);
        }
        memmove(&t->files[k], &t->files[k + 1], (size_t)(t->count - k - 1) * sizeof t->files[0]);
        t->count--;
    }
    t->files[t->count++] = f;
    l->skip_name = is_cut ? f.name : 0;
    l->skip_offset = is_cut ? f.offset : 0;
}
