#include "case_file.h"
#include "ledger/evaluate.h"

#include "base/buf.h"
#include "base/mem.h"
#include "entries_check.h"
#include "fact_list.h"
#include "harness.h"
#include "record_names.h"

#include <stdlib.h>

#define MAX_WORDS 40

enum expected { EXPECT_BUCKET, EXPECT_INTERRUPTION, EXPECT_EXECUTION, EXPECT_VALUE };

struct expectation {
    enum expected kind;
    int line, word_count;
    char *words[MAX_WORDS];
};

struct test_case {
    const char *path;
    char name[160];
    struct fact_list facts;
    int64_t through_ms;
    struct expectation expectations[64];
    int expectation_count;
    uint64_t process;
    int64_t log_line;
    uint64_t next_key;
};

/* ---- words ---- */

static int64_t time_of(const char *word, int64_t otherwise) {
    if (strcmp(word, "-") == 0)
        return otherwise;
    struct slice s = slice_of(word);
    int64_t ms = 0;
    if (!slice_take_scaled(&s, 3, &ms))
        harness_fail(word, 0, "not a time");
    return ms;
}

static int64_t number_of(const char *word) {
    return strtoll(word, NULL, 10);
}

static int bucket_of(const char *word) {
    if (strcmp(word, "NodeFailureDetection") == 0)
        return BUCKET_NODE_FAILURE_DETECTION;
    if (strcmp(word, "ProcessFailureDetection") == 0)
        return BUCKET_PROCESS_FAILURE_DETECTION;
    for (int i = 0; i < BUCKET_COUNT; i++)
        if (strcmp(bucket_name((enum bucket)i), word) == 0)
            return i;
    return -1;
}

static enum cause cause_of(const char *word) {
    for (int i = 0; i < CAUSE_COUNT; i++)
        if (strcmp(cause_name((enum cause)i), word) == 0)
            return (enum cause)i;
    harness_fail(word, 0, "not a cause");
    return CAUSE_UNKNOWN;
}

static enum record_kind record_kind_of(const char *word) {
    for (int i = 0; i < RECORD_KIND_COUNT; i++)
        if (strcmp(record_kind_name((enum record_kind)i), word) == 0)
            return (enum record_kind)i;
    harness_fail(word, 0, "not a kind of record");
    return RECORD_SIGN_OF_LIFE;
}

/* The index after a word in the line, or 0. */
static int after(char *const *w, int n, const char *word) {
    for (int i = 1; i < n; i++)
        if (strcmp(w[i], word) == 0)
            return i + 1;
    return 0;
}

static void set_time(char *const *w, int n, const char *word, int64_t *to) {
    int i = after(w, n, word);
    if (i > 0 && i < n)
        *to = time_of(w[i], *to);
}

static void set_text(char *const *w, int n, const char *word, char *to, size_t size) {
    int i = after(w, n, word);
    if (i > 0 && i < n)
        snprintf(to, size, "%s", w[i]);
}

/* ---- facts ---- */

static void read_span(struct test_case *c, char *const *w, int n) {
    c->facts.start_ms = time_of(w[1], TIME_UNKNOWN);
    c->facts.end_ms = time_of(w[2], TIME_OPEN);
    c->through_ms = c->facts.end_ms;
    c->facts.outcome = after(w, n, "succeeded") ? OUTCOME_SUCCEEDED
                       : after(w, n, "failed")  ? OUTCOME_FAILED
                       : after(w, n, "deleted") ? OUTCOME_DELETED
                                                : OUTCOME_RUNNING;
}

static void read_life(struct test_case *c, char *const *w, int n) {
    struct fact *f = fact_list_add(&c->facts, FACT_LIFE);
    struct ledger_occupancy *l = &f->life;
    *l = fact_life((uint64_t)number_of(w[1]), 0, 0);
    int slot = after(w, n, "slot"), pull = after(w, n, "pull"), chips = after(w, n, "chips");
    if (slot)
        l->slot = (uint32_t)number_of(w[slot]);
    if (chips)
        l->chips = (int32_t)number_of(w[chips]);
    if (pull) {
        l->pull_start_ms = time_of(w[pull], TIME_UNKNOWN);
        l->pull_end_ms = time_of(w[pull + 1], TIME_UNKNOWN);
    }
    set_time(w, n, "created", &l->created_ms);
    set_time(w, n, "bound", &l->bound_ms);
    set_time(w, n, "running", &l->running_ms);
    set_time(w, n, "lost", &l->lost_ms);
    set_time(w, n, "ended", &l->ended_ms);
    set_time(w, n, "done", &l->done_ms);
    set_time(w, n, "released", &l->released_ms);
    set_time(w, n, "known", &l->known_until_ms);
    set_text(w, n, "name", l->name, sizeof l->name);
}

