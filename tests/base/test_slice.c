#include "harness.h"
#include "random.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/slice.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

TEST(compares_and_finds) {
    CHECK(slice_is(SLICE("pods"), "pods"));
    CHECK(!slice_is(SLICE("pods"), "pod"));
    CHECK(slice_is((struct slice){0}, ""));
    CHECK(slice_equal((struct slice){0}, slice_of(NULL)));
    CHECK(slice_compare(SLICE("a"), SLICE("ab")) < 0);
    CHECK(slice_compare(SLICE("b"), SLICE("ab")) > 0);
    CHECK_INT(slice_compare(SLICE("ab"), SLICE("ab")), 0);
    CHECK(slice_starts(SLICE("status.phase"), "status"));
    CHECK(!slice_starts(SLICE("st"), "status"));
    CHECK(slice_ends(SLICE("a.log"), ".log"));
    CHECK(!slice_ends(SLICE("log"), ".log"));
    CHECK(slice_contains(SLICE("abcabd"), "abd"));
    CHECK(!slice_contains((struct slice){0}, "a"));
    CHECK(slice_contains((struct slice){0}, ""));
    CHECK_INT(slice_trim(SLICE(" \t a b\r\n")).size_bytes, 3);
    CHECK_INT(slice_trim(SLICE(" \n")).size_bytes, 0);
    CHECK_INT(slice_hash(SLICE("foobar")), (int64_t)0x85944171f73967e8u); /* published FNV-1a test vector */
}

/* The first place at which all bytes agree. */
static const char *find_plainly(struct slice s, struct slice needle) {
    for (size_t i = 0; i + needle.size_bytes <= s.size_bytes; i++)
        if (memcmp(s.data + i, needle.data, needle.size_bytes) == 0)
            return s.data + i;
    return NULL;
}

/* Texts of few letters hold much that begins and ends like what is looked for. */
TEST(finds_what_a_plain_search_finds) {
    uint64_t random = random_setting("GOODPUT_SEED", 24);
    int found = 0, rounds = 20000;
    for (int round = 0; round < rounds; round++) {
        size_t size = (size_t)random_below(&random, 80), needle_size = 1 + (size_t)random_below(&random, 20);
        char *text = mem_alloc(size > 0 ? size : 1), *needle = mem_alloc(needle_size); /* no byte behind is read */
        for (size_t i = 0; i < size; i++)
            text[i] = (char)('a' + random_below(&random, 2) * random_below(&random, 3));
        for (size_t i = 0; i < needle_size; i++)
            needle[i] = (char)('a' + random_below(&random, 2) * random_below(&random, 3));
        if (size >= needle_size && random_below(&random, 2) == 0)
            memcpy(text + random_below(&random, (int64_t)(size - needle_size + 1)), needle, needle_size);
        const char *plainly = find_plainly((struct slice){text, size}, (struct slice){needle, needle_size});
        CHECK(slice_find_bytes((struct slice){text, size}, needle, needle_size) == plainly);
        found += plainly != NULL;
        free(text);
        free(needle);
    }
    CHECK(found > rounds / 4 && found < rounds);
}

TEST(copies_end_between_characters) {
    char out[5];
    CHECK(slice_copy(out, sizeof out, SLICE("abcd")));
    CHECK_TEXT(out, "abcd");
    CHECK(!slice_copy(out, sizeof out, SLICE("abcde")));
    CHECK_TEXT(out, "abcd");
    CHECK(!slice_copy(out, sizeof out, SLICE("ab\xE2\x82\xAC"))); /* the euro sign has three bytes */
    CHECK_TEXT(out, "ab");
    CHECK(!slice_copy(out, sizeof out, SLICE("\x80\x80\x80\x80\x80\x80"))); /* no UTF-8: some end, no crash */
    CHECK(!slice_copy(out, 0, SLICE("a")));
}

TEST(takes_lines) {
    struct slice s = SLICE("one\r\n\ntwo"), line;
    CHECK(slice_take_line(&s, &line) && slice_is(line, "one"));
    CHECK(slice_take_line(&s, &line) && slice_is(line, ""));
    CHECK(slice_take_line(&s, &line) && slice_is(line, "two"));
    CHECK(!slice_take_line(&s, &line));
}

