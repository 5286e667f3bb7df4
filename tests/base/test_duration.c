#include "harness.h"

#include "base/duration.h"
#include "base/mem.h"

TEST(durations_are_parsed_as_in_go) {
    static const struct {
        const char *text;
        int64_t us; /* -1: refused */
    } cases[] = {{"15s", 15000000},
                 {"1.5h", 5400000000},
                 {"300ms", 300000},
                 {"1h1m1s", 3661000000},
                 {"0", 0},
                 {"5us", 5},
                 {"15", -1},
                 {"-1s", -1},
                 {"s", -1},
                 {"1d", -1},
                 {"1s ", -1},
                 {"", -1},
                 {"99999999999h", -1}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        int64_t us = -1;
        bool is_good = duration_parse(cases[i].text, &us);
        CHECK_INT(is_good, cases[i].us >= 0);
        if (is_good)
            CHECK_INT(us, cases[i].us);
    }
}
