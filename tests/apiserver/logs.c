#include "logs.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

static void run_clear(struct log_run *r) {
    for (size_t i = 0; i < r->count; i++)
        free(r->lines[i].text);
    free(r->lines);
    free(r->flood.line.text);
    *r = (struct log_run){.count = 0};
}

static void container_free(struct log_container *c) {
    for (int i = 0; i < c->run_count; i++)
        run_clear(&c->runs[i]);
    free(c);
}

static void pod_free(void *value) {
    for (struct log_container *c = value, *next; c != NULL; c = next) {
        next = c->next;
        container_free(c);
    }
}

void logs_done(struct logs *l) {
    map_done(&l->pods);
}

struct log_container *logs_get(struct logs *l, const char *pod_uid, const char *container, bool is_made) {
    struct log_container *first = map_get(&l->pods, slice_of(pod_uid)), **at = &first;
    while (*at != NULL && strcmp((*at)->name, container) != 0)
        at = &(*at)->next;
    if (*at != NULL || !is_made)
        return *at;
    struct log_container *c = *at = mem_new(struct log_container);
    snprintf(c->name, sizeof c->name, "%s", container);
    c->run_count = 1;
    if (c == first) {
        l->pods.value_free = pod_free;
        map_put(&l->pods, slice_of(pod_uid), c);
    }
    return c;
}

struct log_run *logs_run(struct log_container *c, bool is_previous) {
    int i = c->run_count - 1 - is_previous;
    return i >= 0 ? &c->runs[i] : NULL;
}

void logs_append(struct log_container *c, int64_t time_ns, const char *text, size_t size_bytes) {
    struct log_run *r = logs_run(c, false);
    MEM_GROW(r->lines, r->count, r->capacity);
    r->lines[r->count++] = (struct log_line){time_ns, mem_strndup(text, size_bytes), size_bytes};
}

void logs_flood(struct log_container *c, int64_t time_ns, double bytes_per_s, double seconds, int64_t now_us) {
    static const char text[] =
        "nothing that anybody reads, again and again, nothing that anybody reads, again and again, "
        "nothing that anybody reads, again and again, nothing that anybody reads, and an end";
    struct log_run *r = logs_run(c, false);
    free(r->flood.line.text);
    r->flood = (struct log_flood){
        r->count, (size_t)(bytes_per_s * seconds), bytes_per_s, now_us, {time_ns, mem_strdup(text), sizeof text - 1}};
}

void logs_end_run(struct log_container *c) {
    logs_run(c, false)->is_ended = true;
}

void logs_start_run(struct log_container *c) {
    if (!logs_run(c, false)->is_ended && logs_run(c, false)->count == 0)
        return;
    if (c->run_count == (int)ARRAY_SIZE(c->runs)) {
        run_clear(&c->runs[0]);
        memmove(c->runs, c->runs + 1, sizeof c->runs - sizeof c->runs[0]);
        c->run_count--;
    }
    logs_run(c, false)->is_ended = true;
    c->runs[c->run_count++] = (struct log_run){.count = 0};
}

void logs_drop_pod(struct logs *l, const char *pod_uid) {
    map_remove(&l->pods, slice_of(pod_uid));
}