static void read_unwatched(struct test_case *c, char *const *w) {
    struct fact *f = fact_list_add(&c->facts, FACT_UNWATCHED);
    f->at_ms = time_of(w[1], TIME_UNKNOWN);
    f->to_ms = time_of(w[2], TIME_OPEN);
}

static void read_hold(struct test_case *c, char *const *w, int n) {
    struct fact *f = fact_list_add(&c->facts, FACT_HOLD);
    f->hold = (struct ledger_hold){.kind = (enum bucket)bucket_of(w[1]),
                                   .key = ++c->next_key,
                                   .from_ms = time_of(w[2], INT64_MIN),
                                   .to_ms = time_of(w[3], TIME_OPEN)};
    f->hold.basis = after(w, n, "derived") ? BASIS_DERIVED : after(w, n, "assumed") ? BASIS_ASSUMED : BASIS_OBSERVED;
    snprintf(f->hold.evidence, sizeof f->hold.evidence, "hold %s from %s", w[1], w[2]);
}

static void read_disruption(struct test_case *c, char *const *w, int n) {
    struct fact *f = fact_list_add(&c->facts, FACT_DISRUPTION);
    struct ledger_disruption *d = &f->disruption;
    *d =
        (struct ledger_disruption){.cause = cause_of(w[1]), .key = ++c->next_key, .at_ms = time_of(w[2], TIME_UNKNOWN)};
    d->opens = after(w, n, "opens") != 0;
    set_text(w, n, "reason", d->reason, sizeof d->reason);
    set_text(w, n, "node", d->node, sizeof d->node);
    snprintf(d->evidence, sizeof d->evidence, "%s at %s", w[1], w[2]);
}

static struct record *add_record(struct test_case *c, enum record_kind kind, int64_t at_ms) {
    struct record r = fact_record(kind, 0, ++c->log_line, at_ms, RECORD_NONE);
    return fact_list_record(&c->facts, c->process, &r);
}

static void read_record(struct test_case *c, char *const *w, int n) {
    struct record *r = add_record(c, record_kind_of(w[2]), time_of(w[1], TIME_UNKNOWN));
    int step = after(w, n, "step");
    if (step)
        r->step = number_of(w[step]);
    set_time(w, n, "for", &r->duration_ms);
    r->is_async = after(w, n, "async") != 0;
    r->is_derived = after(w, n, "derived") != 0;
    set_text(w, n, "name", r->name, sizeof r->name);
}

static void read_steps(struct test_case *c, char *const *w) {
    int64_t first = number_of(w[2]), last = number_of(w[3]), at = time_of(w[4], 0), every = time_of(w[5], 0);
    enum record_kind kind = strcmp(w[1], "START") == 0 ? RECORD_STEP_START : RECORD_STEP_END;
    for (int64_t step = first; step <= last; step++) {
        struct record *r = add_record(c, kind, at + (step - first) * every);
        r->step = step;
        if (kind == RECORD_STEP_END)
            r->duration_ms = every;
    }
}

static void read_between(struct test_case *c, enum fact_kind kind, char *const *w, int n) {
    struct fact *f = fact_list_add(&c->facts, kind);
    f->id = (uint64_t)number_of(w[1]);
    f->at_ms = time_of(w[2], TIME_UNKNOWN);
    f->to_ms = time_of(w[3], TIME_OPEN);
    if (kind == FACT_PROCESS) {
        c->process = f->id;
        c->log_line = 0;
        for (int i = 4; i < n; i++)
            f->amount |= strcmp(w[i], "whole") == 0  ? PROCESS_IS_WHOLE
                         : strcmp(w[i], "cut") == 0  ? PROCESS_IS_CUT
                         : strcmp(w[i], "late") == 0 ? PROCESS_IS_LATE
                                                     : PROCESS_IS_PROMPT;
    }
}

static void read_amount(struct test_case *c, enum fact_kind kind, char *const *w) {
    struct fact *f = fact_list_add(&c->facts, kind);
    f->at_ms = time_of(w[1], 0);
    f->amount = number_of(w[2]);
}

static void read_expectation(struct test_case *c, enum expected kind, char *const *w, int n, int line) {
    struct expectation *e = &c->expectations[c->expectation_count++];
    e->kind = kind;
    e->line = line;
    e->word_count = n;
    for (int i = 0; i < n; i++)
        e->words[i] = mem_strdup(w[i]);
}

