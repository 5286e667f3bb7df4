/* record_names: the kinds of ledger records by name, for messages and cases. */
#ifndef HARNESS_RECORD_NAMES_H
#define HARNESS_RECORD_NAMES_H

#include "ledger/record.h"

static inline const char *record_kind_name(enum record_kind kind) {
    static const char *const names[] = {
#define X(name, meaning) #name,
        RECORD_KINDS(X)
#undef X
    };
    return (unsigned)kind < RECORD_KIND_COUNT ? names[kind] : "UNKNOWN";
}

#endif
