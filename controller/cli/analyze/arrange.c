#include "cli/analyze/arrange.h"

#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/portable.h"
#include "cli/analyze/parser.h"
#include "cli/analyze/rank.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_AT_LINES = 1000, HEAD_LINES = 1 << 18, MAX_RANKS = 1 << 14 };

struct analyze_arrange {
    const struct analyze *analyze;
    struct analyze_input *in;
    const char *path;
    bool has_looked, is_sorted;
    struct analyze_ranks ranks;
    char rank[ANALYZE_RANK_BYTES]; /* whose lines are read; "": everybody's */
    struct buf kept;               /* what was read to decide; or, sorted, everything */
    struct buf out;
    struct line *lines; /* sorted */
    size_t count, next;
};

struct line {
    int64_t at_ms;
    uint32_t from, number; /* its place in kept, and among the lines from the oldest on */
};

struct analyze_arrange *analyze_arrange_new(const struct analyze *a, struct analyze_input *in, const char *path) {
    struct analyze_arrange *r = mem_new(struct analyze_arrange);
    r->analyze = a;
    r->in = in;
    r->path = path;
    buf_init(&r->kept, ANALYZE_SORT_BYTES + 2 * ANALYZE_MAX_LINE_BYTES);
    buf_init(&r->out, ANALYZE_HEAD_BYTES + 2 * ANALYZE_MAX_LINE_BYTES);
    return r;
}

void analyze_arrange_free(struct analyze_arrange *r) {
    if (r == NULL)
        return;
    buf_done(&r->kept);
    buf_done(&r->out);
    free(r->lines);
    free(r);
}

/* ---- one rank of several ---- */

/* The lines of the chosen rank without their prefixes, and those of no rank. */
static struct slice select_lines(struct analyze_arrange *r, struct slice lines) {
    struct slice line;
    struct analyze_rank rank;
    if (r->rank[0] == '\0')
        return lines;
    buf_clear(&r->out);
    while (slice_take_line(&lines, &line)) {
        if (!analyze_rank_take(&r->ranks, line, &rank)) {
            buf_append_slice(&r->out, line);
        } else if (strcmp(rank.name, r->rank) == 0) {
            buf_append_slice(&r->out, rank.stamp);
            buf_append_slice(&r->out, rank.text);
        }
        buf_append_char(&r->out, '\n');
    }
    return buf_slice(&r->out);
}

struct owner {
    char name[ANALYZE_RANK_BYTES];
    uint32_t index;
};

/* The lines of the first bytes that are a rank's. */
struct owners {
    struct map by_name;
    struct owned {
        uint32_t rank, from;
    } * lines;
    size_t count, capacity;
};

static void note_owner(struct owners *o, const char *name, uint32_t from) {
    struct owner *owner = map_get(&o->by_name, slice_of(name));
    if (owner == NULL && o->by_name.count == MAX_RANKS)
        return;
    if (owner == NULL) {
        owner = mem_new(struct owner);
        owner->index = (uint32_t)o->by_name.count;
        slice_copy(owner->name, sizeof owner->name, slice_of(name));
        map_put(&o->by_name, slice_of(name), owner);
    }
    MEM_GROW(o->lines, o->count, o->capacity);
    o->lines[o->count++] = (struct owned){owner->index, from};
}

static int compare_owners(const void *a, const void *b) {
    const struct owner *const *x = a, *const *y = b;
    return portable_compare_natural((*x)->name, (*y)->name);
}