static bool read_option(struct test_case *c, char *const *w) {
    if (strcmp(w[0], "through") == 0)
        c->through_ms = time_of(w[1], TIME_OPEN);
    else if (strcmp(w[0], "ideal") == 0)
        c->facts.options.ideal_step_ms = time_of(w[1], 0);
    else if (strcmp(w[0], "hang") == 0)
        c->facts.options.hang_after_ms = time_of(w[1], 0);
    else if (strcmp(w[0], "window") == 0)
        c->facts.options.windows_ms[c->facts.options.window_count++] = time_of(w[1], 0);
    else if (strcmp(w[0], "nolog") == 0)
        c->facts.options.has_log = false;
    else
        return false;
    return true;
}

static void read_line(struct test_case *c, char *const *w, int n, int line) {
    if (strcmp(w[0], "span") == 0)
        read_span(c, w, n);
    else if (strcmp(w[0], "required") == 0)
        read_amount(c, FACT_REQUIRED, w);
    else if (strcmp(w[0], "chips") == 0)
        read_amount(c, FACT_CHIPS, w);
    else if (strcmp(w[0], "life") == 0)
        read_life(c, w, n);
    else if (strcmp(w[0], "restart") == 0)
        read_between(c, FACT_RESTART, w, n);
    else if (strcmp(w[0], "silence") == 0)
        read_between(c, FACT_SILENCE, w, n);
    else if (strcmp(w[0], "unwatched") == 0)
        read_unwatched(c, w);
    else if (strcmp(w[0], "process") == 0)
        read_between(c, FACT_PROCESS, w, n);
    else if (strcmp(w[0], "hold") == 0)
        read_hold(c, w, n);
    else if (strcmp(w[0], "disruption") == 0)
        read_disruption(c, w, n);
    else if (strcmp(w[0], "at") == 0)
        read_record(c, w, n);
    else if (strcmp(w[0], "steps") == 0)
        read_steps(c, w);
    else if (strcmp(w[0], "expect") == 0)
        read_expectation(c, EXPECT_BUCKET, w, n, line);
    else if (strcmp(w[0], "expect-interruption") == 0)
        read_expectation(c, EXPECT_INTERRUPTION, w, n, line);
    else if (strcmp(w[0], "expect-execution") == 0)
        read_expectation(c, EXPECT_EXECUTION, w, n, line);
    else if (strcmp(w[0], "expect-value") == 0)
        read_expectation(c, EXPECT_VALUE, w, n, line);
    else if (!read_option(c, w))
        harness_fail(c->path, line, "\"%s\" begins no line of this language", w[0]);
}

/* ---- expectations ---- */

static void expect_same(const struct test_case *c, const struct expectation *e, const char *what, int64_t actual,
                        int64_t expected) {
    if (actual == RECORD_NONE && expected == RECORD_NONE)
        return;
    if (actual != expected)
        harness_fail(c->path, e->line, "case \"%s\": %s is %" PRId64 ", expected %" PRId64, c->name, what, actual,
                     expected);
}

static const struct ledger_bucket *find_bucket(const struct ledger_result *r, const char *word) {
    const char *custom = strncmp(word, "Custom/", 7) == 0 ? word + 7 : NULL;
    for (int i = 0; i < r->bucket_count; i++)
        if (custom ? strcmp(r->buckets[i].custom, custom) == 0 : (int)r->buckets[i].bucket == bucket_of(word))
            return &r->buckets[i];
    return NULL;
}

static void check_bucket(const struct test_case *c, const struct expectation *e, const struct ledger_result *r) {
    const struct ledger_bucket *b = find_bucket(r, e->words[1]);
    expect_same(c, e, e->words[1], b ? b->ms : 0, time_of(e->words[2], 0));
    int count = after(e->words, e->word_count, "count"), basis = after(e->words, e->word_count, "basis");
    if (count && b)
        expect_same(c, e, "count", b->count, number_of(e->words[count]));
    if (basis && b && strcmp(basis_name(b->basis), e->words[basis]) != 0)
        harness_fail(c->path, e->line, "case \"%s\": basis of %s is %s", c->name, e->words[1], basis_name(b->basis));
}

