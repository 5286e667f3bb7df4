/* forbidden: permissions that the controller lacks, as the API server words them. */
#ifndef OPERATOR_STORE_FORBIDDEN_H
#define OPERATOR_STORE_FORBIDDEN_H

#include "base/slice.h"
#include "operator/objects/resource.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

struct forbidden {
    enum resource resource;
    char *namespace_;   /* "": all of them */
    char *words;        /* the server's message */
    int64_t through_ms; /* known until then; TIME_UNKNOWN: never listed */
};

/* As model_forbidden(); true if it changed anything. */
bool store_forbid(struct store *store, enum resource resource, struct slice namespace_, const char *words,
                  int64_t through_ms);
/* Why no object of that kind in this namespace can be read; NULL: they can. */
const struct forbidden *store_forbidden(const struct store *store, enum resource resource, const char *namespace_);
void store_forbidden_done(struct store *store);

#endif
