#include "cli/nearest.h"

#include <string.h>

enum { MAX_BYTES = 32, MAX_EDITS = 2, UNFINISHED_BYTES = 4 };

static int min(int a, int b) {
    return a < b ? a : b;
}

static int distance(const char *a, size_t a_size, const char *b, size_t b_size) {
    int edits[MAX_BYTES + 1][MAX_BYTES + 1];
    for (size_t i = 0; i <= a_size; i++)
        edits[i][0] = (int)i;
    for (size_t k = 0; k <= b_size; k++)
        edits[0][k] = (int)k;
    for (size_t i = 1; i <= a_size; i++)
        for (size_t k = 1; k <= b_size; k++) {
            int best = min(edits[i - 1][k], edits[i][k - 1]) + 1;
            best = min(best, edits[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                best = min(best, edits[i - 2][k - 2] + 1);
            edits[i][k] = best;
        }
    return edits[a_size][b_size];
}

const char *nearest_find(const char *word, const char *const *names, size_t count) {
    size_t size = strlen(word);
    if (size > MAX_BYTES)
        return NULL;
    const char *found = NULL;
    int fewest = min(MAX_EDITS + 1, (int)size);
    for (size_t i = 0; i < count; i++) {
        size_t name_size = strlen(names[i]);
        int edits = name_size > MAX_BYTES ? fewest : distance(word, size, names[i], name_size);
        if (edits > 1 && size >= UNFINISHED_BYTES && strncmp(word, names[i], size) == 0)
            edits = 1;
        if (edits < fewest) {
            fewest = edits;
            found = names[i];
        }
    }
    return found;
}