static void check_interruption(const struct test_case *c, const struct expectation *e,
                               const struct ledger_interruption *x) {
    if (strcmp(cause_name(x->cause), e->words[1]) != 0)
        harness_fail(c->path, e->line, "case \"%s\": the cause is %s", c->name, cause_name(x->cause));
    expect_same(c, e, "at", x->at_ms, time_of(e->words[2], 0));
    expect_same(c, e, "until", x->until_ms, time_of(e->words[3], TIME_OPEN));
    const struct {
        const char *word;
        int64_t value;
    } times[] = {{"tre", x->tre_ms},     {"wait", x->wait_ms},         {"trm", x->trm_ms},
                 {"tch", x->tch_ms},     {"catch-up", x->catch_up_ms}, {"chips", x->chip_ms},
                 {"quiet", x->quiet_ms}, {"detect", x->detect_ms},     {"cost", x->cost_ms}};
    for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
        int at = after(e->words, e->word_count, times[i].word);
        if (at)
            expect_same(c, e, times[i].word, times[i].value, time_of(e->words[at], RECORD_NONE));
    }
    int lost = after(e->words, e->word_count, "lost");
    if (lost)
        expect_same(c, e, "lost", x->lost_steps,
                    strcmp(e->words[lost], "-") == 0 ? RECORD_NONE : number_of(e->words[lost]));
}

static void check_execution(const struct test_case *c, const struct expectation *e, const struct ledger_result *r) {
    int64_t number = number_of(e->words[1]);
    if (number < 1 || number > r->execution_count) {
        harness_fail(c->path, e->line, "case \"%s\": %d executions", c->name, r->execution_count);
        return;
    }
    const struct ledger_execution *x = &r->executions[number - 1];
    const struct {
        const char *word;
        int64_t value;
    } times[] = {{"pull", x->image_pull_ms}, {"start", x->container_start_ms}, {"startup", x->startup_ms}};
    for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
        int at = after(e->words, e->word_count, times[i].word);
        if (at)
            expect_same(c, e, times[i].word, times[i].value, time_of(e->words[at], RECORD_NONE));
    }
    int puller = after(e->words, e->word_count, "puller");
    if (puller && strcmp(x->puller, e->words[puller]) != 0)
        harness_fail(c->path, e->line, "case \"%s\": \"%s\" pulled longest", c->name, x->puller);
}