static int compare_owned(const void *a, const void *b) {
    const struct owned *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void ignore_record(void *context, const struct record *r) {
    (void)context, (void)r;
}

/* Whether the lines of a rank, in order, have a step. */
static int has_steps(struct analyze_arrange *r, const struct owned *lines, size_t count, struct error **err) {
    struct steplog *parser = analyze_parser(r->analyze, ignore_record, NULL, err);
    struct analyze_rank rank;
    bool is_stamped = false;
    if (parser == NULL)
        return -EINVAL;
    for (size_t i = 0; i < count && steplog_counts_get(parser).steps == 0; i++) {
        struct slice rest = slice_skip(buf_slice(&r->kept), lines[i].from), line;
        slice_take_line(&rest, &line);
        analyze_rank_take(&r->ranks, line, &rank);
        buf_clear(&r->out);
        buf_append_slice(&r->out, rank.stamp);
        buf_append_slice(&r->out, rank.text);
        buf_append_char(&r->out, '\n');
        is_stamped |= analyze_is_stamped(buf_slice(&r->out));
        steplog_feed(parser, buf_slice(&r->out), is_stamped);
    }
    bool is_one = steplog_counts_get(parser).steps > 0;
    steplog_free(parser);
    return is_one;
}

/* Whether the lines have a step as they are. */
static int has_steps_as_is(struct analyze_arrange *r, struct error **err) {
    struct steplog *parser = analyze_parser(r->analyze, ignore_record, NULL, err);
    if (parser == NULL)
        return -EINVAL;
    steplog_feed(parser, buf_slice(&r->kept), analyze_is_stamped(buf_slice(&r->kept)));
    bool is_one = steplog_counts_get(parser).steps > 0;
    steplog_free(parser);
    return is_one;
}

/* The lowest rank that has steps; without steps in any line the lowest of all; "" if only whole lines have steps: all
 * are read as they are. */
static int find_rank(struct analyze_arrange *r, struct owners *o, struct error **err) {
    CLEANUP_FREE struct owner **sorted = mem_alloc(o->by_name.count * sizeof *sorted);
    int found = 0;
    for (size_t i = 0; i < o->by_name.count; i++)
        sorted[i] = map_at(&o->by_name, i);
    qsort(sorted, o->by_name.count, sizeof *sorted, compare_owners);
    qsort(o->lines, o->count, sizeof *o->lines, compare_owned);
    for (size_t i = 0; i < o->by_name.count && found == 0; i++) {
        size_t low = 0, high = o->count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (o->lines[middle].rank < sorted[i]->index)
                low = middle + 1;
            else
                high = middle;
        }
        while (high < o->count && o->lines[high].rank == sorted[i]->index)
            high++;
        found = has_steps(r, &o->lines[low], high - low, err);
        if (found > 0)
            memcpy(r->rank, sorted[i]->name, sizeof r->rank);
    }
    if (found == 0 && (found = has_steps_as_is(r, err)) == 0)
        memcpy(r->rank, sorted[0]->name, sizeof r->rank);
    return found;
}

static int choose_rank(struct analyze_arrange *r, struct error **err) {
    struct owners o = {0};
    struct slice lines = buf_slice(&r->kept), line;
    struct analyze_rank rank;
    map_init(&o.by_name, free);
    for (size_t i = 0; i < HEAD_LINES && slice_take_line(&lines, &line); i++)
        if (analyze_rank_take(&r->ranks, line, &rank))
            note_owner(&o, rank.name, (uint32_t)(line.data - r->kept.data));
    int found = o.count > 0 ? find_rank(r, &o, err) : 0;
    if (found > 0 && r->rank[0] != '\0' && o.by_name.count > 1 && !r->analyze->is_trial)
        analyze_note(r->path, "has lines of %zu processes; reads those of %s, the lowest that has steps",
                     o.by_name.count, r->rank);
    map_done(&o.by_name);
    free(o.lines);
    return found < 0 ? found : 0;
}

/* ---- newest first ---- */

/* Whether most of the first lines are older than the one before. */
static bool is_newest_first(struct slice lines) {
    struct slice line;
    int64_t before_ms = TIME_UNKNOWN, now_ms = wall_ms(clock_wall());
    int forward = 0, backward = 0;
    for (int i = 0; i < LOOK_AT_LINES && slice_take_line(&lines, &line); i++) {
        int64_t ms = line.size_bytes > 0 ? steplog_stored_ms(line, now_ms) : TIME_UNKNOWN;
        if (ms == TIME_UNKNOWN)
            continue;
        forward += before_ms != TIME_UNKNOWN && ms > before_ms;
        backward += before_ms != TIME_UNKNOWN && ms < before_ms;
        before_ms = ms;
    }
    return backward > forward;
}

static int too_large(const struct analyze_arrange *r, struct error **err) {
    return error_set(err, EFBIG,
                     "%s: its lines are newest first, and to sort them needs more than %zu MiB; give them oldest first "
                     "(gcloud logging read --order=asc, logcli query --forward), or reverse them with tac",
                     analyze_name(r->path), ANALYZE_SORT_BYTES >> 20);
}

static int read_all(struct analyze_arrange *r, struct error **err) {
    struct slice lines;
    int n;
    while ((n = analyze_input_next(r->in, &lines, err)) > 0) {
        buf_append_slice(&r->kept, select_lines(r, lines));
        if (r->kept.size_bytes > ANALYZE_SORT_BYTES)
            return too_large(r, err);
    }
    return n;
}

