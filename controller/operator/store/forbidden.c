/* Permissions that the controller lacks, as the API server words them. */
#include "operator/store/forbidden.h"
#include "base/mem.h"
#include "operator/store/store.h"
#include "operator/store/unwatched.h"

#include <string.h>

static struct forbidden *find(const struct model *m, enum resource resource, struct slice namespace_) {
    for (size_t i = 0; i < m->forbidden_count; i++)
        if (m->forbidden[i].resource == resource && slice_is(namespace_, m->forbidden[i].namespace_))
            return &m->forbidden[i];
    return NULL;
}

static void forbidden_free(struct forbidden *f) {
    free(f->namespace_);
    free(f->words);
}

static bool allow(struct model *m, struct forbidden *f) {
    if (f == NULL)
        return false;
    int64_t from_ms = f->through_ms != TIME_UNKNOWN ? f->through_ms : m->watching_ms;
    if (f->resource == RESOURCE_POD)
        store_unwatch(m, slice_of(f->namespace_), from_ms);
    m->is_swept[f->resource] = false; /* what was restored and is not in the new list has vanished */
    forbidden_free(f);
    *f = m->forbidden[--m->forbidden_count];
    return true;
}

bool store_forbid(struct model *m, enum resource resource, struct slice namespace_, const char *words,
                  int64_t through_ms) {
    struct forbidden *f = find(m, resource, namespace_);
    if (words == NULL)
        return allow(m, f);
    if (f != NULL && strcmp(f->words, words) == 0)
        return false;
    if (f == NULL) {
        MEM_GROW(m->forbidden, m->forbidden_count, m->forbidden_capacity);
        f = &m->forbidden[m->forbidden_count++];
        *f = (struct forbidden){.resource = resource, .namespace_ = slice_dup(namespace_), .through_ms = through_ms};
    }
    free(f->words);
    f->words = mem_strdup(words);
    return true;
}

const struct forbidden *store_forbidden(const struct model *m, enum resource resource, const char *namespace_) {
    for (size_t i = 0; i < m->forbidden_count; i++) {
        const struct forbidden *f = &m->forbidden[i];
        if (f->resource == resource && (f->namespace_[0] == '\0' || strcmp(f->namespace_, namespace_) == 0))
            return f;
    }
    return NULL;
}

void store_forbidden_done(struct model *m) {
    for (size_t i = 0; i < m->forbidden_count; i++)
        forbidden_free(&m->forbidden[i]);
    free(m->forbidden);
}
