/* A small job of a recorder: what was told of it before an older version of this program wrote its checkpoint
 * (tests/data/ledger/checkpoint-v1.bin, with settled steps, interruptions, windows, a custom event and an open save),
 * and what came after. The same code made the file. */
#ifndef TESTS_LEDGER_OLD_JOB_H
#define TESTS_LEDGER_OLD_JOB_H

#include "ledger/ledger.h"

enum { OLD_JOB_STEPS = 4000, OLD_JOB_SAVED_AT = 3500, OLD_JOB_RESTART_EVERY = 900 };

struct old_job {
    struct ledger *ledger;
    int process;
    int64_t line, at_ms, number, began_ms;
};

static void old_job_say(struct old_job *j, enum record_kind kind, int64_t step, const char *name) {
    struct record r = RECORD_INIT;
    r.process = j->process;
    r.kind = kind;
    r.line = ++j->line;
    r.at_ms = j->at_ms;
    r.step = step;
    for (size_t i = 0; name[i] != '\0' && i + 1 < sizeof r.name; i++)
        r.name[i] = name[i];
    ledger_add_record(j->ledger, &r);
}

static void old_job_tell(struct old_job *j, int64_t ended_ms) {
    struct ledger_life life = {.id = (uint64_t)j->number,
                               .created_ms = j->began_ms,
                               .bound_ms = j->began_ms + 1000,
                               .pull_start_ms = TIME_UNKNOWN,
                               .pull_end_ms = TIME_UNKNOWN,
                               .running_ms = j->began_ms + 3000,
                               .lost_ms = ended_ms,
                               .ended_ms = ended_ms,
                               .done_ms = TIME_UNKNOWN,
                               .released_ms = ended_ms,
                               .chips = 4};
    ledger_add_life(j->ledger, &life);
    j->process = ledger_add_process(j->ledger, (uint64_t)j->number, j->began_ms + 3000, ended_ms);
    ledger_name_process(j->ledger, j->process, "trainer-0");
}

static void old_job_begin(struct old_job *j) {
    j->number++;
    j->line = 0;
    j->began_ms = j->at_ms;
    j->at_ms += 8000;
    old_job_tell(j, TIME_OPEN);
}

/* Steps [from, to): 2 s each, a save every 50; each restart goes back to the last one. */
static void old_job_train(struct old_job *j, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++) {
        int64_t step = i - i / OLD_JOB_RESTART_EVERY * 30;
        old_job_say(j, RECORD_STEP_START, step, "");
        j->at_ms += 2000;
        if (step % 50 == 49) {
            old_job_say(j, RECORD_SAVE_START, step, "");
            j->at_ms += 300;
            old_job_say(j, RECORD_SAVE_DURABLE, step, "");
        }
        if (step % 700 == 1) {
            old_job_say(j, RECORD_CUSTOM_START, RECORD_NONE, "EVAL");
            j->at_ms += 5000;
            old_job_say(j, RECORD_CUSTOM_END, RECORD_NONE, "EVAL");
        }
        if (i % OLD_JOB_RESTART_EVERY == OLD_JOB_RESTART_EVERY - 1) {
            old_job_tell(j, j->at_ms);
            j->at_ms += 30000;
            old_job_begin(j);
        }
    }
}

static struct old_job old_job_new(void) {
    static const struct ledger_options options = {
        .has_log = true, .ideal_step_ms = 2000, .window_count = 2, .windows_ms = {600000, 3600000}};
    struct old_job j = {.ledger = ledger_new(&options), .at_ms = INT64_C(1790000000000)};
    ledger_set_span(j.ledger, j.at_ms, TIME_OPEN, OUTCOME_RUNNING);
    ledger_set_required(j.ledger, j.at_ms, 1);
    old_job_begin(&j);
    return j;
}

#endif
