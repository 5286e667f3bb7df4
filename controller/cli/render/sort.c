#include "cli/render/sort.h"

#include "base/mem.h"
#include "base/slice.h"
#include "cli/render/pick.h"

#include <stdlib.h>
#include <string.h>

enum kind { NUMBER, TEXT, ABSENT };

struct key {
    json_t *job;
    const char *text;
    double number;
    enum kind kind;
    size_t place; /* before sorting */
};

static struct key key_of(json_t *job, const char *path, size_t place) {
    const json_t *value = pick(job, path);
    struct key key = {.job = job, .text = json_string_value(value), .kind = ABSENT, .place = place};
    if (json_is_number(value)) {
        key.number = json_number_value(value);
        key.kind = NUMBER;
    } else if (key.text != NULL) {
        struct slice rest = slice_of(key.text);
        bool is_number = slice_take_double(&rest, &key.number) && (rest.size_bytes == 0 || slice_is(rest, "%"));
        key.kind = is_number ? NUMBER : TEXT;
    }
    return key;
}

static int by_key(const void *a, const void *b) {
    const struct key *x = a, *y = b;
    int r = 0;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->kind == NUMBER && x->number != y->number)
        r = x->number < y->number ? -1 : 1;
    if (x->kind == TEXT)
        r = strcmp(x->text, y->text);
    return r != 0 ? r : x->place < y->place ? -1 : 1;
}

void sort_by_field(json_t **jobs, size_t count, const char *path) {
    CLEANUP_FREE struct key *keys = mem_resize(NULL, count, sizeof *keys);
    for (size_t i = 0; i < count; i++)
        keys[i] = key_of(jobs[i], path, i);
    qsort(keys, count, sizeof *keys, by_key);
    for (size_t i = 0; i < count; i++)
        jobs[i] = keys[i].job;
}
