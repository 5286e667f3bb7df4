/* judge: the verdict of the lines of one log, which have no stamps, without an exit code. */
#ifndef TESTS_JUDGE_H
#define TESTS_JUDGE_H

#include "rootcause/verdict.h"

static inline void judge_lines(struct rootcause_verdict *v, const struct matcher *m, struct slice text) {
    struct rootcause_log *log = rootcause_log_new(m, false);
    struct slice line;
    for (int64_t number = 1; slice_take_line(&text, &line); number++)
        rootcause_log_line(log, line, number);
    rootcause_log_end(log);
    rootcause_verdict(v, m, &log, 1, VERDICT_NO_EXIT_CODE);
    rootcause_log_free(log);
}

static inline void judge_text(struct rootcause_verdict *v, struct slice text) {
    struct matcher *m = matcher_new();
    judge_lines(v, m, text);
    matcher_free(m);
}

#endif
