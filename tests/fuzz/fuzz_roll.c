/* roll: what a fleet keeps, whatever its bytes (behind a checksum that is right), is refused or gives a usable roll: it
 * is rolled up, reported, written and read back as the same text. The same bytes as a JobGoodput are read or refused.
 */
#include "base/base64.h"
#include "base/hash.h"
#include "base/mem.h"
#include "fleet/outcome.h"
#include "fleet/roll_archive.h"
#include "fleet/roll_store.h"
#include "reach.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD_BYTES = 16 /* version and key */, SUM_BYTES = 8 };

/* Behind the head that today's version writes. */
static char *packed(const struct roll_options *options, const uint8_t *data, size_t size) {
    struct roll empty;
    bool is_coarse;
    size_t empty_bytes;
    roll_init(&empty, options);
    CLEANUP_FREE char *stored = roll_store(&empty, 5, 1 << 20, &is_coarse);
    CLEANUP_FREE char *head = base64_decode(slice_of(stored), &empty_bytes);
    roll_done(&empty);
    char *bytes = mem_alloc(HEAD_BYTES + size + SUM_BYTES);
    memcpy(bytes, head, HEAD_BYTES);
    memcpy(bytes + HEAD_BYTES, data, size);
    uint64_t sum = hash_stable(0, (struct slice){bytes, HEAD_BYTES + size});
    memcpy(bytes + HEAD_BYTES + size, &sum, sizeof sum);
    char *text = base64_encode((struct slice){bytes, HEAD_BYTES + size + sizeof sum});
    free(bytes);
    return text;
}

/* A seed of today's version: what the JobGoodput of an input left, written to the file that FUZZ_ROLL_KEEP names. */
static void keep_seed(const char *text) {
    const char *path = getenv("FUZZ_ROLL_KEEP");
    FILE *f = path != NULL ? fopen(path, "wb") : NULL;
    size_t bytes;
    CLEANUP_FREE char *stored = base64_decode(slice_of(text), &bytes);
    if (f == NULL)
        return;
    fwrite(stored + HEAD_BYTES, 1, bytes - HEAD_BYTES - SUM_BYTES, f);
    fclose(f);
}

/* The same bytes as a day of an archive: it is taken whole or not at all. */
static void read_as_day(const struct roll_options *options, const struct roll *day, const char *text) {
    if (day->slot_count == 0)
        return;
    struct roll roll;
    roll_init(&roll, options);
    roll.archived = mem_new(struct roll_archived);
    roll.archived_count = roll.archived_capacity = 1;
    roll.archived[0] = (struct roll_archived){day->slots[0].from_ms, day->slots[0].until_ms, false};
    if (roll_archive_read(&roll, 5, &roll.archived[0], slice_of(text)) == 0)
        REACHED("a day of an archive");
    assert((roll.slot_count == 1) == roll.archived[0].is_read);
    roll_done(&roll);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct roll_options week = {.window = ROLL_ROLLING, .length_ms = 7 * ROLL_DAY_MS};
    struct member *m = member_read((struct slice){(const char *)data, size});
    struct roll_member rm = {m, "g", true, false};
    static struct outcome o;
    struct roll roll, again;
    bool is_coarse;
    if (size > 1 << 16) {
        member_free(m);
        return 0;
    }
    CLEANUP_FREE char *text = packed(&week, data, size);
    roll_init(&roll, &week);
    if (roll_restore(&roll, 5, slice_of(text)) == 0 || m != NULL) {
        if (m != NULL)
            REACHED("a JobGoodput");
        else
            REACHED("a roll that a fleet kept");
        int64_t now_ms = roll.rolled_ms != TIME_UNKNOWN ? roll.rolled_ms : INT64_C(1793491200000);
        struct roll_input in = {.members = &rm, .count = m != NULL, .now_ms = now_ms};
        roll_up(&roll, &in);
        outcome_make(&roll, &in, &o);
        CLEANUP_FREE char *first = roll_store(&roll, 5, 1 << 20, &is_coarse);
        if (m != NULL && first != NULL)
            keep_seed(first);
        roll_init(&again, &week);
        assert(first != NULL && roll_restore(&again, 5, slice_of(first)) == 0);
        CLEANUP_FREE char *second = roll_store(&again, 5, 1 << 20, &is_coarse);
        assert(second != NULL && strcmp(first, second) == 0);
        roll_done(&again);
        read_as_day(&week, &roll, text);
    }
    roll_done(&roll);
    member_free(m);
    return 0;
}
