/* parser: what a format's file sees of a log that is read. It gets one piece of text (a line without transport stamp,
 * ANSI escapes and carriage returns), says whether it belongs to the format, and emits records (emit.h). Not for use
 * outside steplog/. */
#ifndef STEPLOG_PARSER_H
#define STEPLOG_PARSER_H

#include "base/buf.h"
#include "steplog/progress.h"
#include "steplog/step_line.h"
#include "steplog/steplog.h"

/* Container runtimes write a longer line in parts; the log API gives the stamp of the first. */
#define STEPLOG_PART_BYTES 16384

enum line_result {
    LINE_NOT_MINE,  /* other parsers may look at it */
    LINE_TAKEN,     /* read, whether or not it gave records */
    LINE_MALFORMED, /* clearly of this format, but not readable */
    LINE_TEXT,      /* it holds a text in s->scratch, which the text formats read */
};

#define STEPLOG_LAST_BYTES 256 /* of a text, to compare the next one with */
#define STEPLOG_ROWS 16        /* in the table of formats, at most */

#define PACE_STEPS 16
#define PACE_MAX_UNREPORTED 1000

/* How long steps take (pace.c). */
struct pace {
    int64_t step_ms[PACE_STEPS]; /* a ring */
    int count;                   /* from PACE_STEPS on, where it continues */
    int64_t step_at_ms, free_ms; /* the end of the last step; and of what followed it; TIME_UNKNOWN */
    bool is_reported;            /* the lines themselves say how long steps take */
    bool is_broken;              /* other things than steps were logged since the last step */
};

/* Stamps that went further than the steps' own durations (ahead.c). */
struct ahead {
    int64_t excess_ms; /* 0: none, or the lines after it said what it was */
    int lines_after;
};

struct steplog;

/* A format: one file, which ends with this, and one row in formats.h. */
struct format {
    enum steplog_format id; /* STEPLOG_AUTO: no format in the API */
    const char *looks_for;  /* how a step's line looks, for people; NULL: it gives no steps, or another row says it */
    /* Of these texts, ended by NULL, every piece holds one that it takes or learns from (blank pieces excepted). The
     * longer the shortest one, the faster the search (words.c). NULL: it has to see every piece. */
    const char *const *words;
    bool is_always_read; /* read next to any other format */
    bool reads_the_rest; /* after the others, every piece, as long as none of them gives a step */
    enum line_result (*line)(struct steplog *s, struct slice text);
    void (*line_end)(struct steplog *s); /* after all pieces of a line; NULL */
    void (*end)(struct steplog *s);      /* after the process's last line; NULL */
    /* What it remembers between lines, at s->state in its calls: all-zero, then state_init (NULL: that is all). It is
     * part of a checkpoint by state_visit, which writes or reads it. */
    size_t state_bytes; /* 0: nothing */
    void (*state_init)(void *state);
    void (*state_visit)(void *state, struct codec *c);
    void (*state_free)(void *state);             /* what it holds; NULL */
    void (*state_again)(void *state);            /* another process began some lines ago; NULL: nothing is kept */
    bool (*is_holding)(const struct steplog *s); /* records of an earlier time are still to come; NULL: never */
    bool is_of_log;                              /* what it remembers holds for each process of the log */
    const char *(*name_of)(const void *state);   /* for people, once it gave steps. Borrowed; NULL: that of its id */
};

/* A bit for each row of the table (words.c). */
struct words {
    uint32_t rows;       /* that have to see a piece. All see blank ones, which hold no word but may say something, and
                          * all of a table that is not steplog_formats */
    uint32_t long_words; /* of these, that have a word there of more than a byte, if it was looked for */
};

/* Whether a counter begins again with each epoch. */
enum counter_scope { SCOPE_UNKNOWN, SCOPE_EPOCH, SCOPE_ALL };

struct steplog {
    const struct format *const *formats; /* the table */
    struct {
        uint32_t first, rest;       /* a bit for each that reads this log; `rest`: after the others */
        uint32_t line_end, holding; /* of those that have such a function */
    } rows;
    enum steplog_format format; /* as asked for */
    char *job_name;             /* NULL: any */
    void (*on_record)(void *context, const struct record *r);
    void (*on_steps)(void *context, const struct step_starts *steps); /* NULL: they are records like others */
    void *context;
    struct steplog_counts counts;
    int64_t unread_lines; /* that look like a step's, before a format was accepted */

    /* What the formats remember, by their rows; NULL: nothing, or another format was asked for. */
    const struct format *own; /* read before all others: a user's patterns; NULL */
    void *own_state;
    void *states[STEPLOG_ROWS];
    void *state; /* of the format that is called now */
    struct {
        uint32_t taken, malformed; /* lines, until a step is read; at most UINT32_MAX */
    } seen[STEPLOG_ROWS];