static int compare_lines(const void *a, const void *b) {
    const struct line *x = a, *y = b;
    if (x->at_ms != y->at_ms)
        return x->at_ms < y->at_ms ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* A line without a time belongs to the line before it. */
static int sort_lines(struct analyze_arrange *r, struct error **err) {
    struct slice rest = buf_slice(&r->kept), line;
    bool is_reversed = is_newest_first(rest);
    size_t capacity = 0, size = rest.size_bytes;
    int64_t now_ms = wall_ms(clock_wall());
    while (slice_take_line(&rest, &line)) {
        if (line.size_bytes == 0)
            continue;
        if (size + (r->count + 1) * sizeof *r->lines > ANALYZE_SORT_BYTES)
            return too_large(r, err);
        MEM_GROW(r->lines, r->count, capacity);
        r->lines[r->count++] = (struct line){steplog_stored_ms(line, now_ms), (uint32_t)(line.data - r->kept.data), 0};
    }
    for (size_t i = 0; i < r->count / 2 && is_reversed; i++) {
        struct line other = r->lines[i];
        r->lines[i] = r->lines[r->count - 1 - i];
        r->lines[r->count - 1 - i] = other;
    }
    int64_t before_ms = TIME_UNKNOWN;
    for (size_t i = 0; i < r->count; i++) {
        if (r->lines[i].at_ms == TIME_UNKNOWN)
            r->lines[i].at_ms = before_ms;
        before_ms = r->lines[i].at_ms;
        r->lines[i].number = (uint32_t)i;
    }
    if (r->count > 1)
        qsort(r->lines, r->count, sizeof *r->lines, compare_lines);
    return 0;
}

static int next_sorted(struct analyze_arrange *r, struct slice *lines) {
    struct slice line;
    buf_clear(&r->out);
    while (r->next < r->count && r->out.size_bytes < ANALYZE_MAX_LINE_BYTES) {
        struct slice rest = slice_skip(buf_slice(&r->kept), r->lines[r->next++].from);
        slice_take_line(&rest, &line);
        buf_append_slice(&r->out, line);
        buf_append_char(&r->out, '\n');
    }
    *lines = buf_slice(&r->out);
    return lines->size_bytes > 0;
}

/* ---- */

/* Reads on until the rank can be chosen. */
static int look_at_ranks(struct analyze_arrange *r, struct error **err) {
    struct slice lines;
    int n = 1;
    while (r->kept.size_bytes < ANALYZE_HEAD_BYTES && (n = analyze_input_next(r->in, &lines, err)) > 0)
        buf_append_slice(&r->kept, lines);
    n = n < 0 ? n : choose_rank(r, err);
    if (n < 0 || r->rank[0] == '\0')
        return n;
    select_lines(r, buf_slice(&r->kept));
    buf_clear(&r->kept);
    buf_append_slice(&r->kept, buf_slice(&r->out));
    return 0;
}

static int look(struct analyze_arrange *r, struct slice *lines, struct error **err) {
    r->has_looked = true;
    int n = analyze_input_next(r->in, lines, err);
    if (n <= 0)
        return n;
    analyze_ranks_look(&r->ranks, *lines);
    if (analyze_ranks_any(&r->ranks)) {
        buf_append_slice(&r->kept, *lines);
        if ((n = look_at_ranks(r, err)) < 0)
            return n;
        *lines = buf_slice(&r->kept);
    }
    bool is_in_order = r->analyze->definition == ANALYZE_LEDGER; /* the library reads entries as they come */
    r->is_sorted = (is_in_order && is_newest_first(*lines)) || analyze_input_is_response(r->in);
    if (!r->is_sorted)
        return 1;
    if (r->kept.size_bytes == 0)
        buf_append_slice(&r->kept, *lines);
    n = read_all(r, err);
    n = n < 0 ? n : sort_lines(r, err);
    return n < 0 ? n : next_sorted(r, lines);
}

int analyze_arrange_next(struct analyze_arrange *r, struct slice *lines, struct error **err) {
    if (!r->has_looked)
        return look(r, lines, err);
    if (r->is_sorted)
        return next_sorted(r, lines);
    if (r->kept.size_bytes > 0)
        buf_done(&r->kept);
    int n = analyze_input_next(r->in, lines, err);
    if (n > 0)
        *lines = select_lines(r, *lines);
    return n;
}
