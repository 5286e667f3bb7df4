/* Nodes that fail jobs more often than chance: known values, and how often chance alone flags a node. */
#include "harness.h"

#include "base/mem.h"
#include "fleet/outcome.h"
#include "fleet/roll_store.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>

TEST(the_tail_is_that_of_a_binomial) {
    CHECK(fabs(suspects_tail(10, 5, 0.5) - 638.0 / 1024) < 1e-12);
    CHECK(fabs(suspects_tail(4, 4, 0.5) - 1.0 / 16) < 1e-12);
    CHECK(fabs(suspects_tail(3, 1, 0.25) - (1 - 27.0 / 64)) < 1e-12);
    CHECK(fabs(suspects_tail(7, 0, 0.1) - 1) < 1e-12);
    CHECK(suspects_tail(7, 8, 0.1) == 0);
    /* in whole fractions */
    CHECK(fabs(suspects_tail(1278, 4, 1.0 / 3184) - 0.0007832348062123348) < 1e-12);
}

#define NODES 3184

static char names[NODES][16];

static void name_nodes(void) {
    for (int i = 0; i < NODES; i++)
        snprintf(names[i], sizeof names[i], "n%d", i);
}

static double uniform(uint64_t *seed) {
    return (double)(random_next(seed) >> 11) / 9007199254740992.0;
}

TEST(two_failures_of_one_job_of_a_small_pool_prove_nothing) {
    name_nodes();
    struct suspect out[SUSPECTS_MAX];
    int64_t pools[1] = {8};
    struct suspect_failure f[8] = {{names[0], 0, 100, 5}, {names[0], 0, 200, 7}};
    CHECK_INT(suspects_find(f, 2, pools, out), 0);
    for (int i = 2; i < 5; i++) /* 5 of 6: 6 x 7/8^6 + 1/8^6 */
        f[i] = (struct suspect_failure){names[0], 0, 100 * (i + 1), 1};
    f[5] = (struct suspect_failure){names[3], 0, 50, 1};
    REQUIRE(suspects_find(f, 6, pools, out) == 1);
    CHECK_TEXT(out[0].node, "n0");
    CHECK_INT(out[0].failures, 5);
    CHECK_INT(out[0].pool_failures, 6);
    CHECK_INT(out[0].pool_nodes, 8);
    CHECK_INT(out[0].chip_ms, 15);
    CHECK_INT(out[0].first_ms, 100);
    CHECK_INT(out[0].last_ms, 500);
    CHECK(out[0].ratio_tenths > 10);
    pools[0] = 1; /* a pool that is known to be smaller than the nodes that failed */
    CHECK_INT(suspects_find(f, 6, pools, out), 0);
}

TEST(pools_are_tested_apart_and_the_list_is_bounded) {
    name_nodes();
    struct suspect out[SUSPECTS_MAX];
    const int64_t pools[2] = {1000, 1000};
    struct suspect_failure f[200];
    size_t count = 0;
    for (int i = 0; i < 20; i++)
        for (int k = 0; k < 4; k++)
            f[count++] = (struct suspect_failure){names[i], i % 2, i * 10 + k, 1};
    CHECK_INT(suspects_find(f, count, pools, out), SUSPECTS_MAX);
    CHECK_INT(suspects_find(f, 0, pools, out), 0);
}

/* At times with more and more failures of a pool whose nodes fail alike. */
TEST(chance_alone_flags_at_most_one_node_in_a_thousand) {
    static const int sizes[] = {2, 3, 8, 31, 128, 1000, NODES};
    static const double means[] = {0.02, 0.1, 0.4, 1, 3};
    uint64_t seed = 20;
    double worst = 0;
    name_nodes();
    struct suspect_failure *f = mem_alloc(NODES * 4 * sizeof *f);
    for (size_t s = 0; s < ARRAY_SIZE(sizes); s++)
        for (size_t m = 0; m < ARRAY_SIZE(means); m++) {
            size_t count = (size_t)ceil(means[m] * sizes[s]);
            int64_t pools[1] = {sizes[s]}, looked = 0, flagged = 0;
            while (looked < 200000) {
                struct suspect out[SUSPECTS_MAX];
                for (size_t i = 0; i < count; i++)
                    f[i] = (struct suspect_failure){names[random_next(&seed) % (uint64_t)sizes[s]], 0, 0, 0};
                flagged += suspects_find(f, count, pools, out);
                looked += sizes[s];
            }
            worst = fmax(worst, 1000.0 * (double)flagged / (double)looked);
        }
    free(f);
    printf("chance alone: at most %.2f of 1,000 nodes\n", worst);
    CHECK(worst <= 1);
    CHECK(worst > 0.1); /* else the test could not find a bad node either */
}

