/* What is settled: a ledger that folds its past gives what one that keeps everything gives. */
#include "entries_check.h"
#include "fact_list.h"
#include "harness.h"
#include "ledger/checkpoint.h"
#include "ledger/evaluate.h"
#include "ledger/rest.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <sys/resource.h>

/* ---- a long job, fact by fact ---- */

struct job {
    struct fact_list list;
    uint64_t random;
    int64_t at_ms, line, step, step_ms, save_every, saved[4]; /* the newest checkpoints, the last one last */
    bool logs_starts, loads_data, saves_block, is_prompt, is_elastic, logs_all, has_phases;
    uint64_t process, life;
};

static void add_record(struct job *j, enum record_kind kind, int64_t at_ms, int64_t step) {
    struct record r = fact_record(kind, 0, ++j->line, at_ms, step);
    fact_list_record(&j->list, j->process, &r);
}

static void begin_process(struct job *j) {
    j->process++;
    j->line = 0;
    struct fact *f = fact_list_add(&j->list, FACT_PROCESS);
    f->id = j->process;
    f->amount = j->is_prompt;
    f->at_ms = j->at_ms;
    f->to_ms = TIME_OPEN;
    j->at_ms += random_below(&j->random, 20000);
    if (j->logs_all && !j->logs_starts)
        add_record(j, RECORD_STEP_START, j->at_ms, j->step);
}

static void begin_life(struct job *j) {
    struct ledger_occupancy *l = &fact_list_add(&j->list, FACT_LIFE)->life;
    *l = fact_life(++j->life, 0, j->at_ms);
    l->bound_ms = j->at_ms += random_below(&j->random, 30) * 1000;
    l->running_ms = j->at_ms += random_below(&j->random, 9) * 1000;
    l->chips = 4;
    snprintf(l->name, sizeof l->name, "pod-%d", (int)j->life);
}

static void end_process(struct job *j) {
    struct fact *f = fact_list_add(&j->list, FACT_PROCESS);
    f->id = j->process;
    f->at_ms = TIME_UNKNOWN;
    for (size_t i = 0; i < j->list.count; i++)
        if (j->list.items[i].kind == FACT_PROCESS && j->list.items[i].id == j->process) {
            f->at_ms = j->list.items[i].at_ms;
            break;
        }
    f->to_ms = j->at_ms;
}

/* The container restarts in place, or the pod is lost and a new one takes its slot; training resumes where one of the
 * newest checkpoints was, seldom at the very start. */
static void interrupt(struct job *j) {
    j->at_ms += 1 + random_below(&j->random, j->step_ms);
    end_process(j);
    if (random_below(&j->random, 2) == 0) {
        struct fact *f = fact_list_add(&j->list, FACT_RESTART);
        f->id = j->life;
        f->at_ms = j->at_ms;
        f->to_ms = j->at_ms += 1000 + random_below(&j->random, 60000);
    } else {
        struct fact lost = {0};
        for (size_t i = 0; i < j->list.count; i++)
            if (j->list.items[i].kind == FACT_LIFE && j->list.items[i].life.id == j->life)
                lost = j->list.items[i];
        lost.life.lost_ms = lost.life.ended_ms = lost.life.released_ms = j->at_ms;
        *fact_list_add(&j->list, FACT_LIFE) = lost;
        struct ledger_disruption *d = &fact_list_add(&j->list, FACT_DISRUPTION)->disruption;
        d->cause = random_below(&j->random, 2) ? CAUSE_NODE_FAILURE : CAUSE_KUEUE_EVICTION;
        d->key = j->life;
        d->at_ms = j->at_ms;
        snprintf(d->reason, sizeof d->reason, "R%d", (int)random_below(&j->random, 3));
        snprintf(d->evidence, sizeof d->evidence, "node-%d", (int)j->life);
        j->at_ms += random_below(&j->random, 90000);
        begin_life(j);
    }
    begin_process(j);
    int64_t back = random_below(&j->random, 30) == 0 ? 0 : j->saved[random_below(&j->random, 4)] + 1;
    j->step = back;
    for (int i = 0; i < 4; i++)
        if (j->saved[i] >= back)
            j->saved[i] = back - 1;
    if (random_below(&j->random, 2) == 0 && back > 0) {
        add_record(j, RECORD_RESTORE_START, j->at_ms, back - 1);
        add_record(j, RECORD_RESTORE_END, j->at_ms += random_below(&j->random, 5000), back - 1);
    }
    j->at_ms += j->logs_starts ? 0 : random_below(&j->random, 30000); /* compiles */
}

