#include "ledger/phases.h"

#include "ledger/checkpoint_process.h"
#include "ledger/training.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/minmax.h"

#include <string.h>

#define MAX_MARKS 1000000

/* Names beyond the first ones are Other. */
static size_t index_of(struct phase_names *n, const char *name) {
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->names[i], name) == 0)
            return i;
    if (n->count == LEDGER_MAX_PHASES)
        return LEDGER_MAX_PHASES;
    memcpy(n->names[n->count], name, RECORD_NAME_SIZE);
    return n->count++;
}

static void add_ms(int32_t *to, int64_t ms) {
    *to = (int32_t)min_of(*to + ms, INT32_MAX);
}

/* ---- records ---- */

bool phases_is_seen(struct lines_seen *lines, const struct record *r) {
    if (r->active < lines->phases || r->active >= INT32_MAX)
        return true;
    lines->phases = (int)r->active + 1;
    return false;
}

static int32_t *room_of(struct phase_list *list, size_t index) {
    if (list->count == 0 || list->items[list->count - 1].index != index) {
        MEM_GROW(list->items, list->count, list->capacity);
        list->items[list->count++] = (struct phase_mark){.index = index};
    }
    return list->items[list->count - 1].ms;
}

static int32_t *pending_of(struct phase_list *list, uint32_t line) {
    if (list->pending_line != line)
        memset(list->pending_ms, 0, sizeof list->pending_ms);
    list->pending_line = line;
    return list->pending_ms;
}

/* The line of the list's newest step; -1: it has none. */
static int64_t newest_line(const struct step_list *list) {
    return list->has_pending ? (int64_t)list->pending.line
           : list->count > 0 ? (int64_t)list->items[list->count - 1].line
                             : -1;
}

/* A step that the ledger left out, as another rank's line gave it before, has no phases either. */
void phases_add(struct process *p, const struct record *r) {
    int64_t end = newest_line(&p->ends), start = newest_line(&p->starts);
    bool is_start = start > end;
    const struct step_list *steps = is_start ? &p->starts : &p->ends;
    int64_t line = is_start ? start : end;
    char name[RECORD_NAME_SIZE] = "";
    bool is_of_line = r->step == RECORD_NONE || (uint32_t)line == (uint32_t)r->line;
    if (line < 0 || r->line <= 0 || r->duration_ms < 0 || !is_of_line)
        return;
    memcpy(name, r->name, sizeof name - 1);
    if (p->phases == NULL)
        p->phases = mem_new(struct process_phases);
    struct phase_list *list = is_start ? &p->phases->of_starts : &p->phases->of_ends;
    int32_t *ms = steps->has_pending ? pending_of(list, (uint32_t)line) : room_of(list, steps->count - 1);
    add_ms(&ms[index_of(&p->phases->names, name)], r->duration_ms);
}

static struct phase_list *list_of(struct process *p, const struct step_list *list) {
    return p->phases == NULL ? NULL : list == &p->starts ? &p->phases->of_starts : &p->phases->of_ends;
}

void phases_keep_pending(struct process *p, const struct step_list *list) {
    struct phase_list *x = list_of(p, list);
    if (x == NULL || x->pending_line == 0 || x->pending_line != list->items[list->count - 1].line)
        return;
    memcpy(room_of(x, list->count - 1), x->pending_ms, sizeof x->pending_ms);
    x->pending_line = 0;
}

static size_t place_of(const struct phase_list *list, size_t index) {
    return BISECT(i, list->count, list->items[i].index < index);
}

void phases_drop(struct process *p, const struct step_list *list, size_t first) {
    struct phase_list *x = list_of(p, list);
    if (x == NULL)
        return;
    size_t dropped = place_of(x, first);
    x->count -= dropped;
    if (dropped > 0)
        memmove(x->items, x->items + dropped, x->count * sizeof *x->items);
    for (size_t i = 0; i < x->count; i++)
        x->items[i].index -= first;
}