/* Asked again and again while failures come in, by chance alone: how many are listed at some time. */
TEST(chance_lists_few_nodes_over_the_life_of_a_window) {
    enum { POOL = 1000, EACH = 10, RUNS = 5 };
    static const double means[] = {0.1, 1, 3};
    static const int64_t pools[1] = {POOL};
    uint64_t seed = 23;
    name_nodes();
    struct suspect_failure *f = mem_alloc(3 * POOL * sizeof *f);
    double worst = 0;
    for (size_t m = 0; m < ARRAY_SIZE(means); m++) {
        int listed = 0;
        for (int run = 0; run < RUNS; run++) {
            bool is_listed[POOL] = {false};
            for (size_t count = 0; count < (size_t)(means[m] * POOL);) {
                struct suspect out[SUSPECTS_MAX];
                for (int i = 0; i < EACH; i++)
                    f[count++] = (struct suspect_failure){names[random_next(&seed) % POOL], 0, 0, 0};
                int found = suspects_find(f, count, pools, out);
                for (int i = 0; i < found; i++) {
                    int node = atoi(out[i].node + 1);
                    listed += !is_listed[node];
                    is_listed[node] = true;
                }
            }
        }
        worst = fmax(worst, 1000.0 * listed / (RUNS * POOL));
    }
    free(f);
    printf("chance over a life: %.1f of 1,000 nodes\n", worst);
    CHECK(worst <= 6); /* deploy/docs/how-to/node-evidence.md */
}

/* Known by their own failures against those of the others, which have three each on average. */
TEST(a_node_that_fails_five_times_as_often_is_found) {
    enum { POOL = 1000, RUNS = 100 };
    static const int64_t pools[1] = {POOL};
    uint64_t seed = 5;
    int found_in = 0;
    name_nodes();
    struct suspect_failure *f = mem_alloc(3 * (POOL + 4) * sizeof *f);
    for (int run = 0; run < RUNS; run++) {
        struct suspect out[SUSPECTS_MAX];
        size_t count = 3 * (POOL + 4);
        for (size_t i = 0; i < count; i++) {
            bool is_bad = uniform(&seed) < 5.0 / (POOL + 4);
            f[i] = (struct suspect_failure){names[is_bad ? 0 : 1 + random_next(&seed) % (POOL - 1)], 0, 0, 0};
        }
        int found = suspects_find(f, count, pools, out);
        for (int i = 0; i < found; i++)
            found_in += strcmp(out[i].node, "n0") == 0;
    }
    free(f);
    printf("a node that fails 5 times as often, 15 times: found in %d of %d\n", found_in, RUNS);
    CHECK(found_in >= 80);
}

