/* What must hold for any facts, searched at random. The seed is printed when something fails; GOODPUT_SEED repeats it
 * and GOODPUT_JOBS says how many jobs. */
#include "entries_check.h"
#include "fact_list.h"
#include "harness.h"
#include "ledger/checkpoint.h"
#include "ledger/evaluate.h"

#include "base/mem.h"

static int64_t maybe(uint64_t *random, int64_t otherwise, int64_t time) {
    return random_below(random, 3) == 0 ? otherwise : time;
}

/* ---- facts without any sense ---- */

static void add_wild_life(struct fact_list *list, uint64_t *r, uint64_t id, int64_t span) {
    struct ledger_occupancy *l = &fact_list_add(list, FACT_LIFE)->life;
    *l = fact_life(id, (uint32_t)random_below(r, 4), random_below(r, span));
    int64_t at = l->created_ms - random_below(r, 3) * random_below(r, 1000);
    l->bound_ms = maybe(r, TIME_UNKNOWN, at += random_below(r, span / 8));
    l->pull_start_ms = maybe(r, TIME_UNKNOWN, at += random_below(r, 3000));
    l->pull_end_ms = maybe(r, TIME_UNKNOWN, at += random_below(r, 9000));
    l->running_ms = maybe(r, TIME_UNKNOWN, at += random_below(r, 9000));
    l->lost_ms = maybe(r, TIME_OPEN, at += random_below(r, span));
    l->ended_ms = maybe(r, TIME_OPEN, at + random_below(r, 5000) - 2000);
    l->done_ms = random_below(r, 5) ? TIME_UNKNOWN : random_below(r, span);
    l->released_ms = maybe(r, TIME_OPEN, at + random_below(r, 9000));
    l->chips = (int32_t)random_below(r, 5);
    snprintf(l->name, sizeof l->name, "pod-%d", (int)id);
}

static void add_wild_hold(struct fact_list *list, uint64_t *r, uint64_t key, int64_t span) {
    static const enum bucket kinds[] = {BUCKET_SUSPENDED,
                                        BUCKET_PREEMPTED_WAIT,
                                        BUCKET_QUEUE_WAIT,
                                        BUCKET_DEPENDENCY_WAIT,
                                        BUCKET_PROVISIONING,
                                        BUCKET_NODE_FAILURE_DETECTION,
                                        BUCKET_PROCESS_FAILURE_DETECTION};
    struct ledger_hold *h = &fact_list_add(list, FACT_HOLD)->hold;
    h->kind = kinds[random_below(r, ARRAY_SIZE(kinds))];
    h->key = key;
    h->from_ms = random_below(r, span);
    h->to_ms = maybe(r, TIME_OPEN, h->from_ms + random_below(r, span / 3));
    h->basis = (enum basis)random_below(r, 3);
    snprintf(h->evidence, sizeof h->evidence, "hold %d", (int)key);
}

static void add_wild_disruption(struct fact_list *list, uint64_t *r, uint64_t key, int64_t span) {
    struct ledger_disruption *d = &fact_list_add(list, FACT_DISRUPTION)->disruption;
    d->cause = (enum cause)random_below(r, CAUSE_COUNT);
    d->key = key;
    d->at_ms = random_below(r, span);
    d->opens = random_below(r, 3) == 0;
    snprintf(d->evidence, sizeof d->evidence, "disruption %d", (int)key);
}

