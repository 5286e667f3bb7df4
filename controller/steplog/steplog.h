/* steplog: step-log formats: bytes of one process's log in, records out. Pure. Lines may come in any pieces
 * (half a line, three lines, one byte at a time); the records are the same.
 *
 * A line is what the container wrote, after any transport stamp ("2026-11-21T02:16:52.123456789Z " as
 * `kubectl logs --timestamps` or the API's timestamps=true gives) was taken off here. Formats are recognized line by
 * line in Auto mode; each format is one file with one row in formats.h. */
#ifndef STEPLOG_STEPLOG_H
#define STEPLOG_STEPLOG_H

#include "base/codec.h"
#include "base/error.h"
#include "base/slice.h"
#include "ledger/record.h"
#include "steplog/forward.h"

/* X(IDENTIFIER, name as in spec.stepLog.format) */
#define STEPLOG_FORMATS(X)                                                                                             \
    X(AUTO, "Auto")                                                                                                    \
    X(RECORDER, "Recorder")                                                                                            \
    X(MAXTEXT, "MaxText")                                                                                              \
    X(MEGATRON, "Megatron")                                                                                            \
    X(NEMO, "NeMo")                                                                                                    \
    X(TORCHTITAN, "TorchTitan")                                                                                        \
    X(DEEPSPEED, "DeepSpeed")                                                                                          \
    X(HUGGINGFACE, "HuggingFace")                                                                                      \
    X(KERAS, "Keras")                                                                                                  \
    X(LIGHTNING, "Lightning")                                                                                          \
    X(REGEX, "Regex")                                                                                                  \
    X(GENERIC, "Generic")

enum steplog_format {
#define X(id, name) STEPLOG_##id,
    STEPLOG_FORMATS(X)
#undef X
        STEPLOG_FORMAT_COUNT
};

const char *steplog_format_name(enum steplog_format format);
int steplog_format_of_name(struct slice name); /* -1 if there is none */

/* How many steps late a step's line comes (ledger_set_line_lag): MaxText prints step N within step N+1. -1 for formats
 * that are whatever they turn out to be. */
int steplog_format_line_lag(enum steplog_format format);

/* Of longer lines the head is read, the rest dropped and counted; of a bar's, some drawings are left out. */
#define STEPLOG_MAX_LINE_BYTES 65536

struct format;
struct steplog;
struct repeats; /* steplog/repeats.h */
struct skew;    /* steplog/skew.h */
struct heads;   /* steplog/heads.h */

/* on_record is called for each record, in log order, during steplog_feed. job_name (may be NULL): recorder entries of
 * another job are left out and counted. */
struct steplog *steplog_new(enum steplog_format format, const char *job_name,
                            void (*on_record)(void *context, const struct record *r), void *context);
/* The same of any format and by any table (formats.h: steplog_formats), at most STEPLOG_ROWS long. */
struct steplog *steplog_new_table(const struct format *const *formats, enum steplog_format format, const char *job_name,
                                  void (*on_record)(void *context, const struct record *r), void *context);
void steplog_free(struct steplog *s);

/* Recorder's steps that come in a row are handed on together by on_steps, not one by one by on_record. */
void steplog_join_steps(struct steplog *s, void (*on_steps)(void *context, const struct step_starts *steps));

#define STEPLOG_MAX_PATTERN_BYTES 1024 /* of a user's pattern (patterns.h) */

/* The log is of the process after that one. */
void steplog_continue(struct steplog *s, const struct steplog *before);

/* Lines that no transport stamped are taken at the time that they carry themselves, where the format prints one: a time
 * without zone (taken as UTC), at best the printing program's idea of when it was. now_ms: when the log was complete,
 * which gives the year where lines have none (absl); TIME_UNKNOWN: such lines have no time. */
void steplog_use_line_clocks(struct steplog *s, int64_t now_ms);

/* Lines that are repeats are left out and counted. Borrowed: several parsers, one after the other, may share it. */
void steplog_leave_out_repeats(struct steplog *s, struct repeats *repeats);
/* Stamps become times by what is known of their clock. Borrowed, as above. */
void steplog_follow_clock(struct steplog *s, struct skew *clock);
/* Where another process of the log starts, a record of its start comes, and the rest is read as a separate log.
 * Borrowed, as above. */
void steplog_find_processes(struct steplog *s, struct heads *heads);

/* Bytes as they come. stamped: each line starts with a transport stamp. Lines as container runtimes write them to files
 * (CRI's prefix, json-file's object; steplog/transport.h) are known by themselves, and stamped by what they hold. */
void steplog_feed(struct steplog *s, struct slice bytes, bool stamped);
/* One whole line without its newline; stamp_ms TIME_UNKNOWN if not known. */
void steplog_line(struct steplog *s, struct slice line, int64_t stamp_ms);
/* One whole line as somebody stored it (a file, a log service): its stamp is the transport's (as above), else the time
 * that it carries itself, else stored_ms: when it was stored, as far as that is known. */
void steplog_stored_line(struct steplog *s, struct slice line, int64_t stored_ms);
/* When a stored line was written, by its own content: a transport's stamp, the recorder's time, a time without zone
 * (taken as UTC; now_ms gives the year where it has none). TIME_UNKNOWN: it does not say. */
int64_t steplog_stored_ms(struct slice line, int64_t now_ms);
/* A last line without newline counts. */
void steplog_end_line(struct steplog *s);
/* The process ended: a last line without newline counts, formats may flush what they held back. */
void steplog_end(struct steplog *s);

/* How many steps each format reported, in format Auto. The recorder's do not count: it is read next to any format. */
struct steplog_rivals { /* all zero is empty */
    int64_t steps[STEPLOG_FORMAT_COUNT];
};
void steplog_rivals_add(struct steplog_rivals *to, const struct steplog_rivals *from);
/* Whether two formats are equally likely: the second has at least three steps and half of the first's. Which of them
 * counts the job's steps is not in the log: a person names it. */
bool steplog_rivals_find(const struct steplog_rivals *rivals, enum steplog_format ret[static 2]);

struct steplog_counts {
    int64_t lines, bytes, records, steps, too_long, other_job, malformed, repeated;
    int64_t first_malformed_line;   /* 0: none */
    int64_t own_clock;              /* lines taken at the time that they carry themselves, without a zone */
    int64_t burst_steps;            /* of a program that buffers its output: written at once, after a pause */
    int64_t set_back_ms;            /* how far a stamp was before an earlier one, at most; 0: never by a second */
    struct forward forward;         /* stamps that went further than the steps' own durations */
    int64_t first_stamp_ms;         /* TIME_UNKNOWN */
    int64_t last_stamp_ms;          /* TIME_UNKNOWN */
    enum steplog_format recognized; /* the format that gave steps; AUTO while none did */
    struct steplog_rivals rivals;
};
struct steplog_counts steplog_counts_get(const struct steplog *s);

#endif
