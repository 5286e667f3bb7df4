/* A record costs O(1) amortized and memory is bounded, whatever the length of the log: by what the ledger says that it
 * looked at and holds, not by time, which a busy machine changes. */
#include "fact_list.h"
#include "harness.h"

#include "ledger/evaluate.h"
#include "ledger/ledger_internal.h"

enum { PART = 20000, PARTS = 10, EVALUATE_EVERY = 5 };

struct shape {
    const char *name;
    int restart_every, save_every, data_every; /* steps; 0: never */
    bool logs_starts,
        stays_live; /* stays_live: evaluated every EVALUATE_EVERY records, else only at the end of a part */
};

struct job {
    const struct shape *shape;
    struct ledger *ledger;
    int process;
    int64_t at_ms, line, step, records;
    uint64_t id;
};

static void evaluate(struct job *j) {
    struct ledger_result result;
    ledger_evaluate(j->ledger, j->at_ms, &result);
    ledger_result_done(&result);
}

static void add_record(struct job *j, enum record_kind kind, int64_t step) {
    struct record r = fact_record(kind, j->process, ++j->line, j->at_ms, step);
    ledger_add_record(j->ledger, &r);
    if (++j->records % EVALUATE_EVERY == 0 && j->shape->stays_live)
        evaluate(j);
}

static void begin_process(struct job *j) {
    if (j->id > 0)
        ledger_add_process(j->ledger, j->id, NULL, TIME_UNKNOWN, j->at_ms);
    j->at_ms += 20000;
    j->process = ledger_add_process(j->ledger, ++j->id, NULL, j->at_ms, TIME_OPEN);
    j->line = 0;
}

static int64_t list_bytes(const struct step_list *l) {
    return (int64_t)(l->capacity * sizeof *l->items + l->run_capacity * sizeof *l->runs);
}

static int64_t process_bytes(const struct process *p) {
    return list_bytes(&p->ends) + list_bytes(&p->starts) +
           (int64_t)(sizeof *p + p->overlays.capacity * sizeof *p->overlays.items +
                     p->durables.capacity * sizeof *p->durables.items + p->slices.capacity * sizeof *p->slices.items);
}

/* The memory of the processes' records and of the settled part, without facts of objects. */
static int64_t held_bytes(const struct ledger *l) {
    const struct settled *s = l->settled;
    int64_t bytes = 0;
    for (size_t i = 0; i < l->live_count; i++)
        bytes += process_bytes(l->live[i]);
    if (s != NULL)
        bytes += (int64_t)(sizeof *s + s->snapshots.count * sizeof *s->snapshots.items +
                           s->durations.capacity * sizeof *s->durations.items);
    return bytes;
}

/* The next PART steps. */
static void train(struct job *j) {
    const struct shape *s = j->shape;
    for (int i = 1; i <= PART; i++) {
        if (s->data_every > 0 && i % s->data_every == 0) {
            add_record(j, RECORD_DATA_START, RECORD_NONE);
            j->at_ms += 100;
            add_record(j, RECORD_DATA_END, RECORD_NONE);
        }
        j->at_ms += 2000 + (i * 7919) % 300;
        add_record(j, s->logs_starts ? RECORD_STEP_START : RECORD_STEP_END, j->step++);
        if (s->save_every > 0 && i % s->save_every == 0)
            add_record(j, RECORD_SAVE_DURABLE, j->step - 1);
        if (s->restart_every > 0 && i % s->restart_every == 0) {
            j->step -= 10;
            begin_process(j);
        }
    }
}

static void check_shape(const struct shape *shape) {
    struct ledger_options options = {.has_log = true, .windows_ms = {3600000, 43200000}, .window_count = 2};
    struct job j = {.shape = shape, .ledger = ledger_new(&options), .at_ms = INT64_C(1790000000000)};
    struct ledger_occupancy life = fact_running(1, 0, j.at_ms, 0);
    ledger_set_span(j.ledger, j.at_ms, TIME_OPEN, OUTCOME_RUNNING);
    ledger_set_required(j.ledger, j.at_ms, 1);
    ledger_add_occupancy(j.ledger, &life);
    begin_process(&j);
    int64_t early_cost = 0, early_records = 0, early_bytes = 0, before = 0, records = 0;
    for (int part = 0; part < PARTS; part++) {
        train(&j);
        evaluate(&j);
        int64_t cost = j.ledger->steps_visited - before, new_records = j.records - records, held = held_bytes(j.ledger);
        if (part == 1) { /* the first one begins with nothing */
            early_cost = cost;
            early_records = new_records;
            early_bytes = held;
        }
        if (part >
            1) { /* a record costs what it cost 200,000 steps ago, but for where in a batch the part happens to end */
            bool is_cheap = cost * early_records <= early_cost * new_records * 6 / 5;
            CHECK(is_cheap);
            CHECK(held <= early_bytes + (64 << 10));
            if (!is_cheap || held > early_bytes + (64 << 10))
                printf("%s: steps %d: %lld looked at for %lld records, %lld bytes held; in the second part %lld, %lld, "
                       "%lld\n",
                       shape->name, (part + 1) * PART, (long long)cost, (long long)new_records, (long long)held,
                       (long long)early_cost, (long long)early_records, (long long)early_bytes);
        }
        CHECK(held < (2 << 20));
        before = j.ledger->steps_visited;
        records = j.records;
    }
    if (!shape->stays_live) /* one pass over a batch and what comes after it for every batch: a small factor */
        CHECK(early_cost <= 16 * early_records);
    ledger_free(j.ledger);
}

TEST(a_record_costs_the_same_however_long_the_log_and_memory_is_bounded) {
    static const struct shape shapes[] = {
        {.name = "starts", .logs_starts = true},
        {.name = "ends, saves, a restart every 100", .restart_every = 100, .save_every = 50},
        {.name = "input waits", .logs_starts = true, .data_every = 1, .save_every = 500},
        {.name = "live", .save_every = 100, .restart_every = 2500, .stays_live = true},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_shape(&shapes[i]);
}
