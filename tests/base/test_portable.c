#include "harness.h"

#include "base/portable.h"

#include "base/mem.h"

TEST(finds_the_last_character) {
    struct slice s = SLICE("a b c");
    CHECK(portable_find_last(s, ' ') == s.data + 3);
    CHECK(portable_find_last(s, 'a') == s.data);
    CHECK(portable_find_last(s, 'd') == NULL);
    CHECK(portable_find_last((struct slice){0}, 'a') == NULL);
}

/* The oracle is glibc's strverscmp(), with which it agrees where no number begins with a zero. */
TEST(natural_order) {
    static const char *const ordered[] = {"",
                                          "1",
                                          "2",
                                          "10",
                                          "a",
                                          "a1",
                                          "a1b",
                                          "a2",
                                          "a9.log",
                                          "a10.log",
                                          "a10b",
                                          "a100",
                                          "b-2-30",
                                          "b-10-3",
                                          "b-10-4",
                                          "rank-9",
                                          "rank-18446744073709551616",
                                          "rank-18446744073709551617",
                                          "rankA",
                                          "\xC3\xA9"};
    for (size_t i = 0; i < ARRAY_SIZE(ordered); i++)
        for (size_t j = 0; j < ARRAY_SIZE(ordered); j++) {
            int r = portable_compare_natural(ordered[i], ordered[j]), theirs = strverscmp(ordered[i], ordered[j]);
            CHECK_INT((r > 0) - (r < 0), (i > j) - (i < j));
            CHECK_INT((theirs > 0) - (theirs < 0), (i > j) - (i < j));
        }
    CHECK(portable_compare_natural("a007", "a8") < 0);
    CHECK(portable_compare_natural("a08", "a7") > 0);
    CHECK(portable_compare_natural("a01", "a1") < 0); /* never equal: the order does not depend on qsort() */
    CHECK(portable_compare_natural("a1x", "a01y") < 0);
    CHECK(portable_compare_natural("a0", "a") > 0);
}