static int by_int(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

TEST(a_node_that_fails_ten_times_as_often_is_found) {
    enum { RUNS = 201 };
    uint64_t seed = 7;
    int needed[RUNS];
    const int64_t pools[1] = {NODES};
    name_nodes();
    struct suspect_failure *f = mem_alloc(NODES * 4 * sizeof *f);
    for (int r = 0; r < RUNS; r++) {
        size_t count = 0;
        needed[r] = 0;
        for (bool is_found = false; !is_found && count < NODES * 4;) {
            struct suspect out[SUSPECTS_MAX];
            bool is_bad = uniform(&seed) < 10.0 / (NODES + 9);
            size_t node = is_bad ? 0 : 1 + random_next(&seed) % (NODES - 1);
            f[count++] = (struct suspect_failure){names[node], 0, 0, 0};
            if (!is_bad)
                continue;
            needed[r]++;
            int found = suspects_find(f, count, pools, out);
            for (int i = 0; i < found; i++)
                is_found |= strcmp(out[i].node, "n0") == 0;
        }
    }
    free(f);
    qsort(needed, RUNS, sizeof *needed, by_int);
    printf("a node that fails 10 times as often: found after %d failures, median; %d at most\n", needed[RUNS / 2],
           needed[RUNS - 1]);
    CHECK(needed[RUNS / 2] <= 5);
}

/* ---- from JobGoodputs to the outcome ---- */

/* A job of four hours whose execution k ended after k hours, on the node that its evidence or its cause names. */
static struct member *job(int number, int failures, const char *failure) {
    CLEANUP_FREE char *executions = mem_strdup("");
    for (int k = 1; k <= failures; k++) {
        char *more = mem_format("%s{\"number\":%d,\"end\":\"2026-11-01T%02d:00:00Z\",\"lostWorkMilliseconds\":60000,"
                                "\"rescheduleMilliseconds\":30000,\"resumeMilliseconds\":10000,%s},",
                                executions, k, k, failure);
        free(executions);
        executions = more;
    }
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"name\":\"j%d\",\"namespace\":\"n\",\"uid\":\"u%d\"},\"status\":{\"target\":{\"uid\":\"t\","
        "\"chips\":4},\"time\":{\"start\":\"2026-11-01T00:00:00Z\",\"wallMilliseconds\":14400000,"
        "\"availableMilliseconds\":14400000},\"executions\":[%s{\"number\":9}]}}",
        number, number, executions);
    return member_read(slice_of(json));
}

static int64_t hundred(void *context, const char *pool) {
    CHECK_TEXT(pool, "p");
    (void)context;
    return 100;
}

#define HARDWARE                                                                                                       \
    "\"cause\":\"ApplicationError\",\"node\":\"other\",\"nodePool\":\"p\",\"nodeEvidence\":[{\"node\":\"bad\","        \
    "\"signal\":\"Xid79\",\"role\":\"Cause\",\"class\":\"GPUHardware\"}],\"owner\":\"Provider\",\"rootCause\":"        \
    "{\"class\":\"GPUHardware\"}"
#define DEAD "\"cause\":\"NodeFailure\",\"node\":\"bad\",\"nodePool\":\"p\""
#define PROGRAM                                                                                                        \
    "\"cause\":\"ApplicationError\",\"node\":\"crashing\",\"nodePool\":\"p\",\"nodeEvidence\":[{\"node\":"             \
    "\"crashing\","                                                                                                    \
    "\"signal\":\"Xid31\",\"role\":\"Evidence\",\"class\":\"CUDAError\"}]"
#define NOTICE                                                                                                         \
    "\"cause\":\"PodDeleted\",\"node\":\"drained\",\"nodePool\":\"p\",\"nodeEvidence\":[{\"node\":\"drained\","        \
    "\"signal\":"                                                                                                      \
    "\"ScaleDown\",\"role\":\"Cause\",\"class\":\"Preemption\"}]"
#define MEMORY                                                                                                         \
    "\"cause\":\"OutOfMemory\",\"node\":\"full\",\"nodePool\":\"p\",\"nodeEvidence\":[{\"node\":\"full\",\"signal\":"  \
    "\"SystemOOM\",\"role\":\"Cause\",\"class\":\"HostOOM\"}]"

/* Two failures of hardware and one with no root cause, all on one node; those of programs, memory and drains blame
 * none. */
static void check_nodes(const struct outcome *o) {
    const struct node_failures *hardware = &o->nodes.items[0], *dead = &o->nodes.items[1];
    REQUIRE(o->nodes.count == 2);
    CHECK_TEXT(hardware->node, "bad");
    CHECK(hardware->class_ == CLASS_GPU_HARDWARE && hardware->owner == OWNER_PROVIDER);
    CHECK_INT(hardware->count, 2);
    CHECK_INT(hardware->chip_ms, 2 * 4 * 100000);
    CHECK_INT(hardware->last_ms, INT64_C(1793498400000)); /* 2026-11-01T02:00 */
    CHECK_TEXT(dead->node, "bad");
    CHECK(dead->class_ == CLASS_UNKNOWN && dead->owner == OWNER_UNKNOWN);
    CHECK_INT(dead->count, 1);
    CHECK_INT(o->nodes.other_count, 0);
}

