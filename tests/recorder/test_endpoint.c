/* One namespace's requests next to another's. The first list of "a" waits for a pipe, so that the order of the others
 * is known. */
#include "base/mem.h"
#include "harness.h"
#include "rig.h"

#include <fcntl.h>
#include <unistd.h>

#define QUEUED 16          /* lists of a namespace that may wait */
#define LISTS (QUEUED + 2) /* one that runs, and one too many */

static bool are_done(const struct call *calls, int count) {
    for (int i = 0; i < count; i++)
        if (!calls[i].done)
            return false;
    return true;
}

/* Starts them; returns when the one too many was refused: the others are queued, or run. */
static void fill_queue(struct rig *r, struct call *lists, int count, const char *namespace_, const char *job,
                       const char *token) {
    bool is_full = false;
    for (int i = 0; i < count; i++)
        call_list(r, &lists[i], namespace_, job, token);
    for (int turn = 0; turn < 120000 && !is_full; turn++) {
        loop_for(r->loop, 1000);
        for (int i = 0; i < count; i++)
            is_full |= lists[i].done && lists[i].status == 429;
    }
    CHECK(is_full);
}

/* The list that runs now gets the end of its file: 'a' or 'b', whose pipe it is. */
static char end_one(struct rig *r, const char *const pipes[2], const struct call *calls, int count) {
    int before = r->finished, fd = -1, whose = 0;
    for (int turn = 0; turn < 120000 && fd < 0; turn++) {
        loop_for(r->loop, 500);
        for (whose = 0; whose < 2 && fd < 0; whose++)
            fd = pipes[whose] != NULL ? open(pipes[whose], O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    }
    if (fd < 0)
        return '-';
    close(fd); /* before the loop starts another list: who waited was woken */
    for (int turn = 0; turn < 120000 && r->finished == before && !are_done(calls, count); turn++)
        loop_for(r->loop, 500);
    return (char)('a' + whose - 1);
}

static int count_status(const struct call *calls, int count, int status) {
    int n = 0;
    for (int i = 0; i < count; i++)
        n += calls[i].done && calls[i].status == status;
    return n;
}

TEST(a_list_that_waits_for_the_volume_delays_no_write) {
    struct rig r;
    struct call list;
    rig_begin(&r);
    CLEANUP_FREE char *pipe = rig_pipe(&r, "a", "one");
    call_list(&r, &list, "a", "one", TOKEN_A);
    CHECK_INT(call_post(&r, "/v1/push?job=two", TOKEN_B, SLICE("step 1\n"), NULL), 200);
    CHECK(!list.done);
    CHECK_INT(end_one(&r, (const char *const[]){pipe, NULL}, &list, 1), 'a');
    CHECK_INT(list.status, 200);
    call_done(&list);
    rig_end(&r);
}

TEST(one_list_runs_sixteen_wait_and_more_are_refused) {
    struct rig r;
    struct call lists[LISTS];
    rig_begin(&r);
    CLEANUP_FREE char *pipe = rig_pipe(&r, "a", "one");
    fill_queue(&r, lists, LISTS, "a", "one", TOKEN_A);
    CHECK_INT(count_status(lists, LISTS, 429), 1);
    for (int i = 0; i < LISTS - 1; i++)
        CHECK_INT(end_one(&r, (const char *const[]){pipe, NULL}, lists, LISTS), 'a');
    CHECK(are_done(lists, LISTS));
    CHECK_INT(count_status(lists, LISTS, 200), LISTS - 1);
    for (int i = 0; i < LISTS; i++)
        call_done(&lists[i]);
    rig_end(&r);
}

/* Both queues are full before the first list ends: from then on one of each runs in turn. */
TEST(namespaces_take_turns_with_their_lists) {
    enum { ALL = LISTS + QUEUED + 1 };
    struct rig r;
    struct call all[ALL];
    rig_begin(&r);
    CLEANUP_FREE char *a = rig_pipe(&r, "a", "one"), *b = rig_pipe(&r, "b", "two");
    fill_queue(&r, all, LISTS, "a", "one", TOKEN_A);
    fill_queue(&r, all + LISTS, QUEUED + 1, "b", "two", TOKEN_B);
    CHECK_INT(count_status(all, ALL, 429), 2);
    for (int i = 0; i < 1 + 2 * QUEUED; i++)
        CHECK_INT(end_one(&r, (const char *const[]){a, b}, all, ALL), i % 2 == 0 ? 'a' : 'b');
    CHECK_INT(count_status(all, ALL, 200), 1 + 2 * QUEUED);
    for (int i = 0; i < ALL; i++)
        call_done(&all[i]);
    rig_end(&r);
}

/* Both threads at the same job's files, for the sanitizers. */
TEST(a_job_is_written_and_read_at_the_same_time) {
    enum { ROUNDS = 12 };
    struct rig r;
    struct call calls[2 * ROUNDS];
    rig_begin(&r);
    for (int i = 0; i < ROUNDS; i++) {
        call_start(&r, &calls[2 * i], "/v1/push?job=one", TOKEN_A, SLICE("2026-01-01T00:00:00Z step 1\n"));
        call_list(&r, &calls[2 * i + 1], "a", "one", TOKEN_A);
    }
    for (int i = 0; i < 2 * ROUNDS; i++) {
        CHECK(calls[i].done || loop_until(r.loop, &calls[i].done));
        CHECK_INT(calls[i].status, 200);
        call_done(&calls[i]);
    }
    CHECK_INT(endpoint_figures(r.endpoint)->entries, ROUNDS);
    rig_end(&r);
}
