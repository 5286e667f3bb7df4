/* literals: the first line of the input is the text that is searched, the others are the literals; each hit is where
 * memcmp finds it, in order, and none is missing. */
#include "base/literals.h"
#include "reach.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_TEXTS = 32, MAX_TEXT_BYTES = 512 };

static bool is_at(struct slice text, size_t at, struct slice literal) {
    return at + literal.size_bytes <= text.size_bytes && memcmp(text.data + at, literal.data, literal.size_bytes) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice rest = {(const char *)data, size}, text, line, texts[MAX_TEXTS];
    size_t count = 0, hits = 0;
    if (!slice_take_line(&rest, &text) || text.size_bytes > MAX_TEXT_BYTES)
        return 0;
    while (count < MAX_TEXTS && slice_take_line(&rest, &line))
        if (line.size_bytes >= LITERALS_MIN_BYTES)
            texts[count++] = line;
    struct literals *l = literals_new(texts, count);
    struct literals_hit hit = {0}, start = {0};
    for (size_t at = 0; at < text.size_bytes; at++)
        for (size_t i = 0; i < count; i++) {
            if (!is_at(text, at, texts[i]))
                continue;
            assert(literals_next(l, text, &hit) && hit.at == at && hit.number == i);
            assert(at > 0 || (literals_next_at_start(l, text, &start) && start.number == i));
            hits++;
        }
    assert(!literals_next(l, text, &hit) && !literals_next(l, text, &hit));
    assert(!literals_next_at_start(l, text, &start));
    if (hits > 0)
        REACHED("a hit");
    if (hits > 1)
        REACHED("two hits");
    if (start.at == 1)
        REACHED("a whole search of a start");
    literals_free(l);
    return 0;
}