/* A log that mostly continues as logs do, with anything in between. */
static void add_wild_process(struct fact_list *list, uint64_t *r, uint64_t id, int64_t span) {
    size_t process = list->count; /* an index: the list moves as it grows */
    struct fact *p = fact_list_add(list, FACT_PROCESS);
    p->id = id;
    p->amount = (int64_t)(id % 2);
    int64_t at = random_below(r, span), step = random_below(r, 20), line = 1;
    p->at_ms = maybe(r, TIME_UNKNOWN, at - random_below(r, 3000));
    int64_t records = random_below(r, 60), every = 100 + random_below(r, 5000);
    bool logs_starts = random_below(r, 2) == 0;
    for (int64_t i = 0; i < records; i++) {
        struct fact *f = fact_list_add(list, FACT_RECORD);
        f->id = id;
        f->record = (struct record)RECORD_INIT;
        f->record.line = line += random_below(r, 8) != 0;
        f->record.at_ms = at += random_below(r, 2 * every);
        f->record.received_ms = random_below(r, 4) ? RECORD_NONE : at + random_below(r, 100);
        if (random_below(r, 2) == 0) {
            f->record.kind = logs_starts ? RECORD_STEP_START : RECORD_STEP_END;
            f->record.step = step++;
            if (random_below(r, 12) == 0)
                step = random_below(r, 30);
        } else {
            f->record.kind = (enum record_kind)random_below(r, RECORD_KIND_COUNT);
            f->record.step = maybe(r, RECORD_NONE, random_below(r, 30));
        }
        f->record.duration_ms = maybe(r, RECORD_NONE, random_below(r, every));
        f->record.is_async = random_below(r, 2);
        if (f->record.kind == RECORD_ELASTIC_SLICES) {
            f->record.total = random_below(r, 6);
            f->record.active = random_below(r, 6);
        }
        if (f->record.kind == RECORD_PHASE)
            f->record.active = random_below(r, 4);
        if (random_below(r, 60) == 0)
            f->record.at_ms = (int64_t)random_next(r);
        if (random_below(r, 60) == 0)
            f->record.duration_ms = (int64_t)random_next(r);
        if (random_below(r, 80) == 0)
            f->record.step = (int64_t)(random_next(r) >> 1);
        snprintf(f->record.name, sizeof f->record.name, "C%d", (int)random_below(r, 25));
    }
    list->items[process].to_ms = maybe(r, TIME_OPEN, at + random_below(r, 4000) - 1000);
}

static struct fact_list wild_job(uint64_t seed) {
    uint64_t r = seed;
    int64_t span = 20000 + random_below(&r, 400000);
    struct fact_list list = {.start_ms = random_below(&r, 5000), .end_ms = maybe(&r, TIME_OPEN, span)};
    list.outcome = list.end_ms == TIME_OPEN ? OUTCOME_RUNNING : (enum ledger_outcome)random_below(&r, 4);
    list.options = (struct ledger_options){.has_log = true, .windows_ms = {10000, 100000}, .window_count = 2};
    list.options.ideal_step_ms = random_below(&r, 4) ? 0 : random_below(&r, 3000);
    list.options.hang_after_ms = random_below(&r, 2) ? 0 : 1000 + random_below(&r, 9000);
    for (int64_t n = random_below(&r, 4), i = 0; i < n; i++) {
        struct fact *f = fact_list_add(&list, i % 3 == 2 ? FACT_CHIPS : FACT_REQUIRED);
        f->at_ms = i * 7000 + (i == 0 ? 0 : random_below(&r, 7000));
        f->amount = random_below(&r, 4);
    }
    for (int64_t n = random_below(&r, 12), i = 0; i < n; i++) {
        add_wild_life(&list, &r, (uint64_t)i, span);
        if (random_below(&r, 4) == 0) {
            struct fact *f = fact_list_add(&list, random_below(&r, 2) ? FACT_RESTART : FACT_SILENCE);
            f->id = (uint64_t)i;
            f->at_ms = random_below(&r, span);
            f->to_ms = maybe(&r, TIME_OPEN, f->at_ms + random_below(&r, 9000));
        }
    }
    for (int64_t n = random_below(&r, 8), i = 0; i < n; i++)
        add_wild_hold(&list, &r, (uint64_t)i, span);
    for (int64_t n = random_below(&r, 8), i = 0; i < n; i++)
        add_wild_disruption(&list, &r, (uint64_t)i, span);
    for (int64_t n = random_below(&r, 5), i = 0; i < n; i++)
        add_wild_process(&list, &r, (uint64_t)i + 1, span);
    return list;
}

static char *evaluated(struct ledger *l, int64_t through_ms, const char *words) {
    struct ledger_result result;
    ledger_evaluate(l, through_ms, &result);
    check_identities(&result, words);
    check_entries(l, through_ms, words);
    if (result.productive_ms > 0 && result.retained_steps == 0) /* of an interval it may be a part of a step */
        harness_fail(__FILE__, __LINE__, "%s: %" PRId64 " ms are productive, no step is", words, result.productive_ms);
    char *text = result_text(&result);
    ledger_result_done(&result);
    return text;
}

