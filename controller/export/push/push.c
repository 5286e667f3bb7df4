#include "export/push/push.h"

#include "base/mem.h"
#include "export/push/monitoring.h"
#include "export/push/otlp.h"
#include "export/push/tensorboard.h"
#include "operator/runtime/runtime.h"

#include <string.h>

#define TICK_US INT64_C(1000000)

/* All exporters. */
static push_maker *const makers[] = {monitoring_make, otlp_make, tensorboard_make};

struct push {
    const struct runtime *runtime;
    const struct fleet *fleet;
    struct loop_timer *timer;
    int64_t change; /* the fleet's change up to which everything is reported */
    int count;
    struct push_exporter exporters[ARRAY_SIZE(makers)];
    const struct push_figures *figures[ARRAY_SIZE(makers)];
};

static bool is_leading(const struct push *p) {
    struct runtime_figures figures;
    runtime_figures(p->runtime, &figures);
    return figures.is_leading;
}

static void report(struct push *p, const struct fleet_job *job) {
    for (int i = 0; i < p->count; i++) {
        const struct push_exporter *e = &p->exporters[i];
        (job->is_deleted ? e->deleted : e->changed)(e->context, job);
    }
}

void push_notify(struct push *p) {
    if (p == NULL || !is_leading(p))
        return;
    const struct fleet_job *job = p->fleet->last;
    while (job != NULL && job->change > p->change)
        job = job->earlier;
    for (job = job != NULL ? job->later : p->fleet->first; job != NULL; job = job->later)
        report(p, job);
    p->change = p->fleet->change;
}

static void tick(void *context) {
    struct push *p = context;
    push_notify(p); /* a replica that was not the leader has no reports yet */
    for (int i = 0; i < p->count && is_leading(p); i++)
        p->exporters[i].tick(p->exporters[i].context);
    loop_timer_set(p->timer, TICK_US);
}

int push_new(struct push **push, const struct push_options *options, const struct runtime *runtime,
             struct error **err) {
    struct push *p = mem_new(struct push);
    p->runtime = runtime;
    p->fleet = options->fleet;
    for (size_t i = 0; i < ARRAY_SIZE(makers); i++) {
        int r = makers[i](options, &p->exporters[p->count], err);
        if (r < 0) {
            push_free(p);
            return r;
        }
        if (r == 0)
            continue;
        p->figures[p->count] = p->exporters[p->count].figures;
        p->count++;
    }
    if (p->count == 0) {
        push_free(p);
        p = NULL;
    } else {
        p->timer = loop_timer_new(options->loop, tick, p);
        loop_timer_set(p->timer, TICK_US);
    }
    *push = p;
    return 0;
}

void push_free(struct push *p) {
    if (p == NULL)
        return;
    for (int i = 0; i < p->count; i++)
        p->exporters[i].free(p->exporters[i].context);
    loop_timer_free(p->timer);
    free(p);
}

int push_figures(const struct push *p, const struct push_figures *const **figures) {
    *figures = p == NULL ? NULL : p->figures;
    return p == NULL ? 0 : p->count;
}