TEST(a_fleet_names_the_node_that_failed_its_jobs) {
    static const struct roll_options options = {.window = ROLL_ROLLING, .length_ms = 7 * ROLL_DAY_MS};
    struct roll roll, again;
    struct outcome *o = mem_new(struct outcome);
    struct member *jobs[] = {job(0, 2, HARDWARE), job(1, 1, DEAD), job(2, 3, PROGRAM), job(3, 3, NOTICE),
                             job(4, 3, MEMORY)};
    enum { JOBS = ARRAY_SIZE(jobs) };
    struct roll_member members[JOBS];
    bool is_coarse;
    roll_init(&roll, &options);
    for (int turn = 0; turn < 2; turn++) { /* what is counted is counted once */
        for (int i = 0; i < JOBS; i++)
            members[i] = (struct roll_member){.member = jobs[i], .group = "g", .is_selected = true};
        struct roll_input in = {.members = members,
                                .count = JOBS,
                                .now_ms = INT64_C(1793505600000) + turn * 60000, /* 2026-11-01T04:00 */
                                .working_nodes = hundred};
        roll_up(&roll, &in);
        outcome_make(&roll, &in, o);
        REQUIRE(o->suspect_count == 1);
        CHECK_TEXT(o->suspects[0].node, "bad");
        CHECK_INT(o->suspects[0].failures, 3);
        CHECK_INT(o->suspects[0].pool_failures, 3);
        CHECK_INT(o->suspects[0].chip_ms, 3 * 4 * 100000);
        check_nodes(o);
    }
    /* The jobs are deleted, the controller starts again. */
    CLEANUP_FREE char *settled = roll_store(&roll, 1, 262144, &is_coarse);
    roll_init(&again, &options);
    CHECK_INT(roll_restore(&again, 1, slice_of(settled)), 0);
    struct roll_input none = {.members = members, .now_ms = INT64_C(1793505720000), .working_nodes = hundred};
    roll_up(&again, &none);
    outcome_make(&again, &none, o);
    CHECK_INT(o->suspect_count, 1);
    check_nodes(o);
    none.now_ms += 8 * ROLL_DAY_MS;
    roll_up(&again, &none);
    outcome_make(&again, &none, o);
    CHECK_INT(o->suspect_count, 0);
    CHECK_INT(o->nodes.count, 0);
    roll_done(&roll);
    roll_done(&again);
    for (int i = 0; i < JOBS; i++)
        member_free(jobs[i]);
    free(o);
}

/* One failure on each of 20 nodes, and a second on every fourth: the rest is summed. */
TEST(nodes_beyond_the_bound_are_summed) {
    static const struct roll_options options = {.window = ROLL_ROLLING, .length_ms = 7 * ROLL_DAY_MS};
    struct roll roll;
    struct nodes nodes;
    roll_init(&roll, &options);
    for (int i = 0; i < 25; i++) {
        MEM_GROW(roll.failures, roll.failure_count, roll.failure_capacity);
        roll.failures[roll.failure_count++] =
            (struct roll_failure){.id = (uint64_t)i,
                                  .at_ms = 1000 + i,
                                  .chip_ms = 10,
                                  .node = mem_format("n%02d", i < 20 ? i : 4 * (i - 20)),
                                  .pool = i < 20 ? 1 : 2,
                                  .owner = OWNER_PLATFORM};
    }
    nodes_count(&roll, &nodes);
    REQUIRE(nodes.count == NODES_MAX);
    CHECK_TEXT(nodes.items[0].node, "n00");
    CHECK_TEXT(nodes.items[4].node, "n16");
    CHECK_TEXT(nodes.items[5].node, "n01");
    CHECK_INT(nodes.items[4].count, 2);
    CHECK_INT(nodes.items[4].pool, 2); /* where it failed last */
    CHECK_INT(nodes.items[4].chip_ms, 20);
    CHECK_INT(nodes.items[5].count, 1);
    CHECK_INT(nodes.other_count, 4);
    CHECK_INT(nodes.other_chip_ms, 40);
    roll_done(&roll);
}