TEST(any_facts_give_a_whole_whatever_their_order) {
    uint64_t seed = random_setting("GOODPUT_SEED", 20261121), count = random_setting("GOODPUT_JOBS", 3000);
    for (uint64_t i = 0; i < count && CU_get_number_of_failures() == 0; i++, seed++) {
        char words[64];
        snprintf(words, sizeof words, "GOODPUT_SEED=%" PRIu64, seed);
        struct fact_list list = wild_job(seed);
        struct ledger *ordered = fact_list_ledger(&list);
        uint64_t random = seed;
        struct ledger *shuffled = fact_list_shuffled(&list, &random);
        for (int k = 0; k < 6; k++) {
            int64_t through = k == 0 ? 2000000 : list.start_ms + random_below(&random, 400000);
            CLEANUP_FREE char *one = evaluated(ordered, through, words);
            CLEANUP_FREE char *again = evaluated(ordered, through, words);
            CLEANUP_FREE char *other = evaluated(shuffled, through, words);
            CHECK(strcmp(one, again) == 0);
            if (strcmp(one, other) != 0)
                harness_fail(__FILE__, __LINE__, "%s through %" PRId64 ": in another order\n%s\ninstead of\n%s", words,
                             through, other, one);
        }
        ledger_free(ordered);
        ledger_free(shuffled);
        fact_list_done(&list);
    }
}

TEST(any_facts_saved_and_loaded_anywhere_give_the_same_result) {
    uint64_t seed = random_setting("GOODPUT_SEED", 20261121), count = random_setting("GOODPUT_JOBS", 1500);
    for (uint64_t i = 0; i < count && CU_get_number_of_failures() == 0; i++, seed++) {
        char words[64];
        snprintf(words, sizeof words, "GOODPUT_SEED=%" PRIu64, seed);
        struct fact_list list = wild_job(seed);
        struct fact_feeder whole = fact_feeder_new(&list), cut = fact_feeder_new(&list);
        uint64_t random = seed;
        size_t at = (size_t)random_below(&random, (int64_t)list.count + 1);
        for (size_t k = 0; k < list.count; k++) {
            if (k == at)
                fact_feeder_reload(&cut, &list, k, seed % 2 ? LEDGER_SAVE_ALL : LEDGER_SAVE_WITHOUT_OBJECTS);
            fact_feed(&whole, &list.items[k]);
            fact_feed(&cut, &list.items[k]);
        }
        for (int k = 0; k < 4; k++) {
            int64_t through = k == 0 ? 2000000 : list.start_ms + random_below(&random, 400000);
            CLEANUP_FREE char *one = evaluated(whole.ledger, through, words);
            CLEANUP_FREE char *other = evaluated(cut.ledger, through, words);
            if (strcmp(one, other) != 0)
                harness_fail(__FILE__, __LINE__, "%s through %" PRId64 ": read back\n%s\ninstead of\n%s", words,
                             through, other, one);
        }
        ledger_free(whole.ledger);
        ledger_free(cut.ledger);
        fact_list_done(&list);
    }
}

/* ---- a job that makes sense, whose ledger is known ---- */

struct truth {
    int64_t productive, wasted, startup, binding, rescheduling, pulling, starting, preparation, unattributed;
    int64_t lost_steps, interruptions;
};

static void record(struct fact_list *list, uint64_t process, int64_t *line, enum record_kind kind, int64_t at,
                   int64_t step) {
    struct record r = fact_record(kind, 0, ++*line, at, step);
    fact_list_record(list, process, &r);
}

static void add_true_life(struct fact_list *list, uint64_t *r, uint64_t id, uint32_t slot, int64_t at, int64_t *bound,
                          int64_t *running) {
    struct ledger_occupancy *l = &fact_list_add(list, FACT_LIFE)->life;
    *l = fact_life(id, slot, at);
    l->bound_ms = at + random_below(r, 20000);
    l->running_ms = l->bound_ms + random_below(r, 9000);
    *bound = l->bound_ms > *bound ? l->bound_ms : *bound;
    *running = l->running_ms > *running ? l->running_ms : *running;
}

/* Executions of steps of 1 s with a checkpoint (that costs nothing) every 7, killed while a step is running; all slots
 * are lost at once and come back one after the other. */
