#include "harness.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/rfc3339.h"

TEST(reads_times) {
    static const struct {
        const char *text;
        int64_t unix_ns;
        int digits;
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0, 0},
        {"2026-11-21T02:16:52Z", 1795227412000000000, 0},
        {"2026-11-21T02:16:52.123456789Z", 1795227412123456789, 9},
        {"2026-11-21T08:01:52.1+05:45", 1795227412100000000, 1}, /* Kathmandu */
        {"2026-11-20T23:16:52-03:00", 1795227412000000000, 0},
        {"2026-11-21t02:16:52z", 1795227412000000000, 0},
        {"2000-02-29T00:00:00Z", 951782400000000000, 0},
        {"1969-12-31T23:59:59.999Z", -1000000, 3},
        {"2016-12-31T23:59:60Z", 1483228799999999999, 0}, /* the leap second of 2016 */
        {"2016-12-31T23:59:60.5Z", 1483228799999999999, 1},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct slice s = slice_of(cases[i].text);
        int64_t ns = 1;
        int digits = -1;
        CHECK(rfc3339_take(&s, &ns, &digits));
        CHECK_INT(ns, cases[i].unix_ns);
        CHECK_INT(digits, cases[i].digits);
        CHECK_INT(s.size_bytes, 0);
    }
}

TEST(refuses_text_that_is_not_a_time) {
    static const char *const cases[] = {
        "",
        "2026-11-21",
        "2026-11-21T02:16:52",
        "2026-11-21 02:16:52Z",
        "2026-13-21T02:16:52Z",
        "2026-00-21T02:16:52Z",
        "2026-11-31T02:16:52Z",
        "2026-11-00T02:16:52Z",
        "2023-02-29T02:16:52Z",
        "1900-02-29T02:16:52Z",
        "2026-11-21T24:00:00Z",
        "2026-11-21T02:60:00Z",
        "2026-11-21T02:16:61Z",
        "2026-11-21T02:16:52.Z",
        "2026-11-21T02:16:52.1234567890Z",
        "2026-11-21T02:16:52+24:00",
        "2026-11-21T02:16:52+0100",
        "2026-11-21T02:16:52+01:60",
        "0000-01-01T00:00:00Z",
        "2O26-11-21T02:16:52Z",
        "+026-11-21T02:16:52Z",
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct slice s = slice_of(cases[i]);
        int64_t unused;
        if (rfc3339_take(&s, &unused, NULL) || rfc3339_parse_ms(s, &unused))
            harness_fail(__FILE__, __LINE__, "\"%s\" was taken", cases[i]);
        CHECK_INT(s.size_bytes, strlen(cases[i]));
    }
}

TEST(every_truncation_is_refused) {
    static const char text[] = "2026-11-21T02:16:52.123456789+05:45";
    for (size_t n = 0; n < sizeof text - 1; n++) {
        char *copy = mem_strndup(text, n); /* on the heap, so that a read beyond is seen */
        int64_t unused;
        CHECK(!rfc3339_parse_ms((struct slice){copy, n}, &unused));
        free(copy);
    }
}

TEST(years_beyond_nanoseconds_are_read_in_milliseconds) {
    int64_t ms, ns;
    CHECK(rfc3339_parse_ms(SLICE("0001-01-01T00:00:00Z"), &ms)); /* metav1's zero */
    CHECK_INT(ms, -62135596800000);
    CHECK(rfc3339_parse_ms(SLICE("9999-12-31T23:59:59.9999Z"), &ms));
    CHECK_INT(ms, 253402300799999);
    struct slice s = SLICE("9999-12-31T23:59:59Z");
    CHECK(!rfc3339_take(&s, &ns, NULL));
    CHECK(rfc3339_parse_ms(SLICE("1969-12-31T23:59:59.9999Z"), &ms)); /* down, not towards zero */
    CHECK_INT(ms, -1);
}

TEST(formats) {
    char out[RFC3339_SIZE];
    CHECK_TEXT(rfc3339_format(out, 1795227412123456789, 9), "2026-11-21T02:16:52.123456789Z");
    CHECK_TEXT(rfc3339_format(out, 1795227412123456789, 6), "2026-11-21T02:16:52.123456Z");
    CHECK_TEXT(rfc3339_format_ms(out, 1795227412123), "2026-11-21T02:16:52.123Z");
    CHECK_TEXT(rfc3339_format_s(out, 1795227412999), "2026-11-21T02:16:52Z");
    CHECK_TEXT(rfc3339_format_s(out, -1), "1969-12-31T23:59:59Z");
    CHECK_TEXT(rfc3339_format_ms(out, -62135596800000), "0001-01-01T00:00:00.000Z");
    CHECK_TEXT(rfc3339_format_s(out, TIME_UNKNOWN), "0001-01-01T00:00:00Z");
    CHECK_TEXT(rfc3339_format_s(out, TIME_OPEN), "9999-12-31T23:59:59Z");
}

TEST(what_is_formatted_is_read_back) {
    uint64_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int64_t ms = (int64_t)(seed >> 16) % 253402300800000;
        char out[RFC3339_SIZE];
        int64_t back = -1;
        CHECK(rfc3339_parse_ms(slice_of(rfc3339_format_ms(out, ms)), &back));
        CHECK_INT(back, ms);
    }
}

TEST(days_of_dates) {
    CHECK_INT(rfc3339_unix_days(1970, 1, 1), 0);
    CHECK_INT(rfc3339_unix_days(2000, 3, 1), 11017);
    CHECK_INT(rfc3339_unix_days(1969, 12, 31), -1);
}
