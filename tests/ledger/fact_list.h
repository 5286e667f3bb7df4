/* fact_list: a job's facts as a list, so that a test can add them in any order, twice, or up to a time, and compare
 * what the ledger makes of them as text. */
#ifndef TESTS_LEDGER_FACT_LIST_H
#define TESTS_LEDGER_FACT_LIST_H

#include "ledger/checkpoint.h"
#include "ledger/evaluate.h"
#include "random.h"

enum fact_kind {
    FACT_REQUIRED,
    FACT_CHIPS,
    FACT_LIFE,
    FACT_RESTART,
    FACT_SILENCE,
    FACT_UNWATCHED, /* one span at most */
    FACT_HOLD,
    FACT_DISRUPTION,
    FACT_PROCESS,
    FACT_RECORD
};

/* Of a process: its lines come at once; its log was read to its end; its lines come a step late. */
enum { PROCESS_IS_PROMPT = 1, PROCESS_IS_WHOLE = 2, PROCESS_IS_LATE = 4, PROCESS_IS_CUT = 8 };

struct fact {
    enum fact_kind kind;
    int64_t at_ms, to_ms,
        amount;  /* required, chips, restart, silence, unwatched, process (amount: PROCESS_* together) */
    uint64_t id; /* life or process */
    union {
        struct ledger_occupancy life;
        struct ledger_hold hold;
        struct ledger_disruption disruption;
        struct record record; /* process: the id of FACT_PROCESS */
    };
};

struct fact_list {
    struct ledger_options options;
    int64_t start_ms, end_ms;
    enum ledger_outcome outcome;
    struct fact *items;
    size_t count, capacity;
};

struct fact *fact_list_add(struct fact_list *list, enum fact_kind kind);
void fact_list_done(struct fact_list *list);
struct ledger_occupancy fact_life(uint64_t id, uint32_t slot, int64_t created_ms); /* nothing else known */
/* A pod that was created, bound and running at that time, with that many chips. */
struct ledger_occupancy fact_running(uint64_t id, uint32_t slot, int64_t at_ms, int32_t chips);
/* What a line says of a step (RECORD_NONE: of no step), without a duration. */
struct record fact_record(enum record_kind kind, int process, int64_t line, int64_t at_ms, int64_t step);
/* Adds it as a fact of the process with that id. Borrowed. */
struct record *fact_list_record(struct fact_list *list, uint64_t process_id, const struct record *record);
/* A ledger of a job that runs since 0 and requires that many slots. */
struct ledger *fact_ledger(const struct ledger_options *options, int64_t slots);

/* Adds facts to a ledger one by one. */
struct fact_feeder {
    struct ledger *ledger;
    uint64_t process_ids[256];
    int process_ordinals[256];
    int64_t process_times[256][2];
    bool is_whole[256], is_cut[256];
    size_t process_count;
};
void fact_feed(struct fact_feeder *t, const struct fact *f);
/* Saves the ledger and continues with the one read back; what the checkpoint leaves out is added again: the facts
 * before `before`. Returns the checkpoint's size. */
size_t fact_feeder_reload(struct fact_feeder *t, const struct fact_list *list, size_t before,
                          enum ledger_save_mode mode);
struct fact_feeder fact_feeder_new(const struct fact_list *list); /* of a new ledger, which the caller frees */

/* A ledger with the facts in the list's order. */
struct ledger *fact_list_ledger(const struct fact_list *list);
/* The same facts in a random order, some of them twice; each process's records in their own order. */
struct ledger *fact_list_shuffled(const struct fact_list *list, uint64_t *random);
/* Every field of a result, a line each (heap). */
char *result_text(const struct ledger_result *result);
/* The bucket, or NULL if the result has no time in it. */
const struct ledger_bucket *result_bucket(const struct ledger_result *result, enum bucket bucket);
/* Checks what must hold for any result (sum, P <= A <= W, ...); reports with the given words. */
void check_identities(const struct ledger_result *result, const char *words);

#endif
