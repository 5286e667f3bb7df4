/* sums: what is added up over the jobs of a fleet: chips x time, divided once at the end, never averages of ratios. A
 * job weighs as many chips as it asks for, so that its buckets and its productive time add up to its wall time exactly,
 * and so does their sum over all jobs and hours. Pure.
 *
 * The same structure holds the life of one job (plain ms, nothing weighed yet) and sums over jobs (chips x ms):
 * sums_change_make() weighs each field as the table says. */
#ifndef FLEET_SUMS_H
#define FLEET_SUMS_H

#include "base/slice.h"
#include "ledger/buckets.h"

/* X(IDENTIFIER, weight): CHIPS and SLOTS times what a job asks for, ONE as it is.
 * KNOWN_: of jobs whose steps are known. PROGRAMMED: of jobs whose program goodput is known (productive and wall time);
 * IDEAL = productive time x program goodput. PAID: chips bound to nodes x ms, known of the jobs whose wall time is
 * PAID_WALL. COST in hundredths of the currency, of PRICED chips x ms; KNOWN_PRICED: of those whose COST_LOST is known.
 */
#define SUMS_FIELDS(X)                                                                                                 \
    X(WALL, CHIPS)                                                                                                     \
    X(AVAILABLE, CHIPS)                                                                                                \
    X(KNOWN_WALL, CHIPS)                                                                                               \
    X(KNOWN_AVAILABLE, CHIPS)                                                                                          \
    X(KNOWN_UNOBSERVED, CHIPS)                                                                                         \
    X(KNOWN_UNATTRIBUTED, CHIPS)                                                                                       \
    X(PRODUCTIVE, CHIPS)                                                                                               \
    X(PROGRAMMED, CHIPS)                                                                                               \
    X(PROGRAMMED_WALL, CHIPS)                                                                                          \
    X(IDEAL, CHIPS)                                                                                                    \
    X(SLOT_TIME, SLOTS)                                                                                                \
    X(PAID, ONE)                                                                                                       \
    X(PAID_PRODUCTIVE, ONE)                                                                                            \
    X(PAID_WALL, CHIPS)                                                                                                \
    X(KNOWN_PAID, ONE)                                                                                                 \
    X(FAILURES, ONE)                                                                                                   \
    X(INTERRUPTIONS, ONE)                                                                                              \
    X(PRICED, ONE)                                                                                                     \
    X(KNOWN_PRICED, ONE)                                                                                               \
    X(COST, ONE)                                                                                                       \
    X(COST_LOST, ONE)                                                                                                  \
    X(ENDED, ONE)                                                                                                      \
    X(ENDED_WITHOUT_STEPS, ONE)

enum {
#define X(name, weight) SUMS_##name,
    SUMS_FIELDS(X)
#undef X
        SUMS_FIELD_COUNT
};

/* The buckets of lost time: the ledger's, all Custom/NAME as one, those of chips alone, and what is not known here. */
enum { SUMS_ELASTIC = BUCKET_PRODUCTIVE, SUMS_OTHER_SCHEDULING, SUMS_OTHER_RUNTIME, SUMS_BUCKETS };
#define SUMS_LOST(bucket) (SUMS_FIELD_COUNT + (bucket))                            /* of the wall time */
#define SUMS_PAID_LOST(bucket) (SUMS_FIELD_COUNT + SUMS_BUCKETS + (bucket))        /* of the chips bound to nodes */
#define SUMS_COST_LOST_TO(bucket) (SUMS_FIELD_COUNT + 2 * SUMS_BUCKETS + (bucket)) /* what these cost; hundredths */
/* Interruptions by cause: how many, the chip time bound to nodes that they cost, and what that costs. */
#define SUMS_CAUSED(cause) (SUMS_FIELD_COUNT + 3 * SUMS_BUCKETS + (int)(cause))
#define SUMS_PAID_CAUSED(cause) (SUMS_CAUSED(CAUSE_COUNT) + (int)(cause))
#define SUMS_COST_CAUSED(cause) (SUMS_PAID_CAUSED(CAUSE_COUNT) + (int)(cause))
/* By owner of the lost time: the chip time bound to nodes that was lost, and what that costs. */
#define SUMS_PAID_OWNED(owner) (SUMS_COST_CAUSED(CAUSE_COUNT) + (int)(owner))
#define SUMS_COST_OWNED(owner) (SUMS_PAID_OWNED(OWNER_COUNT) + (int)(owner))
/* Interruptions by owner, and by class of their root cause, of those for which one was looked for. */
#define SUMS_OWNED(owner) (SUMS_COST_OWNED(OWNER_COUNT) + (int)(owner))
#define SUMS_OF_CLASS(class) (SUMS_OWNED(OWNER_COUNT) + (int)(class))
/* The part of SUMS_PAID_OWNED that interruptions caused, by the class of their root cause. */
#define SUMS_PAID_OF_CLASS(owner, class) (SUMS_OF_CLASS(CLASS_COUNT) + (int)(owner)*CLASS_COUNT + (int)(class))
/* From here on values are of a whole fleet alone: no group shows them (roll_store.c). */
#define SUMS_OF_FLEETS SUMS_PAID_LOST(0)
enum {
    SUMS_COUNT = SUMS_FIELD_COUNT + 3 * SUMS_BUCKETS + 3 * CAUSE_COUNT + 3 * OWNER_COUNT + CLASS_COUNT +
                 OWNER_COUNT * CLASS_COUNT
};

