/* formats: the inside of steplog: what one line's parsers share, and the table of them. A parser gets one piece of text
 * (a line without transport stamp, ANSI escapes and carriage returns), says whether it was one of its own, and emits
 * records. A new format is one file and one line in the table of formats.c. Not for use outside steplog/. */
#ifndef STEPLOG_FORMATS_H
#define STEPLOG_FORMATS_H

#include "base/buf.h"
#include "steplog/steplog.h"

/* Container runtimes write a longer line in parts; the log API gives the stamp of the first. */
#define STEPLOG_PART_BYTES 16384

enum line_result {
    LINE_NOT_MINE,  /* other parsers may look at it */
    LINE_TAKEN,     /* read, whether or not it gave records */
    LINE_MALFORMED, /* clearly of this format, but not readable */
};

#define HUGGINGFACE_DICTS 256

/* What huggingface.c remembers. */
struct huggingface {
    struct huggingface_dict {
        int64_t stamp_ms, step; /* step: RECORD_NONE until known */
        int64_t evaluation_ms;  /* of an evaluation that waits for the steps before it; RECORD_NONE: not told */
        bool is_step, is_evaluation;
    } dicts[HUGGINGFACE_DICTS]; /* printed since the bar's last line */
    struct {
        int64_t step, elapsed_s;
    } redraws[HUGGINGFACE_DICTS]; /* in the line being read */
    int dict_count, redraw_count, held;
    int64_t held_since_ms, logging_steps /* 0: not known */, total /* 0: no bar yet */, done, done_s;
    int64_t began_ms; /* the bar's clock, as far as the dictionaries show it; TIME_UNKNOWN */
    bool has_dict, has_bar /* in this line */, is_cleared, is_written;
    bool lost_head; /* of this line: the bar's first drawing is missing */
    int64_t base;   /* of this line: what was done before it */
};

struct nemo {
    int64_t validation_ms; /* of the first line of a validation; TIME_UNKNOWN */
};

#define LIGHTNING_EPOCHS 64

struct lightning {
    int64_t batches; /* in an epoch; 0: not known */
    struct {
        int64_t epoch, step, before_ms, until_ms;
    } told[LIGHTNING_EPOCHS]; /* in this line, of each epoch: the last batch, and from when until when by the clock */
    int told_count;
    int64_t resumed_step;    /* the first bar in this line is drawn before its first batch; 0: none */
    int64_t drawn_ms;        /* the same clock when the line was stamped */
    int64_t epoch, epoch_ms; /* the last one told before, and when it began; TIME_UNKNOWN */
    int64_t here_ms;         /* the first word */
    bool is_here, is_validating;
};

struct keras {
    int64_t epoch; /* 0: none begun */
    int64_t batches, told_step, duration_ms;
    int64_t saved_epoch; /* saved before its batches were known; 0: none */
};

#define PACE_STEPS 16
#define PACE_UNTOLD_AT_MOST 1000

/* How long steps take (pace.c). */
struct pace {
    int64_t step_ms[PACE_STEPS]; /* a ring */
    int count;                   /* from PACE_STEPS on, where it goes on */
    int64_t step_at_ms, free_ms; /* the end of the last step; and of what followed it; TIME_UNKNOWN */
    bool is_told;                /* the lines themselves say how long steps take */
    bool is_broken;              /* other things than steps were told since the last step */
};

struct steplog {
    enum steplog_format format; /* as asked for */
    char *job_name;             /* NULL: any */
    void (*on_record)(void *context, const struct record *r);
    void *context;
    struct steplog_counts counts;

    /* The line being read. */
    bool uses_line_clocks, is_own_clock; /* stamp_ms is what the line itself says */
    int64_t now_ms;                      /* of steplog_use_line_clocks() */
    int64_t stored_ms;                   /* of steplog_stored_line(); TIME_UNKNOWN */
    size_t piece_offset;                 /* of the piece being read */
    bool is_joined;                      /* from parts with a stamp each: it has the last one's */
    int64_t stamp_ms;                    /* of the line; TIME_UNKNOWN */
    int64_t last_said_ms;                /* stamp of the last line that gave a record */
    bool said;                           /* the line gave a record */

    /* Line assembly. */
    struct buf partial; /* the head of a line whose end has not come */
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

    /* What earlier lines of this process told. */
    int64_t saving_step;       /* the save last begun */
    int64_t save_started_ms;   /* of steplog_emit_save_start(); TIME_UNKNOWN */
    int64_t wait_started_ms;   /* the main thread waits for a background save since; TIME_UNKNOWN */
    int64_t live_slices;       /* last told; RECORD_NONE */
    int64_t loading_step;      /* the restore last begun */
    int64_t last_step;         /* the step that last ended or was restored, as text formats number it */
    struct patterns *patterns; /* format Regex; else NULL */
    struct pace pace;
    bool is_saving;        /* format Regex: since the line of a save's start */
    int64_t blocking_step; /* of a save that training waits for; RECORD_NONE */
    int64_t unproved_step; /* of a save in the background that nothing has proved to be final; RECORD_NONE */
    struct huggingface huggingface;
    struct nemo nemo;
    struct lightning lightning;
    struct keras keras;
};

