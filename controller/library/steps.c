#include "library/steps.h"

#include "base/bisect.h"
#include "base/hash.h"
#include "base/mem.h"

static size_t slot_of(const struct steps *s, int64_t step) {
    size_t i = (size_t)hash_local(0, HASH_BYTES(&step)) & (s->table_size - 1);
    while (s->table[i] != 0 && s->items[s->table[i] - 1] != step)
        i = (i + 1) & (s->table_size - 1);
    return i;
}

bool steps_find(const struct steps *s, int64_t step, size_t *index) {
    if (s->is_range) {
        *index = (size_t)(step - s->first);
        return step >= s->first && step - s->first < (int64_t)s->count;
    }
    if (s->table != NULL) {
        size_t i = slot_of(s, step);
        *index = (size_t)s->table[i] - 1;
        return s->table[i] != 0;
    }
    if (s->count == 0 || step > s->items[s->count - 1])
        return false;
    *index = BISECT(i, s->count, s->items[i] < step);
    return *index < s->count && s->items[*index] == step;
}

static void hash_all(struct steps *s) {
    free(s->table);
    s->table_size = 64;
    while (s->table_size < s->count * 4)
        s->table_size *= 2;
    s->table = mem_alloc(s->table_size * sizeof *s->table);
    for (size_t i = 0; i < s->count; i++)
        s->table[slot_of(s, s->items[i])] = (uint32_t)(i + 1);
}

static void list_all(struct steps *s) {
    size_t count = s->count;
    s->is_range = false;
    for (s->count = 0; s->count < count; s->count++) {
        MEM_GROW(s->items, s->count, s->capacity);
        s->items[s->count] = s->first + (int64_t)s->count;
    }
}

void steps_add(struct steps *s, int64_t step) {
    if (s->count == 0) {
        s->first = step;
        s->is_range = true;
    }
    if (s->is_range && step == s->first + (int64_t)s->count) {
        s->count++;
        return;
    }
    if (s->is_range)
        list_all(s);
    bool goes_up = s->count == 0 || step > s->items[s->count - 1];
    MEM_GROW(s->items, s->count, s->capacity);
    s->items[s->count++] = step;
    if (s->table == NULL ? !goes_up : s->count * 2 > s->table_size)
        hash_all(s);
    else if (s->table != NULL)
        s->table[slot_of(s, step)] = (uint32_t)s->count;
}

void steps_clear(struct steps *s) {
    free(s->table);
    s->table = NULL;
    s->table_size = s->count = 0;
    s->is_range = false;
}

void steps_done(struct steps *s) {
    steps_clear(s);
    free(s->items);
    *s = (struct steps){0};
}
