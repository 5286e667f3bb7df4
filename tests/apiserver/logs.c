#include "logs.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

static void run_clear(struct log_run *r) {
    for (size_t i = 0; i < r->count; i++)
        free(r->lines[i].text);
    free(r->lines);
    *r = (struct log_run){.count = 0};
}

static void container_free(struct log_container *c) {
    for (int i = 0; i < c->run_count; i++)
        run_clear(&c->runs[i]);
    free(c);
}

void logs_done(struct logs *l) {
    for (size_t i = 0; i < l->count; i++)
        container_free(l->containers[i]);
    free(l->containers);
}

struct log_container *logs_get(struct logs *l, const char *pod_uid, const char *container, bool is_made) {
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->containers[i]->pod_uid, pod_uid) == 0 && strcmp(l->containers[i]->name, container) == 0)
            return l->containers[i];
    if (!is_made)
        return NULL;
    struct log_container *c = mem_new(struct log_container);
    snprintf(c->pod_uid, sizeof c->pod_uid, "%s", pod_uid);
    snprintf(c->name, sizeof c->name, "%s", container);
    c->run_count = 1;
    MEM_GROW(l->containers, l->count, l->capacity);
    l->containers[l->count++] = c;
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
    for (size_t i = l->count; i-- > 0;) {
        if (strcmp(l->containers[i]->pod_uid, pod_uid) != 0)
            continue;
        container_free(l->containers[i]);
        l->containers[i] = l->containers[--l->count];
    }
}
