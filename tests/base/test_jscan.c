#include "harness.h"

#include "base/jscan.h"
#include "base/mem.h"

#include <math.h>

static const char sample[] =
    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a-0\",\"labels\":{\"x\":\"\\\"}\"},\"n\":[1,-2.5e3,[],{}]"
    "},"
    "\"ok\":true,\"no\":false,\"nil\":null,\"at\":\"2026-11-21T02:16:52Z\",\"big\":12345678901234567890}} ";

TEST(finds_the_requested_keys_and_skips_the_rest) {
    struct jscan j;
    jscan_init(&j, slice_of(sample));
    struct slice key;
    char type[16] = "", name[16] = "";
    int64_t at = 0;
    REQUIRE(jscan_object(&j));
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "type"))
            CHECK(jscan_string(&j, type, sizeof type));
        else if (jscan_object(&j))
            while (jscan_key(&j, &key)) {
                if (slice_is(key, "at"))
                    CHECK(jscan_time_ms(&j, &at));
                else if (slice_is(key, "metadata") && jscan_object(&j))
                    while (jscan_key(&j, &key)) {
                        if (slice_is(key, "name"))
                            CHECK(jscan_string(&j, name, sizeof name));
                        else
                            jscan_skip(&j);
                    }
                else if (!slice_is(key, "metadata"))
                    jscan_skip(&j);
            }
    }
    CHECK(jscan_error(&j, NULL) == NULL);
    CHECK(jscan_at_end(&j));
    CHECK_TEXT(type, "ADDED");
    CHECK_TEXT(name, "a-0");
    CHECK_INT(at, 1795227412000);
}

static bool is_accepted(const char *text) {
    size_t n = strlen(text);
    char *copy = mem_alloc(n + 1); /* of the exact size, so that a read beyond is seen */
    memcpy(copy, text, n);
    char *exact = mem_resize(copy, n, 1);
    struct jscan j;
    jscan_init(&j, (struct slice){exact, n});
    jscan_skip(&j);
    bool accepted = jscan_at_end(&j);
    free(exact);
    return accepted;
}

TEST(accepts_and_refuses_as_json_does) {
    static const char *const good[] = {
        "0",    "-0",   "1.5",      "1e9",        "1E-9",        "\"\"",        "[]",      "{}",
        "true", "null", " [1 , 2]", "{\"a\":{}}", "\"\\u00e9\"", "[[[\"]\"]]]", "-1.0e+5", "\"\\\\\"",
    };
    static const char *const bad[] = {
        "",       "01", "-",     "1.", ".5",      "1e",       "+1",          "tru",        "nulL",      "[1,]",
        "[,1]",   "[1", "[1 2]", "{",  "{\"a\"}", "{\"a\":}", "{a:1}",       "{\"a\":1,}", "{\"a\" 1}", "\"abc",
        "\"\\\"", "]",  "[1}",   "{]", "1 2",     "'a'",      "\"a\" \"b\"", "[\"a\":1]",  "{1:2}",
    };
    for (size_t i = 0; i < ARRAY_SIZE(good); i++)
        if (!is_accepted(good[i]))
            harness_fail(__FILE__, __LINE__, "refused: %s", good[i]);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        if (is_accepted(bad[i]))
            harness_fail(__FILE__, __LINE__, "accepted: %s", bad[i]);
}

TEST(every_truncation_is_an_error) {
    for (size_t n = 0; n + 2 < sizeof sample; n++) {
        char *copy = mem_strndup(sample, n);
        CHECK(!is_accepted(copy));
        free(copy);
    }
    CHECK(is_accepted(sample));
}

TEST(depth_is_limited) {
    char text[2 * JSCAN_MAX_DEPTH + 3];
    for (int depth = JSCAN_MAX_DEPTH - 1; depth <= JSCAN_MAX_DEPTH + 1; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        text[2 * depth] = '\0';
        CHECK(is_accepted(text) == (depth <= JSCAN_MAX_DEPTH));
    }
}

