/* roll: the sums of a fleet by hour and group, kept over time. A roll-up takes all members as they are now and adds
 * what each has gained since the one before to the hours in which it was gained; so jobs that ended, or were deleted,
 * stay in the sums of their hours. What is new of a job is spread evenly over the time since its last look, of a job
 * that is seen for the first time over its whole life: hours are as exact as roll-ups are frequent, totals are exact
 * always.
 *
 * Pure and deterministic: the order of the members changes nothing. All that is needed to resume is in roll_store.h's
 * text. */
#ifndef FLEET_ROLL_H
#define FLEET_ROLL_H

#include "base/buf.h"
#include "base/map.h"
#include "fleet/member.h"

#define ROLL_HOUR_MS INT64_C(3600000)
#define ROLL_DAY_MS INT64_C(86400000)
#define ROLL_KEPT_MS (7 * ROLL_DAY_MS) /* what is stored in one place (roll_store.h); older days are in an archive */
#define ROLL_OTHER "Other" /* the smallest groups, by chip time asked for; no name in Kubernetes has a capital */
/* ROLL_ROOM: with a separate place; more than are shown (outcome.h), so that a group can grow before it is. */
enum {
    ROLL_GROUPS = 64,
    ROLL_ROOM = ROLL_GROUPS - 1,
    ROLL_POOLS = 64,
    ROLL_JOBS = 12000,
    ROLL_LOSERS = 4,
    ROLL_FAILURES = 1024
};

enum roll_window { ROLL_ROLLING, ROLL_DAY, ROLL_WEEK, ROLL_MONTH, ROLL_FIXED };
struct roll_options {
    enum roll_window window;
    int64_t length_ms;         /* rolling: in whole hours */
    int64_t from_ms, until_ms; /* fixed: one sum, from until */
    int64_t longest_ms;        /* of which sums are kept; 0: no bound */
};

struct roll_group {
    int group;
    struct sums sums;
};
struct roll_pool {
    int pool;
    int64_t node_ms, failures;
};
struct roll_slot { /* an hour, or several */
    int64_t from_ms, until_ms;
    int64_t capacity_chip_ms, capacity_ms; /* of nodes that are selected; how much of the time that is known of */
    struct roll_group *groups;
    size_t group_count, group_capacity;
    struct roll_pool *pools;
    size_t pool_count, pool_capacity;
};

struct roll_cursor { /* how much of a job is in the sums */
    int64_t through_ms, execution;
    int group; /* of its last look */
    uint32_t turn;
    bool is_ended, is_short; /* short: of its life only the time is known */
    bool is_spread;          /* its first look was after more than an hour of life */
    bool has_steps;
    struct sums life;
    uint64_t id;
};

struct roll_failure { /* an interruption for which a node is to blame: suspects.h, nodes.h */
    uint64_t id;      /* of the job */
    int64_t execution, at_ms, chip_ms;
    char *node;
    int pool; /* -1: it has none, or there are too many */
    enum rootcause_class class_;
    enum rootcause_owner owner;
};

struct roll_loser { /* a job that was deleted, and what it lost to a bucket */
    int bucket;
    char *name;
    int64_t chip_ms, start_ms, end_ms;
};

struct roll_archived { /* a slot whose sums are in an archive (roll_archive.h) */
    int64_t from_ms, until_ms;
    bool is_read; /* it is among the slots */
};

struct roll {
    struct roll_options options;
    char *groups[ROLL_GROUPS], *pools[ROLL_POOLS]; /* groups: "" is a free place; the last is for the others */
    int group_count, pool_count;
    int room;                /* groups that may have a place; at most ROLL_ROOM */
    struct roll_slot *slots; /* by time */
    size_t slot_count, slot_capacity;
    size_t last_slot;        /* where one was found last */
    int64_t closed_until_ms; /* slots before do not change: what becomes known of that time counts here; 0: none */
    struct roll_archived *archived; /* by time; before all other slots */
    size_t archived_count, archived_capacity;
    struct map cursors; /* id's bytes -> roll_cursor */
    struct roll_loser *losers;
    size_t loser_count, loser_capacity;
    struct roll_failure *failures; /* in the order in which they were found; the newest ROLL_FAILURES */
    size_t failure_count, failure_capacity;
    int64_t since_ms;  /* of the first roll-up; TIME_UNKNOWN */
    int64_t rolled_ms; /* of the last; TIME_UNKNOWN */
    /* Where roll_store() had no room for all cursors: the roll-up up to which jobs without one were counted; until the
     * next roll-up. TIME_UNKNOWN: there was. */
    int64_t cursors_cut_ms;
    uint32_t turn;
    /* of the last roll-up */
    int64_t live, live_without_steps, spread, without_time, without_chips, beyond;
    char currency[4]; /* of the first job whose costs are known; those of others are left out */
    bool has_folded;  /* the window has more groups than ROLL_ROOM: what some of them had is in ROLL_OTHER */
};

struct roll_member {
    const struct member *member;
    const char *group; /* borrowed */
    bool is_selected;
    bool is_deleted; /* this is its last look: it is in no further roll-up */
};
struct roll_nodes { /* that are there now, of one pool */
    const char *pool;
    int64_t nodes, chips;
};
struct roll_input {
    struct roll_member *members; /* sorted in place */
    size_t count;
    int64_t now_ms;
    bool has_capacity;
    const struct roll_nodes *nodes;
    size_t node_count;
    /* The nodes of a pool ("": without one) on which jobs run now; NULL: not known. */
    int64_t (*working_nodes)(void *context, const char *pool);
    void *context;
};

void roll_init(struct roll *roll, const struct roll_options *options);
void roll_done(struct roll *roll);
void roll_up(struct roll *roll, const struct roll_input *input);
/* Where the window that holds now begins. */
int64_t roll_window_from(const struct roll_options *options, int64_t now_ms);

#endif
