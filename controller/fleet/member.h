/* member: a JobGoodput as a member of a fleet: what its status says of its whole life so far, in sums that are not
 * weighed yet, and by what it is selected and grouped. Read from the object's JSON. */
#ifndef FLEET_MEMBER_H
#define FLEET_MEMBER_H

#include "base/clock.h"
#include "fleet/sums.h"

#define MEMBER_ID_MASK ((UINT64_C(1) << 48) - 1)

struct member_break { /* an interruption that ended an execution, on a known node or pool */
    int64_t number, at_ms;
    char *pool;       /* "": not known */
    char *node;       /* that is to blame: it failed, or showed why before the loss; NULL: none is */
    int64_t lost_ms;  /* work lost, and time until the job trained again, as far as known */
    bool is_excluded; /* decided outside the job: by people or Kueue */
    enum rootcause_class class_;
    enum rootcause_owner owner;
};
struct member_label {
    char *key, *value;
};

struct member {
    char *namespace_, *name;
    char *full_name; /* "namespace/name" */
    uint64_t id;     /* of this JobGoodput and this target: one that is created again is another */
    char *queue, *cluster_queue, *priority, *accelerator; /* NULL: not reported */
    struct member_label *labels;
    size_t label_count, label_capacity;
    int64_t created_ms;                   /* of the JobGoodput; TIME_UNKNOWN */
    int64_t start_ms, through_ms, end_ms; /* TIME_UNKNOWN */
    char currency[4];                     /* of the costs; "": not known */
    struct sums_weight weight;            /* chips 0: it asks for none, or it is not known */
    bool has_time;                        /* scheduling goodput is known */
    bool has_steps;
    struct sums *life;          /* NULL: folded */
    struct sums_folded *folded; /* NULL: not */
    struct member_break *breaks;
    size_t break_count, break_capacity;
    int64_t last_execution; /* the newest that was interrupted; -1 */
};

/* NULL: not a JSON object, or it has no name. Owned by the caller. */
struct member *member_read(struct slice object);
void member_free(struct member *member);
/* The life of a member that is only kept takes a tenth of the memory. */
void member_fold(struct member *member);
const struct sums *member_life(const struct member *member, struct sums *space); /* in space, if it is folded */
const char *member_label(const struct member *member, struct slice key);         /* NULL: it has none of that key */

#endif