    /* The line being read. */
    bool uses_line_clocks, is_own_clock; /* stamp_ms is what the line itself says ... */
    bool has_zone;                       /* ... with a zone */
    int64_t now_ms;                      /* a date without a year is the latest one before; the one nearest to the
                                          * line before, once a line had a date */
    int64_t clock_offset_ms;             /* what the last stamp became a time by */
    int64_t stored_ms;                   /* of steplog_stored_line(); TIME_UNKNOWN */
    size_t piece_offset;                 /* of the piece being read */
    bool is_joined;                      /* from parts with a stamp each: it has the last one's */
    int64_t stamp_ms;                    /* of the line; TIME_UNKNOWN */
    int64_t last_record_ms;              /* stamp of the last line that gave a record */
    bool has_record;                     /* the line gave a record */

    /* Line assembly. */
    struct skew *clock;      /* NULL: stamps are times */
    struct heads *heads;     /* NULL: the log is of one process */
    struct repeats *repeats; /* NULL: lines are not compared */
    struct buf partial;      /* the head of a line whose end has not come */
    bool partial_too_long, partial_stamped;
    struct {
        struct buf text;
        int64_t stamp_ms;
        bool is_too_long;
    } parts[2];             /* lines that a container runtime split, of each stream */
    struct buf decoded;     /* a transport's */
    struct buf plain;       /* the line without ANSI escapes */
    struct buf scratch;     /* a parser's own */
    struct buf step_prefix; /* how the recorder's step lines begin; empty: not known */
    uint64_t step_prefix_key;
    struct step_layout step_layout;
    /* That words.c looked into last, and what that gave. A job keeps them: in no more memory than they need. */
    char *last_text;
    uint32_t last_bytes; /* 0: none, or it was too long */
    struct words last_words;
    uint64_t last_shape, shape; /* of that text, and of this one: equal where digits alone differ; 0: not known */
    bool has_long_word;         /* of the format that is called now, in this text (struct words) */
    struct slice drawing_of;    /* the text that progress_of() was asked for last ... */
    struct progress drawing;    /* ... which is this bar, if ... */
    bool is_drawing;

    /* From earlier lines of this process. */
    int64_t saving_step;     /* the save last started */
    int64_t save_started_ms; /* of steplog_emit_save_start(); TIME_UNKNOWN */
    int64_t wait_started_ms; /* the main thread waits for a background save since; TIME_UNKNOWN */
    int64_t live_slices;     /* last logged; RECORD_NONE */
    int64_t loading_step;    /* the restore last started */
    int64_t last_step;       /* the step that last ended or was restored, as text formats number it */
    struct pace pace;
    struct ahead ahead;
    struct {
        int64_t at_ms, steps, last_ms; /* last_ms: of the last step */
        bool is_after_pause;
    } burst;               /* the steps that end within some milliseconds */
    bool is_saving;        /* patterns: since the line of a save's start */
    bool is_evaluating;    /* patterns: since the line of an evaluation's start */
    int64_t blocking_step; /* of a save that training waits for; RECORD_NONE */
    int64_t unproved_step; /* of a save in the background that nothing has proved to be final; RECORD_NONE */

    /* Of the first bar that counts the steps of this process, and of the process before: its end and the last step
     * done, as steps are numbered, and its own length. RECORD_NONE. */
    struct steplog_bar {
        int64_t total, last, length;
    } bar, bar_before;
    bool is_bar_zero_based; /* one of the job's bars was of epoch 0 */
    /* The counter that the process before was read by (generic.c). */
    struct steplog_counter {
        uint64_t kind;       /* 0: none */
        int64_t unit, delta; /* the steps of a line */
        int time_place;
        enum counter_scope scope;
        bool leaves_out, is_zero_based;
    } counter;
    /* What the job's logs show of a counter of batches within an epoch whose length no line gives. */
    struct steplog_epochs {
        uint64_t kind;         /* of the counter; 0: none */
        int64_t first, length; /* the first epoch's number, and the steps of each; RECORD_NONE */
        bool is_batch_of_epoch;
    } epochs;
};

/* Whether that row of the table reads this log. */
static inline bool steplog_is_read(const struct steplog *s, const struct format *f) {
    return s->format == STEPLOG_AUTO || f->is_always_read || f->id == s->format;
}

/* What reads the rest is read as long as no other format gives steps. */
static inline bool steplog_is_open(const struct steplog *s, const struct format *f) {
    bool is_open = s->counts.recognized == STEPLOG_AUTO || s->counts.recognized == f->id;
    return steplog_is_read(s, f) && (!f->reads_the_rest || is_open);
}

#endif
