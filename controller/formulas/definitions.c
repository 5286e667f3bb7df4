#include "formulas/definitions.h"
#include "ledger/buckets.h"

#include <string.h>

struct list {
    struct definition *items;
    int count;
};

static void add(struct list *list, const char *name, int64_t numerator_ms, int64_t denominator, bool is_mean) {
    if (denominator > 0)
        list->items[list->count++] = (struct definition){name, numerator_ms, denominator, is_mean};
}

/* Llama 3 counts these as unexpected, and what people planned as the rest (arXiv 2407.21783, section 3.3.4). */
static bool is_failure(enum cause cause) {
    return cause == CAUSE_NODE_FAILURE || cause == CAUSE_OUT_OF_MEMORY || cause == CAUSE_HANG ||
           cause == CAUSE_APPLICATION_ERROR;
}

/* Whether something failed is not known. */
static bool is_open(enum cause cause) {
    return cause == CAUSE_UNKNOWN || cause == CAUSE_TRAINER_RESTART;
}

/* RECORD_NONE: not known. */
static int64_t failures_of(const struct ledger_result *r, int64_t only_counted) {
    bool is_cut = r->older.cause_count == LEDGER_OLDER_CAUSES; /* its last entry has several causes */
    int64_t failures = 0, open = only_counted + is_cut;
    for (int i = 0; i < r->older.cause_count; i++) {
        failures += is_failure(r->older.causes[i].cause) ? r->older.causes[i].count : 0;
        open += is_open(r->older.causes[i].cause) ? r->older.causes[i].count : 0;
    }
    for (int i = 0; i < r->interruption_count; i++) {
        failures += is_failure(r->interruptions[i].cause);
        open += is_open(r->interruptions[i].cause);
    }
    return open > 0 ? RECORD_NONE : failures;
}

int definitions_list(const struct ledger_result *r, int64_t only_counted,
                     struct definition out[static DEFINITIONS_MAX]) {
    struct list list = {out, 0};
    if (r->has_steps) {
        add(&list, "ETTRMeta", r->productive_ms, r->wall_ms - ledger_scores_of(r).suspended_ms, false);
        add(&list, "ETTRByteDance", r->productive_ms, r->wall_ms, false);
        add(&list, "ForwardProgress", r->productive_ms, r->wall_ms, false);
    }
    add(&list, "MTBI", r->available_ms, r->counted, true);
    add(&list, "MTTF", r->available_ms, failures_of(r, only_counted), true); /* RECORD_NONE is negative */
    if (r->has_steps)
        add(&list, "MTTR", r->recover_ms, r->recovered, true);
    return list.count;
}
