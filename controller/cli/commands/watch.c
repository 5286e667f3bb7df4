#include "cli/commands/watch.h"

#include "base/map.h"
#include "base/mem.h"
#include "cli/commands/cluster.h"
#include "cli/interrupt.h"
#include "cli/render/output.h"
#include "cli/render/pick.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { REDRAW_MS = 500, AGAIN_MS = 1000, SILENT_TURNS = 20, READS_MAX = 1000 };
#define MAX_BYTES ((size_t)1 << 30)

struct watcher {
    const struct cli_options *options;
    void (*draw)(const json_t *list, const struct cli_options *options, struct buf *out);
    struct error **err;
    struct map jobs;     /* namespace/name -> json_t */
    struct map repeated; /* by the watch, until it has repeated the whole list */
    struct buf bytes;    /* the event of which the end has not come */
    struct buf drawn;    /* last */
    bool is_repeated, has_event;
    char *none; /* what is drawn of an empty list; NULL: not asked yet */
};

static void json_free(void *value) {
    json_decref(value);
}

static void put(struct map *jobs, json_t *job) {
    CLEANUP_FREE char *key = mem_format("%s/%s", pick_text(job, "metadata.namespace"), pick_text(job, "metadata.name"));
    map_put(jobs, slice_of(key), json_incref(job));
}

static int take_event(struct watcher *w, struct slice line) {
    json_error_t where;
    json_t *event = json_loadb(line.data, line.size_bytes, JSON_ALLOW_NUL, &where);
    if (event == NULL)
        return error_set(w->err, EINVAL, "kubectl get --watch printed no JSON: %s", where.text);
    struct map *jobs = w->is_repeated ? &w->jobs : &w->repeated;
    json_t *job = json_object_get(event, "object");
    const char *type = pick_text(event, "type");
    if (strcmp(type, "ADDED") == 0 || strcmp(type, "MODIFIED") == 0) {
        put(jobs, job);
    } else if (strcmp(type, "DELETED") == 0) {
        CLEANUP_FREE char *key =
            mem_format("%s/%s", pick_text(job, "metadata.namespace"), pick_text(job, "metadata.name"));
        map_remove(jobs, slice_of(key));
    }
    w->has_event = true;
    json_decref(event);
    return 0;
}

/* Returns how many events were whole. */
static int take_events(struct watcher *w) {
    struct slice rest = buf_slice(&w->bytes), line;
    int count = 0;
    while (slice_take_until(&rest, '\n', &line)) {
        int r = take_event(w, line);
        if (r < 0)
            return r;
        count++;
    }
    buf_consume(&w->bytes, w->bytes.size_bytes - rest.size_bytes);
    return count;
}

static int redraw(struct watcher *w) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, (size_t)64 << 20);
    json_t *list = json_array();
    for (size_t i = 0; i < w->jobs.count; i++)
        json_array_append(list, map_at(&w->jobs, i));
    if (isatty(STDOUT_FILENO))
        buf_append_text(&out, "\033[H\033[2J");
    w->draw(list, w->options, &out);
    if (w->jobs.count == 0) {
        w->none = w->none ? w->none : cluster_none(w->options);
        buf_append_text(&out, w->none);
    }
    if (!isatty(STDOUT_FILENO))
        buf_append_char(&out, '\n');
    json_decref(list);
    if (strcmp(buf_text(&out), buf_text(&w->drawn)) == 0)
        return 0;
    buf_clear(&w->drawn);
    buf_append_slice(&w->drawn, buf_slice(&out));
    return output_write(&out, w->err);
}

static int list(struct watcher *w) {
    json_t *items, *item;
    size_t i;
    int r = cluster_get(w->options, &items, w->err);
    if (r < 0)
        return r;
    map_done(&w->jobs);
    map_init(&w->jobs, json_free);
    json_array_foreach(items, i, item) put(&w->jobs, item);
    json_decref(items);
    return redraw(w);
}

/* The watch has repeated what there is: that replaces the list. */
static int replace(struct watcher *w) {
    map_done(&w->jobs);
    w->jobs = w->repeated;
    map_init(&w->repeated, json_free);
    w->is_repeated = true;
    return redraw(w);
}

/* One turn: 1 while the watch continues, 0 at its end. */
static int turn(struct watcher *w, struct kubectl *k, int *silent_turns) {
    int is_open = kubectl_read(k, REDRAW_MS, &w->bytes), count = is_open < 0 ? is_open : take_events(w);
    for (int i = 0; i < READS_MAX && count > 0 && is_open > 0 && w->is_repeated; i++) {
        size_t before = w->bytes.size_bytes;
        is_open = kubectl_read(k, 0, &w->bytes);
        if (w->bytes.size_bytes == before)
            break;
        int more = is_open < 0 ? is_open : take_events(w);
        count = more < 0 ? more : count;
    }
    if (count < 0)
        return count;
    int r = 0;
    if (count > 0 && w->is_repeated) {
        r = redraw(w);
        poll(NULL, 0, REDRAW_MS);
    } else if (count == 0 && w->has_event && !w->is_repeated) {
        r = replace(w);
    } else if (!w->has_event && w->jobs.count > 0 && ++*silent_turns == SILENT_TURNS) {
        return 0; /* all jobs were deleted between the list and the watch: list again */
    }
    return r < 0 ? r : is_open;
}

static int follow(struct watcher *w) {
    struct kubectl *k = cluster_watch(w->options, w->err);
    int r = 1, silent_turns = 0;
    if (k == NULL)
        return -ENOENT;
    buf_clear(&w->bytes);
    map_done(&w->repeated);
    map_init(&w->repeated, json_free);
    w->is_repeated = w->has_event = false;
    while (r > 0 && !interrupt_came())
        r = turn(w, k, &silent_turns);
    if (r == 0 && silent_turns < SILENT_TURNS && !interrupt_came())
        return cluster_end(w->options, k, w->err);
    kubectl_stop(k);
    kubectl_end(k, NULL);
    return r < 0 ? r : 0;
}

int watch_goodputs(const struct cli_options *options,
                   void (*draw)(const json_t *list, const struct cli_options *options, struct buf *out),
                   struct error **err) {
    struct watcher w = {.options = options, .draw = draw, .err = err};
    interrupt_defer();
    map_init(&w.jobs, json_free);
    map_init(&w.repeated, json_free);
    buf_init(&w.bytes, MAX_BYTES);
    buf_init(&w.drawn, MAX_BYTES);
    /* The server ends a watch after a while, and a change may be missed then: list again. */
    int r = list(&w);
    while (r == 0 && !interrupt_came()) {
        r = follow(&w);
        if (r == 0 && !interrupt_came())
            poll(NULL, 0, AGAIN_MS);
        if (r == 0 && !interrupt_came())
            r = list(&w);
    }
    map_done(&w.jobs);
    map_done(&w.repeated);
    buf_done(&w.bytes);
    buf_done(&w.drawn);
    free(w.none);
    return interrupt_came() ? 0 : r;
}
