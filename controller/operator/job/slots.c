#include "operator/job/slots.h"

#include "base/mem.h"

#include <string.h>

static bool is_newer(const struct pod *a, const struct pod *b) {
    return a->created_ms != b->created_ms ? a->created_ms > b->created_ms : strcmp(pod_uid(a), pod_uid(b)) > 0;
}

static void set_bit(uint64_t *bits, size_t i, bool is_set) {
    uint64_t bit = UINT64_C(1) << (i % 64);
    bits[i / 64] = is_set ? bits[i / 64] | bit : bits[i / 64] & ~bit;
}

static int64_t first_bit(const uint64_t *bits, size_t count) {
    for (size_t w = 0; w * 64 < count; w++)
        if (bits[w] != 0)
            return (int64_t)(w * 64) + __builtin_ctzll(bits[w]);
    return -1;
}

void job_slots_begin(struct job_slots *s, size_t count) {
    job_slots_clear(s);
    s->count = count;
    s->newest = mem_alloc(count * sizeof *s->newest);
    s->waiting = mem_alloc((count / 64 + 1) * sizeof *s->waiting);
    s->missing = mem_alloc((count / 64 + 1) * sizeof *s->missing);
    for (size_t i = 0; i < count; i++)
        set_bit(s->missing, i, true);
}

void job_slots_clear(struct job_slots *s) {
    free(s->newest);
    free(s->waiting);
    free(s->missing);
    *s = (struct job_slots){0};
}

void job_slots_note(struct job_slots *s, const struct pod *p, bool is_available) {
    if (p->slot < 0 || (size_t)p->slot >= s->count)
        return;
    const struct pod **newest = &s->newest[p->slot];
    if (*newest != NULL && *newest != p && !is_newer(p, *newest))
        return;
    *newest = p;
    bool is_missing = p->is_deleted && p->phase != POD_SUCCEEDED;
    set_bit(s->missing, (size_t)p->slot, is_missing);
    set_bit(s->waiting, (size_t)p->slot, !is_missing && !is_available);
}

void job_slots_forget(struct job_slots *s, const struct pod *p) {
    if (p->slot >= 0 && (size_t)p->slot < s->count && s->newest[p->slot] == p)
        s->newest[p->slot] = NULL;
}

int64_t job_slots_waiting(const struct job_slots *s) {
    return first_bit(s->waiting, s->count);
}

int64_t job_slots_missing(const struct job_slots *s) {
    return first_bit(s->missing, s->count);
}
