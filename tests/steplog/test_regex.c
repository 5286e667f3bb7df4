/* Format Regex: patterns of users. */
#include "cpu_time.h"
#include "harness.h"
#include "random.h"

#include "base/buf.h"
#include "base/mem.h"
#include "record_names.h"
#include "steplog/patterns.h"
#include "steplog/regex.h"

#include <stdlib.h>

static void on_record(void *context, const struct record *r) {
    if (r->kind == RECORD_SIGN_OF_LIFE)
        return;
    buf_format(context, "%s", record_kind_name(r->kind));
    if (r->step != RECORD_NONE)
        buf_format(context, " %" PRId64, r->step);
    if (r->duration_ms != RECORD_NONE)
        buf_format(context, " took %" PRId64, r->duration_ms);
    if (r->at_ms != r->received_ms)
        buf_format(context, " at %" PRId64, r->at_ms);
    buf_append_text(context, r->is_async ? " async\n" : "\n");
}

static struct steplog_counts read_lines(const struct steplog_patterns *patterns, const char *lines, struct buf *out) {
    CLEANUP_ERROR struct error *err = NULL;
    struct steplog *s = steplog_new_regex(patterns, on_record, out, &err);
    struct steplog_counts counts = {0};
    if (s == NULL) {
        buf_append_text(out, error_text(err));
        return counts;
    }
    struct slice rest = slice_of(lines), line;
    for (int64_t ms = 1795230000000; slice_take_line(&rest, &line); ms += 1000)
        steplog_line(s, line, ms);
    steplog_end(s);
    counts = steplog_counts_get(s);
    steplog_free(s);
    return counts;
}

static void check(const struct steplog_patterns *patterns, const char *lines, const char *expected) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1 << 16);
    read_lines(patterns, lines, &out);
    CHECK_TEXT(buf_text(&out), expected);
}

static const struct steplog_patterns all = {
    .step = "^it (?<step>\\d+)(?: took (?<seconds>[\\d.]+)s)?(?: (?<milliseconds>[\\d.]+)ms)?(?: at (?P<time>\\S+))?",
    .checkpoint_start = "^saving(?: (?<step>\\d+))?",
    .checkpoint_saved = "^saved(?: (?<step>\\d+))?",
    .checkpoint_restored = "^restored(?: (?<step>\\d+))?(?: in (?<seconds>\\S+))?",
};

TEST(regex_groups_carry_the_values) {
    check(&all, "it 5 took 1.25s\n", "STEP_END 5 took 1250\n");
    check(&all, "it 5 12.6ms\nit 6\n", "STEP_END 5 took 13\nSTEP_END 6\n");
    check(&all, "it 5 at 2026-11-21T02:17:36.5Z\nit 6 at noon\n", "STEP_END 5 at 1795227456500\nSTEP_END 6\n");
    check(&all, "restored 4 in 2.5\nrestored\n", "RESTORE_END 4 took 2500\nRESTORE_END\n");
    check(&all, "{\"message\": \"it 5\"}\nIt 5\n", ""); /* the line as it is */
}

/* A save that training waits for, and one that is written while steps continue. */
TEST(regex_saves) {
    check(&all, "saving 5\nsaved 5\nit 6\n", "SAVE_START 5\nSAVE_DURABLE 5\nSTEP_END 6\n");
    check(&all, "saving 5\nit 6\nit 7\nsaved 5\n",
          "SAVE_START 5\nSAVE_START async\nSTEP_END 6\nSTEP_END 7\nSAVE_DURABLE 5\n");
}

/* Orbax's lines are read too; other trainers' are not. */
TEST(regex_keeps_the_text_around_the_match) {
    check(&all, "Restoring checkpoint from /ck/20.\ncompleted step: 9, seconds: 5.667, x\n", "RESTORE_START 20\n");
}

TEST(regex_steps_that_are_not_numbers_are_counted) {
    static const struct steplog_patterns loose = {.step = "it (?<step>.*)"};
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1 << 16);
    struct steplog_counts c =
        read_lines(&loose, "it 5x\nit -1\nit 99999999999999999999\nit \nit 7\nit 7\nother\n", &out);
    CHECK_TEXT(buf_text(&out), "STEP_END 7\n");
    CHECK_INT(c.malformed, 4);
    CHECK_INT(c.recognized, STEPLOG_REGEX);
}

