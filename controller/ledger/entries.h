/* entries: a ledger's time span by span, so that anybody can add it up again: the sums over the entries are those of
 * the result, in every bucket and for every interruption. Entries are in time order and disjoint; one ends wherever
 * anything that it says changes.
 *
 * What the ledger has settled is in no entry: those begin at complete_from_ms, and the sums before that time are the
 * result's less those of the entries. With keep_all nothing is settled, and the entries cover all time that counts. */
#ifndef LEDGER_ENTRIES_H
#define LEDGER_ENTRIES_H

#include "ledger/ledger.h"

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

struct ledger_entries {
    int64_t complete_from_ms;
    struct ledger_entry *items;
    size_t count, capacity;
    char **texts;
    size_t text_count, text_capacity;
    char custom_names[LEDGER_MAX_CUSTOM + 1][RECORD_NAME_SIZE];
};

void ledger_entries_done(struct ledger_entries *entries);

#endif