TEST(reads_integers_however_they_are_written) {
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } cases[] = {
        {"3", true, 3},
        {"3.0", true, 3},
        {"3e2", true, 300},
        {"30e-1", true, 3},
        {"3.5", false, 0},
        {"-7", true, -7},
        {"1e400", false, 0},
        {"\"3\"", false, 0},
        {"null", false, 0},
        {"[3]", false, 0},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"NaN", false, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct jscan j;
        jscan_init(&j, slice_of(cases[i].text));
        int64_t value = 0;
        CHECK(jscan_int(&j, &value) == cases[i].ok);
        CHECK_INT(value, cases[i].value);
        CHECK(jscan_at_end(&j)); /* a value of another type is skipped, not an error */
    }
}

TEST(reads_pythons_nan) {
    struct jscan j;
    jscan_init(&j, SLICE("[NaN, -Infinity, 1.5]"));
    struct slice raw;
    double v = 0;
    REQUIRE(jscan_array(&j));
    CHECK(jscan_element(&j) && jscan_number_raw(&j, &raw) && slice_take_double(&raw, &v) && isnan(v));
    CHECK(jscan_element(&j) && jscan_number_raw(&j, &raw) && slice_take_double(&raw, &v) && v < 0 && isinf(v));
    CHECK(jscan_element(&j) && jscan_number_raw(&j, &raw) && slice_take_double(&raw, &v) && v > 1.4);
    CHECK(!jscan_element(&j) && jscan_at_end(&j));
}

static void check_string(const char *json, size_t out_size, const char *expected) {
    char out[64];
    struct jscan j;
    jscan_init(&j, slice_of(json));
    CHECK(jscan_string(&j, out, out_size));
    CHECK_TEXT(out, expected);
}

