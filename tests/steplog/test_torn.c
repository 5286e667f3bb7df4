/* Torn lines: a full disk, a rotation or a cut connection takes the rest of a line, or its end, so that the next one is
 * glued on. The other lines are read as if nothing had been (the cost of it: truth --tear). */
#include "harness.h"

#include "base/mem.h"
#include "steplog/steplog.h"

#include <stdlib.h>
#include <string.h>

struct tally {
    int64_t steps, first_step, last_step, last_ms;
};

static void on_record(void *context, const struct record *r) {
    struct tally *t = context;
    if (r->kind != RECORD_STEP_END && r->kind != RECORD_STEP_START)
        return;
    if (t->steps++ == 0)
        t->first_step = r->step;
    CHECK(r->at_ms >= t->last_ms);
    t->last_step = r->step;
    t->last_ms = r->at_ms;
}

static struct steplog_counts read_text(struct slice text, struct tally *t) {
    *t = (struct tally){.first_step = RECORD_NONE, .last_step = RECORD_NONE};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, t);
    steplog_feed(s, text, true);
    steplog_end(s);
    struct steplog_counts counts = steplog_counts_get(s);
    steplog_free(s);
    return counts;
}

/* ---- two lines in one ---- */

#define STEP(n)                                                                                                        \
    "[titan] 2026-11-21 08:37:5" #n ",071 - root - INFO - step:  " #n "  loss:  8.1  grad_norm:  0.7  memory:  "       \
    "0.00GiB(0.00%)  tps: 142  tflops: 0.01  mfu: 0.00%"
#define AT(n) "2026-11-21T08:37:5" #n ".071000234Z "

static const struct {
    const char *text;
    int64_t lines, steps, malformed, last_ms;
} glued[] = {
    {AT(1) STEP(1) "\n" AT(2) STEP(2) "\n", 2, 2, 0, 2071},
    {AT(1) STEP(1) AT(2) STEP(2) "\n", 1, 2, 1, 2071},        /* the end was lost */
    {AT(1) "[titan] 2026" AT(2) STEP(2) "\n", 1, 1, 1, 2071}, /* and more of it */
    {"2026-11-21T0" AT(2) STEP(2) "\n", 1, 1, 1, 2071},       /* and its stamp */
    {AT(1) STEP(1) AT(2) STEP(2) AT(3) STEP(3), 1, 3, 2, 3071},
    {"2026-11-21T08:37:51.071000234Z stderr F " STEP(1) "2026-11-21T08:37:52.071000234Z stderr F " STEP(2) "\n", 1, 2,
     1, 2071}, /* in the runtime's file */
    /* A time that the program prints is none. */
    {AT(1) "ts=" AT(9) "level=info\n" AT(2) STEP(2) "\n", 2, 1, 0, 2071},
    {AT(1) AT(9) "started\n" AT(2) STEP(2) "\n", 2, 1, 0, 2071},
    {AT(1) "{\"time\": \"" AT(9) "\"}\n" AT(2) STEP(2) "\n", 2, 1, 0, 2071},
};

TEST(two_lines_in_one_are_read_as_two) {
    const int64_t minute_ms = INT64_C(1795250270000);
    for (size_t i = 0; i < ARRAY_SIZE(glued); i++) {
        struct tally t;
        struct steplog_counts counts = read_text(slice_of(glued[i].text), &t);
        CHECK_INT(counts.lines, glued[i].lines);
        CHECK_INT(t.steps, glued[i].steps);
        CHECK_INT(counts.malformed, glued[i].malformed);
        CHECK_INT(t.last_ms - minute_ms, glued[i].last_ms);
    }
}

/* ---- each line of real logs ---- */

enum tear { REST, REST_AND_END, END, HEAD, TEARS };

/* The n-th line torn in its middle. False: there is none. */
static bool torn(struct buf *out, const char *text, size_t size, size_t n, enum tear tear) {
    struct slice rest = {text, size}, line;
    size_t i = 0;
    buf_clear(out);
    while (slice_take_until(&rest, '\n', &line)) {
        size_t half = line.size_bytes / 2;
        bool is_it = i++ == n;
        if (is_it && tear == HEAD)
            line = slice_skip(line, half);
        else if (is_it && tear != END)
            line.size_bytes = half;
        buf_append_slice(out, line);
        if (!is_it || tear == REST || tear == HEAD)
            buf_append_text(out, "\n");
    }
    return n < i;
}

static const struct {
    const char *path;
    int64_t steps; /* this many may be lost: those of the line, where a line holds many */
} logs[] = {
    {"hf-trainer/restarts/attempt-1.log", 2},
    {"hf-trainer/restarts/attempt-2.log", 2},
    {"maxtext/restarts/attempt-1.log", 1},
    {"megatron-log/restarts/attempt-2.log", 1},
    {"torchtitan/restarts/attempt-2.log", 1},
    {"deepspeed/restarts-info/attempt-2.log", 1},
    {"jax-orbax-goodput/restarts-file/attempt-2.log", 1},
    {"keras/verbose2/attempt-2.log", 1},
    {"lightning/restarts-tqdm/attempt-1.log", 2},
};

#ifdef __SANITIZE_ADDRESS__ /* three times as slow */
#define TORN_EVERY 7
#else
#define TORN_EVERY 1
#endif

TEST(a_torn_line_of_a_real_log_costs_its_own_steps_only) {
    size_t every = getenv("GOODPUT_FAILING") != NULL || getenv("GOODPUT_VALGRIND") != NULL ? 37 : TORN_EVERY;
    for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
        CLEANUP_FREE char *path = mem_format("tests/data/trainer-logs/%s", logs[i].path);
        size_t size = 0;
        CLEANUP_FREE char *text = harness_read_file(path, &size);
        REQUIRE(text != NULL);
        struct tally whole, t;
        CLEANUP_BUF struct buf out;
        buf_init(&out, size + 1);
        read_text((struct slice){text, size}, &whole);
        CHECK(whole.steps > 0);
        for (enum tear tear = REST; tear < TEARS; tear++)
            for (size_t n = 0; torn(&out, text, size, n, tear); n += every) {
                read_text(buf_slice(&out), &t);
                if (t.steps < whole.steps - logs[i].steps || t.steps > whole.steps + 1 ||
                    t.last_step > whole.last_step +
                                      1) /* a bar's clock shows whole seconds: steps of less are distinguished to one */
                    harness_fail(path, (int)n + 1,
                                 "torn (%d), it gives %" PRId64 " steps up to %" PRId64 ", not %" PRId64
                                 " up to %" PRId64,
                                 (int)tear, t.steps, t.last_step, whole.steps, whole.last_step);
            }
    }
}
