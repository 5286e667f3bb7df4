#include "mirror.h"

#include "base/jscan.h"
#include "base/mem.h"
#include "rawserver.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void word(struct mirror *m, const char *text) {
    buf_format(&m->words, "%s%s", m->words.size_bytes > 0 ? " " : "", text);
}

static void on_event(void *context, const struct kube_event *e) {
    struct mirror *m = context;
    char text[512];
    m->events++;
    snprintf(text, sizeof text, "%c%.*s", "+~-?"[e->type], SLICE_ARG(e->name));
    word(m, text);
    if (e->type == KUBE_ADDED || e->type == KUBE_MODIFIED) {
        map_put(&m->versions, e->name, slice_dup(e->resource_version));
        snprintf(text, sizeof text, "%.*s@%.*s", SLICE_ARG(e->name), SLICE_ARG(e->resource_version));
        m->repeats += map_get(&m->shown, slice_of(text)) != NULL;
        map_put(&m->shown, slice_of(text), m);
    } else
        map_remove(&m->versions, e->name);
    if (m->wants_end) {
        kube_reflector_free(m->reflector);
        m->reflector = NULL;
    }
}

static int on_object(void *context, const struct kube_event *e) {
    struct mirror *m = context;
    struct jscan j;
    jscan_init_loose(&j, e->object);
    if (e->type != KUBE_VANISHED)
        jscan_skip(&j);
    if (!jscan_at_end(&j)) {
        m->misunderstood++;
        return -EINVAL;
    }
    on_event(m, e);
    return 0;
}

static void on_synced(void *context) {
    struct mirror *m = context;
    m->synced++;
    word(m, "|");
}

static void on_absent(void *context, bool is_absent) {
    word(context, is_absent ? "absent" : "served");
}

static void on_trouble(void *context, const char *text) {
    struct mirror *m = context;
    word(m, text != NULL ? "!" : ".");
    if (text != NULL)
        snprintf(m->trouble, sizeof m->trouble, "%s", text);
}

static void start(struct mirror *m, struct kube_client *client, const char *path, struct kube_reflector_options o,
                  bool is_reading) {
    *m = (struct mirror){0};
    buf_init(&m->words, 64 << 20);
    map_init(&m->versions, free);
    map_init(&m->shown, NULL);
    o.path = path;
    o.backoff_min_us = o.backoff_min_us > 0 ? o.backoff_min_us : 1000;
    o.backoff_max_us = o.backoff_max_us > 0 ? o.backoff_max_us : 8000;
    struct kube_reflector_handler handler = {.on_event = is_reading ? NULL : on_event,
                                             .on_object = is_reading ? on_object : NULL,
                                             .on_synced = on_synced,
                                             .on_absent = on_absent,
                                             .on_trouble = on_trouble,
                                             .context = m};
    m->reflector = kube_reflector_new(client, &o, &handler);
}

void mirror_start(struct mirror *m, struct kube_client *client, const char *path, struct kube_reflector_options o) {
    start(m, client, path, o, false);
}

void mirror_start_reading(struct mirror *m, struct kube_client *client, const char *path,
                          struct kube_reflector_options o) {
    start(m, client, path, o, true);
}

void mirror_stop(struct mirror *m) {
    kube_reflector_free(m->reflector);
    buf_done(&m->words);
    map_done(&m->versions);
    map_done(&m->shown);
}

struct wait {
    struct mirror *m;
    struct loop *loop;
    struct loop_timer *timer;
    const char *words;
    int synced;
    bool done;
};

static void look(void *context) {
    struct wait *w = context;
    w->done = w->words != NULL ? strstr(buf_text(&w->m->words), w->words) != NULL : w->m->synced >= w->synced;
    if (w->done)
        loop_stop(w->loop, 0);
    else
        loop_timer_set(w->timer, 500);
}

static bool wait_for(struct wait *w) {
    w->timer = loop_timer_new(w->loop, look, w);
    loop_timer_set(w->timer, 0);
    loop_until(w->loop, &w->done);
    loop_timer_free(w->timer);
    if (!w->done)
        fprintf(stderr, "waited for \"%s\" %d, have: %.2000s\n", w->words != NULL ? w->words : "|", w->synced,
                buf_text(&w->m->words));
    return w->done;
}

bool mirror_wait(struct mirror *m, struct loop *loop, const char *words) {
    struct wait w = {.m = m, .loop = loop, .words = words};
    return wait_for(&w);
}

bool mirror_wait_synced(struct mirror *m, struct loop *loop, int times) {
    struct wait w = {.m = m, .loop = loop, .synced = times};
    return wait_for(&w);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

const char *mirror_names(struct mirror *m) {
    static char text[4096];
    const char *names[256];
    size_t n = 0;
    for (; n < m->versions.count && n < 256; n++)
        names[n] = m->versions.entries[n].key;
    qsort(names, n, sizeof names[0], by_text);
    text[0] = '\0';
    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i > 0 ? " " : "", names[i]);
    return text;
}