/* A record with the current line's time and number filled in. */
struct record steplog_record(const struct steplog *s, enum record_kind kind);
/* Counts a line that cannot be read, or is missing by what others tell. */
void steplog_note(struct steplog *s, enum line_result result);
/* Hands a record on and counts it. */
void steplog_emit(struct steplog *s, const struct record *r, enum steplog_format format);

/* The end of a step, told by a line whose mean_ms (RECORD_NONE if it gives none) is that of each step since the line
 * before: the record's duration is that of all of them, as far as it is known how many. A step that the last line told
 * already (several ranks print it) is left out. */
void steplog_emit_step(struct steplog *s, struct record r, int64_t mean_ms, enum steplog_format format);

/* A save of which some versions tell the begin only: what comes after it may be anything, so that nothing counts as
 * blocked until the end is told (and then what lay between, if no step did). r.step: RECORD_NONE if not known. */
void steplog_emit_save_start(struct steplog *s, struct record r, enum steplog_format format);
void steplog_emit_save_durable(struct steplog *s, struct record r, enum steplog_format format);

/* pace.c: every record but those of recorder entries is noted. The end of an evaluation after a step (as its line says;
 * else the last one told), how long is derived; and the end of a save of which only the beginning was told, when the
 * step comes that shows it (true if it could be). */
void pace_note(struct steplog *s, const struct record *r);
void pace_tell(struct steplog *s, int64_t mean_ms); /* what a line says of its steps; RECORD_NONE: nothing */
void pace_evaluation_end(struct steplog *s, struct record r, int64_t step, enum steplog_format format);
bool pace_save_end(struct steplog *s, const struct record *step, enum steplog_format format);

/* A new save waits for the one before it, if that is written in the background: it is final by now. */
void steplog_prove_save(struct steplog *s, struct record r, enum steplog_format format);

/* lineclock.c: the time that a line carries itself; TIME_UNKNOWN. now_ms tells the year where the line has none. */
int64_t lineclock_ms(struct slice line, int64_t now_ms);

/* Text found inside a structured line: read by the text formats alone, so that nothing nests. */
void steplog_read_text(struct steplog *s, struct slice text);

struct format {
    enum steplog_format id; /* STEPLOG_AUTO: none of its own */
    bool is_beside;         /* read beside any other format */
    enum line_result (*line)(struct steplog *s, struct slice text);
    void (*line_end)(struct steplog *s); /* after all pieces of a line; may be NULL */
};

/* In the order in which they are tried; ended by line == NULL. */
extern const struct format steplog_formats[];

enum line_result recorder_line(struct steplog *s, struct slice text);
/* A whole line that is a step of the recorder and begins like the one before: read; else false. */
bool recorder_step_again(struct steplog *s, struct slice line);
void recorder_learn_step(struct steplog *s, struct slice text, int64_t step, int64_t ns);
enum line_result maxtext_line(struct steplog *s, struct slice text);
enum line_result megatron_line(struct steplog *s, struct slice text);
enum line_result nemo_line(struct steplog *s, struct slice text);
enum line_result torchtitan_line(struct steplog *s, struct slice text);
enum line_result deepspeed_line(struct steplog *s, struct slice text);
enum line_result huggingface_line(struct steplog *s, struct slice text);
void huggingface_line_end(struct steplog *s);
bool huggingface_is_holding(const struct steplog *s); /* records of an earlier time are still to come */
enum line_result lightning_line(struct steplog *s, struct slice text);
void lightning_line_end(struct steplog *s);
enum line_result keras_line(struct steplog *s, struct slice text);
void keras_line_end(struct steplog *s);
enum line_result patterns_line(struct steplog *s, struct slice text);
void patterns_free(struct patterns *p);
enum line_result maxtext_metrics_line(struct steplog *s, struct slice text);
enum line_result orbax_line(struct steplog *s, struct slice text);
enum line_result jax_line(struct steplog *s, struct slice text);

/* ---- shared by the parsers ---- */

#define STEPLOG_MAX_STEP INT64_C(1000000000000000)
#define STEPLOG_MAX_DURATION_MS (INT64_C(366) * 86400 * 1000)

/* Finds the words and gives what follows them. */
bool text_after(struct slice text, const char *words, struct slice *rest);
/* Cursor: a step number, 0 to STEPLOG_MAX_STEP. */
bool take_step(struct slice *s, int64_t *step);
/* Cursor: seconds as milliseconds, 0 to STEPLOG_MAX_DURATION_MS. */
bool take_duration_ms(struct slice *s, int64_t *ms);
/* Cursor: milliseconds with a fraction, the same bounds. */
bool take_milliseconds(struct slice *s, int64_t *ms);
/* Cursor: a number of at least 0 as thousandths; thousands commas ("1,145.20") and exponents are read. */
bool take_milli(struct slice *s, int64_t *milli);
/* Cursor: any number of spaces, also none. */
void skip_spaces(struct slice *s);
/* text_after() and then the number, spaces between: a step, or seconds as milliseconds. */
bool step_after(struct slice text, const char *words, int64_t *step, struct slice *rest);
bool duration_after(struct slice text, const char *words, int64_t *ms);
/* Whether the line says that it is this format's: it was asked for, or gave the steps so far. */
bool steplog_is_reading(const struct steplog *s, enum steplog_format format);
/* The last component of a path that is a number: ".../checkpoints/20/items." gives 20; RECORD_NONE if there is none. */
int64_t step_of_path(struct slice path);

#endif