void phases_move(struct phase_list *list, const size_t *to) {
    size_t count = list->count;
    list->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct phase_mark mark = list->items[i];
        if (to[mark.index] == SIZE_MAX)
            continue;
        int32_t *ms = room_of(list, to[mark.index]);
        for (int k = 0; k < PHASES; k++)
            add_ms(&ms[k], mark.ms[k]);
    }
}

static void append(struct process_phases *to, struct phase_list *list, const struct process_phases *from,
                   const struct phase_list *more, size_t before) {
    for (size_t i = 0; i < more->count; i++) {
        int32_t *ms = room_of(list, more->items[i].index + before);
        for (size_t k = 0; k < PHASES; k++)
            if (more->items[i].ms[k] > 0)
                add_ms(&ms[k < from->names.count ? index_of(&to->names, from->names.names[k]) : LEDGER_MAX_PHASES],
                       more->items[i].ms[k]);
    }
    list->pending_line = 0;
}

void phases_append(struct process *p, const struct process_phases *from, size_t ends, size_t starts) {
    if (from == NULL)
        return;
    if (p->phases == NULL)
        p->phases = mem_new(struct process_phases);
    append(p->phases, &p->phases->of_ends, from, &from->of_ends, ends);
    append(p->phases, &p->phases->of_starts, from, &from->of_starts, starts);
}

void phases_free(struct process_phases *phases) {
    if (phases == NULL)
        return;
    free(phases->of_ends.items);
    free(phases->of_starts.items);
    free(phases);
}

/* ---- the job's sums ---- */

void phases_map(struct training *t) {
    if (t->settled != NULL && t->settled->phases != NULL)
        t->phases = t->settled->phases->names;
    for (size_t i = 0; i < t->view_count; i++) {
        struct view *v = &t->views[i];
        const struct process_phases *phases = v->process->phases;
        for (size_t k = 0; k < PHASES; k++)
            v->phase_map[k] =
                (uint8_t)(phases != NULL && k < phases->names.count ? index_of(&t->phases, phases->names.names[k])
                                                                    : LEDGER_MAX_PHASES);
    }
}

void phases_sum(const struct view *v, size_t first, size_t end, int64_t ms[static PHASES]) {
    const struct process_phases *phases = v->process->phases;
    if (phases == NULL)
        return;
    const struct phase_list *list = v->list == &v->process->starts ? &phases->of_starts : &phases->of_ends;
    for (size_t i = place_of(list, first); i < list->count && list->items[i].index < end; i++)
        for (int k = 0; k < PHASES; k++)
            ms[v->phase_map[k]] += list->items[i].ms[k];
}

/* ---- the settled part ---- */

struct settled_phases *settled_phases_copy(const struct settled_phases *s) {
    if (s == NULL)
        return NULL;
    struct settled_phases *copy = mem_new(struct settled_phases);
    *copy = *s;
    copy->capacity = s->count;
    copy->marks = s->count > 0 ? mem_alloc(s->count * sizeof *copy->marks) : NULL;
    if (s->count > 0)
        memcpy(copy->marks, s->marks, s->count * sizeof *copy->marks);
    return copy;
}

void settled_phases_free(struct settled_phases *s) {
    if (s != NULL)
        free(s->marks);
    free(s);
}

void settled_phases_add_mark(struct settled_phases *s, int64_t steps, const int64_t ms[static PHASES]) {
    if (s->count == 0 || s->marks[s->count - 1].steps < steps) {
        MEM_GROW(s->marks, s->count, s->capacity);
        s->marks[s->count++].steps = steps;
    }
    memcpy(s->marks[s->count - 1].ms, ms, sizeof s->marks->ms);
}

void settled_phases_thin(struct settled_phases *s, size_t max) {
    if (s == NULL || s->count <= max)
        return;
    memmove(s->marks, s->marks + (s->count - max), max * sizeof *s->marks);
    s->count = max;
}

