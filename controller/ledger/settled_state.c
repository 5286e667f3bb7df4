#include "ledger/settled_state.h"

#include "base/mem.h"

_Static_assert(LEDGER_SETTLED_BUCKETS == ACCOUNT_COUNT, "one row for each account");

struct ledger_settled_bucket settled_bucket_of(const struct sums *sums, int account) {
    const struct account *a = &sums->accounts[account];
    return (struct ledger_settled_bucket){
        .bucket = account < BUCKET_COUNT ? (enum bucket)account : BUCKET_CUSTOM,
        .custom = account < BUCKET_COUNT ? 0 : account - BUCKET_COUNT,
        .basis = a->basis,
        .ms = a->ms,
        .count = a->count + (sums->span.account == account), /* the open span is counted when it ends */
        .chip_ms = a->chip_ms,
        .interrupted_ms = a->interrupted_ms,
        .interrupted_chip_ms = a->interrupted_chip_ms};
}

struct ledger_settled_cost settled_cost_of(int interruption, const struct recovery *r) {
    return (struct ledger_settled_cost){.interruption = interruption,
                                        .tch_ms = r->tch_ms,
                                        .tre_ms = r->tre_ms,
                                        .wait_ms = r->wait_ms,
                                        .trm_ms = r->trm_ms,
                                        .cost_ms = r->cost_ms,
                                        .chip_ms = r->chip_ms,
                                        .detect_ms = r->detect_ms};
}

void settled_add_cost(struct ledger_settled_sums *to, const struct ledger_settled_cost *c) {
    if (c->tch_ms == 0 && c->tre_ms == 0 && c->wait_ms == 0 && c->trm_ms == 0 && c->cost_ms == 0 && c->detect_ms == 0)
        return;
    MEM_GROW(to->costs, to->cost_count, to->cost_capacity);
    to->costs[to->cost_count++] = *c;
}
