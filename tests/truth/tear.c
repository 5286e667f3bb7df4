#include "tear.h"

#include "judge.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is left was looked at (--seed): the beginning or the end of an evaluation or of the job (Recorder), a bar's line
 * that held all numbers of a process (Hugging Face, Lightning), the one "Epoch 1/4" before a first epoch (Keras), the
 * line from which the first step counts, or the line that a save is final. */
#define MAX_PERMILLE_OUT 15
#define SHOWN 5

enum kind_of_tear { TEAR_REST, TEAR_REST_AND_END, TEAR_END, TEAR_HEAD, TEAR_KINDS };

static const char *const kinds[TEAR_KINDS] = {"its rest lost", "its rest and its end lost", "its end lost",
                                              "its head lost"};

/* Where the n-th line begins; n < the number of lines. */
static size_t line_start(const struct buf *text, size_t n) {
    const char *at = text->data;
    for (; n > 0; n--)
        at = (const char *)memchr(at, '\n', text->size_bytes - (size_t)(at - text->data)) + 1;
    return (size_t)(at - text->data);
}

static void cut(struct buf *text, size_t from, size_t to) {
    memmove(text->data + from, text->data + to, text->size_bytes - to);
    text->size_bytes -= to - from;
}

void tear_line(struct tear *t, struct buf *text) {
    uint64_t random = t->seed;
    size_t lines = 0;
    for (size_t i = 0; i < text->size_bytes; i++)
        lines += text->data[i] == '\n';
    if (lines == 0)
        return;
    size_t n = random_next(&random) % lines, from = line_start(text, n);
    size_t end = (size_t)((const char *)memchr(text->data + from, '\n', text->size_bytes - from) - text->data);
    size_t at = from + random_next(&random) % (end - from + 1);
    enum kind_of_tear kind = (enum kind_of_tear)(random_next(&random) % TEAR_KINDS);
    t->line = (int64_t)n + 1;
    if (t->is_whole)
        return;
    if (t->is_shown)
        printf("%s at byte %zu of %zu: %.*s\n", kinds[kind], at - from, end - from, (int)(end - from),
               text->data + from);
    if (kind == TEAR_HEAD)
        cut(text, from, at);
    else
        cut(text, kind == TEAR_END ? end : at, kind == TEAR_REST ? end : end + 1);
}

void tear_note(struct tear *t, const struct record *r) {
    if (!t->is_whole)
        return;
    int64_t before_ms = t->step_ms;
    if (r->kind == RECORD_STEP_END)
        t->step_ms = r->at_ms;
    if (r->line != t->line)
        return;
    if (r->duration_ms != RECORD_NONE)
        t->counted_ms += r->duration_ms;
    else if (r->kind == RECORD_STEP_END && before_ms > 0)
        t->counted_ms += r->at_ms - before_ms;
    t->logs_checkpoint |= r->kind == RECORD_RESUME || (r->kind >= RECORD_SAVE_START && r->kind <= RECORD_RESTORE_END);
}

static void read_job(struct job *job, uint64_t seed, enum steplog_format format, struct tear *t, struct judgment *j) {
    sim_run(job, seed, format);
    job->tear = t;
    judge(job, j);
    sim_done(job);
}

static int64_t steps_ms(const struct judgment *j) {
    return j->counted_ms[BUCKET_PRODUCTIVE] + j->counted_ms[BUCKET_WASTED_PROGRESS];
}

static int64_t distance(int64_t a, int64_t b) {
    return a > b ? a - b : b - a;
}

bool tear_jobs(enum steplog_format format, uint64_t seed, int64_t jobs) {
    int64_t out = 0, within_a_step = 0, counted = 0;
    for (uint64_t i = seed; i < seed + (uint64_t)jobs; i++) {
        struct job job;
        struct judgment whole, torn;
        struct tear t = {.seed = i * 7919 + 1, .is_whole = true, .is_shown = jobs == 1};
        read_job(&job, i, format, &t, &whole);
        int64_t lines = job.epoch_steps > 0 ? job.epoch_steps : job.log_every > 1 ? job.log_every : 1;
        int64_t line_ms = lines * job.ideal_ms, may_ms = 2 * line_ms + t.counted_ms + 1000;
        /* Two lines show one thing, or later lines decide what a line means. */
        if (format == STEPLOG_HUGGINGFACE || format == STEPLOG_RECORDER)
            may_ms += job.evaluate_ms + job.save_ms;
        /* Few lines, one an epoch: without one of them the first line of each attempt proves less of its steps. */
        if (job.epoch_steps > 0)
            may_ms += job.attempt_count * line_ms;
        t.is_whole = false;
        read_job(&job, i, format, &t, &torn);
        int64_t steps = distance(steps_ms(&whole), steps_ms(&torn));
        int64_t productive = distance(whole.counted_ms[BUCKET_PRODUCTIVE], torn.counted_ms[BUCKET_PRODUCTIVE]);
        bool is_out = steps > may_ms || (productive > may_ms && !t.logs_checkpoint);
        within_a_step += productive <= line_ms;
        counted += torn.malformed > whole.malformed;
        if (is_out && out++ < SHOWN)
            printf(
                "  seed %llu: productive %lld ms, and %lld with line %lld torn (%.1f lines' steps; it held %lld ms)\n",
                (unsigned long long)i, (long long)whole.counted_ms[BUCKET_PRODUCTIVE],
                (long long)torn.counted_ms[BUCKET_PRODUCTIVE], (long long)t.line, (double)productive / (double)line_ms,
                (long long)t.counted_ms);
    }
    printf("%s: %lld jobs with one line torn: %lld lost at most one line's steps, %lld more than the line may cost; "
           "%lld counted it as unreadable\n",
           steplog_format_name(format), (long long)jobs, (long long)within_a_step, (long long)out, (long long)counted);
    return out * 1000 <= MAX_PERMILLE_OUT * jobs;
}
