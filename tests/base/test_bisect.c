#include "harness.h"

#include "base/bisect.h"

/* Of every sorted row of up to five values, how many are below each value: as counted one by one. */
TEST(bisect_finds_how_many_pass) {
    int rows = 0;
    for (size_t count = 0; count <= 5; count++)
        for (unsigned mask = 0; mask < 1u << count; mask++) {
            int row[5] = {0}, at = 0;
            for (size_t i = 0; i < count; i++)
                row[i] = at += (int)(mask >> i & 1);
            for (int value = 0; value <= 6; value++) {
                size_t below = 0;
                while (below < count && row[below] < value)
                    below++;
                CHECK_INT(BISECT(i, count, row[i] < value), below);
            }
            rows++;
        }
    CHECK_INT(rows, 63);
}