TEST(decodes_strings) {
    check_string("\"a\\n\\t\\\"\\\\\\/b\"", 64, "a\n\t\"\\/b");
    check_string("\"\\u00e9\\u20ac\\ud83d\\ude00\"", 64, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    check_string("\"\\ud83dx\"", 64, "\xEF\xBF\xBDx"); /* half a pair */
    check_string("\"\\ude00\\u0000\"", 64, "\xEF\xBF\xBD\xEF\xBF\xBD");
    check_string("\"abcdef\"", 4, "abc");
    check_string("\"ab\\u20acd\"", 5, "ab");
    check_string("\"a\\n\xE2\x82\xAC\"", 5, "a\n");
    check_string("\"a\\n\xE2\x82\xAC\"", 6, "a\n\xE2\x82\xAC");
    struct jscan j;
    jscan_init(&j, SLICE("\"\\x\""));
    char out[8];
    size_t offset = 0;
    CHECK(!jscan_string(&j, out, sizeof out));
    CHECK_TEXT(jscan_error(&j, &offset), "malformed escape");
    CHECK(offset > 0);
}

TEST(raw_values_are_handed_on) {
    struct jscan j;
    jscan_init(&j, SLICE(" [ {\"a\": [1, 2]} , \"x\"]"));
    struct slice raw;
    REQUIRE(jscan_array(&j));
    CHECK(jscan_element(&j) && jscan_raw(&j, &raw) && slice_is(raw, "{\"a\": [1, 2]}"));
    CHECK(jscan_element(&j) && jscan_peek(&j) == JSCAN_STRING && jscan_string_raw(&j, &raw) && slice_is(raw, "x"));
    CHECK(!jscan_element(&j) && jscan_at_end(&j));
}

TEST(a_wrong_use_ends_in_an_error_not_in_a_loop) {
    struct jscan j;
    jscan_init(&j, SLICE("{\"a\":1,\"b\":2}"));
    struct slice key;
    REQUIRE(jscan_object(&j));
    int keys = 0;
    while (jscan_key(&j, &key)) /* the value is not consumed */
        keys++;
    CHECK_INT(keys, 1);
    CHECK(jscan_error(&j, NULL) != NULL);
}

TEST(byte_flips_do_no_harm) {
    char copy[sizeof sample];
    for (size_t i = 0; i < sizeof sample - 1; i++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(copy, sample, sizeof sample);
            copy[i] = (char)(copy[i] ^ 1 << bit);
            struct jscan j;
            jscan_init(&j, (struct slice){copy, sizeof sample - 1});
            jscan_skip(&j);
            CHECK(j.at <= j.end && j.at >= j.start);
        }
}

/* An object whose end is hard to find: strings with brackets, quotes and backslashes, of every length. */
static size_t write_hard(char *out, size_t size, unsigned seed) {
    static const char *const parts[] = {"\"a]\":[1,2,{}]",
                                        "\"\\\\\":\"\\\"}\\\"\"",
                                        "\"k\":\"{{{{[[[\"",
                                        "\"deep\":{\"x\":[[{\"y\":\"]\"}]]}",
                                        "\"n\":-1.5e3",
                                        "\"e\":\"\\\\\\\\\\\\\\\\\"",
                                        "\"plain\":\"0123456789012345678901234567890123456789\""};
    size_t n = 1;
    out[0] = '{';
    while (n + 64 < size) {
        seed = seed * 1103515245 + 12345;
        n += (size_t)snprintf(out + n, size - n, "%s%s", n > 1 ? "," : "", parts[(seed >> 16) % ARRAY_SIZE(parts)]);
    }
    out[n++] = '}';
    return n;
}

TEST(what_is_left_is_left_by_its_end) {
    const char *text = "{\"a\":{\"b\":1,\"c\":[{\"}\":\"]\\\"}\"},[]],\"d\":{}},\"e\":[1,[2],{\"f\":3}],\"g\":7}";
    for (int is_loose = 0; is_loose < 2; is_loose++) {
        struct jscan j;
        struct slice key;
        int64_t value = 0;
        (is_loose ? jscan_init_loose : jscan_init)(&j, slice_of(text));
        CHECK(jscan_object(&j) && jscan_key(&j, &key) && jscan_object(&j) && jscan_key(&j, &key));
        CHECK(jscan_int(&j, &value) && value == 1);
        jscan_leave(&j); /* of a */
        CHECK(jscan_key(&j, &key) && slice_is(key, "e") && jscan_array(&j) && jscan_element(&j));
        CHECK(jscan_int(&j, &value));
        jscan_leave(&j);
        CHECK(jscan_key(&j, &key) && slice_is(key, "g") && jscan_int(&j, &value) && value == 7);
        jscan_leave(&j);
        CHECK(jscan_at_end(&j));
        for (size_t cut = 1; cut < strlen(text); cut++) {
            (is_loose ? jscan_init_loose : jscan_init)(&j, (struct slice){text, cut});
            if (jscan_object(&j))
                jscan_leave(&j);
            CHECK(jscan_error(&j, NULL) != NULL);
        }
    }
}

TEST(a_loose_skip_ends_where_a_strict_one_does) {
    char text[700];
    for (unsigned seed = 0; seed < 2000; seed++) {
        struct jscan strict, loose;
        size_t n = write_hard(text, 70 + seed % 600, seed);
        text[n] = ' ';
        jscan_init(&strict, (struct slice){text, n + 1});
        jscan_init_loose(&loose, (struct slice){text, n + 1});
        jscan_skip(&strict);
        jscan_skip(&loose);
        CHECK(loose.at == strict.at);
        CHECK(jscan_at_end(&strict) && jscan_at_end(&loose));
        for (size_t cut = 0; seed < 20 && cut < n; cut++) {
            char *exact = mem_resize(NULL, cut, 1); /* so that a read beyond is seen */
            memcpy(exact, text, cut);
            jscan_init_loose(&loose, (struct slice){exact, cut});
            jscan_skip(&loose);
            CHECK(jscan_error(&loose, NULL) != NULL);
            free(exact);
        }
    }
}

TEST(decodes_what_has_no_quotes_around_it) {
    static const char *const cases[][2] = {{"a\\nb", "a\nb"}, {"\\u00e9", "\xc3\xa9"}, {"plain", "plain"}, {"", ""}};
    char out[16];
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        size_t n = strlen(cases[i][0]);
        char *exact = mem_resize(NULL, n + 1, 1); /* the slice ends before the last byte, and nothing precedes it */
        memcpy(exact, cases[i][0], n);
        exact[n] = 'x';
        CHECK(jscan_unescape((struct slice){exact, n}, out, sizeof out));
        CHECK_TEXT(out, cases[i][1]);
        free(exact);
    }
    CHECK(!jscan_unescape(slice_of("a\\q"), out, sizeof out));
    CHECK(!jscan_unescape(slice_of("a\\"), out, sizeof out));
}
