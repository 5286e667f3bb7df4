/* Only lines after the last step count: an error that the trainer survived is not the cause. */
#include "cli/analyze/cause.h"

#include "base/mem.h"
#include "rootcause/exits.h"
#include "rootcause/verdict.h"

#include <stdio.h>
#include <string.h>

static enum cause cause_of(const struct finding *f) {
    switch (f->class_) {
    case CLASS_DEVICE_OOM:
    case CLASS_HOST_OOM:
        return CAUSE_OUT_OF_MEMORY;
    case CLASS_COLLECTIVE_TIMEOUT:
    case CLASS_HANG_WATCHDOG:
        return CAUSE_HANG;
    case CLASS_PREEMPTION:
        return CAUSE_UNKNOWN;
    default:
        return CAUSE_APPLICATION_ERROR;
    }
}

static void fill(struct ledger_disruption *d, const char *name, enum cause cause, const char *reason, const char *text,
                 int64_t line) {
    d->cause = cause;
    snprintf(d->reason, sizeof d->reason, "%s", reason);
    snprintf(d->evidence, sizeof d->evidence, "log of %.60s, line %lld: %.150s", name, (long long)line, text);
}

/* The lines after after_line; a launcher's exit code, or a traceback without its end, fills *d for where nothing else
 * is found. */
static bool read_lines(struct rootcause_log *log, const char *name, struct slice tail, int64_t last_line,
                       int64_t after_line, struct ledger_disruption *d) {
    struct slice line, rest = tail;
    int64_t number = last_line + 1, code;
    bool has_code = false;
    while (slice_take_line(&rest, &line))
        number--;
    for (rest = tail; slice_take_line(&rest, &line); number++) {
        if (number <= after_line)
            continue;
        rootcause_log_line(log, line, number);
        bool is_code = exit_code_in(line, &code);
        if (has_code || (!is_code && !slice_contains(line, "Traceback (most recent call last)")))
            continue;
        char reason[24] = "", text[QUOTE_BYTES];
        if (is_code)
            snprintf(reason, sizeof reason, "%lld", (long long)code);
        quote_line(text, line, 0);
        fill(d, name, CAUSE_APPLICATION_ERROR, reason, text, number);
        has_code = true;
    }
    rootcause_log_end(log);
    return has_code;
}

bool analyze_cause_of(const struct matcher *m, const char *name, struct slice tail, int64_t last_line,
                      int64_t after_line, bool is_stamped, struct ledger_disruption *d) {
    struct rootcause_log *log = rootcause_log_new(m, is_stamped);
    bool has_code = read_lines(log, name, tail, last_line, after_line, d);
    const struct finding *f = rootcause_log_best(log);
    bool is_found = f != NULL && f->role < ROLE_WRAPPER;
    if (is_found)
        fill(d, name, cause_of(f), f->reason, f->text, f->line);
    rootcause_log_free(log);
    return is_found || has_code;
}
