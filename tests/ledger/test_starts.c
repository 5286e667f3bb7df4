/* The starts of steps in a row give what the same records give one by one, and a ledger that settles early now and then
 * gives what one gives that does not: at random logs of a recorder, with restarts, other records between the steps,
 * lines that come again, numbers and times that go back. */
#include "fact_list.h"
#include "harness.h"

#include "base/mem.h"

struct pair {
    struct ledger *single, *joined;
    struct step_starts row; /* not in `joined` yet */
    int64_t line, at_ms, step, through_ms;
    int process;
    uint64_t id;
};

static void flush(struct pair *p) {
    ledger_add_starts(p->joined, p->process, p->row.items, p->row.count);
    p->row.count = 0;
}

static void begin(struct pair *p) {
    struct ledger *both[] = {p->single, p->joined};
    flush(p);
    p->id++;
    for (int i = 0; i < 2; i++) {
        struct ledger_occupancy life = fact_running(p->id, 0, p->at_ms, 8);
        ledger_add_occupancy(both[i], &life);
        p->process = ledger_add_process(both[i], p->id, "pod", p->at_ms, TIME_OPEN);
    }
    p->line = 0;
}

static void add_step(struct pair *p) {
    struct record r = fact_record(RECORD_STEP_START, p->process, p->line, p->at_ms, p->step);
    ledger_add_record(p->single, &r);
    p->row.items[p->row.count++] = (struct step_start){.line = p->line, .at_ms = p->at_ms, .step = p->step};
    if (p->row.count == STEP_STARTS)
        flush(p);
}

static void add_other(struct pair *p, enum record_kind kind) {
    struct record r = fact_record(kind, p->process, ++p->line, p->at_ms, RECORD_NONE);
    flush(p);
    ledger_add_record(p->single, &r);
    ledger_add_record(p->joined, &r);
    p->line++;
}

static void check(struct pair *p, uint64_t seed) {
    struct ledger_result one, other;
    flush(p);
    ledger_evaluate(p->single, p->through_ms, &one);
    ledger_evaluate(p->joined, p->through_ms, &other);
    CLEANUP_FREE char *expected = result_text(&one), *found = result_text(&other);
    if (strcmp(expected, found) != 0)
        harness_fail(__FILE__, __LINE__, "GOODPUT_SEED=%" PRIu64 " at %" PRId64 ": in a row\n%s\none by one\n%s", seed,
                     p->through_ms, found, expected);
    ledger_result_done(&one);
    ledger_result_done(&other);
}

static void compare(uint64_t seed) {
    static const enum record_kind kinds[] = {RECORD_DATA_START,   RECORD_DATA_END,   RECORD_SAVE_START,
                                             RECORD_SAVE_DURABLE, RECORD_JOB_START,  RECORD_RESTORE_END,
                                             RECORD_JOB_END,      RECORD_INIT_START, RECORD_SIGN_OF_LIFE};
    const struct ledger_options options = {.has_log = true};
    uint64_t random = seed;
    struct pair p = {.single = fact_ledger(&options, 1), .joined = fact_ledger(&options, 1)};
    int64_t steps = 500 + random_below(&random, 6000), step_ms = 1 + random_below(&random, 5000),
            rare = 20 + random_below(&random, 2000);
    begin(&p);
    for (int64_t i = 0; i < steps && CU_get_number_of_failures() == 0; i++) {
        bool is_odd = random_below(&random, rare) == 0;
        p.step += is_odd ? random_below(&random, 9) - 5 : 1;
        p.line += is_odd ? random_below(&random, 3) - 1 : 1;
        p.at_ms += step_ms + random_below(&random, 1 + step_ms / 9) - (is_odd ? step_ms * random_below(&random, 4) : 0);
        p.at_ms = p.at_ms < 0 ? 0 : p.at_ms;
        p.through_ms = p.at_ms > p.through_ms ? p.at_ms : p.through_ms;
        if (random_below(&random, 5000) == 0)
            begin(&p);
        if (random_below(&random, rare) == 0)
            add_other(&p, kinds[random_below(&random, (int64_t)ARRAY_SIZE(kinds))]);
        add_step(&p);
        if (random_below(&random, 300) == 0) {
            flush(&p);
            ledger_settle_early(p.joined, p.through_ms);
        }
        if (random_below(&random, 2000) == 0)
            check(&p, seed);
    }
    check(&p, seed);
    ledger_free(p.single);
    ledger_free(p.joined);
}

TEST(starts_in_a_row_are_records) {
    uint64_t seed = random_setting("GOODPUT_SEED", 28), count = random_setting("GOODPUT_JOBS", 150);
    for (uint64_t i = 0; i < count && CU_get_number_of_failures() == 0; i++, seed++)
        compare(seed);
}
