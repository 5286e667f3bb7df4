#include "operator/job/trace.h"

#include "base/jwrite.h"
#include "base/mem.h"

enum {
    POINTS_FIRST = 32, /* few jobs save often */
    POINTS_MAX = 4096,
    LOOK_BACK = 16, /* newest saves that may still become durable */
};

static void keep(struct trace_points *p, size_t max_points, int64_t at_ms, int64_t step) {
    if (++p->skipped < p->stride)
        return;
    p->skipped = 0;
    if (p->count == p->capacity && p->count < max_points) {
        size_t doubled = p->capacity > 0 ? 2 * p->capacity : POINTS_FIRST;
        p->capacity = doubled < max_points ? doubled : max_points;
        p->points = mem_resize(p->points, p->capacity, sizeof *p->points);
        p->stride = 1;
    }
    if (p->count == p->capacity) { /* drops every second */
        p->count /= 2;
        p->stride *= 2;
        for (size_t i = 0; i < p->count; i++)
            p->points[i] = p->points[2 * i];
    }
    p->points[p->count].at_ms = at_ms;
    p->points[p->count].is_durable = false;
    p->points[p->count++].step = (uint64_t)step & (UINT64_MAX >> 1);
}

/* The save of that step among the newest (RECORD_NONE: the newest) is durable. Its point stays at its start: later
 * steps are not in it. at_ms: of a save whose start was not recorded. */
static void mark_durable(struct trace_points *saves, size_t max_points, int64_t step, int64_t at_ms) {
    for (size_t i = saves->count; i > 0 && saves->count - i < LOOK_BACK; i--)
        if (step == RECORD_NONE || saves->points[i - 1].step == (uint64_t)step) {
            saves->points[i - 1].is_durable = true;
            return;
        }
    if (step != RECORD_NONE && at_ms != TIME_UNKNOWN) {
        size_t before = saves->count;
        keep(saves, max_points, at_ms, step);
        if (saves->count > before)
            saves->points[saves->count - 1].is_durable = true;
    }
}

void trace_add(struct trace *trace, const struct record *r) {
    size_t max_points = trace->max_points > 0 ? trace->max_points : POINTS_MAX;
    switch (r->kind) {
    case RECORD_STEP_START:
    case RECORD_STEP_END:
        if (r->step == RECORD_NONE)
            return;
        trace->last_step = r->step;
        keep(&trace->steps, max_points, r->at_ms, r->step);
        return;
    case RECORD_SAVE_START:
        keep(&trace->saves, max_points, r->at_ms, r->step != RECORD_NONE ? r->step : trace->last_step);
        return;
    case RECORD_SAVE_DURABLE:
    case RECORD_SAVE_ON_SIGTERM:
        mark_durable(&trace->saves, max_points, r->step, r->at_ms);
        return;
    case RECORD_RESTORE_END: /* what could be restored was there */
        if (r->step != RECORD_NONE)
            mark_durable(&trace->saves, max_points, r->step, TIME_UNKNOWN);
        return;
    default:
        return;
    }
}

static void drop_interruptions(struct trace *trace, size_t from, size_t to) {
    if (from == to)
        return; /* there may be no list yet */
    for (size_t i = from; i < to; i++)
        free(trace->interruptions[i].node);
    memmove(trace->interruptions + from, trace->interruptions + to,
            (trace->interruption_count - to) * sizeof *trace->interruptions);
    trace->interruption_count -= to - from;
}

void trace_add_interruptions(struct trace *trace, const struct ledger_result *result) {
    size_t listed = (size_t)result->interruption_count, kept = 0;
    int64_t first = result->older.count + 1;
    while (kept < trace->interruption_count && trace->interruptions[kept].number < first)
        kept++;
    drop_interruptions(trace, kept, trace->interruption_count);
    if (listed == 0)
        return;
    trace->interruptions = mem_resize(trace->interruptions, kept + listed, sizeof *trace->interruptions);
    for (size_t i = 0; i < listed; i++)
        trace->interruptions[trace->interruption_count++] = (struct trace_interruption){
            result->interruptions[i].number, result->interruptions[i].at_ms, mem_strdup(result->interruptions[i].node)};
    if (trace->interruption_count > TRACE_INTERRUPTIONS)
        drop_interruptions(trace, 0, trace->interruption_count - TRACE_INTERRUPTIONS);
}

static void write_interruptions(const struct trace *trace, struct buf *json) {
    struct jwrite w;
    jwrite_init(&w, json);
    jwrite_array(&w);
    for (size_t i = 0; i < trace->interruption_count; i++) {
        jwrite_array(&w);
        jwrite_int(&w, trace->interruptions[i].at_ms);
        jwrite_text(&w, trace->interruptions[i].node);
        jwrite_array_end(&w);
    }
    jwrite_array_end(&w);
}

void trace_write(const struct trace *trace, struct buf *json) {
    buf_append_text(json, "{\"steps\":[");
    for (size_t i = 0; i < trace->steps.count; i++)
        buf_format(json, "%s[%lld,%lld]", i > 0 ? "," : "", (long long)trace->steps.points[i].at_ms,
                   (long long)trace->steps.points[i].step);
    buf_append_text(json, "],\"saves\":[");
    for (size_t i = 0; i < trace->saves.count; i++)
        buf_format(json, "%s[%lld,%lld,%d]", i > 0 ? "," : "", (long long)trace->saves.points[i].at_ms,
                   (long long)trace->saves.points[i].step, trace->saves.points[i].is_durable);
    buf_append_text(json, "],\"interruptions\":");
    write_interruptions(trace, json);
    buf_append_text(json, "}");
}

void trace_clear(struct trace *trace) {
    free(trace->steps.points);
    free(trace->saves.points);
    drop_interruptions(trace, 0, trace->interruption_count);
    free(trace->interruptions);
    *trace = (struct trace){.max_points = trace->max_points};
}
