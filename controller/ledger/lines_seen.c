#include "ledger/lines_seen.h"

#include "base/hash.h"

#include <string.h>

void lines_seen_begin(struct lines_seen *lines, int64_t line) {
    lines->last = line;
    lines->hash_count = lines->phases = 0;
    lines->has_first = false;
}

void lines_seen_hash(struct lines_seen *lines) {
    if (lines->has_first)
        lines->hashes[lines->hash_count++ % 8] = hash_stable(0, HASH_BYTES(&lines->first));
    lines->has_first = false;
}

bool lines_seen_note(struct lines_seen *lines, const struct record *r) {
    bool has_slices = r->kind == RECORD_ELASTIC_SLICES;
    const int64_t numbers[LINES_SEEN_NUMBERS] = {
        r->kind, r->step, r->at_ms, r->duration_ms, has_slices ? r->active : 0, has_slices ? r->total : 0};
    if (lines->hash_count == 0 && !lines->has_first && r->name[0] == '\0') {
        memcpy(lines->first, numbers, sizeof numbers);
        lines->has_first = true;
        return false;
    }
    lines_seen_hash(lines);
    uint64_t h = hash_stable(0, HASH_BYTES(&numbers));
    if (r->name[0] != '\0')
        h = hash_stable(h, (struct slice){r->name, strnlen(r->name, sizeof r->name)});
    int known = lines->hash_count < 8 ? lines->hash_count : 8;
    for (int i = 0; i < known; i++)
        if (lines->hashes[i] == h)
            return true;
    lines->hashes[lines->hash_count++ % 8] = h;
    return false;
}