TEST(regex_errors_name_the_pattern_and_the_place) {
    struct steplog_patterns p = {0};
    check(&p, "", "format Regex needs regex.step");
    p.step = "step=([0-9]+)";
    check(&p, "", "regex.step has no group named step, for example 'step=(?<step>[0-9]+)'");
    p.step = "step=(?<step>[0-9]+";
    check(&p, "", "regex.step is not a valid pattern: at byte 19: missing closing parenthesis");
    p.step = "(?<step>1)";
    p.checkpoint_saved = "";
    check(&p, "", "regex.checkpointSaved has 0 bytes; a pattern has 1 to 1024");
    p.checkpoint_saved = "((a{1000}){1000}){1000}";
    check(&p, "", "regex.checkpointSaved is not a valid pattern: at byte 23: regular expression is too large");
    p.checkpoint_saved = "(*UTF)a";
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1 << 16);
    read_lines(&p, "", &out);
    CHECK(strstr(buf_text(&out), "regex.checkpointSaved is not a valid pattern: at byte ") != NULL);
}

static const char *pick(uint64_t *random, const char *const *texts, size_t count) {
    return texts[random_below(random, (int64_t)count)];
}

/* Patterns that take all digits alike, and such as do not. */
static void mixed_pattern(uint64_t *random, char ret[static 256]) {
    static const char *const parts[] = {
        "step ",       "(?<step>[0-9]+)", "\\d+", "[\\d.]+", ".*",       ".*?",         "\\S+ ",
        "[^|]*",       "(?:a|\\d)?",      "\\b",  "$",       "\\w+",     "(?=.*\\d)",   "(?!\\d\\d)",
        "\\d{2}",      "(?<x1>a)?",       "1",    "[0-5]",   "(\\d)\\1", "\\x31",       "[+-0]",
        "{,3}",        "{1,2,3}",         "[^2]", "[a0-9]",  "[--0-9]",  "(?:(\\d)|a)", "(?<=[0-9])",
        "[[:alpha:]]", "[]0-9]",          "\\D",  "[!-~]"};
    ret[0] = '\0';
    for (int64_t n = 1 + random_below(random, 5); n > 0; n--) {
        size_t used = strlen(ret);
        snprintf(ret + used, 256 - used, "%s", pick(random, parts, ARRAY_SIZE(parts)));
    }
}

static void other_digits(uint64_t *random, char *text) {
    for (; *text != '\0'; text++)
        if (*text >= '0' && *text <= '9')
            *text = (char)('0' + random_below(random, 10));
}

/* One search by both; true if there may be another. */
static bool search_both(struct regex *used, struct regex *fresh, struct slice text, bool is_next, size_t limit) {
    enum regex_result found = is_next ? regex_match_next(used, limit) : regex_match(used, text, limit);
    enum regex_result expected = is_next ? regex_match_next(fresh, limit) : regex_match(fresh, text, limit);
    struct slice mine = {0}, theirs = {0};
    CHECK_INT(found, expected);
    CHECK_INT((int64_t)regex_units(used), (int64_t)regex_units(fresh));
    if (expected != REGEX_YES)
        return false;
    CHECK_INT(regex_group(used, "step", &mine), regex_group(fresh, "step", &theirs));
    CHECK(mine.data == theirs.data && mine.size_bytes == theirs.size_bytes);
    return true;
}

/* What a pattern remembers of a text with other digits is what it finds, and takes as much work. */
TEST(regex_finds_the_same_as_if_it_had_read_no_text_before) {
    static const char *const pieces[] = {"step 17", " 0.25", " | ", "a", "b3", "-1e-05", "2026-11-21", "{,3}", "99x"};
    uint64_t random = random_setting("GOODPUT_SEED", 24);
    int matches = 0;
    for (int round = 0; round < 3000; round++) {
        char pattern[256], text[256] = "";
        mixed_pattern(&random, pattern);
        for (int64_t n = 1 + random_below(&random, 6); n > 0; n--)
            strcat(text, pick(&random, pieces, ARRAY_SIZE(pieces)));
        struct regex *used = regex_new("pattern", pattern, NULL);
        for (int i = 0; used != NULL && i < 5; i++) {
            struct regex *fresh = regex_new("pattern", pattern, NULL);
            size_t limit = random_below(&random, 4) == 0 ? (size_t)random_below(&random, 400) : REGEX_LINE_UNITS;
            bool has_next = false;
            for (int n = 0; n < 4 && (n == 0 || has_next); n++) {
                has_next = search_both(used, fresh, slice_of(text), n > 0, limit);
                matches += has_next;
            }
            regex_free(fresh);
            other_digits(&random, text);
        }
        regex_free(used);
    }
    CHECK(matches > 3000);
}

