#include "recorder/store_list.h"

#include "base/jmembers.h"
#include "base/mem.h"
#include "base/rfc3339.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_BYTES ((size_t)4 << 20)

struct spot {
    struct store_place place;
    off_t offset;
    uint32_t bytes;
    int file;
};

struct pass {
    const struct store_query *query;
    struct spot *spots;
    size_t count, max; /* room is for twice as many */
    bool has_more;
};

/* As the filter has it: Python's clients write "\u00e4" for what is not ASCII. */
static void read_job_name(struct jscan *j, void *entry) {
    struct filter_entry *e = entry;
    const struct jscan before = *j;
    if (!jscan_string_raw(j, &e->fields[FILTER_JOB_NAME]) || slice_find_char(e->fields[FILTER_JOB_NAME], '\\') == NULL)
        return;
    *j = before;
    jscan_string(j, e->job_name, sizeof e->job_name);
    e->fields[FILTER_JOB_NAME] = slice_of(e->job_name);
}

static void read_time(struct jscan *j, void *at_ns) {
    struct slice time;
    if (!jscan_string_raw(j, &time) || !rfc3339_take(&time, at_ns, NULL) || time.size_bytes > 0)
        *(int64_t *)at_ns = INT64_MIN;
}

/* The members in the order of entries_write.c. */
bool store_read_line(struct slice line, struct filter_entry *e) {
    typedef struct filter_entry entry;
    static const struct jmember payload[] = {JMEMBER_SELF("job_name", read_job_name)};
    static const struct jmember rows[] = {
        JMEMBER(entry, fields[FILTER_INSERT_ID], "insertId"), JMEMBER(entry, fields[FILTER_LOG_NAME], "logName"),
        JMEMBER(entry, fields[FILTER_SEVERITY], "severity"), JMEMBER_FIELD(entry, at_ns, "timestamp", read_time),
        JMEMBER_OBJECT("jsonPayload", payload)};
    *e = (struct filter_entry){.at_ns = INT64_MIN};
    return slice_starts(line, "{") && jmembers_parse(line, JMEMBERS(rows), e) && e->at_ns != INT64_MIN;
}

static int compare_places(const struct store_place *a, const struct store_place *b) {
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    return strcmp(a->insert_id, b->insert_id);
}

static int compare_spots(const void *a, const void *b) {
    const struct spot *x = a, *y = b;
    int order = compare_places(&x->place, &y->place);
    return order != 0           ? order
           : x->file != y->file ? x->file - y->file
                                : (x->offset > y->offset) - (x->offset < y->offset);
}

/* Only the first p->max can be on the page. */
static void keep_first(struct pass *p) {
    qsort(p->spots, p->count, sizeof *p->spots, compare_spots);
    if (p->count > p->max) {
        p->count = p->max;
        p->has_more = true;
    }
}

static void look_at(struct pass *p, struct slice line, int file, off_t offset) {
    struct filter_entry e;
    struct spot spot = {.file = file, .offset = offset, .bytes = (uint32_t)line.size_bytes};
    if (!store_read_line(line, &e) || !filter_matches(p->query->filter, &e))
        return;
    spot.place.at_ns = e.at_ns;
    slice_copy(spot.place.insert_id, sizeof spot.place.insert_id, e.fields[FILTER_INSERT_ID]);
    if (p->query->after.at_ns != INT64_MIN && compare_places(&spot.place, &p->query->after) <= 0)
        return;
    p->spots[p->count++] = spot;
    if (p->count == 2 * p->max)
        keep_first(p);
}

static void look_through(struct pass *p, int fd, int file, char *chunk) {
    off_t offset = 0;
    for (;;) {
        ssize_t n = pread(fd, chunk, CHUNK_BYTES, offset);
        struct slice rest = {chunk, n > 0 ? (size_t)n : 0}, line;
        off_t before = offset;
        while (slice_take_until(&rest, '\n', &line)) {
            look_at(p, line, file, offset);
            offset += (off_t)line.size_bytes + 1;
        }
        if (offset == before)
            return;
    }
}

/* The numbers of a job's files, ascending; NULL if there are none. */
static int *list_files(int dir, size_t *count) {
    int *numbers = NULL;
    size_t capacity = 0;
    DIR *d = fdopendir(dup(dir));
    struct dirent *e;
    *count = 0;
    while (d != NULL && (e = readdir(d)) != NULL) {
        char *end;
        long number = strtol(e->d_name, &end, 10);
        if (end != e->d_name + 8 || strcmp(end, ".jsonl") != 0 || number <= 0)
            continue;
        MEM_GROW(numbers, *count, capacity);
        numbers[(*count)++] = (int)number;
    }
    if (d != NULL)
        closedir(d);
    return numbers;
}

static int open_number(int dir, int number) {
    char name[32];
    snprintf(name, sizeof name, "%08d.jsonl", number);
    return openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

/* The lines of the page, each read from its place. */
static int write_page(struct pass *p, int dir, struct buf *out, struct store_place *last) {
    int fd = -1, file = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct spot *s = &p->spots[i];
        if ((int64_t)out->size_bytes + s->bytes > p->query->max_bytes && i > 0) {
            p->has_more = true;
            break;
        }
        if (file != s->file) {
            if (fd >= 0)
                close(fd);
            fd = open_number(dir, s->file);
            file = s->file;
        }
        CLEANUP_FREE char *line = mem_alloc(s->bytes + 1);
        if (fd < 0 || pread(fd, line, s->bytes, s->offset) != (ssize_t)s->bytes)
            continue; /* dropped meanwhile: the oldest file */
        if (out->size_bytes > 0)
            buf_append_char(out, ',');
        buf_append(out, line, s->bytes);
        *last = s->place;
    }
    if (fd >= 0)
        close(fd);
    return p->has_more;
}

int store_list(struct store *store, const struct store_query *q, struct buf *out, struct store_place *last,
               struct error **err) {
    char folder[STORE_NAME_SIZE];
    struct pass p = {.query = q, .max = (size_t)q->max_entries};
    size_t count;
    *last = q->after;
    if (!store_folder(folder, q->job))
        return 0;
    CLEANUP_FREE char *path = mem_format("%s/%s/%s", store_root(store), q->namespace_, folder);
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return errno == ENOENT ? 0 : error_set(err, EIO, "the store cannot read %s: %s", folder, strerror(errno));
    CLEANUP_FREE int *numbers = list_files(dir, &count);
    CLEANUP_FREE char *chunk = mem_alloc(CHUNK_BYTES);
    p.spots = mem_resize(NULL, 2 * p.max, sizeof *p.spots);
    for (size_t i = 0; i < count; i++) {
        int fd = open_number(dir, numbers[i]);
        if (fd < 0)
            continue;
        look_through(&p, fd, numbers[i], chunk);
        close(fd);
    }
    keep_first(&p);
    int r = write_page(&p, dir, out, last);
    free(p.spots);
    close(dir);
    return r;
}
