/* entries: a ledger's time span by span, so that anybody can add it up again: the sums over the entries are those of
 * the result, in every bucket and for every interruption. Entries are in time order and disjoint; one ends wherever
 * anything that it says changes.
 *
 * What the ledger has settled is in no entry: those start at complete_from_ms, and struct ledger_settled_sums has the
 * sums of the time before. With keep_all nothing is settled, and the entries cover all time that counts. */
#ifndef LEDGER_ENTRIES_H
#define LEDGER_ENTRIES_H

#include "ledger/evaluate.h"

/* The part of the recovery from the interruption before it. Time may cost two interruptions: the recovery from one, in
 * which work is done that the next one loses. */
enum ledger_recovery { RECOVERY_NONE, RECOVERY_WAIT, RECOVERY_RESCHEDULE, RECOVERY_RESUME };

struct ledger_entry {
    int64_t from_ms, to_ms;
    int64_t chips, idle_chips, waiting_chips; /* allocated and used; of slices that are down; not allocated */
    int64_t line, step, last_step;            /* of the log that `text` names; 0 and RECORD_NONE: none */
    int64_t stamp_ms;                         /* of that line, or when the object came to say so; TIME_UNKNOWN */
    int text;                                 /* evidence: index into texts, or of a log its name; -1: none */
    int execution;                            /* from 1 */
    int interruption;                         /* that caused the loss, from 1; 0: none did */
    enum bucket bucket;
    int custom; /* BUCKET_CUSTOM: index into custom_names */
    enum basis basis;
    enum ledger_recovery recovery; /* of interruption execution - 1 */
    bool is_log;                   /* text names a log */
    bool is_lost_work;             /* of that interruption */
    bool is_provisional;           /* Productive, but no checkpoint has it yet */
    bool is_new;                   /* a separate span of its bucket (its count); else more of the one before */
};

/* A bucket's sums over settled time; the fields are those of struct ledger_bucket. */
struct ledger_settled_bucket {
    enum bucket bucket;
    int custom; /* BUCKET_CUSTOM: index into custom_names */
    enum basis basis;
    int64_t ms, count, chip_ms, interrupted_ms, interrupted_chip_ms;
};

/* What an interruption cost in settled time; the fields are those of struct ledger_interruption. */
struct ledger_settled_cost {
    int interruption; /* from 1 */
    int64_t tch_ms, tre_ms, wait_ms, trm_ms, cost_ms, chip_ms, detect_ms;
};

#define LEDGER_SETTLED_BUCKETS (BUCKET_COUNT + LEDGER_MAX_CUSTOM + 1)

struct ledger_settled_sums { /* all-zero: nothing is settled */
    struct ledger_settled_bucket buckets[LEDGER_SETTLED_BUCKETS];
    int bucket_count;
    struct ledger_settled_cost *costs; /* of the listed interruptions that cost any */
    size_t cost_count, cost_capacity;
    int64_t provisional_ms, idle_chip_ms, waiting_chip_ms;
};

struct ledger_entries {
    int64_t complete_from_ms;
    bool keeps_changes; /* settled: only what changed of settled time since it settled: work that was lost later */
    struct ledger_settled_sums settled;
    struct ledger_entry *items;
    size_t count, capacity;
    char **texts;
    size_t text_count, text_capacity;
    char custom_names[LEDGER_MAX_CUSTOM + 1][RECORD_NAME_SIZE];
};

/* What settled at once: [from_ms, to_ms). A job's parts follow each other without a gap from its start. The sums over
 * the spans and the changes of all parts are those of the settled time. */
struct ledger_settled_part {
    int64_t from_ms, to_ms;
    const struct ledger_entries *entries; /* with the changes of earlier parts */
    const struct ledger_interruption *interruptions;
    int interruption_count;
    int dropped_count;                /* the first of them, which no later result lists */
    const struct ledger_older *older; /* ledger_report_settled: those that were dropped before; NULL: none */
};

void ledger_entries_done(struct ledger_entries *entries);

#endif
