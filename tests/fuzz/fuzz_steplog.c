/* steplog: the first byte says the format (3: the second byte is its letter), whether lines are stamped, whether
 * repeats are left out, and into which pieces the rest is cut; in pieces and whole the records are the same. Auto runs
 * every parser but Regex, whose patterns are fixed here (fuzz_regex: any). Formats that see every line, whatever words
 * they declare, read the same. FUZZ_STEPLOG_FORMAT=Megatron in the environment reads all inputs as that format: make
 * fuzz-formats, a run each. */
#include "base/mem.h"
#include "reach.h"
#include "steplog/formats.h"
#include "steplog/patterns.h"
#include "steplog/repeats.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever formats are added: each is reached by its seeds. */
static void reached_format(enum steplog_format format) {
#define FORMATS(X)                                                                                                     \
    X(RECORDER)                                                                                                        \
    X(MAXTEXT) X(MEGATRON) X(NEMO) X(TORCHTITAN) X(DEEPSPEED) X(HUGGINGFACE) X(KERAS) X(LIGHTNING) X(REGEX) X(GENERIC)
#define X(name)                                                                                                        \
    if (format == STEPLOG_##name)                                                                                      \
        REACHED("records of " #name);
    FORMATS(X)
#undef X
}

/* The seeds' letters stay what they are when formats are added. */
static enum steplog_format format_of(char letter) {
    static const struct {
        char letter;
        enum steplog_format format;
    } seeds[] = {{'R', STEPLOG_RECORDER},   {'M', STEPLOG_MAXTEXT},   {'E', STEPLOG_MEGATRON},    {'N', STEPLOG_NEMO},
                 {'T', STEPLOG_TORCHTITAN}, {'D', STEPLOG_DEEPSPEED}, {'H', STEPLOG_HUGGINGFACE}, {'K', STEPLOG_KERAS},
                 {'L', STEPLOG_LIGHTNING},  {'X', STEPLOG_REGEX},     {'G', STEPLOG_GENERIC}};
    for (size_t i = 0; i < ARRAY_SIZE(seeds); i++)
        if (seeds[i].letter == letter)
            return seeds[i].format;
    return STEPLOG_AUTO;
}

static void on_record(void *context, const struct record *r) {
    uint64_t *hash = context;
    assert((unsigned)r->kind < RECORD_KIND_COUNT && memchr(r->name, '\0', sizeof r->name) != NULL);
    assert(r->duration_ms == RECORD_NONE || r->duration_ms >= 0);
    int64_t fields[] = {r->kind, r->line,        r->at_ms,        r->received_ms,
                        r->step, r->duration_ms, r->tflops_milli, r->active};
    *hash =
        *hash * 31 + slice_hash((struct slice){(const char *)fields, sizeof fields}) + slice_hash(slice_of(r->name));
}

static int forced_format(void) {
    const char *name = getenv("FUZZ_STEPLOG_FORMAT");
    int format = name != NULL ? steplog_format_of_name(slice_of(name)) : -1;
    assert(name == NULL || format >= 0);
    return format;
}

/* Patterns that overlap, with every group and one that backtracks. */
static const struct steplog_patterns patterns = {
    .step = "(?:step|iteration)[ =:]+(?<step>[0-9]+).*?(?:took (?<seconds>[0-9.]+)s|in (?<milliseconds>[0-9.]+) ?ms|$)",
    .checkpoint_start = "^(?<time>\\S+ )?saving (?:checkpoint )?(?<step>\\d+)?",
    .checkpoint_saved = "saved (?<step>[0-9]+) at (?<time>.+)",
    .checkpoint_restored = "((a+)+|restored) (?<step>\\d+)$",
};

/* A copy of the table, whose rows see all lines. */
static const struct format *const *all_see_all(void) {
    static const struct format *table[STEPLOG_ROWS + 1];
    for (int i = 0; steplog_formats[i] != NULL; i++)
        table[i] = steplog_formats[i];
    return table;
}

static uint64_t read_in_pieces(struct slice bytes, int options, size_t piece, const struct format *const *table) {
    static const enum steplog_format formats[] = {STEPLOG_AUTO, STEPLOG_RECORDER, STEPLOG_MAXTEXT};
    uint64_t hash = 0;
    enum steplog_format format = STEPLOG_AUTO;
    if ((options & 3) < 3)
        format = formats[options & 3];
    else if (bytes.size_bytes != 0)
        format = format_of((char)bytes.data[0]);
    static int forced = -2;
    if (forced == -2)
        forced = forced_format();
    if (forced >= 0)
        format = (enum steplog_format)forced;
    const char *job_name = options & 8 ? "jobA" : NULL;
    struct steplog *s = format == STEPLOG_REGEX ? steplog_new_regex(&patterns, on_record, &hash, NULL)
                                                : steplog_new_table(table, format, job_name, on_record, &hash);
    assert(s != NULL);
    struct repeats repeats = {0};
    if ((options & 4) == 0)
        steplog_use_line_clocks(s, INT64_C(1795300000000));
    if ((options & 16) == 0) {
        repeats_begin(&repeats);
        steplog_leave_out_repeats(s, &repeats);
    }
    while (bytes.size_bytes != 0) {
        size_t n = piece < bytes.size_bytes ? piece : bytes.size_bytes;
        steplog_feed(s, (struct slice){bytes.data, n}, (options & 4) != 0);
        bytes = slice_skip(bytes, n);
    }
    steplog_end(s);
    struct steplog_counts counts = steplog_counts_get(s);
    if (counts.records > 0)
        reached_format(format == STEPLOG_AUTO ? counts.recognized : format);
    steplog_free(s);
    repeats_done(&repeats);
    return (hash * 31 + (uint64_t)counts.repeated) * 31 + (uint64_t)counts.records + (uint64_t)counts.too_long;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    struct slice bytes = {(const char *)data + 1, size - 1};
    uint64_t whole = read_in_pieces(bytes, data[0], size, steplog_formats);
    assert(read_in_pieces(bytes, data[0], (size_t)(data[0] >> 4) + 1, steplog_formats) == whole);
    assert(read_in_pieces(bytes, data[0], size, all_see_all()) == whole);
    return 0;
}
