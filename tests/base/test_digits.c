/* Runs of digits at any place of any length, between any bytes, give what digit by digit gives. */
#include "harness.h"
#include "random.h"

#include "base/digits.h"

static uint64_t next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

TEST(digits_as_one_by_one) {
    uint64_t seed = 11;
    for (int round = 0; round < 200000; round++) {
        char text[32];
        size_t size = next(&seed) % sizeof text;
        for (size_t i = 0; i < size; i++)
            text[i] = next(&seed) % 16 ? (char)('0' + next(&seed) % 10) : (char)next(&seed);
        const char *at = text;
        uint64_t value, expected = 0;
        int count = 0;
        while (count < DIGITS_MAX && (size_t)count < size && text[count] >= '0' && text[count] <= '9')
            expected = expected * 10 + (uint64_t)(text[count++] - '0');
        int found = digits_take(&at, text + size, &value);
        if (found != count || at != text + count || (count > 0 && value != expected)) {
            harness_fail(__FILE__, __LINE__, "round %d: \"%.*s\": %d digits, %llu; expected %d, %llu", round, (int)size,
                         text, found, (unsigned long long)value, count, (unsigned long long)expected);
            return;
        }
    }
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Byte for byte. */
TEST(texts_that_differ_in_digits_alone) {
    static const char bytes[] = {'0', '5', '9', '/', ':', '\0', 'a', '\x80', '\xb0', '\xff', ' ', '1'};
    uint64_t random = random_setting("GOODPUT_SEED", 24);
    int same = 0, rounds = 20000;
    for (int round = 0; round < rounds; round++) {
        char a[24], b[24];
        size_t size = (size_t)random_below(&random, sizeof a + 1);
        bool expected = true;
        for (size_t i = 0; i < size; i++) {
            a[i] = bytes[random_below(&random, sizeof bytes)];
            b[i] = random_below(&random, 16) == 0 ? bytes[random_below(&random, sizeof bytes)] : a[i];
            if (is_digit(a[i]) && random_below(&random, 2) == 0)
                b[i] = (char)('0' + random_below(&random, 10));
            expected = expected && (a[i] == b[i] || (is_digit(a[i]) && is_digit(b[i])));
        }
        CHECK_INT(digits_alone_differ(a, b, size), expected);
        same += expected;
    }
    CHECK(same > rounds / 4 && same < rounds * 3 / 4);
}
