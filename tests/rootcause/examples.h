/* examples: texts of one log, each with the class of its verdict. */
#ifndef TESTS_EXAMPLES_H
#define TESTS_EXAMPLES_H

#include "harness.h"
#include "judge.h"

#include "base/mem.h"

static inline void judge(struct rootcause_verdict *v, const char *text) {
    judge_text(v, slice_of(text));
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
