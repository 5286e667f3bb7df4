/* A set of step numbers against a list that is searched from its start: numbers that go up by one, that leave some out,
 * and that go back; several sets in the same memory. */
#include "harness.h"

#include "library/steps.h"
#include "random.h"

enum { MAX = 300 };

static void check_same(const struct steps *s, const int64_t *numbers, size_t count) {
    CHECK_INT(s->count, count);
    for (size_t i = 0; i < count; i++)
        CHECK_INT(steps_at(s, i), numbers[i]);
    for (int64_t step = -3; step < 2 * MAX; step++) {
        size_t index = 0, expected = 0;
        while (expected < count && numbers[expected] != step)
            expected++;
        CHECK_INT(steps_find(s, step, &index), expected < count);
        if (expected < count)
            CHECK_INT(index, expected);
    }
}

TEST(a_set_of_steps_is_a_dictionary) {
    uint64_t random = random_setting("GOODPUT_SEED", 20261128);
    struct steps s = {0};
    for (int round = 0; round < 200; round++) {
        int64_t numbers[MAX], skips = random_below(&random, 3), backs = random_below(&random, 3);
        size_t count = 0, index;
        int64_t step = random_below(&random, 5);
        for (int64_t left = random_below(&random, MAX); left > 0 && step < 2 * MAX; left--) {
            if (!steps_find(&s, step, &index)) {
                steps_add(&s, step);
                numbers[count++] = step;
            }
            step += 1 + (skips > 0 && random_below(&random, 40) < skips);
            if (backs > 0 && random_below(&random, 40) < backs)
                step = random_below(&random, step);
        }
        check_same(&s, numbers, count);
        steps_clear(&s);
    }
    steps_done(&s);
}

TEST(steps_that_go_up_by_one_take_no_memory) {
    struct steps s = {0};
    for (int64_t step = 7; step < 100000; step++)
        steps_add(&s, step);
    CHECK(s.items == NULL && s.table == NULL);
    CHECK_INT(steps_at(&s, 99992), 99999);
    steps_done(&s);
}
