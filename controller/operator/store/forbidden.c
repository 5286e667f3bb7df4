/* Permissions that the controller lacks, as the API server words them. */
#include "operator/store/forbidden.h"
#include "base/mem.h"
#include "operator/store/store.h"
#include "operator/store/unwatched.h"

#include <string.h>

static struct forbidden *find(const struct store *store, enum resource resource, struct slice namespace_) {
    for (size_t i = 0; i < store->forbidden_count; i++)
        if (store->forbidden[i].resource == resource && slice_is(namespace_, store->forbidden[i].namespace_))
            return &store->forbidden[i];
    return NULL;
}

static void forbidden_free(struct forbidden *f) {
    free(f->namespace_);
    free(f->words);
}

static bool allow(struct store *store, struct forbidden *f) {
    if (f == NULL)
        return false;
    int64_t from_ms = f->through_ms != TIME_UNKNOWN ? f->through_ms : store->watching_ms;
    if (f->resource == RESOURCE_POD)
        store_unwatch(store, slice_of(f->namespace_), from_ms);
    store->is_swept[f->resource] = false; /* what was restored and is not in the new list has vanished */
    forbidden_free(f);
    *f = store->forbidden[--store->forbidden_count];
    return true;
}

bool store_forbid(struct store *store, enum resource resource, struct slice namespace_, const char *words,
                  int64_t through_ms) {
    struct forbidden *f = find(store, resource, namespace_);
    if (words == NULL)
        return allow(store, f);
    if (f != NULL && strcmp(f->words, words) == 0)
        return false;
    if (f == NULL) {
        MEM_GROW(store->forbidden, store->forbidden_count, store->forbidden_capacity);
        f = &store->forbidden[store->forbidden_count++];
        *f = (struct forbidden){.resource = resource, .namespace_ = slice_dup(namespace_), .through_ms = through_ms};
    }
    free(f->words);
    f->words = mem_strdup(words);
    return true;
}

const struct forbidden *store_forbidden(const struct store *store, enum resource resource, const char *namespace_) {
    for (size_t i = 0; i < store->forbidden_count; i++) {
        const struct forbidden *f = &store->forbidden[i];
        if (f->resource == resource && (f->namespace_[0] == '\0' || strcmp(f->namespace_, namespace_) == 0))
            return f;
    }
    return NULL;
}

void store_forbidden_done(struct store *store) {
    for (size_t i = 0; i < store->forbidden_count; i++)
        forbidden_free(&store->forbidden[i]);
    free(store->forbidden);
}
