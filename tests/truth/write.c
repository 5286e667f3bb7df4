#include "write.h"

#include "base/mem.h"
#include "base/rfc3339.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_BYTES (64 << 20)

double log_seconds(const struct log *log, int64_t at_ms) {
    return (double)sim_clock_ms(log->job, log->attempt, at_ms) / 1000.0;
}

/* Days since 1970 to a date (proleptic Gregorian). */
static void date_of(int64_t days, int *year, int *month, int *day) {
    int64_t z = days + 719468, era = z / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    *day = (int)(doy - (153 * mp + 2) / 5 + 1);
    *month = (int)(mp < 10 ? mp + 3 : mp - 9);
    *year = (int)(yoe + era * 400 + (*month <= 2));
}

static void format_time(int64_t ms, char separator, char text[32]) {
    int64_t seconds = ms / 1000, in_day = seconds % 86400;
    int year, month, day;
    date_of(seconds / 86400, &year, &month, &day);
    snprintf(text, 32, "%04d-%02d-%02d%c%02d:%02d:%02d", year, month, day, separator, (int)(in_day / 3600),
             (int)(in_day / 60 % 60), (int)(in_day % 60));
}

const char *log_local_time(const struct log *log, int64_t at_ms, char text[32], int *ms) {
    int64_t stamped_ms = sim_clock_ms(log->job, log->attempt, at_ms);
    format_time(stamped_ms, ' ', text);
    *ms = (int)(stamped_ms % 1000);
    return text;
}

void log_line(struct log *log, int64_t at_ms, const char *format, ...) {
    if (at_ms >= log->attempt->end_ms || at_ms > log->attempt->silent_ms)
        return;
    size_t from = log->text.size_bytes;
    char line[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    buf_append(&log->text, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
    MEM_GROW(log->lines, (size_t)log->count, log->capacity);
    log->lines[log->count] = (struct log_line){at_ms, log->count, from, log->text.size_bytes - from, false};
    log->count++;
}

static int compare_lines(const void *a, const void *b) {
    const struct log_line *x = a, *y = b;
    return x->at_ms != y->at_ms ? (x->at_ms > y->at_ms) - (x->at_ms < y->at_ms) : x->order - y->order;
}

/* A run of lines that the kubelet lost with a rotation. */
static void choose_lost(struct log *log, int *from, int *to) {
    *from = *to = -1;
    if (!log->job->loses_lines || log->count == 0)
        return;
    *from = (int)sim_between(log->job, 0, log->count - 1);
    *to = *from + (int)sim_between(log->job, 1, 20);
}

/* A program that buffers its output writes 8 KiB at once: a line has the time of the write that ends it. What is left
 * is written when the program ends, and lost with one that was killed: of those that fail every second one. */
static void buffer_lines(struct log *log) {
    enum { BLOCK_BYTES = 8192 };
    size_t bytes = 0, written = 0;
    int first = 0;
    for (int i = 0; i < log->count; i++) {
        bytes += log->lines[i].size + 1;
        if (bytes - written < BLOCK_BYTES)
            continue;
        written += (bytes - written) / BLOCK_BYTES * BLOCK_BYTES;
        int end = written == bytes ? i + 1 : i;
        for (int64_t at_ms = log->lines[i].at_ms; first < end; first++)
            log->lines[first].at_ms = at_ms;
    }
    bool is_killed = log->attempt->silent_ms < INT64_MAX ||
                     (log->attempt->has_failed && (log->job->seed + (uint64_t)log->attempt->start_ms) % 2 == 0);
    for (int i = first; i < log->count && !is_killed; i++)
        log->lines[i].at_ms = log->attempt->end_ms - 1;
    log->count = is_killed ? first : log->count;
}

static void stamp_lines(struct log *log, struct buf *out) {
    int lost_from, lost_to;
    if (log->count == 0)
        return;
    qsort(log->lines, (size_t)log->count, sizeof *log->lines, compare_lines);
    choose_lost(log, &lost_from, &lost_to);
    if (log->job->is_buffered)
        buffer_lines(log);
    bool is_glued = false;
    for (int i = 0; i < log->count; i++) {
        const struct log_line *l = &log->lines[i];
        char time[32];
        int64_t ms = sim_clock_ms(log->job, log->attempt, l->at_ms);
        if (i >= lost_from && i < lost_to)
            continue;
        format_time(ms, 'T', time);
        if (!is_glued)
            buf_format(out, "%s.%03d%06dZ ", time, (int)(ms % 1000), i % 1000000);
        buf_append(out, log->text.data + l->from, l->size);
        is_glued = l->is_part; /* `kubectl logs --timestamps` glues on what comes next, whatever stream it is of */
        if (!is_glued)
            buf_append_text(out, "\n");
    }
}

void write_log(struct job *job, const struct attempt *attempt, struct buf *out) {
    static void (*const writers[STEPLOG_FORMAT_COUNT])(struct log * log) = {
        [STEPLOG_RECORDER] = write_recorder,       [STEPLOG_MAXTEXT] = write_maxtext,
        [STEPLOG_MEGATRON] = write_megatron,       [STEPLOG_NEMO] = write_nemo,
        [STEPLOG_TORCHTITAN] = write_torchtitan,   [STEPLOG_DEEPSPEED] = write_deepspeed,
        [STEPLOG_HUGGINGFACE] = write_huggingface, [STEPLOG_KERAS] = write_keras,
        [STEPLOG_LIGHTNING] = write_lightning,     [STEPLOG_REGEX] = write_regex,
        [STEPLOG_GENERIC] = write_style,
    };
    struct log log = {.job = job, .attempt = attempt};
    buf_init(&log.text, LOG_BYTES);
    writers[job->format](&log);
    stamp_lines(&log, out);
    buf_done(&log.text);
    free(log.lines);
}

/* ---- format Regex: some program's own words ---- */

const struct steplog_patterns write_patterns = {
    .step = "^INFO it=(?<step>\\d+) took=(?<seconds>[\\d.]+)s",
    .checkpoint_start = "^INFO dumping state of it=(?<step>\\d+)",
    .checkpoint_saved = "^INFO state of it=(?<step>\\d+) is safe",
    .checkpoint_restored = "^INFO loaded it=(?<step>\\d+) in (?<seconds>[\\d.]+)s",
};

void write_regex(struct log *log) {
    for (int i = 0; i < log->attempt->event_count; i++) {
        const struct event *e = &log->attempt->events[i];
        switch (e->kind) {
        case EVENT_INIT:
            log_line(log, e->at_ms, "INFO hello from rank 0, it=0 is next");
            break;
        case EVENT_RESTORED:
            log_line(log, e->at_ms, "INFO loaded it=%d in %.3fs", (int)e->step, (double)e->ms / 1000);
            break;
        case EVENT_STEP_END:
            log_line(log, e->at_ms, "INFO it=%d took=%.3fs loss=1.234", (int)e->step, (double)e->ms / 1000);
            break;
        case EVENT_SAVE:
            log_line(log, e->at_ms, "INFO dumping state of it=%d", (int)e->step);
            break;
        case EVENT_DURABLE:
            log_line(log, e->at_ms, "INFO state of it=%d is safe", (int)e->step);
            break;
        default:
            break;
        }
    }
}