static void check_value(const struct test_case *c, const struct expectation *e, const struct ledger_result *r) {
    const struct {
        const char *word;
        int64_t value;
        bool is_time;
    } values[] = {
        {"available", r->available_ms, true},
        {"productive", r->productive_ms, true},
        {"provisional", r->provisional_ms, true},
        {"has_steps", r->has_steps, false},
        {"step_count", r->step_count, false},
        {"lost_steps", r->lost_steps, false},
        {"retained_steps", r->retained_steps, false},
        {"last_step", r->last_step, false},
        {"max_step", r->max_step, false},
        {"last_durable_step", r->last_durable_step, false},
        {"ideal", r->ideal_step_ms, true},
        {"clipped", r->clipped_ms, true},
        {"headless", r->headless_ms, true},
        {"overlapped", r->overlapped_records, false},
        {"retained_without_checkpoint", r->retained_without_checkpoint, false},
        {"in_interruption", r->in_interruption, false},
        {"executions", r->execution_count, false},
        {"mtbi", r->mtbi_ms, true},
        {"mttr", r->mttr_ms, true},
        {"runtime_ppm", ledger_scores_of(r).runtime_ppm, false},
        {"job_ppm", ledger_scores_of(r).job_ppm, false},
        {"chip_allocated", r->chip_ms_allocated, true},
        {"chip_productive", r->chip_ms_productive, true},
        {"chip_waiting", r->chip_ms_waiting, true},
        {"window_available", r->windows[0].available_ms, true},
        {"window_productive", r->windows[0].productive_ms, true},
        {"slots_available", r->slots_available, false},
        {"first_step_now", r->first_step_now, false},
        {"image_pull_2", r->execution_count > 1 ? r->executions[1].image_pull_ms : -1, true},
        {"saved_on_sigterm", r->interruption_count > 0 && r->interruptions[0].saved_on_sigterm, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(values); i++)
        if (strcmp(e->words[1], values[i].word) == 0) {
            int64_t expected = strcmp(e->words[2], "-") == 0 ? RECORD_NONE
                               : values[i].is_time           ? time_of(e->words[2], 0)
                                                             : number_of(e->words[2]);
            expect_same(c, e, e->words[1], values[i].value, expected);
            return;
        }
    harness_fail(c->path, e->line, "no value \"%s\"", e->words[1]);
}

static void check_complete(const struct test_case *c, const struct ledger_result *r, int buckets, int interruptions) {
    for (int i = 0; i < r->bucket_count && buckets > 0; i++) {
        bool is_expected = false;
        for (int k = 0; k < c->expectation_count; k++)
            is_expected |= c->expectations[k].kind == EXPECT_BUCKET &&
                           find_bucket(r, c->expectations[k].words[1]) == &r->buckets[i];
        if (!is_expected)
            harness_fail(c->path, c->expectations[0].line, "case \"%s\": unexpected bucket %s of %" PRId64 " ms",
                         c->name, bucket_name(r->buckets[i].bucket), r->buckets[i].ms);
    }
    if (r->interruption_count != interruptions)
        harness_fail(c->path, c->expectation_count ? c->expectations[0].line : 0,
                     "case \"%s\": %d interruptions, expected %d (the first at %" PRId64 ", %s)", c->name,
                     r->interruption_count, interruptions,
                     r->interruption_count ? r->interruptions[r->interruption_count - 1].at_ms : 0,
                     r->interruption_count ? cause_name(r->interruptions[r->interruption_count - 1].cause) : "");
}

static void check_expectations(const struct test_case *c, const struct ledger_result *r) {
    int buckets = 0, interruptions = 0;
    for (int i = 0; i < c->expectation_count; i++) {
        const struct expectation *e = &c->expectations[i];
        if (e->kind == EXPECT_BUCKET) {
            buckets++;
            check_bucket(c, e, r);
        } else if (e->kind == EXPECT_EXECUTION) {
            check_execution(c, e, r);
        } else if (e->kind == EXPECT_VALUE) {
            check_value(c, e, r);
        } else if (interruptions++ < r->interruption_count) {
            check_interruption(c, e, &r->interruptions[interruptions - 1]);
        }
    }
    check_complete(c, r, buckets, interruptions);
}

/* ---- running ---- */

static void run_case(struct test_case *c) {
    struct ledger *ledger = fact_list_ledger(&c->facts);
    struct ledger_result result;
    ledger_evaluate(ledger, c->through_ms, &result);
    check_expectations(c, &result);
    check_identities(&result, c->name);
    check_entries(ledger, c->through_ms, c->name);
    CLEANUP_FREE char *text = result_text(&result);
    ledger_result_done(&result);
    for (int64_t part = 0; part <= 50; part++) { /* any time gives a whole */
        int64_t to = c->through_ms == TIME_OPEN ? c->facts.start_ms + 1000000 : c->through_ms;
        ledger_evaluate(ledger, c->facts.start_ms + (to - c->facts.start_ms) * part / 50, &result);
        check_identities(&result, c->name);
        ledger_result_done(&result);
    }
    ledger_free(ledger);
    uint64_t random = 1;
    for (int i = 0; i < 4; i++) {
        ledger = fact_list_shuffled(&c->facts, &random);
        ledger_evaluate(ledger, c->through_ms, &result);
        CLEANUP_FREE char *shuffled = result_text(&result);
        if (strcmp(text, shuffled) != 0)
            harness_fail(c->path, 0, "case \"%s\": another order of the facts gives\n%s\ninstead of\n%s", c->name,
                         shuffled, text);
        ledger_result_done(&result);
        ledger_free(ledger);
    }
}

static void end_case(struct test_case *c) {
    if (c->name[0] != '\0')
        run_case(c);
    for (int i = 0; i < c->expectation_count; i++)
        for (int k = 0; k < c->expectations[i].word_count; k++)
            free(c->expectations[i].words[k]);
    fact_list_done(&c->facts);
    const char *path = c->path;
    *c = (struct test_case){.path = path};
    c->facts.options.has_log = true;
}

void case_file_run(const char *path) {
    CLEANUP_FREE char *text = harness_read_file(path, NULL);
    if (text == NULL)
        return;
    struct test_case *c = mem_new(struct test_case);
    c->path = path;
    int line = 0;
    for (char *rest = text, *at; (at = strsep(&rest, "\n")) != NULL;) {
        line++;
        at[strcspn(at, "#")] = '\0';
        if (strncmp(at, "case ", 5) == 0) {
            end_case(c);
            snprintf(c->name, sizeof c->name, "%s", at + 5);
            continue;
        }
        char *words[MAX_WORDS];
        int n = 0;
        for (char *word; n < MAX_WORDS && (word = strsep(&at, " \t")) != NULL;)
            if (*word != '\0')
                words[n++] = word;
        for (int i = n; i < 8; i++)
            words[i] = "-";
        if (n > 0)
            read_line(c, words, n, line);
    }
    end_case(c);
    free(c);
}
