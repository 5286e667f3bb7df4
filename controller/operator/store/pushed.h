/* pushed: what the ledger has of facts that may turn out otherwise. */
#ifndef OPERATOR_STORE_PUSHED_H
#define OPERATOR_STORE_PUSHED_H

#include <stdbool.h>
#include <stdint.h>

/* One fact that depends on several objects, and so may turn out otherwise: sink.h takes back what no longer holds. */
enum pushed_kind { PUSHED_HOLD, PUSHED_DISRUPTION, PUSHED_SILENCE, PUSHED_RESTART };

struct pushed {
    uint8_t kind;   /* enum pushed_kind */
    uint8_t detail; /* bucket or cause */
    bool is_current;
    uint64_t key;
    int64_t from_ms; /* of silences and restarts, part of their identity */
};

struct pushed_list {
    struct pushed *items;
    int count, capacity;
};

#endif