static struct fact_list true_job(uint64_t seed, struct truth *t) {
    uint64_t r = seed, id = 0;
    int64_t slots = 1 + random_below(&r, 4), at = 1000 * random_below(&r, 50), step = 0, durable = -1;
    struct fact_list list = {.options = {.has_log = true, .ideal_step_ms = 1000}, .end_ms = TIME_OPEN};
    struct fact *required = fact_list_add(&list, FACT_REQUIRED);
    required->amount = slots;
    t->binding = at;
    int64_t kills = random_below(&r, 6), first_life = 0;
    for (int64_t e = 0; e <= kills; e++) {
        int64_t bound = at, running = at, since = at;
        first_life = (int64_t)list.count;
        for (int64_t s = 0; s < slots; s++)
            add_true_life(&list, &r, ++id, (uint32_t)s, at, &bound, &running);
        *(e == 0 ? &t->binding : &t->rescheduling) += bound - since;
        t->starting += running - bound;
        struct fact *p = fact_list_add(&list, FACT_PROCESS);
        p->id = (uint64_t)e + 1;
        p->at_ms = running;
        p->to_ms = TIME_OPEN;
        uint64_t process = p->id;
        int64_t compile = random_below(&r, 30000), prepare = random_below(&r, 5000), line = 0;
        at = running + prepare;
        t->preparation += prepare;
        t->startup += compile;
        int64_t first = step, count = 1 + random_below(&r, 30), committed = durable;
        for (int64_t i = 0; i < count; i++, step++) {
            record(&list, process, &line, RECORD_STEP_START, at, step);
            at += 1000 + (i == 0 ? compile : 0);
            if (step % 7 == 6) {
                record(&list, process, &line, RECORD_SAVE_DURABLE, at, step);
                committed = step;
            }
        }
        if (e == kills) {
            record(&list, process, &line, RECORD_JOB_END, at, RECORD_NONE);
            t->productive += (step - first) * 1000;
            list.end_ms = at;
            list.outcome = OUTCOME_SUCCEEDED;
            for (size_t k = (size_t)first_life; k < list.count; k++)
                if (list.items[k].kind == FACT_LIFE)
                    list.items[k].life.done_ms = at;
            break;
        }
        /* one more step begins and is cut off */
        record(&list, process, &line, RECORD_STEP_START, at, step);
        int64_t cut = 1 + random_below(&r, 998);
        at += cut;
        t->wasted += cut;
        list.items[(size_t)first_life + (size_t)slots].to_ms = at;
        for (size_t k = (size_t)first_life; k < (size_t)first_life + (size_t)slots; k++)
            list.items[k].life.lost_ms = list.items[k].life.ended_ms = at;
        int64_t kept = committed >= first ? committed - first + 1 : 0;
        t->productive += kept * 1000;
        t->wasted += (step - first - kept) * 1000;
        t->lost_steps += step - first - kept;
        t->interruptions++;
        durable = committed;
        step = durable + 1;
    }
    return list;
}

static int64_t bucket_ms(const struct ledger_result *r, enum bucket bucket) {
    for (int i = 0; i < r->bucket_count; i++)
        if (r->buckets[i].bucket == bucket)
            return r->buckets[i].ms;
    return 0;
}

TEST(a_job_whose_truth_is_known_gets_exactly_that) {
    uint64_t seed = random_setting("GOODPUT_SEED", 20261121), count = random_setting("GOODPUT_JOBS", 3000);
    for (uint64_t i = 0; i < count && CU_get_number_of_failures() == 0; i++, seed++) {
        struct truth t = {0};
        struct fact_list list = true_job(seed, &t);
        struct ledger *l = fact_list_shuffled(&list, &(uint64_t){seed});
        struct ledger_result result;
        ledger_evaluate(l, TIME_OPEN, &result);
        check_identities(&result, "a job whose truth is known");
        CHECK_INT(bucket_ms(&result, BUCKET_PRODUCTIVE), t.productive);
        CHECK_INT(bucket_ms(&result, BUCKET_WASTED_PROGRESS), t.wasted);
        CHECK_INT(bucket_ms(&result, BUCKET_PROGRAM_STARTUP), t.startup);
        CHECK_INT(bucket_ms(&result, BUCKET_BINDING), t.binding);
        CHECK_INT(bucket_ms(&result, BUCKET_RESCHEDULING), t.rescheduling);
        CHECK_INT(bucket_ms(&result, BUCKET_CONTAINER_START), t.starting);
        CHECK_INT(bucket_ms(&result, BUCKET_TRAINING_PREPARATION), t.preparation);
        CHECK_INT(result.lost_steps, t.lost_steps);
        CHECK_INT(result.interruption_count, t.interruptions);
        if (CU_get_number_of_failures() != 0)
            harness_fail(__FILE__, __LINE__, "GOODPUT_SEED=%" PRIu64, seed);
        ledger_result_done(&result);
        ledger_free(l);
        fact_list_done(&list);
    }
}

/* What was known at that time. */
static int64_t known(int64_t ms, int64_t through_ms, int64_t otherwise) {
    return ms > through_ms ? otherwise : ms;
}

