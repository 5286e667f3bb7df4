#include "export/pushed.h"

#include "harness.h"

static void beat(void *context) {
    struct pushed *p = context;
    p->exporter.tick(p->exporter.context);
    p->is_done = p->is_so(p);
    if (p->is_done || clock_mono().us > p->deadline_us)
        loop_stop(p->loop, 0);
    else
        loop_timer_set(p->timer, 5000);
}

void pushed_init(struct pushed *p) {
    *p = (struct pushed){.loop = loop_new(NULL)};
    p->timer = loop_timer_new(p->loop, beat, p);
    fleet_init(&p->fleet);
}

void pushed_done(struct pushed *p) {
    fleet_done(&p->fleet);
    loop_timer_free(p->timer);
    loop_free(p->loop);
}

void pushed_begin(struct pushed *p, push_maker *make) {
    CHECK_INT(make(&(struct push_options){p->loop, &p->fleet, &p->flags}, &p->exporter, NULL), 1);
}

void pushed_job_changed(struct pushed *p, const char *namespace_, const char *name) {
    p->exporter.changed(p->exporter.context, fleet_find(&p->fleet, namespace_, name));
}

bool pushed_until(struct pushed *p, bool (*is_so)(const struct pushed *pushed)) {
    p->is_so = is_so;
    p->deadline_us = clock_mono().us + 60000000;
    loop_timer_set(p->timer, 0);
    loop_run(p->loop);
    return p->is_done;
}

bool pushed_has_delivered(const struct pushed *p) {
    return p->exporter.figures->delivered > 0;
}

bool pushed_has_failed(const struct pushed *p) {
    return p->exporter.figures->failed > 0;
}
