/* interruptions: when an execution ended before the job did, until when, and why. Private to ledger/. */
#ifndef LEDGER_INTERRUPTIONS_H
#define LEDGER_INTERRUPTIONS_H

#include "ledger/slots.h"
#include "ledger/training.h"

struct interruptions {
    struct interruption *items; /* in time order, disjoint; the first ones may be settled */
    size_t count, capacity, settled_count;
    int64_t tail_ms; /* from here on a job that succeeded shuts down, whatever its slots show; TIME_OPEN */
    struct ledger_disruption **causes; /* of the interruptions that are not settled, with their texts */
    size_t cause_count, cause_capacity;
};

void interruptions_init(struct interruptions *list, struct ledger *l, const struct slot_timeline *slots,
                        const struct training *training, int64_t known_ms, int64_t limit_ms, bool at_end);
void interruptions_done(struct interruptions *list);
/* The state of the search for losses at at_ms, when no interruption is open. */
struct loss_finder interruptions_losses_at(const struct slot_timeline *slots, const struct training *training,
                                           int64_t at_ms);

#endif
