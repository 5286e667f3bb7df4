#include "rig.h"

#include "base/mem.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK_US 5000
#define DEADLINE_US INT64_C(60000000)

static bool on_line(void *context, int64_t stamp_ms, struct slice line) {
    struct rig *rig = context;
    if (rig->refusals > 0) {
        rig->refusals--;
        return false;
    }
    if (rig->count < 4096)
        rig->stamps_ms[rig->count] = stamp_ms;
    rig->count++;
    buf_append_slice(&rig->lines, line);
    buf_append_char(&rig->lines, '\n');
    return true;
}

static void on_cursor(void *context, struct slice cursor) {
    struct rig *rig = context;
    CHECK(slice_copy(rig->cursor, sizeof rig->cursor, cursor));
}

static void on_read(void *context, int64_t through_ms) {
    struct rig *rig = context;
    rig->read_ms = through_ms;
    rig->reads++;
}

static void on_trouble(void *context, const char *text) {
    struct rig *rig = context;
    slice_copy(rig->trouble, sizeof rig->trouble, slice_of(text));
    if (text != NULL)
        slice_copy(rig->last_trouble, sizeof rig->last_trouble, slice_of(text));
}

static bool is_over(void *context, int64_t written_ms) {
    CHECK(written_ms > 0);
    return ((struct rig *)context)->is_over;
}

static void look(void *context) {
    struct rig *rig = context;
    rig->was_done = rig->is_done(rig, rig->what);
    if (rig->was_done || loop_now(rig->loop).us > rig->deadline_us)
        loop_stop(rig->loop, 0);
    else
        loop_timer_set(rig->timer, LOOK_US);
}

struct rig *rig_new(void) {
    struct rig *rig = mem_new(struct rig);
    folder_make(rig->root);
    rig->loop = loop_new(NULL);
    if (rig->loop == NULL) {
        fputs("no event loop\n", stderr);
        _exit(2);
    }
    rig->timer = loop_timer_new(rig->loop, look, rig);
    rig->handler = (struct source_handler){on_line, on_cursor, on_read, on_trouble, rig, is_over};
    buf_init(&rig->lines, 16 << 20);
    return rig;
}

void rig_free(struct rig *rig) {
    loop_timer_free(rig->timer);
    loop_free(rig->loop);
    buf_done(&rig->lines);
    folder_remove(rig->root);
    free(rig);
}

bool rig_until(struct rig *rig, bool (*is_done)(struct rig *rig, const void *what), const void *what) {
    rig->is_done = is_done;
    rig->what = what;
    rig->deadline_us = clock_mono().us + DEADLINE_US;
    loop_timer_set(rig->timer, 0);
    loop_run(rig->loop);
    return rig->was_done;
}

bool rig_has_lines(struct rig *rig, const void *text) {
    return strcmp(buf_text(&rig->lines), text) == 0;
}

bool rig_has_trouble(struct rig *rig, const void *part) {
    return strstr(rig->last_trouble, part) != NULL;
}

static bool has_read(struct rig *rig, const void *reads) {
    return rig->reads > *(const int *)reads && rig->trouble[0] == '\0';
}

bool rig_read_again(struct rig *rig) {
    int reads = rig->reads + 1; /* one may have started before what the caller did */
    return rig_until(rig, has_read, &reads);
}

void rig_write(struct rig *rig, const char *path, const char *text) {
    folder_write(rig->root, path, text);
}

void rig_append(struct rig *rig, const char *path, const char *text) {
    folder_append(rig->root, path, text);
}

void rig_rename(struct rig *rig, const char *from, const char *to) {
    CLEANUP_FREE char *a = mem_format("%s/%s", rig->root, from);
    CLEANUP_FREE char *b = mem_format("%s/%s", rig->root, to);
    CHECK_INT(rename(a, b), 0);
}