static struct fact_list known_facts(const struct fact_list *all, int64_t through_ms) {
    struct fact_list list = *all;
    list.items = NULL;
    list.count = list.capacity = 0;
    if (list.end_ms > through_ms) {
        list.end_ms = TIME_OPEN;
        list.outcome = OUTCOME_RUNNING;
    }
    for (size_t i = 0; i < all->count; i++) {
        struct fact f = all->items[i];
        if ((f.kind == FACT_RECORD && f.record.at_ms > through_ms) ||
            (f.kind == FACT_LIFE && f.life.created_ms > through_ms) || (f.kind == FACT_PROCESS && f.at_ms > through_ms))
            continue;
        if (f.kind == FACT_LIFE) {
            f.life.bound_ms = known(f.life.bound_ms, through_ms, TIME_UNKNOWN);
            f.life.running_ms = known(f.life.running_ms, through_ms, TIME_UNKNOWN);
            f.life.lost_ms = known(f.life.lost_ms, through_ms, TIME_OPEN);
            f.life.ended_ms = known(f.life.ended_ms, through_ms, TIME_OPEN);
            f.life.done_ms = known(f.life.done_ms, through_ms, TIME_UNKNOWN);
        } else if (f.kind == FACT_PROCESS) {
            f.to_ms = known(f.to_ms, through_ms, TIME_OPEN);
        }
        *fact_list_add(&list, f.kind) = f;
    }
    return list;
}

TEST(replayed_is_what_it_was_live) {
    uint64_t seed = random_setting("GOODPUT_SEED", 20261121), count = random_setting("GOODPUT_JOBS", 500);
    for (uint64_t i = 0; i < count && CU_get_number_of_failures() == 0; i++, seed++) {
        struct truth t = {0};
        struct fact_list list = true_job(seed, &t);
        struct ledger *all = fact_list_ledger(&list);
        uint64_t random = seed;
        for (int k = 0; k < 8; k++) {
            int64_t through = random_below(&random, list.end_ms);
            struct fact_list then = known_facts(&list, through);
            struct ledger *live = fact_list_ledger(&then);
            struct ledger_result result;
            ledger_evaluate(all, through, &result);
            result.end_ms = TIME_OPEN;
            result.last_record_ms = TIME_UNKNOWN; /* of the past only steps are kept */
            CLEANUP_FREE char *replayed = result_text(&result);
            ledger_result_done(&result);
            ledger_evaluate(live, through, &result);
            result.last_record_ms = TIME_UNKNOWN;
            CLEANUP_FREE char *lived = result_text(&result);
            if (strcmp(replayed, lived) != 0)
                harness_fail(__FILE__, __LINE__, "GOODPUT_SEED=%" PRIu64 " through %" PRId64 ": replayed\n%s\nlive\n%s",
                             seed, through, replayed, lived);
            ledger_result_done(&result);
            ledger_free(live);
            fact_list_done(&then);
        }
        ledger_free(all);
        fact_list_done(&list);
    }
}

/* Windows that tile the job sum to the job: through each edge, a window of what lies between. */
TEST(windows_that_tile_the_job_sum_to_it) {
    struct truth t = {0};
    struct fact_list list = true_job(random_setting("GOODPUT_SEED", 20261121) + 7, &t);
    list.options.window_count = 1;
    list.options.windows_ms[0] = list.end_ms;
    struct ledger *l = fact_list_ledger(&list);
    struct ledger_result whole;
    ledger_evaluate(l, TIME_OPEN, &whole);
    CHECK_INT(whole.windows[0].productive_ms, whole.productive_ms);
    ledger_free(l);
    int64_t sum = 0;
    for (int64_t part = 1; part <= 4; part++) { /* the last part of the finished job, four times as long each */
        list.options.windows_ms[0] = list.end_ms * part / 4;
        l = fact_list_ledger(&list);
        struct ledger_result result;
        ledger_evaluate(l, TIME_OPEN, &result);
        CHECK(result.windows[0].productive_ms >= sum);
        sum = result.windows[0].productive_ms;
        ledger_result_done(&result);
        ledger_free(l);
    }
    CHECK_INT(sum, whole.productive_ms);
    ledger_result_done(&whole);
    fact_list_done(&list);
}

/* ---- intervals and exclusions ---- */

struct sums {
    int64_t ms[BUCKET_ELASTIC_SLICE_DOWN + 1], down_chip_ms, chip_ms, wall, available, productive, provisional, steps,
        lost, interruptions;
};

static const struct sums nothing;

