/* compare: any lines are read or left out as ledgers, one after the other; what two sides say is JSON. */
#include "base/jscan.h"
#include "export/comparison.h"
#include "reach.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct compare_table table;
    struct comparison_side sides[2];
    struct slice all = {(const char *)data, size}, half = {all.data, size / 2},
                 rest = {all.data + size / 2, size - size / 2};
    struct buf out;
    struct jwrite w;
    struct jscan j;
    buf_init(&out, (size_t)4 << 20);
    comparison_init(&sides[0], "a");
    comparison_init(&sides[1], "b");
    int a = comparison_take(&sides[0], all, COMPARISON_JOINED, NULL);
    comparison_take(&sides[1], half, COMPARISON_NOT_SUBMITTED, NULL);
    comparison_take(&sides[1], rest, COMPARISON_NOT_SUBMITTED, NULL);
    if (a == 0 && sides[1].ledgers > 0) {
        REACHED("two sides");
        if (sides[1].ledgers > 1)
            REACHED("a side of two ledgers");
        if (sides[0].advice_count > 0)
            REACHED("advice");
        compare_jobs(&sides[0].job, &sides[1].job, &table);
        jwrite_init(&w, &out);
        comparison_write(sides, &table, &w);
        jscan_init(&j, buf_slice(&out));
        jscan_skip(&j);
        assert(out.truncated || jscan_at_end(&j));
    }
    comparison_done(&sides[0]);
    comparison_done(&sides[1]);
    buf_done(&out);
    return 0;
}
