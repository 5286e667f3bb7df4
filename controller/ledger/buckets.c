#include "ledger/buckets.h"

#include <stddef.h>

static const struct {
    const char *name;
    enum family family;
    enum rootcause_owner owner;
} buckets[] = {
#define X(id, name, family, owner) [BUCKET_##id] = {name, FAMILY_##family, OWNER_##owner},
    LEDGER_BUCKETS(X)
#undef X
};

static const struct {
    const char *name;
    int is_excluded;
    enum rootcause_owner owner;
} causes[] = {
#define X(id, name, excluded, owner) [CAUSE_##id] = {name, excluded, OWNER_##owner},
    LEDGER_CAUSES(X)
#undef X
};

const char *bucket_name(enum bucket bucket) {
    if (bucket == BUCKET_ELASTIC_SLICE_DOWN)
        return "ElasticSliceDown";
    return (unsigned)bucket < BUCKET_COUNT ? buckets[bucket].name : "Unattributed";
}

enum family bucket_family(enum bucket bucket) {
    return (unsigned)bucket < BUCKET_COUNT ? buckets[bucket].family : FAMILY_RUNTIME;
}

const char *family_name(enum family family) {
    static const char *const names[] = {"Scheduling", "Runtime", "Productive"};
    return (unsigned)family < sizeof names / sizeof names[0] ? names[family] : "Runtime";
}

const char *cause_name(enum cause cause) {
    return (unsigned)cause < CAUSE_COUNT ? causes[cause].name : "Unknown";
}

int cause_is_excluded(enum cause cause) {
    return (unsigned)cause < CAUSE_COUNT ? causes[cause].is_excluded : 0;
}

enum rootcause_owner bucket_owner(enum bucket bucket) {
    return (unsigned)bucket < BUCKET_COUNT ? buckets[bucket].owner : OWNER_UNKNOWN;
}

enum rootcause_owner cause_owner(enum cause cause) {
    return (unsigned)cause < CAUSE_COUNT ? causes[cause].owner : OWNER_UNKNOWN;
}

const char *basis_name(enum basis basis) {
    static const char *const names[] = {"Observed", "Derived", "Assumed"};
    return (unsigned)basis < sizeof names / sizeof names[0] ? names[basis] : "Assumed";
}