TEST(takes_integers_within_bounds) {
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
        size_t left;
    } cases[] = {
        {"0", true, 0, 0},
        {"999999999999999999", true, 999999999999999999, 0},
        {"0000000000000000000000000042", true, 42, 0},
        {"42abc", true, 42, 3},
        {"+7", true, 7, 0},
        {"-7 ", true, -7, 1},
        {"9223372036854775807", true, INT64_MAX, 0},
        {"9223372036854775808", false, 0, 19},
        {"-9223372036854775808", true, INT64_MIN, 0},
        {"-9223372036854775809", false, 0, 20},
        {"", false, 0, 0},
        {"-", false, 0, 1},
        {"x", false, 0, 1},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct slice s = slice_of(cases[i].text);
        int64_t value = 0;
        CHECK(slice_take_int(&s, &value) == cases[i].ok);
        CHECK_INT(value, cases[i].value);
        CHECK_INT(s.size_bytes, cases[i].left);
    }
    struct slice signed_number = SLICE("-1");
    int64_t value;
    CHECK(!slice_take_uint(&signed_number, &value));
}

TEST(scales_decimals_exactly) {
    static const struct {
        const char *text;
        int digits;
        bool ok;
        int64_t value;
    } cases[] = {
        {"1.2345", 3, true, 1235}, /* 1.2345 as a double is below the half */
        {"-1.2345", 3, true, -1235},
        {"1795227102.884774", 3, true, 1795227102885},
        {"1795227107.6151774", 6, true, 1795227107615177},
        {"1.1682510375976562e-05", 9, true, 11683},
        {"1e3", 0, true, 1000},
        {"1.5e3", 3, true, 1500000},
        {"0.0005", 3, true, 1},
        {"0.00049999999999999999999999999999999", 3, true, 0},
        {"0.5", 0, true, 1},
        {"00000000000000000000000000000.5", 0, true, 1},
        {"9223372036854775.807", 3, true, INT64_MAX},
        {"9223372036854775.808", 3, false, 0},
        {"-9223372036854775.807", 3, true, -INT64_MAX},
        {"9223372036854775807.5", 0, false, 0},
        {"1e999999999999", 3, false, 0},
        {"1e-999999999999", 3, true, 0},
        {"0e999999999999", 3, true, 0},
        {"nan", 3, false, 0},
        {"inf", 3, false, 0},
        {"", 3, false, 0},
        {".", 3, false, 0},
        {"-", 3, false, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct slice s = slice_of(cases[i].text);
        int64_t value = 0;
        CHECK(slice_take_scaled(&s, cases[i].digits, &value) == cases[i].ok);
        CHECK_INT(value, cases[i].value);
        CHECK(!cases[i].ok || s.size_bytes == 0);
    }
}

TEST(a_dot_or_e_without_digits_is_not_taken) {
    struct slice s = SLICE("5. Continuing");
    int64_t value;
    CHECK(slice_take_scaled(&s, 0, &value) && value == 5 && slice_is(s, ". Continuing"));
    s = SLICE("3 e");
    CHECK(slice_take_scaled(&s, 0, &value) && slice_is(s, " e"));
    s = SLICE("3e+x");
    CHECK(slice_take_scaled(&s, 0, &value) && value == 3 && slice_is(s, "e+x"));
}

static void check_double(const char *text, double expected) {
    struct slice s = slice_of(text);
    double value = -1;
    if (!slice_take_double(&s, &value) || s.size_bytes != 0 || memcmp(&value, &expected, sizeof value) != 0)
        harness_fail(__FILE__, __LINE__, "\"%.60s\" gives %.17g, expected %.17g", text, value, expected);
}

TEST(doubles_are_correctly_rounded) {
    check_double("0", 0.0);
    check_double("-0", -0.0);
    check_double("0.1", 0.1);
    check_double("1e22", 1e22);
    check_double("1e23", 1e23);
    check_double("9007199254740993", 9007199254740992.0);
    check_double("9007199254740993.00000000000000000000000000001", 9007199254740994.0);
    check_double("2.2250738585072011e-308", 2.2250738585072011e-308); /* hung PHP once */
    check_double("4.9e-324", 4.9e-324);
    check_double("2.4703282292062327e-324", 0.0);
    check_double("1.7976931348623157e308", 1.7976931348623157e308);
    check_double("1e400", (double)INFINITY);
    check_double("-1e400", -(double)INFINITY);
    check_double("1e-400", 0.0);
    check_double("INF", (double)INFINITY);
    check_double("-Infinity", -(double)INFINITY);
    struct slice s = SLICE("NaN");
    double value = 0;
    CHECK(slice_take_double(&s, &value) && isnan(value));
}

TEST(a_late_digit_decides_the_rounding) {
    /* Half way between two doubles, then 2,000 zeros, then a one. */
    char text[2200] = "9007199254740993.";
    memset(text + 17, '0', 2000);
    text[2017] = '\0';
    check_double(text, 9007199254740992.0);
    memcpy(text + 2017, "1", 2);
    check_double(text, 9007199254740994.0);
}

/* As Python's time.time() prints them, and exactly between two doubles. */
TEST(doubles_of_up_to_20_digits_agree_with_strtod) {
    uint64_t seed = 20261126;
    for (int i = 0; i < 200000; i++) {
        char text[64];
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t bits = seed ^ seed >> 29;
        int shift = (int)(bits % 12), cut = (int)(bits / 16 % 20);
        uint64_t half_way = ((bits >> 11 | UINT64_C(1) << 52) << shift) + (shift > 0 ? UINT64_C(1) << (shift - 1) : 0);
        switch (i % 4) {
        case 0: /* any digits, a point anywhere */
            snprintf(text, sizeof text, "%020" PRIu64, bits);
            memmove(text + cut + 1, text + cut, strlen(text + cut) + 1);
            text[cut] = '.';
            break;
        case 1: /* between two integers that are doubles */
            snprintf(text, sizeof text, "%" PRIu64, half_way);
            break;
        case 2: /* between two that end in .0 and .5, .25 and .5, ... */
            snprintf(text, sizeof text, "%" PRIu64 ".%s", (bits >> 12 | UINT64_C(1) << 52) >> (cut % 3),
                     cut % 3 == 0   ? "5"
                     : cut % 3 == 1 ? "25"
                                    : "125");
            break;
        default:
            snprintf(text, sizeof text, "%" PRIu64 "e%d", bits >> 4, cut - 10);
        }
        check_double(text, strtod(text, NULL));
    }
}

TEST(doubles_agree_with_strtod_on_random_texts) {
    uint64_t seed = 20261121;
    printf(" seed %" PRIu64 " ", seed);
    for (int i = 0; i < 20000; i++) {
        char text[64];
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t bits = seed ^ seed >> 29;
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, i % 2 ? "%.17g" : "%.6g", value);
        check_double(text, strtod(text, NULL));
    }
}