struct sums {
    int64_t of[SUMS_COUNT];
};

const char *sums_bucket_name(int bucket);
/* Unobserved chip time is a separate sum: in the waterfall, but not among what was lost most. */
bool sums_is_loss(int bucket);
const char *sums_bucket_family(int bucket);
/* A bucket of a JobGoodput; what this version does not know is its family's Other. */
int sums_bucket(struct slice name, struct slice family);
/* Of a cause as a JobGoodput reports it, "KueueEviction/PodsReadyTimeout"; what this version does not know is Unknown.
 */
enum cause sums_cause(struct slice name);
enum rootcause_owner sums_owner(struct slice name); /* likewise */
enum rootcause_class sums_class(struct slice name);
/* The names of all values, for what is kept: "Wall", "Lost/QueueWait". */
const char *sums_value_name(int value, char out[static 64]);

struct sums_weight {
    int64_t chips, slots;
};
/* What was added to a life between two looks at it, weighed, to be spread evenly over the time between them. */
struct sums_change {
    int count;
    struct {
        int value;
        bool is_span;    /* a part of the wall time */
        int64_t reach;   /* the change; of a span with those of the spans before it */
        double reaching; /* the same, for products: a roll-up makes millions */
        int64_t weight, placed;
    } items[SUMS_COUNT];
};
void sums_change_make(struct sums_change *change, const struct sums *later, const struct sums *before,
                      struct sums_weight weight);
/* Adds to `to` what lies between the fraction asked for last (0 at first) and this one, at most 1: rounded so that all
 * parts add up to the whole change, and those of the wall time to the wall time's part. */
void sums_change_place(struct sums_change *change, double fraction, struct sums *to);
/* The same over many equal parts: `each` of it in every one of n, the first after the fraction placed last. What they
 * gain is how rows[0] to rows[n] differ from the one before. What is many is cut off to the same in each, so
 * that up to n of its units come with what is placed after. Only where the change is ordinary: no sum of them can
 * overflow. */
bool sums_change_is_ordinary(const struct sums_change *change, double each);
void sums_change_level(struct sums_change *change, double placed, double each, size_t n, struct sums *rows);
/* For qsort: the one that lost the most chip time first; 0 if both lost as much. */
int sums_compare_lost(const struct sums *x, const struct sums *y);
/* What is in a currency: nothing of it can be added to another's. */
void sums_leave_out_costs(struct sums *sums);
void sums_add(struct sums *to, const struct sums *more); /* nothing weighed */

/* The values that are not 0, in 10 bytes each: a job has few of them. Heap. */
struct sums_folded;
struct sums_folded *sums_fold(const struct sums *sums);
void sums_unfold(const struct sums_folded *folded, struct sums *to);

/* The chip time bound to nodes that an owner lost, in whole chip-seconds by the class of the root cause;
 * [SUMS_CLASS_NONE]: what no interruption caused. They add up to the owner's chip-seconds exactly, also where classes
 * of interruptions that changed since make them more. Returns whether interruptions cost any. */
enum { SUMS_CLASS_NONE = CLASS_COUNT, SUMS_CLASSES };
bool sums_owned_by_class(const struct sums *sums, enum rootcause_owner owner, int64_t chip_s[static SUMS_CLASSES]);
const char *sums_class_name(int class_); /* "None" for SUMS_CLASS_NONE */

/* In parts per million; -1: not known. scheduling, runtime and job are of the same jobs, those whose steps are known,
 * so that scheduling x runtime is job; without any such job, scheduling is of all. program is of the jobs whose program
 * goodput is known; productivity is job x program, not known unless these are all whose steps are. evidence: how much
 * of the chip time asked for is of jobs whose steps are known. */
struct sums_scores {
    int64_t scheduling, runtime, job, program, productivity;
    int64_t all_scheduling;                         /* of all jobs */
    int64_t scheduling_upper, all_scheduling_upper; /* if unobserved chip time was available; -1 where there is none */
    int64_t job_upper; /* if it was productive, and unattributed chip time too; -1 where none is unobserved */
    int64_t evidence;
};
struct sums_scores sums_scores(const struct sums *sums);
/* Failures per 1,000 node-days of available time, in thousandths; -1 without any such time. */
int64_t sums_failures_per_1000_node_days(const struct sums *sums);

#endif
