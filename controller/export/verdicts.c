#include "export/verdicts.h"

#include "base/mem.h"

#include <string.h>

#define ADMITTED_US INT64_C(60000000)
#define REFUSED_US INT64_C(10000000)

struct verdicts {
    int capacity;
    void (*release)(void *bearer);
    struct verdict items[];
};

struct verdicts *verdicts_new(int capacity, void (*release)(void *bearer)) {
    struct verdicts *v = mem_alloc(sizeof *v + (size_t)capacity * sizeof v->items[0]);
    v->capacity = capacity;
    v->release = release;
    return v;
}

static void forget(const struct verdicts *v, struct verdict *item) {
    if (v->release != NULL)
        v->release(item->bearer);
    *item = (struct verdict){0};
}

void verdicts_free(struct verdicts *v) {
    if (v == NULL)
        return;
    for (int i = 0; i < v->capacity; i++)
        forget(v, &v->items[i]);
    free(v);
}

const struct verdict *verdicts_find(const struct verdicts *v, const unsigned char *token, int64_t now_us) {
    for (int i = 0; i < v->capacity; i++)
        if (v->items[i].until_us > now_us && memcmp(v->items[i].token, token, SHA256_BYTES) == 0)
            return &v->items[i];
    return NULL;
}

void verdicts_put(struct verdicts *v, const unsigned char *token, int status, void *bearer, int64_t now_us) {
    struct verdict *oldest = &v->items[0];
    for (int i = 1; i < v->capacity; i++)
        if (v->items[i].until_us < oldest->until_us)
            oldest = &v->items[i];
    forget(v, oldest);
    *oldest = (struct verdict){
        .status = status, .bearer = bearer, .until_us = now_us + (status == 200 ? ADMITTED_US : REFUSED_US)};
    memcpy(oldest->token, token, SHA256_BYTES);
}