TEST(numbers_do_not_depend_on_the_locale) {
    const char *set = setlocale(LC_ALL, "de_DE.UTF-8");
    check_double("1234.5", 1234.5);
    check_double("0.3333333333333333148", 0.3333333333333333148);
    struct slice s = SLICE("1,5");
    double value;
    CHECK(slice_take_double(&s, &value) && slice_is(s, ",5"));
    if (set != NULL)
        setlocale(LC_ALL, "C");
}

TEST(exactness_is_reported) {
    struct slice s = SLICE("3.50");
    struct number n;
    int64_t value;
    bool exact;
    REQUIRE(number_take(&s, &n));
    CHECK(number_to_scaled(&n, 1, &value, &exact) && value == 35 && exact);
    CHECK(number_to_scaled(&n, 0, &value, &exact) && value == 4 && !exact);
}

TEST(items_of_a_list_are_taken_to_its_end) {
    static const struct {
        const char *list, *items; /* items: each with a bar behind it */
    } cases[] = {{"", ""}, {"a", "a|"}, {"a,b", "a|b|"}, {"a,,b", "a||b|"}, {",a", "|a|"}, {"a,", "a|"}, {",", "|"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct slice rest = slice_of(cases[i].list), item;
        CLEANUP_BUF struct buf items;
        buf_init(&items, 64);
        while (slice_take_item(&rest, ',', &item)) {
            buf_append_slice(&items, item);
            buf_append_char(&items, '|');
        }
        CHECK_TEXT(buf_text(&items), cases[i].items);
    }
}

TEST(a_pair_is_found_by_its_whole_name) {
    struct slice value = SLICE("untouched");
    CHECK(!slice_find_pair(SLICE(""), ';', "a", &value));
    CHECK(!slice_find_pair(SLICE("ab=1; b"), ';', "a", &value) && !slice_find_pair(SLICE("ab=1; b"), ';', "b", &value));
    CHECK(slice_is(value, "untouched"));
    CHECK(slice_find_pair(SLICE("x=a=9; a=1=2 ; a=3"), ';', "a", &value) && slice_is(value, "1=2"));
    CHECK(slice_find_pair(SLICE("name=n&namespace="), '&', "namespace", &value) && value.size_bytes == 0);
    CHECK(slice_find_pair(SLICE("namespace=a&name=n"), '&', "name", &value) && slice_is(value, "n"));
}
