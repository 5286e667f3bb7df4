/* Several files are the attempts of one job: they are read in the order of their first times, whatever their names. */
#include "cli/analyze/order.h"

#include "base/mem.h"
#include "cli/analyze/input.h"
#include "cli/analyze/parser.h"

#include <string.h>

#define LOOK_AT_BYTES ((size_t)16 << 20)

struct beginning {
    char *path;
    size_t number;
    int64_t first_ms; /* TIME_UNKNOWN: none was found */
};

static void on_record(void *context, const struct record *r) {
    int64_t *first_ms = context;
    if (*first_ms == TIME_UNKNOWN)
        *first_ms = r->at_ms;
}

static int find_beginning(const struct analyze *a, struct beginning *b, struct error **err) {
    struct slice lines;
    size_t seen = 0;
    struct analyze_input *in = analyze_input_open(b->path, err);
    struct steplog *parser = in ? analyze_parser(a, on_record, &b->first_ms, err) : NULL;
    int r = parser ? 0 : -1;
    while (r == 0 && b->first_ms == TIME_UNKNOWN && seen < LOOK_AT_BYTES &&
           (r = analyze_input_next(in, &lines, err)) > 0) {
        steplog_feed(parser, lines, analyze_is_stamped(lines));
        seen += lines.size_bytes;
        r = 0;
    }
    int64_t stamp_ms = parser ? steplog_counts_get(parser).first_stamp_ms : TIME_UNKNOWN;
    if (stamp_ms != TIME_UNKNOWN)
        b->first_ms = stamp_ms;
    steplog_free(parser);
    analyze_input_close(in);
    return r;
}

static int by_beginning(const void *a, const void *b) {
    const struct beginning *x = a, *y = b;
    bool is_known = x->first_ms != TIME_UNKNOWN; /* files without any time come last */
    if (is_known != (y->first_ms != TIME_UNKNOWN))
        return is_known ? -1 : 1;
    if (x->first_ms != y->first_ms)
        return x->first_ms < y->first_ms ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

int analyze_order(struct analyze *a, struct error **err) {
    if (a->path_count < 2)
        return 0;
    CLEANUP_FREE struct beginning *all = mem_alloc(a->path_count * sizeof *all);
    for (size_t i = 0; i < a->path_count; i++) {
        all[i] = (struct beginning){a->paths[i], i, TIME_UNKNOWN};
        if (strcmp(a->paths[i], "-") == 0) /* cannot be read twice: keeps the order of the arguments */
            return 0;
        int r = find_beginning(a, &all[i], err);
        if (r < 0)
            return r;
    }
    qsort(all, a->path_count, sizeof *all, by_beginning);
    for (size_t i = 0; i < a->path_count; i++)
        a->paths[i] = all[i].path;
    return 0;
}