TEST(regex_patterns_have_a_limit) {
    char pattern[1100];
    for (int size = 1023; size <= 1025; size++) {
        memset(pattern, 'a', sizeof pattern);
        memcpy(pattern, "(?<step>1)|", 11);
        pattern[size] = '\0';
        CLEANUP_ERROR struct error *err = NULL;
        struct steplog *s = steplog_new_regex(&(struct steplog_patterns){.step = pattern}, on_record, NULL, &err);
        CHECK((s != NULL) == (size <= STEPLOG_MAX_PATTERN_BYTES));
        steplog_free(s);
    }
}

#define MAX_LINE_MS 50

/* Patterns whose time grows without bounds end at a limit; after 20 such lines they are disabled. */
TEST(regex_expensive_patterns_are_stopped) {
    static const char *const evil[] = {"(?<step>(a+)+)$", "(?<step>(a|aa)+)$", "(?<step>a*a*a*a*a*a*)b",
                                       "(?<step>(?:a?){500}a{500})", "(?<step>(a|(?1))*)x",
                                       /* PCRE2's own match limit does not see these */
                                       "(?:a*?a*?b|a*?a*?c|a*?a*?d|a*?a*?e)(?<step>1)",
                                       "(?:(?:){0,999}?\\R+)(?<step>1)",
                                       "(?:(?!b){0,999}?^\\R(?!b)+.{0,999}?)(?<step>1)"};
    CLEANUP_FREE char *lines = mem_alloc(100 * 4001 + 1);
    memset(lines, 'a', 100 * 4001);
    for (int i = 0; i < 100; i++) {
        lines[i * 4001 + 2040] = '1'; /* without one PCRE2 does not try a pattern that needs it */
        memcpy(lines + i * 4001 + 3999, "!\n", 2);
    }
    lines[100 * 4001] = '\0';
    double worst_ms = 0;
    for (size_t i = 0; i < ARRAY_SIZE(evil); i++) {
        CLEANUP_BUF struct buf out;
        buf_init(&out, 1 << 16);
        double start_ms = cpu_time_ms();
        struct steplog_counts c = read_lines(&(struct steplog_patterns){.step = evil[i]}, lines, &out);
        double ms = cpu_time_ms() - start_ms;
        worst_ms = ms > worst_ms ? ms : worst_ms;
        CHECK_INT(c.steps, 0);
        CHECK_INT(c.lines, 100);
    }
    CHECK(worst_ms < 20 * MAX_LINE_MS);
    printf(" worst %.1f ms for 100 lines ", worst_ms);
}

/* A progress bar's line is read in pieces, between carriage returns: all together have what one line has. */
TEST(regex_pieces_of_a_line_share_its_work) {
    enum { PIECE = 180, PIECES = 360 };
    static const struct steplog_patterns patterns = {
        .step = "(?<step>1)|^a*?a*?b", .checkpoint_start = "^a*?a*?c", .checkpoint_saved = "^a*?a*?d"};
    CLEANUP_ERROR struct error *err = NULL;
    CLEANUP_BUF struct buf line;
    struct steplog *s = steplog_new_regex(&patterns, on_record, NULL, &err);
    buf_init(&line, PIECES * (PIECE + 1));
    for (int i = 0; i < PIECES; i++) {
        for (int k = 0; k < PIECE; k++)
            buf_append_text(&line, "a");
        buf_append_text(&line, "\r");
    }
    double start_ms = cpu_time_ms();
    steplog_line(s, buf_slice(&line), 0);
    double ms = cpu_time_ms() - start_ms;
    int64_t work = steplog_take_work(s);
    CHECK(ms < MAX_LINE_MS);
    CHECK(work > REGEX_LINE_UNITS / 2 && work <= REGEX_LINE_UNITS * 11 / 10); /* the last item may go beyond */
    CHECK_TEXT(steplog_costly_pattern(s), "regex.step");
    printf(" %.1f ms, %" PRId64 " units ", ms, work);
    steplog_free(s);
}

/* What every format takes, in proportion to the text, is little of a minute's work. */
TEST(regex_usual_patterns_are_cheap) {
    static const char text[] =
        "[2026-11-22 10:00:00,123][rank0] INFO train.py:12 - epoch 3 | loss: 2.3456 | lr 1.0e-4 | step=1200";
    CLEANUP_ERROR struct error *err = NULL;
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1 << 20);
    struct steplog *s = steplog_new_regex(
        &(struct steplog_patterns){.step = "step=(?<step>\\d+)", .checkpoint_start = "^saving (?<step>\\d+)"},
        on_record, &out, &err);
    int64_t work = 0;
    for (int i = 0; i < 1000; i++) {
        steplog_line(s, slice_of(text), i * 1000);
        work += steplog_take_work(s);
    }
    CHECK(work > 0 && work <= 1000 * 20);
    steplog_free(s);
}