static void add_sums(struct sums *to, const struct ledger_result *r, int sign) {
    for (int i = 0; i < r->bucket_count; i++) {
        to->ms[r->buckets[i].bucket] += sign * r->buckets[i].ms;
        to->chip_ms += sign * r->buckets[i].chip_ms;
        if (r->buckets[i].bucket == BUCKET_ELASTIC_SLICE_DOWN)
            to->down_chip_ms += sign * r->buckets[i].chip_ms;
    }
    to->wall += sign * r->wall_ms;
    to->available += sign * r->available_ms;
    to->productive += sign * r->productive_ms;
    to->provisional += sign * r->provisional_ms;
    to->steps += sign * r->step_count;
    to->lost += sign * r->lost_steps;
    to->interruptions += sign * r->interruption_count;
}

static void add_interval(struct sums *to, struct ledger *l, int64_t from, int64_t until, int sign, const char *words) {
    struct ledger_result r;
    ledger_evaluate_interval(l, TIME_OPEN, from, until, &r);
    CHECK_INT(r.start_ms, from);
    CHECK_INT(r.wall_ms, until - from);
    check_identities(&r, words);
    add_sums(to, &r, sign);
    ledger_result_done(&r);
}

static void check_tiles(const struct fact_list *list, uint64_t *random, const char *words) {
    struct ledger *l = fact_list_ledger(list);
    struct ledger_result whole;
    struct sums left = nothing;
    ledger_evaluate(l, TIME_OPEN, &whole);
    add_sums(&left, &whole, 1);
    int64_t end = whole.observed_through_ms, from = list->start_ms;
    while (from < end) {
        int64_t to = from + 1 + random_below(random, (end - list->start_ms) / 2 + 1);
        to = to < end ? to : end;
        add_interval(&left, l, from, to, -1, words);
        from = to;
    }
    if (memcmp(&left, &nothing, sizeof left) != 0)
        harness_fail(__FILE__, __LINE__, "%s: intervals that tile the job do not sum to it", words);
    ledger_result_done(&whole);
    ledger_free(l);
}

/* What is left out is missing, and nothing else. */
static void check_exclusion(const struct fact_list *list, uint64_t *random, const char *words) {
    struct ledger *l = fact_list_ledger(list), *without = fact_list_ledger(list);
    struct ledger_result r;
    struct sums left = nothing;
    ledger_evaluate(l, TIME_OPEN, &r);
    int64_t start = r.start_ms, end = r.observed_through_ms, span = end - start;
    ledger_result_done(&r);
    int64_t a = start + random_below(random, span + 1), b = a + random_below(random, end - a + 1);
    ledger_exclude(without, a, b);
    if (b > a)
        ledger_exclude(without, a + (b - a) / 2, b); /* twice is once */
    CLEANUP_BUF struct buf saved;
    buf_init(&saved, 1 << 24);
    CHECK_INT(ledger_save(without, LEDGER_SAVE_ALL, &saved), 0);
    ledger_free(without); /* what is left out stays so for who reads it back */
    without = ledger_load(buf_slice(&saved), &list->options, NULL);
    ledger_evaluate(without, TIME_OPEN, &r);
    CHECK_INT(r.excluded_ms, b - a);
    check_identities(&r, words);
    add_sums(&left, &r, 1);
    left.interruptions = 0; /* they stay listed */
    ledger_result_done(&r);
    add_interval(&left, l, start, a, -1, words);
    add_interval(&left, l, b, end, -1, words);
    left.interruptions = 0;
    if (memcmp(&left, &nothing, sizeof left) != 0)
        harness_fail(__FILE__, __LINE__, "%s: without [%" PRId64 ", %" PRId64 ") it is not the rest", words, a, b);
    ledger_free(l);
    ledger_free(without);
}

TEST(intervals_that_tile_any_job_sum_to_it) {
    uint64_t seed = random_setting("GOODPUT_SEED", 20261121), count = random_setting("GOODPUT_JOBS", 1000);
    for (uint64_t i = 0; i < count && CU_get_number_of_failures() == 0; i++, seed++) {
        char words[64];
        snprintf(words, sizeof words, "GOODPUT_SEED=%" PRIu64, seed);
        struct truth t = {0};
        uint64_t random = seed;
        struct fact_list list = seed % 2 ? true_job(seed, &t) : wild_job(seed);
        list.end_ms = list.end_ms == TIME_OPEN ? 400000 : list.end_ms;
        list.options.window_count = 0;
        check_tiles(&list, &random, words);
        check_exclusion(&list, &random, words);
        fact_list_done(&list);
    }
}
