/* examples: texts of one log, each with the class of its verdict. */
#ifndef TESTS_EXAMPLES_H
#define TESTS_EXAMPLES_H

#include "harness.h"

#include "base/mem.h"
#include "rootcause/verdict.h"

static void judge(struct rootcause_verdict *v, const char *text) {
    struct matcher *m = matcher_new();
    struct rootcause_log *log = rootcause_log_new(m, false);
    struct slice line, rest = slice_of(text);
    for (int64_t number = 1; slice_take_line(&rest, &line); number++)
        rootcause_log_line(log, line, number);
    rootcause_log_end(log);
    rootcause_verdict(v, m, &log, 1, VERDICT_NO_EXIT_CODE);
    rootcause_log_free(log);
    matcher_free(m);
}

struct example {
    enum rootcause_class class_;
    bool is_symptom;
    const char *text;
};

static void check_all(const struct example *examples, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct rootcause_verdict v;
        judge(&v, examples[i].text);
        if (v.finding.class_ != examples[i].class_ || v.is_symptom_only != examples[i].is_symptom)
            harness_fail(__FILE__, __LINE__, "example %zu: %s, expected %s: %s", i + 1,
                         rootcause_class_name(v.finding.class_), rootcause_class_name(examples[i].class_),
                         examples[i].text);
    }
}

#endif