/* The newest step's parts, some of more names than are kept: on its line, or on lines behind it. */
static void add_phases(struct job *j) {
    const struct record step = j->list.items[j->list.count - 1].record;
    bool is_on_line = random_below(&j->random, 2);
    for (int i = 0; i < random_below(&j->random, 5); i++) {
        struct record r = fact_record(RECORD_PHASE, 0, is_on_line ? step.line : ++j->line, j->at_ms, RECORD_NONE);
        r.step = is_on_line ? j->step : RECORD_NONE;
        r.active = is_on_line ? i : 0;
        r.duration_ms = random_below(&j->random, 2 * j->step_ms);
        snprintf(r.name, sizeof r.name, "part-%d", (int)random_below(&j->random, 10));
        fact_list_record(&j->list, j->process, &r);
    }
}

/* Slices come and go. */
static void add_slices(struct job *j) {
    add_record(j, RECORD_ELASTIC_SLICES, j->at_ms, RECORD_NONE);
    struct record *r = &j->list.items[j->list.count - 1].record;
    r->total = 4;
    r->active = random_below(&j->random, 5);
}

static void train_step(struct job *j) {
    int64_t took = j->step_ms;
    if (j->is_elastic && random_below(&j->random, 200) == 0)
        add_slices(j);
    if (j->logs_starts)
        add_record(j, RECORD_STEP_START, j->at_ms, j->step);
    if (j->logs_starts && j->has_phases)
        add_phases(j);
    if (j->loads_data) {
        int64_t wait = random_below(&j->random, j->step_ms / 4);
        add_record(j, RECORD_DATA_START, j->at_ms + 10, RECORD_NONE);
        add_record(j, RECORD_DATA_END, j->at_ms + 10 + wait, RECORD_NONE);
        took += wait;
    }
    if (random_below(&j->random, 700) == 0)
        took += random_below(&j->random, 900000); /* a stall, perhaps */
    j->at_ms += took;
    if (!j->logs_starts)
        add_record(j, RECORD_STEP_END, j->at_ms, j->step);
    if (!j->logs_starts && j->has_phases)
        add_phases(j);
    if (j->step % j->save_every == j->save_every - 1) {
        int64_t blocked = j->saves_block ? random_below(&j->random, 4000) : 0;
        add_record(j, RECORD_SAVE_START, j->at_ms, j->step);
        add_record(j, RECORD_SAVE_DURABLE, j->at_ms += blocked, j->step);
        memmove(j->saved, j->saved + 1, 3 * sizeof j->saved[0]);
        j->saved[3] = j->step;
    }
    j->step++;
}

/* is_prompt: its steps' lines come at their ends. logs_all: a recorder is there, so that slow steps are steps; else
 * what of them is not known is settled by the median of its time, which later steps may move a little. */
static struct job long_job(uint64_t seed, bool is_prompt, bool logs_all) {
    struct job j = {.random = seed, .saved = {-1, -1, -1, -1}, .is_prompt = is_prompt, .logs_all = logs_all};
    j.step_ms = 300 + random_below(&j.random, 3000);
    j.save_every = 7 + random_below(&j.random, 400);
    j.logs_starts = random_below(&j.random, 2);
    j.loads_data = random_below(&j.random, 3) == 0;
    j.saves_block = random_below(&j.random, 2);
    j.is_elastic = seed % 3 == 0;
    j.has_phases = seed % 4 < 2;
    j.list.end_ms = TIME_OPEN;
    j.list.options = (struct ledger_options){.has_log = true, .windows_ms = {3600000, 7200000}, .window_count = 2};
    j.list.options.ideal_step_ms = j.step_ms;
    struct fact *required = fact_list_add(&j.list, FACT_REQUIRED);
    required->amount = 1;
    begin_life(&j);
    begin_process(&j);
    int64_t steps = 2500 + random_below(&j.random, 8000), every = 100 + random_below(&j.random, 4000);
    for (int64_t i = 0; i < steps; i++) {
        train_step(&j);
        if (random_below(&j.random, every) == 0)
            interrupt(&j);
    }
    return j;
}

