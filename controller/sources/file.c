#include "sources/file.h"

#include "base/mem.h"
#include "sources/look.h"
#include "steplog/steplog.h"

#include <stdio.h>

#define POLL_US INT64_C(1000000)
#define IDLE_POLLS 60              /* after this many without anything new, it is looked at ... */
#define IDLE_FACTOR 5              /* ... this many times less often */
#define HANGS_US INT64_C(60000000) /* a look that takes longer is reported */
#define VISIBLE_AFTER_MS                                                                                               \
    INT64_C(5000) /* what one machine wrote, another sees so much later (NFS caches attributes)                        \
                   */

struct file_source {
    struct source base;
    struct loop *loop;
    struct work_pool *pool;
    struct source_handler handler;
    struct look *look;
    struct work_task *task; /* the look is under way, and not ours */
    struct loop_timer *timer;
    int64_t poll_us, began_ms;
    int idle;
    char *name; /* "folder/path" */
    char *absent;
    bool is_in_trouble;
};

static void due(void *context);

static void notify_trouble(struct file_source *f, const char *text) {
    if (text == NULL && !f->is_in_trouble)
        return;
    f->is_in_trouble = text != NULL;
    f->handler.on_trouble(f->handler.context, text);
}

static int64_t steps_ms(struct slice lines) {
    struct slice line;
    int64_t sum_ms = 0;
    while (slice_take_until(&lines, '\n', &line))
        sum_ms += look_step_ms(line);
    return sum_ms;
}

/* When a line was written: as it says itself; else, of a metrics file, so long before the file was last written as the
 * steps behind it took; else then. */
static int64_t stamp_of(struct slice line, int64_t written_ms, int64_t behind_ms, int64_t now_ms) {
    int64_t own_ms = steplog_stored_ms(line, now_ms);
    return own_ms != TIME_UNKNOWN ? own_ms : written_ms - behind_ms;
}

static struct slice without_end(struct slice line) {
    line.size_bytes -= line.size_bytes > 0 && line.data[line.size_bytes - 1] == '\r';
    return line;
}

/* Zeros are not text: when its file is truncated, a writer that does not append continues behind a hole. */
static struct slice behind_hole(struct slice line) {
    while (line.size_bytes > 0 && line.data[0] == '\0')
        line = slice_skip(line, 1);
    return line;
}

static bool is_rest_of_cut(const struct look *l) {
    return l->skip_offset > 0 && l->skip_offset == l->file.offset && l->skip_name == l->file.name;
}

/* A line that is too long: its head. */
static size_t hand_head(struct file_source *f, int64_t written_ms) {
    struct look *l = f->look;
    struct slice head = {l->lines.data, STEPLOG_MAX_LINE_BYTES};
    if (is_rest_of_cut(l))
        return l->lines.size_bytes;
    int64_t stamp_ms = stamp_of(head, written_ms, 0, written_ms);
    return f->handler.on_line(f->handler.context, stamp_ms, head) ? l->lines.size_bytes : 0;
}

/* How many bytes of them were taken. */
static size_t hand_lines(struct file_source *f, int64_t written_ms, int64_t now_ms) {
    struct look *l = f->look;
    struct slice rest = buf_slice(&l->lines), line;
    int64_t behind_ms = l->rest_ms + steps_ms(rest);
    if (is_rest_of_cut(l))
        slice_take_until(&rest, '\n', &line); /* its end */
    const char *taken = rest.data;
    while (slice_take_until(&rest, '\n', &line)) {
        line = without_end(line);
        if (behind_ms > 0)
            behind_ms -= look_step_ms(line);
        line = behind_hole(line);
        if (line.size_bytes > 0 &&
            !f->handler.on_line(f->handler.context, stamp_of(line, written_ms, behind_ms, now_ms), line))
            break;
        taken = rest.data;
    }
    return (size_t)(taken - l->lines.data);
}

static void take(struct file_source *f, size_t bytes, bool is_cut) {
    struct look *l = f->look;
    bool is_all = bytes == l->lines.size_bytes;
    CLEANUP_BUF struct buf cursor;
    look_take(l, bytes, is_cut);
    buf_init(&cursor, SOURCE_CURSOR_BYTES);
    look_table_write(&l->table, &cursor);
    f->handler.on_cursor(f->handler.context, buf_slice(&cursor));
    f->idle = 0;
    if (is_all)
        loop_timer_set(f->timer, 0);
}

