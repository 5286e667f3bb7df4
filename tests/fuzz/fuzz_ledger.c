/* ledger: a checkpoint that somebody wrote. The checksum is put right, so that what is behind it is reached. What is
 * read is evaluated, must add up, and writes itself again as it was read. */
#include "base/hash.h"
#include "ledger/checkpoint.h"
#include "ledger/evaluate.h"
#include "reach.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void evaluate(struct ledger *l, int64_t through_ms) {
    struct ledger_result r;
    int64_t sum = 0;
    ledger_evaluate(l, through_ms, &r);
    for (int i = 0; i < r.bucket_count; i++)
        sum += r.buckets[i].ms;
    if (r.has_steps && r.interruption_count > 0)
        REACHED("steps and an interruption out of a checkpoint");
    assert(sum == r.wall_ms);
    ledger_result_done(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    CLEANUP_BUF struct buf saved, again, twice;
    buf_init(&saved, 1 << 20);
    buf_init(&again, 1 << 24);
    buf_init(&twice, 1 << 24);
    buf_append(&saved, data, size);
    uint64_t sum = hash_stable(0, buf_slice(&saved));
    for (int i = 0; i < 8; i++)
        buf_append_char(&saved, (char)(sum >> (8 * i)));
    struct error *err = NULL;
    struct ledger *l = ledger_load(buf_slice(&saved), NULL, &err), *back;
    if (l == NULL) {
        assert(err != NULL);
        error_free(err);
        return 0;
    }
    REACHED("a checkpoint that is read");
    assert(ledger_save(l, LEDGER_SAVE_ALL, &again) == 0);
    back = ledger_load(buf_slice(&again), NULL, &err);
    assert(back != NULL);
    assert(ledger_save(back, LEDGER_SAVE_ALL, &twice) == 0);
    assert(again.size_bytes == twice.size_bytes && memcmp(again.data, twice.data, again.size_bytes) == 0);
    evaluate(l, 1700000000000);
    evaluate(l, 4000000000000); /* the year 2096 */
    ledger_free(l);
    ledger_free(back);
    return 0;
}