/* ---- comparing ---- */

static const struct ledger_bucket *find(const struct ledger_result *r, const struct ledger_bucket *like) {
    for (int i = 0; i < r->bucket_count; i++)
        if (r->buckets[i].bucket == like->bucket && strcmp(r->buckets[i].custom, like->custom) == 0)
            return &r->buckets[i];
    return NULL;
}

#define SAME(a, b)                                                                                                     \
    do {                                                                                                               \
        if ((a) != (b))                                                                                                \
            harness_fail(__FILE__, __LINE__, "%s: %s is %" PRId64 " with the past settled, %" PRId64 " with all kept", \
                         words, #a, (int64_t)(a), (int64_t)(b));                                                       \
    } while (0)

static void compare_buckets(const struct ledger_result *s, const struct ledger_result *k, const char *words) {
    SAME(s->bucket_count, k->bucket_count);
    for (int i = 0; i < k->bucket_count; i++) {
        const struct ledger_bucket *x = find(s, &k->buckets[i]), *y = &k->buckets[i];
        /* the basis of time that a rollback took away is not taken back */
        bool is_weaker = x != NULL && y->bucket == BUCKET_PRODUCTIVE && x->basis > y->basis;
        if (x == NULL || x->ms != y->ms || x->chip_ms != y->chip_ms || (x->basis != y->basis && !is_weaker))
            harness_fail(__FILE__, __LINE__,
                         "%s: %s is %" PRId64 " ms, %" PRId64 " chip ms, %s with the past settled, %" PRId64
                         ", %" PRId64 ", %s with all kept",
                         words, bucket_name(y->bucket), x ? x->ms : 0, x ? x->chip_ms : 0,
                         x ? basis_name(x->basis) : "", y->ms, y->chip_ms, basis_name(y->basis));
    }
}

static void compare_lists(const struct ledger_result *s, const struct ledger_result *k, const char *words) {
    int older = (int)s->older.count;
    SAME(s->interruption_count + older, k->interruption_count);
    CHECK(older == 0 || s->interruption_count >= 16);
    for (int i = 0; i < s->interruption_count && i + older < k->interruption_count; i++) {
        const struct ledger_interruption *x = &s->interruptions[i], *y = &k->interruptions[i + older];
        SAME(x->number, y->number);
        SAME(x->at_ms, y->at_ms);
        SAME(x->until_ms, y->until_ms);
        SAME(x->cause, y->cause);
        SAME(strcmp(x->evidence, y->evidence), 0);
        SAME(x->lost_steps, y->lost_steps);
        SAME(x->tch_ms, y->tch_ms);
        SAME(x->tre_ms, y->tre_ms);
        SAME(x->wait_ms, y->wait_ms);
        SAME(x->trm_ms, y->trm_ms);
        SAME(x->catch_up_ms, y->catch_up_ms);
        SAME(x->cost_ms, y->cost_ms);
        SAME(x->chip_ms, y->chip_ms);
        SAME(x->owner, y->owner);
    }
    for (int i = 0; i < s->execution_count && i + older < k->execution_count; i++) {
        const struct ledger_execution *x = &s->executions[i], *y = &k->executions[i + older];
        SAME(x->number, y->number);
        SAME(x->start_ms, y->start_ms);
        SAME(x->available_ms, y->available_ms);
        SAME(x->first_step_ms, y->first_step_ms);
        SAME(x->first_step, y->first_step);
        SAME(x->last_step, y->last_step);
        SAME(x->productive_ms, y->productive_ms);
    }
}

static void compare_phases(const struct ledger_result *s, const struct ledger_result *k, const char *words) {
    SAME(s->phase_count, k->phase_count);
    for (int i = 0; i < s->phase_count && i < k->phase_count; i++) {
        SAME(s->phases[i].ms, k->phases[i].ms);
        SAME(strcmp(s->phases[i].name, k->phases[i].name), 0);
    }
}

static void compare(const struct ledger_result *s, const struct ledger_result *k, const char *words) {
    SAME(s->observed_through_ms, k->observed_through_ms);
    SAME(s->wall_ms, k->wall_ms);
    SAME(s->available_ms, k->available_ms);
    SAME(s->productive_ms, k->productive_ms);
    SAME(s->provisional_ms, k->provisional_ms);
    SAME(s->mtbi_ms, k->mtbi_ms);
    SAME(s->mttr_ms, k->mttr_ms);
    SAME(s->last_step, k->last_step);
    SAME(s->max_step, k->max_step);
    SAME(s->last_durable_step, k->last_durable_step);
    SAME(s->step_count, k->step_count);
    SAME(s->lost_steps, k->lost_steps);
    if (llabs(s->median_step_ms - k->median_step_ms) > k->median_step_ms / 1000) /* durations.h: rounded */
        SAME(s->median_step_ms, k->median_step_ms);
    SAME(s->clipped_ms, k->clipped_ms);
    SAME(s->overlapped_records, k->overlapped_records);
    SAME(s->in_interruption, k->in_interruption);
    SAME(s->chip_ms_waiting, k->chip_ms_waiting);
    compare_buckets(s, k, words);
    compare_lists(s, k, words);
    compare_phases(s, k, words);
    for (int i = 0; i < s->window_count; i++) {
        SAME(s->windows[i].ms, k->windows[i].ms);
        int64_t off = s->windows[i].productive_ms - k->windows[i].productive_ms;
        if (off > s->windows[i].window_ms / 360 || -off > s->windows[i].window_ms / 360)
            harness_fail(__FILE__, __LINE__, "%s: window %d is off by %" PRId64 " ms", words, i, off);
    }
}

static void evaluate_and_compare(const struct job *j, uint64_t seed) {
    struct fact_list keeping = j->list;
    keeping.options.keep_all = true;
    struct fact_feeder settles = fact_feeder_new(&j->list), keeps = fact_feeder_new(&keeping);
    uint64_t random = seed;
    int64_t through = 0;
    for (size_t i = 0; i < j->list.count && CU_get_number_of_failures() == 0; i++) {
        const struct fact *f = &j->list.items[i];
        fact_feed(&settles, f);
        fact_feed(&keeps, f);
        if (f->kind == FACT_RECORD && f->record.at_ms > through)
            through = f->record.at_ms;
        if (random_below(&random, 2000) != 0 && i + 1 < j->list.count)
            continue;
        char words[96];
        snprintf(words, sizeof words, "GOODPUT_SEED=%" PRIu64 " after %zu of %zu facts", seed, i, j->list.count);
        struct ledger_result s, k;
        ledger_evaluate(settles.ledger, through, &s);
        ledger_evaluate(keeps.ledger, through, &k);
        check_identities(&s, words);
        check_entries(settles.ledger, through, words);
        check_entries(keeps.ledger, through, words);
        compare(&s, &k, words);
        if (random_below(&random, 2) == 0)
            ledger_rest(settles.ledger);
        ledger_result_done(&s);
        ledger_result_done(&k);
    }
    ledger_free(settles.ledger);
    ledger_free(keeps.ledger);
}

TEST(a_settled_past_changes_nothing) {
    uint64_t seed = random_setting("GOODPUT_SEED", 20261121), count = random_setting("GOODPUT_JOBS", 60);
    for (uint64_t i = 0; i < count && CU_get_number_of_failures() == 0; i++, seed++) {
        struct job j = long_job(seed, false, true);
        evaluate_and_compare(&j, seed);
        fact_list_done(&j.list);
    }
}

/* ---- cut at random places ---- */

/* What would not fit makes a ledger fold, so the one that is never read back is written all the same: test_compact.c.
 */
static void save_too(struct ledger *l) {
    CLEANUP_BUF struct buf scratch;
    buf_init(&scratch, 1 << 24);
    CHECK_INT(ledger_save(l, LEDGER_SAVE_WITHOUT_OBJECTS, &scratch), 0);
}

static void evaluate_and_cut(const struct job *j, uint64_t seed, size_t *largest) {
    struct fact_feeder whole = fact_feeder_new(&j->list), cut = fact_feeder_new(&j->list);
    uint64_t random = seed;
    int64_t through = 0;
    for (size_t i = 0; i < j->list.count && CU_get_number_of_failures() == 0; i++) {
        const struct fact *f = &j->list.items[i];
        fact_feed(&whole, f);
        fact_feed(&cut, f);
        if (f->kind == FACT_RECORD && f->record.at_ms > through)
            through = f->record.at_ms;
        if (random_below(&random, 1500) == 0) {
            enum ledger_save_mode mode = random_below(&random, 2) ? LEDGER_SAVE_ALL : LEDGER_SAVE_WITHOUT_OBJECTS;
            fact_feeder_reload(&cut, &j->list, i + 1, mode);
            save_too(whole.ledger);
            ledger_rest(whole.ledger);
        }
        if (random_below(&random, 1500) != 0 && i + 1 < j->list.count)
            continue;
        struct ledger_result w, c;
        ledger_evaluate(whole.ledger, through, &w);
        ledger_evaluate(cut.ledger, through, &c);
        CLEANUP_FREE char *one = result_text(&w), *other = result_text(&c);
        if (strcmp(one, other) != 0)
            harness_fail(__FILE__, __LINE__,
                         "GOODPUT_SEED=%" PRIu64 " after %zu of %zu facts: read back\n%s\nnever saved\n%s", seed, i,
                         j->list.count, other, one);
        ledger_result_done(&w);
        ledger_result_done(&c);
        size_t size = fact_feeder_reload(&cut, &j->list, i + 1, LEDGER_SAVE_WITHOUT_OBJECTS);
        save_too(whole.ledger);
        *largest = size > *largest ? size : *largest;
    }
    ledger_free(whole.ledger);
    ledger_free(cut.ledger);
}

TEST(a_ledger_read_back_continues_as_if_never_saved) {
    uint64_t seed = random_setting("GOODPUT_SEED", 20261121), count = random_setting("GOODPUT_JOBS", 60);
    size_t largest = 0;
    for (uint64_t i = 0; i < count && CU_get_number_of_failures() == 0; i++, seed++) {
        struct job j = long_job(seed, seed % 2, false);
        evaluate_and_cut(&j, seed, &largest);
        fact_list_done(&j.list);
    }
    printf("ledger: the largest checkpoint had %zu bytes\n", largest);
    CHECK(largest <= 32768);
}

TEST(a_damaged_checkpoint_is_refused) {
    struct job j = long_job(random_setting("GOODPUT_SEED", 20261121), false, true);
    struct fact_feeder t = fact_feeder_new(&j.list);
    for (size_t i = 0; i < j.list.count; i++)
        fact_feed(&t, &j.list.items[i]);
    struct ledger_result r;
    ledger_evaluate(t.ledger, j.at_ms, &r);
    ledger_result_done(&r);
    CLEANUP_BUF struct buf saved;
    buf_init(&saved, 1 << 20);
    CHECK_INT(ledger_save(t.ledger, LEDGER_SAVE_ALL, &saved), 0);
    for (size_t i = 0; i < saved.size_bytes; i += 1 + i / 64) {
        CLEANUP_ERROR struct error *flipped = NULL, *cut = NULL;
        saved.data[i] ^= 4;
        CHECK(ledger_load(buf_slice(&saved), NULL, &flipped) == NULL && flipped != NULL);
        saved.data[i] ^= 4;
        CHECK(ledger_load((struct slice){saved.data, i}, NULL, &cut) == NULL && cut != NULL);
    }
    struct slice body = {saved.data, saved.size_bytes - 8};
    saved.data[4] = 38; /* version 19, and the checksum that belongs to it */
    struct buf newer;
    buf_init(&newer, 1 << 20);
    buf_append_slice(&newer, body);
    uint64_t sum = hash_stable(0, body);
    for (int i = 0; i < 8; i++)
        buf_append_char(&newer, (char)(sum >> (8 * i)));
    CLEANUP_ERROR struct error *err = NULL;
    CHECK(ledger_load(buf_slice(&newer), NULL, &err) == NULL);
    CHECK_TEXT(error_text(err), "the ledger's checkpoint is of version 19; this program reads version 18");
    CLEANUP_BUF struct buf small;
    buf_init(&small, 100);
    buf_append_text(&small, "kept");
    CHECK(ledger_save(t.ledger, LEDGER_SAVE_ALL, &small) < 0);
    CHECK_INT(small.size_bytes, 4);
    buf_done(&newer);
    ledger_free(t.ledger);
    fact_list_done(&j.list);
}

/* ---- a log that is read later than the next one ---- */

static void add_steps(struct ledger *l, int process, int64_t first, int64_t count, int64_t from_ms, int64_t line) {
    for (int64_t i = 0; i < count; i++) {
        struct record r = fact_record(RECORD_STEP_END, process, line + i + 1, from_ms + (i + 1) * 1000, first + i);
        ledger_add_record(l, &r);
    }
}

/* Two attempts, the first of 3,000 steps of 1 s; of its log 1,500 are read before all of the second's. */
static char *read_in_turn(bool is_awaited, int hundreds, int64_t *ret_late) {
    struct ledger *l = fact_ledger(&(struct ledger_options){.has_log = true, .ideal_step_ms = 1000}, 1);
    struct ledger_occupancy life = fact_running(1, 0, 0, 0);
    struct ledger_result r;
    ledger_add_occupancy(l, &life);
    int first = ledger_add_process(l, 1, NULL, 0, 3000000), second = ledger_add_process(l, 2, NULL, 3000000, TIME_OPEN);
    ledger_await(l, first, is_awaited);
    ledger_await(l, second, true);
    add_steps(l, first, 0, 1500, 0, 0);
    for (int i = 0; i < hundreds; i++) {
        add_steps(l, second, 3000 + i * 100, 100, 3000000 + i * 100000, i * 100);
        ledger_evaluate(l, 3000000 + (i + 1) * 100000, &r);
        ledger_result_done(&r);
    }
    add_steps(l, first, 1500, 1500, 1500000, 1500);
    ledger_await(l, first, false);
    ledger_evaluate(l, 3000000 + hundreds * 100000, &r);
    *ret_late = r.late_records;
    CHECK_INT(r.productive_ms,
              3000000 + hundreds * 100000); /* steps that are missing are proved by those that follow: Derived */
    CHECK_INT(r.buckets[r.bucket_count - 1].basis, *ret_late == 0 ? BASIS_OBSERVED : BASIS_DERIVED);
    char *text = result_text(&r);
    ledger_result_done(&r);
    ledger_free(l);
    return text;
}

TEST(a_log_that_is_awaited_is_never_late) {
    int64_t late;
    CLEANUP_FREE char *held = read_in_turn(true, 30, &late);
    CHECK_INT(late, 0);
    CLEANUP_FREE char *not_held = read_in_turn(false, 30, &late);
    CHECK(late > 0 && strcmp(held, not_held) != 0);
    CLEANUP_FREE char *too_long = read_in_turn(true, 200, &late); /* memory has its bound whoever is awaited */
    CHECK(late > 0 && too_long != NULL);
}

/* Steps that are a day apart: the windows' grid has millions of places in the time that is settled at once, of which
 * the last window's alone are needed. */
TEST(a_step_a_day_costs_no_more_memory_than_one_a_second) {
    struct ledger *l =
        fact_ledger(&(struct ledger_options){.has_log = true, .window_count = 2, .windows_ms = {3600000, 7200000}}, 1);
    struct ledger_occupancy life = fact_running(1, 0, 0, 0);
    struct ledger_result r;
    struct rusage before, after;
    ledger_add_occupancy(l, &life);
    int process = ledger_add_process(l, 1, NULL, 0, TIME_OPEN);
    getrusage(RUSAGE_SELF, &before);
    for (int64_t step = 0; step < 4000; step++) {
        struct record record = fact_record(RECORD_STEP_END, process, step + 1, (step + 1) * 86400000, step + 1);
        ledger_add_record(l, &record);
    }
    ledger_evaluate(l, INT64_C(4000) * 86400000, &r);
    getrusage(RUSAGE_SELF, &after);
    CHECK_INT(r.windows[0].ms, 3600000);
    CHECK(after.ru_maxrss - before.ru_maxrss < 64 * 1024);
    ledger_result_done(&r);
    ledger_free(l);
}
