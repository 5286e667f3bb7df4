/* watched: the table of what is listed and watched at the API server. */
#ifndef OPERATOR_RUNTIME_WATCHED_H
#define OPERATOR_RUNTIME_WATCHED_H

#include "base/slice.h"
#include "operator/objects/resource.h"

enum watched_scope { WATCHED_NAMESPACED, WATCHED_CLUSTER };

/* One kind of list. */
struct watched {
    enum resource resource;
    const char *group_path, *plural;
    enum watched_scope scope;
    const char *label_selector, *field_selector;
    bool is_optional; /* without it everything else is measured */
    bool is_fallback; /* watched only while those before it in the table, up to the first that is none, are absent */
    int64_t absent_retry_us; /* 0: the reflector's own */
    const char *absent;      /* what it means that the cluster does not serve it */
};

extern const struct watched watched_table[];
extern const size_t watched_count;

/* Pods of one kind of job: watched once the entry before it in the table is served. */
static inline bool watched_is_of_kind(const struct watched *watched) {
    return watched->resource == RESOURCE_POD && watched->is_optional;
}

/* The list's path; namespace_ empty: of all namespaces, or of a list that has none. The caller frees it. */
char *watched_path(const struct watched *watched, struct slice namespace_);

/* The next namespace of --watch-namespaces ("a, b"); a list that names none has an empty one, which is all. False: no
 * more. */
bool watched_take_namespace(struct slice *rest, bool is_first, struct slice *ret);

#endif
