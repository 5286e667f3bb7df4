#include "ledger/texts.h"

#include "base/mem.h"
#include "base/slice.h"
#include "ledger/ledger_internal.h"

#include <string.h>

static char asked_for[] = ""; /* placeholder for a name that ledger_texts provides */

/* ---- disruptions ---- */

static size_t add_text(char *to, const char *text, size_t size) {
    size_t length = strnlen(text, size - 1);
    if (to != NULL) {
        memcpy(to, text, length);
        to[length] = '\0';
    }
    return length + 1;
}

static size_t add_all(char *to, const struct ledger_disruption *d) {
    size_t n = add_text(to, d->reason, sizeof d->reason);
    n += add_text(to ? to + n : NULL, d->evidence, sizeof d->evidence);
    n += add_text(to ? to + n : NULL, d->node, sizeof d->node);
    return n + add_text(to ? to + n : NULL, d->node_pool, sizeof d->node_pool);
}

struct disruption_fact texts_pack(const struct ledger_disruption *d) {
    struct disruption_fact fact = {d->key, d->at_ms, d->cause, d->slot, d->opens, NULL};
    size_t size = add_all(NULL, d);
    if (size > 4) {
        fact.texts = mem_resize(NULL, size, 1);
        add_all(fact.texts, d);
    }
    return fact;
}

static const char *take_text(char *to, const char *from) {
    size_t size = strlen(from) + 1;
    memcpy(to, from, size);
    return from + size;
}

struct ledger_disruption texts_unpack(const struct ledger *l, const struct disruption_fact *fact) {
    struct ledger_disruption d = {
        .cause = fact->cause, .key = fact->key, .at_ms = fact->at_ms, .slot = fact->slot, .opens = fact->opens};
    if (fact->texts != NULL) {
        const char *from = take_text(d.reason, fact->texts);
        from = take_text(d.evidence, from);
        take_text(d.node_pool, take_text(d.node, from));
    } else if (l->texts.describe != NULL) {
        l->texts.describe(l->texts.context, &d);
        d.cause = fact->cause;
        d.at_ms = fact->at_ms;
    }
    return d;
}

int texts_compare(const struct disruption_fact *x, const struct disruption_fact *y) {
    static const char none[2]; /* neither a reason nor evidence */
    const char *a = x->texts != NULL ? x->texts : none, *b = y->texts != NULL ? y->texts : none;
    int order = strcmp(a, b);
    return order != 0 ? order : strcmp(a + strlen(a) + 1, b + strlen(b) + 1);
}

/* ---- occupancies ---- */

void texts_free_name(char *name) {
    if (name != asked_for)
        free(name);
}

void texts_set_name(char **name, const struct ledger_occupancy *occupancy) {
    size_t length = strnlen(occupancy->name, sizeof occupancy->name - 1);
    if (*name != NULL && *name != asked_for && strncmp(*name, occupancy->name, sizeof occupancy->name) == 0)
        return;
    texts_free_name(*name);
    *name = length > 0 ? mem_strndup(occupancy->name, length) : occupancy->has_name ? asked_for : NULL;
}

bool texts_has_name(const struct occupancy_fact *occupancy) {
    return occupancy->name != NULL;
}

void texts_keep(struct ledger *l, uint64_t key) {
    MEM_GROW(l->named, l->named_count, l->named_capacity);
    l->named[l->named_count++] = key;
}

void texts_name(struct ledger *l, const struct occupancy_fact *occupancy, char name[static LEDGER_NAME_SIZE]) {
    name[0] = '\0';
    texts_keep(l, occupancy->id);
    if (occupancy->name == asked_for && l->texts.name_occupancy != NULL)
        l->texts.name_occupancy(l->texts.context, occupancy->id, name);
    else if (occupancy->name != NULL)
        slice_copy(name, LEDGER_NAME_SIZE, slice_of(occupancy->name));
}