void settled_phases_cut(struct settled_phases *s, int64_t retained, int64_t steps) {
    if (s == NULL || retained >= steps)
        return;
    size_t place = BISECT(i, s->count, s->marks[i].steps < retained);
    struct phase_cut before = {0}, after = {.steps = steps};
    memcpy(after.ms, s->ms, sizeof after.ms);
    if (place > 0)
        before = s->marks[place - 1];
    if (place < s->count)
        after = s->marks[place];
    bool is_exact = after.steps == retained;
    int64_t part = retained - before.steps, whole = after.steps - before.steps;
    for (int k = 0; k < PHASES; k++)
        s->ms[k] =
            is_exact ? after.ms[k] : before.ms[k] + (int64_t)((__int128)(after.ms[k] - before.ms[k]) * part / whole);
    s->count = place + is_exact;
}

/* ---- checkpoints ---- */

static void visit_names(struct codec *c, struct phase_names *n) {
    n->count = codec_count(c, n->count, LEDGER_MAX_PHASES);
    for (size_t i = 0; i < n->count; i++)
        codec_chars(c, n->names[i], RECORD_NAME_SIZE);
}

static void visit_list(struct codec *c, struct phase_list *list, const struct step_list *steps) {
    size_t count = codec_count(c, list->count, MAX_MARKS);
    for (size_t i = 0; i < count && !c->failed; i++) {
        size_t from = i > 0 ? list->items[i - 1].index + 1 : 0;
        if (codec_is_reading(c)) {
            MEM_GROW(list->items, list->count, list->capacity);
            list->items[list->count++] = (struct phase_mark){.index = from};
        }
        struct phase_mark *x = &list->items[i];
        size_t further = x->index - from;
        CODEC_INT(c, &further, 0, MAX_MARKS);
        x->index = from + further;
        c->failed |= x->index >= steps->count;
        for (int k = 0; k < PHASES; k++)
            CODEC_INT(c, &x->ms[k], 0, INT32_MAX);
    }
    CODEC_INT(c, &list->pending_line, 0, UINT32_MAX);
    for (int k = 0; k < PHASES && list->pending_line > 0; k++)
        CODEC_INT(c, &list->pending_ms[k], 0, INT32_MAX);
}

void phases_visit(struct codec *c, struct process *p) {
    bool has_any = p->phases != NULL;
    codec_bool(c, &has_any);
    if (!has_any)
        return;
    if (p->phases == NULL)
        p->phases = mem_new(struct process_phases);
    visit_names(c, &p->phases->names);
    visit_list(c, &p->phases->of_ends, &p->ends);
    visit_list(c, &p->phases->of_starts, &p->starts);
}

static void visit_marks(struct codec *c, struct settled_phases *s) {
    static const struct phase_cut none = {.steps = -1};
    size_t count = codec_count(c, s->count, PHASE_MARKS);
    for (size_t i = 0; i < count && !c->failed; i++) {
        if (codec_is_reading(c)) {
            MEM_GROW(s->marks, s->count, s->capacity);
            s->marks[s->count++] = (struct phase_cut){0};
        }
        struct phase_cut *x = &s->marks[i];
        const struct phase_cut *before = i > 0 ? x - 1 : &none;
        int64_t further = x->steps - before->steps;
        CODEC_INT(c, &further, 1, CHECKPOINT_MAX_SUM);
        x->steps = before->steps + further;
        for (int k = 0; k < PHASES; k++) {
            int64_t more = x->ms[k] - before->ms[k];
            CODEC_INT(c, &more, 0, CHECKPOINT_MAX_SUM);
            x->ms[k] = before->ms[k] + more;
            c->failed |= x->ms[k] > s->ms[k];
        }
    }
}

void settled_phases_visit(struct codec *c, struct settled *s) {
    bool has_any = s->phases != NULL;
    codec_bool(c, &has_any);
    if (!has_any)
        return;
    if (s->phases == NULL)
        s->phases = mem_new(struct settled_phases);
    visit_names(c, &s->phases->names);
    for (int k = 0; k < PHASES; k++)
        CODEC_INT(c, &s->phases->ms[k], 0, CHECKPOINT_MAX_SUM);
    visit_marks(c, s->phases);
}
