/* Finds why an attempt ended in the last lines of its log: an uncaught exception, exhausted memory, a collective that
 * timed out, a termination signal, the exit code that a launcher prints. Only lines after the last step count: an error
 * that the trainer survived is not the cause. */
#include "cli/analyze/cause.h"

#include "base/mem.h"
#include "base/rfc3339.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A text in a line, the cause, its reason. The first line with such a text decides. */
static const struct {
    const char *text, *reason;
    enum cause cause;
} signs[] = {
    {"OutOfMemoryError", "", CAUSE_OUT_OF_MEMORY},
    {"out of memory", "", CAUSE_OUT_OF_MEMORY},
    {"Out of memory", "", CAUSE_OUT_OF_MEMORY},
    {"RESOURCE_EXHAUSTED", "", CAUSE_OUT_OF_MEMORY},
    {"MemoryError", "", CAUSE_OUT_OF_MEMORY},
    {"OOMKilled", "", CAUSE_OUT_OF_MEMORY},
    {"Watchdog caught collective operation timeout", "", CAUSE_HANG},
    {"collective operation timeout", "", CAUSE_HANG},
    {"Barrier timed out", "", CAUSE_HANG},
    {"SIGTERM", "SIGTERM", CAUSE_UNKNOWN},
    {"Received signal 15", "SIGTERM", CAUSE_UNKNOWN},
    {"Segmentation fault", "SIGSEGV", CAUSE_APPLICATION_ERROR},
    {"SIGSEGV", "SIGSEGV", CAUSE_APPLICATION_ERROR},
    {"SIGABRT", "SIGABRT", CAUSE_APPLICATION_ERROR},
    {"Fatal Python error", "", CAUSE_APPLICATION_ERROR},
};

/* "exitcode  : 1 (pid: 7)" (torchrun), "exit code: 3", "exited with code 2": not 0. */
static bool exit_code_of(struct slice line, int64_t *code) {
    static const char *const words[] = {"exitcode", "exit code", "exited with code"};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        const char *at = slice_find(line, words[i]), *end = line.data + line.size_bytes;
        if (at == NULL)
            continue;
        at += strlen(words[i]);
        while (at < end && (*at == ' ' || *at == ':' || *at == '='))
            at++;
        struct slice rest = slice_range(at, end);
        if (slice_take_int(&rest, code) && *code != 0)
            return true;
    }
    return false;
}

/* The last line of a traceback: "ValueError: text", "torch.cuda.OutOfMemoryError: ...", "KeyboardInterrupt". */
static bool exception_of(struct slice line, char *name, size_t name_size) {
    static const char *const ends[] = {"Error", "Exception", "Interrupt", "Exit", "Warning", "Timeout"};
    size_t n = 0, dot = 0;
    while (n < line.size_bytes && (isalnum((unsigned char)line.data[n]) || strchr("_.", line.data[n]) != NULL)) {
        if (line.data[n] == '.')
            dot = n + 1;
        n++;
    }
    if (n == 0 || (n < line.size_bytes && line.data[n] != ':'))
        return false;
    struct slice word = {line.data + dot, n - dot};
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
        if (slice_ends(word, ends[i])) {
            slice_copy(name, name_size, word);
            return true;
        }
    return false;
}

struct scan {
    struct ledger_disruption *d;
    const char *name;
    bool in_traceback, is_found;
};

static void found(struct scan *s, enum cause cause, const char *reason, struct slice line, int64_t number) {
    char text[160];
    slice_copy(text, sizeof text, line);
    s->is_found = true;
    s->d->cause = cause;
    snprintf(s->d->reason, sizeof s->d->reason, "%s", reason);
    snprintf(s->d->evidence, sizeof s->d->evidence, "log of %.60s, line %lld: %s", s->name, (long long)number, text);
}

/* True if no later line can give a better cause. */
static bool take_line(struct scan *s, struct slice line, int64_t number) {
    char name[LEDGER_NAME_SIZE];
    int64_t code;
    for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
        if (slice_contains(line, signs[i].text)) {
            found(s, signs[i].cause, signs[i].reason, line, number);
            return true;
        }
    if (slice_contains(line, "Traceback (most recent call last)")) {
        s->in_traceback = true;
        found(s, CAUSE_APPLICATION_ERROR, "", line, number);
    } else if (s->in_traceback && exception_of(line, name, sizeof name)) {
        found(s, CAUSE_APPLICATION_ERROR, name, line, number);
        s->in_traceback = false; /* an exception in its handler has a separate traceback */
    } else if (!s->is_found && exit_code_of(line, &code)) {
        snprintf(name, sizeof name, "%lld", (long long)code);
        found(s, CAUSE_APPLICATION_ERROR, name, line, number);
    }
    return false;
}

bool analyze_cause_of(const char *name, struct slice tail, int64_t last_line, int64_t after_line, bool is_stamped,
                      struct ledger_disruption *d) {
    struct scan scan = {.d = d, .name = name};
    struct slice line, rest = tail;
    int64_t number = last_line + 1;
    while (slice_take_line(&rest, &line))
        number--;
    for (rest = tail; slice_take_line(&rest, &line); number++) {
        int64_t ns;
        if (number <= after_line)
            continue;
        if (is_stamped && rfc3339_take(&line, &ns, NULL) && line.size_bytes > 0)
            line = slice_skip(line, 1);
        if (take_line(&scan, line, number))
            break;
    }
    return scan.is_found;
}
