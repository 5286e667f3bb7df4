/* Means over interruptions, against published counts. */
#include "fact_list.h"
#include "harness.h"

#include "ledger/evaluate.h"

#define SECOND INT64_C(1000)
#define DAY (86400 * SECOND)
#define START INT64_C(1790000000000)

/* One slot whose container restarts that often, evenly, each time for a second; of each ten, that many by a person. */
static struct ledger *job_of(int interruptions, int planned) {
    struct ledger_options options = {0};
    struct ledger *l = ledger_new(&options);
    ledger_set_span(l, START, START + 54 * DAY, OUTCOME_SUCCEEDED);
    ledger_set_required(l, START, 1);
    struct ledger_occupancy life = fact_running(1, 0, START, 0);
    ledger_add_occupancy(l, &life);
    for (int i = 0; i < interruptions; i++) {
        int64_t at_ms = START + 54 * DAY / (interruptions + 1) * (i + 1);
        struct ledger_disruption d = {
            .cause = i < planned ? CAUSE_USER_SUSPEND : CAUSE_NODE_FAILURE, .key = (uint64_t)i + 1, .at_ms = at_ms};
        ledger_add_restart(l, 1, at_ms, at_ms + SECOND);
        ledger_add_disruption(l, &d);
    }
    return l;
}

/* Llama 3 (arXiv 2407.21783): 54 days, 466 interruptions, of which 47 were planned: one in 3.093 h; of all 2.781 h. */
TEST(mean_time_between_interruptions_of_llama_3) {
    static const struct {
        int planned;
        int64_t mtbi_s;
    } counts[] = {{47, 11135}, {0, 10012}}; /* 54 x 86400 / 419, and / 466 */
    for (int i = 0; i < 2; i++) {
        struct ledger_result r;
        struct ledger *l = job_of(466, counts[i].planned);
        ledger_evaluate(l, START + 54 * DAY, &r);
        CHECK_INT(r.interruption_count, 466);
        CHECK_INT(r.available_ms, 54 * DAY);
        CHECK_INT(r.mtbi_ms / SECOND, counts[i].mtbi_s);
        ledger_result_done(&r);
        ledger_free(l);
    }
}