static uint64_t next_random(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

/* Appends a random pattern made of what backtracks: alternatives, nested repeats, back references, assertions. */
static void random_pattern(uint64_t *seed, struct buf *out) {
    static const char *const atoms[] = {"a",       "b",       "[ab]",     ".",     "\\w",     "(a)",     "\\1",
                                        "[^c]",    "(?:a|b)", "\\R",      "\\X",   "(?=a)",   "(?<=a)",  "(?!b)",
                                        "(?:\\b)", "(?i:A)",  "(?:aa|a)", "(?:$)", "(?:^)",   "(?1)",    "\\Ga",
                                        "(?:)",    "(?>a)",   "a{500}",   "\\s",   "(?i)\\1", "(?:a|a)", "[[:alpha:]]"};
    static const char *const quantifiers[] = {"",   "",   "*",  "+",    "?",       "*?",     "+?",
                                              "*+", "??", "++", "{2,}", "{10,50}", "{1000}", "{0,999}?"};
    buf_append_text(out, "(?:(a)|"); /* a group for what refers to one */
    int depth = 1, items = 1 + (int)(next_random(seed) % 40);
    for (int i = 0; i < items && out->size_bytes < 800; i++) {
        uint64_t choice = next_random(seed) % 12;
        const char *quantifier = quantifiers[next_random(seed) % ARRAY_SIZE(quantifiers)];
        if (choice == 0)
            buf_append_text(out, "|");
        else if (choice == 1 && depth++ < 20)
            buf_append_text(out, "(?:");
        else if (choice == 2 && depth > 0 && depth--)
            buf_format(out, ")%s", quantifier);
        else
            buf_format(out, "%s%s", atoms[next_random(seed) % ARRAY_SIZE(atoms)], quantifier);
    }
    for (; depth > 0; depth--)
        buf_append_text(out, ")*");
}

/* A search for bad patterns: none takes longer than MAX_LINE_MS on a line, nor longer than MAX_UNIT_NS a unit, so that
 * the 100 million units that a job has in a minute (operator/job/log_work.c) are 6 s of it at most.
 * GOODPUT_PATTERNS: how many are tried. */
#define MAX_UNIT_NS 60

TEST(regex_no_random_pattern_takes_long) {
    static const char *const alphabets[] = {"a", "ab", "aaaaaaaaaaaa!", "aA", "ab \n"};
    const char *count_text = getenv("GOODPUT_PATTERNS");
    int64_t count = 400, compiled = 0;
    double worst_ms = 0, worst_ns = 0;
    char text[2049], worst[1100] = "", costly[1100] = "";
    uint64_t seed = 20261122;
    if (count_text != NULL)
        count = strtoll(count_text, NULL, 10);
    for (int64_t i = 0; i < count; i++) {
        CLEANUP_BUF struct buf pattern;
        CLEANUP_ERROR struct error *err = NULL;
        buf_init(&pattern, 1024);
        random_pattern(&seed, &pattern);
        struct regex *r = regex_new("random", buf_text(&pattern), &err);
        compiled += r != NULL;
        for (size_t k = 0; r != NULL && k < ARRAY_SIZE(alphabets); k++) {
            for (size_t n = 0; n < sizeof text - 1; n++)
                text[n] = alphabets[k][next_random(&seed) % strlen(alphabets[k])];
            double start_ms = cpu_time_ms();
            regex_match(r, (struct slice){text, sizeof text - 1}, REGEX_LINE_UNITS);
            double ms = cpu_time_ms() - start_ms;
            double ns = regex_units(r) > REGEX_LINE_UNITS / 8 ? ms * 1e6 / (double)regex_units(r) : 0;
            if (ms > worst_ms)
                snprintf(worst, sizeof worst, "%s", buf_text(&pattern));
            if (ns > worst_ns)
                snprintf(costly, sizeof costly, "%s", buf_text(&pattern));
            worst_ms = ms > worst_ms ? ms : worst_ms;
            worst_ns = ns > worst_ns ? ns : worst_ns;
        }
        regex_free(r);
    }
    printf(" %" PRId64 " patterns, worst %.1f ms: %s ", compiled, worst_ms, worst);
    printf(" %.1f ns a unit: %s ", worst_ns, costly);
    CHECK(compiled > count / 2);
    CHECK(worst_ms < MAX_LINE_MS);
    CHECK(worst_ns > 0 &&
          (worst_ns < MAX_UNIT_NS || getenv("GOODPUT_VALGRIND") != NULL)); /* which is 20 times slower */
}