static void hand_on(struct file_source *f, int64_t now_ms) {
    struct look *l = f->look;
    int64_t written_ms = l->file.written_ns / 1000000;
    if (written_ms > now_ms)
        written_ms = now_ms; /* another machine's clock */
    bool is_cut = l->lines.data[l->lines.size_bytes - 1] != '\n';
    size_t hole_bytes = l->lines.size_bytes - behind_hole(buf_slice(&l->lines)).size_bytes;
    if (hole_bytes > 0 && !is_rest_of_cut(l)) { /* it may be longer than any line: the next look begins behind it */
        take(f, hole_bytes, false);
        loop_timer_set(f->timer, 0);
        return;
    }
    size_t taken = is_cut ? hand_head(f, written_ms) : hand_lines(f, written_ms, now_ms);
    if (taken == 0)
        return;
    take(f, taken, is_cut);
}

/* What a file ends with, without an end, once nobody writes there any more. */
static bool hand_tail(struct file_source *f, int64_t now_ms) {
    struct look *l = f->look;
    const int64_t written_ms = l->file.written_ns / 1000000;
    if (f->handler.is_over == NULL || !f->handler.is_over(f->handler.context, written_ms))
        return false;
    struct slice line = behind_hole(without_end(buf_slice(&l->lines)));
    if (!is_rest_of_cut(l) && line.size_bytes > 0 &&
        !f->handler.on_line(f->handler.context, stamp_of(line, written_ms, 0, now_ms), line))
        return true; /* it is offered again, before anything else is said to be read */
    take(f, l->lines.size_bytes, false);
    return true;
}

static void seen(void *context) {
    struct file_source *f = context;
    struct look *l = f->look;
    f->task = NULL;
    int64_t interval_us = f->idle < IDLE_POLLS ? f->poll_us : f->poll_us * IDLE_FACTOR;
    loop_timer_set(f->timer, interval_us);
    f->idle += f->idle < IDLE_POLLS;
    if (l->error[0] != '\0') {
        notify_trouble(f, l->is_absent && f->absent != NULL ? f->absent : l->error);
        return;
    }
    notify_trouble(f, l->warning[0] != '\0' ? l->warning : NULL);
    if (l->has_rest)
        hand_on(f, wall_ms(loop_wall(f->loop)));
    else if (!l->is_tail || !hand_tail(f, wall_ms(loop_wall(f->loop))))
        f->handler.on_read(f->handler.context, f->began_ms - VISIBLE_AFTER_MS);
}

static void due(void *context) {
    struct file_source *f = context;
    if (f->task != NULL) {
        CLEANUP_FREE char *text = mem_format("the volume of %s does not answer: reading it takes longer than %d s",
                                             f->name, (int)(HANGS_US / 1000000));
        notify_trouble(f, text);
        return;
    }
    f->began_ms = wall_ms(loop_wall(f->loop));
    loop_timer_set(f->timer, HANGS_US);
    f->task = work_start(f->pool, look_run, f->look, seen, f, look_free);
}

static void file_free(struct source *source) {
    struct file_source *f = (struct file_source *)source;
    if (f->task != NULL)
        work_cancel(f->task); /* the look goes with it */
    else
        look_free(f->look);
    loop_timer_free(f->timer);
    free(f->name);
    free(f->absent);
    free(f);
}

static bool is_bad_component(struct slice name) {
    return name.size_bytes == 0 || name.size_bytes > 255 || slice_is(name, ".") || slice_is(name, "..");
}

const char *source_file_path_error(const char *path) {
    struct slice rest = slice_of(path), component;
    if (path[0] == '/')
        return "begins with /: it is a path below the log root's folder of the namespace";
    for (size_t i = 0; i < rest.size_bytes; i++)
        if ((unsigned char)rest.data[i] < 0x20 || rest.data[i] == '\\' || rest.data[i] == 0x7f)
            return "has a control character or a backslash";
    while (slice_take_until(&rest, '/', &component))
        if (is_bad_component(component))
            return "has an empty component, \".\" or \"..\"";
    return is_bad_component(rest) ? "has an empty component, \".\" or \"..\"" : NULL;
}

struct source *source_file_new(struct loop *loop, struct work_pool *pool, const struct source_file_options *options,
                               const struct source_handler *handler) {
    struct file_source *f = mem_new(struct file_source);
    f->base.free = file_free;
    f->loop = loop;
    f->pool = pool;
    f->handler = *handler;
    f->poll_us = options->poll_us > 0 ? options->poll_us : POLL_US;
    f->name = mem_format("%s/%s", options->folder, options->path);
    f->absent = mem_strdup(options->absent);
    f->look = look_new(options->root, options->folder, options->path);
    if (!look_table_parse(&f->look->table, options->cursor) && options->since_ms > 0)
        f->look->table.floor_ns = options->since_ms * 1000000;
    f->timer = loop_timer_new(loop, due, f);
    loop_timer_set(f->timer, 0);
    return &f->base;
}
