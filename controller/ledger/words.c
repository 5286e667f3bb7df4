#include "ledger/words.h"

#include "base/mem.h"
#include "base/slice.h"
#include "ledger/facts.h"

#include <string.h>

static char asked_for[] = ""; /* stands for the name of a life that ledger_words tells */

void ledger_set_words(struct ledger *l, const struct ledger_words *words) {
    l->words = *words;
}

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

struct disruption_fact words_pack(const struct ledger_disruption *d) {
    struct disruption_fact fact = {d->key, d->at_ms, d->cause, d->opens, NULL};
    size_t size = add_all(NULL, d);
    if (size > 4) {
        fact.words = mem_resize(NULL, size, 1);
        add_all(fact.words, d);
    }
    return fact;
}

static const char *take_text(char *to, const char *from) {
    size_t size = strlen(from) + 1;
    memcpy(to, from, size);
    return from + size;
}

struct ledger_disruption words_unpack(const struct ledger *l, const struct disruption_fact *fact) {
    struct ledger_disruption d = {.cause = fact->cause, .key = fact->key, .at_ms = fact->at_ms, .opens = fact->opens};
    if (fact->words != NULL) {
        const char *from = take_text(d.reason, fact->words);
        from = take_text(d.evidence, from);
        take_text(d.node_pool, take_text(d.node, from));
    } else if (l->words.describe != NULL) {
        l->words.describe(l->words.context, &d);
        d.cause = fact->cause;
        d.at_ms = fact->at_ms;
    }
    return d;
}

/* ---- lives ---- */

void words_free_life(char *name) {
    if (name != asked_for)
        free(name);
}

void words_set_life(char **name, const struct ledger_life *life) {
    size_t length = strnlen(life->name, sizeof life->name - 1);
    if (*name != NULL && *name != asked_for && strncmp(*name, life->name, sizeof life->name) == 0)
        return;
    words_free_life(*name);
    *name = length > 0 ? mem_strndup(life->name, length) : life->has_name ? asked_for : NULL;
}

bool words_has_life(const struct life_fact *life) {
    return life->name != NULL;
}

void words_asked(struct ledger *l, uint64_t key) {
    MEM_GROW(l->named, l->named_count, l->named_capacity);
    l->named[l->named_count++] = key;
}

void words_of_life(struct ledger *l, const struct life_fact *life, char name[static LEDGER_NAME_SIZE]) {
    name[0] = '\0';
    words_asked(l, life->id);
    if (life->name == asked_for && l->words.name_life != NULL)
        l->words.name_life(l->words.context, life->id, name);
    else if (life->name != NULL)
        slice_copy(name, LEDGER_NAME_SIZE, slice_of(life->name));
}
