/* Lives that nothing names can be forgotten: the result is the same without them, now and after a load. */
#include "fact_list.h"
#include "harness.h"

#include "base/mem.h"
#include "ledger/checkpoint.h"
#include "ledger/evaluate.h"
#include "ledger/forget.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LIVES = 60, SLOTS = 3, SPAN = 600000, THROUGH = 2 * SPAN };

static int64_t second(uint64_t *r, int64_t span) {
    return random_below(r, span / 1000) * 1000;
}

/* An occupancy and the facts with it: the cause of its end, its waits, a restart, a silence. */
static void add_life(struct ledger *l, uint64_t *r, size_t i) {
    struct ledger_occupancy life = fact_life(i + 1, (uint32_t)random_below(r, SLOTS), second(r, SPAN));
    int64_t at = life.created_ms;
    life.bound_ms = random_below(r, 6) ? at += second(r, 5000) : TIME_UNKNOWN;
    life.pull_start_ms = random_below(r, 2) ? at : TIME_UNKNOWN;
    life.pull_end_ms = random_below(r, 4) ? at += second(r, 9000) : TIME_UNKNOWN;
    life.running_ms = random_below(r, 6) ? at += second(r, 5000) : TIME_UNKNOWN;
    life.lost_ms = random_below(r, 12) ? at += second(r, SPAN / 8) : TIME_OPEN;
    life.done_ms = random_below(r, 12) ? TIME_UNKNOWN : at;
    life.released_ms = life.lost_ms == TIME_OPEN ? TIME_OPEN : at + second(r, 3000);
    life.known_until_ms = random_below(r, 3) ? TIME_OPEN : life.lost_ms;
    life.chips = (int32_t)random_below(r, 5);
    snprintf(life.name, sizeof life.name, "pod-%d", (int)i);
    ledger_add_occupancy(l, &life);
    if (random_below(r, 3) == 0)
        ledger_add_restart(l, life.id, life.created_ms + 9000, life.created_ms + 12000);
    if (random_below(r, 3) == 0)
        ledger_add_silence(l, life.id, life.created_ms + 20000, life.created_ms + 24000);
    struct ledger_disruption d = {.cause = random_below(r, 2) ? CAUSE_POD_DELETED : CAUSE_NODE_FAILURE,
                                  .key = life.id,
                                  .at_ms = life.lost_ms == TIME_OPEN ? TIME_UNKNOWN : life.lost_ms};
    snprintf(d.evidence, sizeof d.evidence, "disruption %d", (int)i);
    if (random_below(r, 2) == 0)
        ledger_add_disruption(l, &d);
    struct ledger_hold hold = {.kind = BUCKET_PROVISIONING,
                               .key = life.id,
                               .from_ms = life.created_ms,
                               .to_ms = life.created_ms + second(r, 9000)};
    snprintf(hold.evidence, sizeof hold.evidence, "hold %d", (int)i);
    if (random_below(r, 8) == 0)
        ledger_add_hold(l, &hold);
}

static char *evaluated(struct ledger *l) {
    struct ledger_result result;
    ledger_evaluate(l, THROUGH, &result);
    char *text = result_text(&result);
    ledger_result_done(&result);
    return text;
}

static void add(void *context, const struct ledger_change *change) {
    ledger_add_past(context, change);
}

static int forget(struct ledger *l, bool even_newest) {
    int forgotten = 0;
    struct ledger_forgetting *f = ledger_forget_begin(l, THROUGH);
    for (uint64_t id = 1; id <= LIVES; id++) {
        if (!ledger_can_forget_occupancy(f, id, even_newest) || !ledger_can_forget_disruption(f, id) ||
            !ledger_can_forget_hold(f, BUCKET_PROVISIONING, id))
            continue;
        ledger_forget_occupancy(f, id, add, l);
        ledger_forget_hold(f, BUCKET_PROVISIONING, id);
        ledger_forget_disruption(f, CAUSE_POD_DELETED, id);
        ledger_forget_disruption(f, CAUSE_NODE_FAILURE, id);
        forgotten++;
    }
    ledger_forget_done(f);
    return forgotten;
}

static struct ledger *reloaded(struct ledger *l) {
    CLEANUP_BUF struct buf saved;
    buf_init(&saved, 1 << 20);
    CHECK_INT(ledger_save(l, LEDGER_SAVE_ALL, &saved), 0);
    ledger_free(l);
    struct ledger *next = ledger_load(buf_slice(&saved), NULL, NULL);
    CHECK(next != NULL);
    return next;
}

TEST(without_the_forgotten_occupancies_the_result_is_the_same) {
    uint64_t first = random_setting("GOODPUT_SEED", 1);
    int forgotten = 0;
    for (uint64_t seed = first; seed < first + 300 && CU_get_number_of_failures() == 0; seed++) {
        uint64_t r = seed;
        struct ledger *l = ledger_new(&(struct ledger_options){.windows_ms = {SPAN}, .window_count = 1});
        ledger_set_span(l, 0, TIME_OPEN, OUTCOME_RUNNING);
        ledger_set_required(l, 0, SLOTS);
        ledger_set_unwatched(l, (struct ledger_span[]){{0, SPAN / 8}, {SPAN / 4, SPAN / 2}}, seed % 3);
        for (size_t i = 0; i < LIVES; i++)
            add_life(l, &r, i);
        CLEANUP_FREE char *whole = evaluated(l);
        CLEANUP_FREE char *rest = NULL;
        for (int more = 1; more > 0; forgotten += more) {
            more = forget(l, seed % 2 == 0);
            free(rest);
            rest = evaluated(l);
        }
        l = reloaded(l);
        CLEANUP_FREE char *loaded = evaluated(l);
        if (strcmp(rest, whole) != 0 || strcmp(loaded, whole) != 0)
            harness_fail(__FILE__, __LINE__, "GOODPUT_SEED=%" PRIu64 ":\n%s\nloaded\n%s\ninstead of\n%s", seed, rest,
                         loaded, whole);
        ledger_free(l);
    }
    CHECK(first != 1 || forgotten > 300 * LIVES / 5);
}
