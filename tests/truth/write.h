/* write: the logs of simulated jobs, as each trainer prints them and the kubelet stamps them. The lines are those of
 * tests/data/trainer-logs and tests/data/steplog, with what other lines stand between them. */
#ifndef TRUTH_WRITE_H
#define TRUTH_WRITE_H

#include "base/buf.h"
#include "sim.h"
#include "steplog/patterns.h"

#define WRITE_VALIDATION_LINES 10 /* NeMo's */

struct log_line {
    int64_t at_ms;
    int order;
    size_t from, size;
    bool is_part; /* of a line that the container runtime cut */
};

struct log {
    struct job *job;
    const struct attempt *attempt;
    struct buf text;
    struct log_line *lines;
    int count;
    size_t capacity;
};

/* One line, printed at that (true) time; not if the process is already dead. */
void log_line(struct log *log, int64_t at_ms, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The log of an attempt, each line with its stamp; lines are lost where the job loses some. */
void write_log(struct job *job, const struct attempt *attempt, struct buf *out);

/* A line on standard error that grows with carriage returns and is seen when it ends, at a newline or with the process,
 * and in parts as the runtime's buffer gets full. */
struct bar {
    struct log *log;
    struct buf text;
};
void bar_draw_progress(struct bar *bar, const char *head, int64_t done, int64_t total, int64_t since_ms, int64_t at_ms,
                       const char *tail);
void bar_flush(struct bar *bar, int64_t at_ms);

void write_recorder(struct log *log);
void write_maxtext(struct log *log);
void write_megatron(struct log *log);
void write_nemo(struct log *log);
void write_torchtitan(struct log *log);
void write_deepspeed(struct log *log);
void write_huggingface(struct log *log);
void write_keras(struct log *log);
void write_lightning(struct log *log);
void write_regex(struct log *log);
void write_style(struct log *log); /* styles.h */

/* The patterns that read what write_regex writes. */
extern const struct steplog_patterns write_patterns;

/* Unix seconds of a true time as the attempt's node has them. */
double log_seconds(const struct log *log, int64_t at_ms);
/* "2026-11-21 02:17:36" there; ms: the milliseconds. */
const char *log_local_time(const struct log *log, int64_t at_ms, char text[32], int *ms);

#endif
