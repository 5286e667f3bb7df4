/* The rules of cadence.h on status writes, with a fake clock. */
#include "harness.h"

#include "fake_jobs.h"

#include <stdlib.h>

TEST(cadence_writes_a_new_status_at_once) {
    struct cadence c;
    struct fake_job f = {.key = 1, .hash = 1};
    cadence_init(&c, &fake_options);
    cadence_add(&f.job, NULL);
    CHECK_INT(fake_turn(&c, 100 * S), 0); /* nothing happened yet */
    CHECK(cadence_wake_us(&c) == CADENCE_NEVER);
    cadence_mark(&c, &f.job);
    CHECK_INT(fake_turn(&c, 100 * S), 1);
    cadence_remove(&c, &f.job);
    cadence_done(&c);
}

TEST(cadence_writes_a_change_of_phase_at_once_but_coalesces) {
    struct cadence c;
    struct fake_job f = {.key = 1, .hash = 1};
    int64_t now = 0;
    cadence_init(&c, &fake_options);
    cadence_add(&f.job, NULL);
    cadence_mark(&c, &f.job);
    CHECK_INT(fake_turn(&c, now), 1);
    for (int i = 0; i < 100; i++) { /* 100 events within a second, each a new phase */
        now = i * S / 100;
        f.key++, f.hash++;
        cadence_mark(&c, &f.job);
        fake_run(&c, &now, now);
    }
    fake_run(&c, &now, 2 * S);
    CHECK(f.writes >= 4 && f.writes <= 6);
    CHECK_INT(f.job.written_key, f.key); /* the last state got out */
    cadence_remove(&c, &f.job);
    cadence_done(&c);
}

/* How often a job is evaluated in 60 s of which each millisecond brings an event. */
static int evaluations_in_a_minute(int64_t cost_us) {
    struct cadence c;
    struct fake_job f = {.key = 1, .hash = 1};
    cadence_init(&c, &fake_options);
    cadence_add(&f.job, NULL);
    f.job.cost_us = cost_us;
    for (int64_t now_us = 100 * S; now_us < 160 * S; now_us += 1000) {
        cadence_mark(&c, &f.job);
        fake_turn(&c, now_us);
    }
    cadence_remove(&c, &f.job);
    cadence_done(&c);
    return f.evaluations;
}

TEST(cadence_gives_a_costly_job_a_twentieth_of_the_time_but_looks_within_a_second) {
    CHECK_INT(evaluations_in_a_minute(1000), 240);  /* every 250 ms */
    CHECK_INT(evaluations_in_a_minute(20000), 150); /* every 400 ms */
    CHECK_INT(evaluations_in_a_minute(S), 101);     /* every 600 ms, and for the totals */
}

TEST(cadence_writes_totals_at_the_interval_while_steps_come_in) {
    struct cadence c;
    struct fake_job f = {.key = 1, .hash = 1};
    int64_t now = 0;
    cadence_init(&c, &fake_options);
    cadence_add(&f.job, NULL);
    for (int i = 0; i <= 600; i++) { /* a step a second for ten minutes */
        f.hash++;
        f.has_new_steps = true;
        cadence_mark(&c, &f.job);
        fake_run(&c, &now, i * S);
    }
    CHECK_INT(f.writes, 1 + 600 / 15);
    cadence_remove(&c, &f.job);
    cadence_done(&c);
}

TEST(cadence_writes_every_minute_while_only_time_passes) {
    struct cadence c;
    struct fake_job f = {.key = 1, .hash = 1};
    int64_t now = 0;
    cadence_init(&c, &fake_options);
    cadence_add(&f.job, NULL);
    cadence_mark(&c, &f.job);
    int wakes = 0;
    for (int i = 0; i <= 600; i++) {
        f.hash++; /* the wall time */
        wakes += fake_run(&c, &now, i * S);
    }
    CHECK_INT(f.writes, 1 + 10);
    CHECK(wakes <= 12);
    cadence_remove(&c, &f.job);
    cadence_done(&c);
}

TEST(cadence_never_writes_what_the_server_has) {
    struct cadence c;
    struct fake_job f = {.key = 1, .hash = 7};
    int64_t now = 0;
    cadence_init(&c, &fake_options);
    cadence_add(&f.job, NULL);
    cadence_observed(&c, &f.job, true, 7, 0);
    cadence_mark(&c, &f.job);
    fake_run(&c, &now, 600 * S);
    CHECK_INT(f.writes, 0);
    CHECK(f.evaluations <= 11);
    f.hash = 8;
    f.key = 2;
    cadence_mark(&c, &f.job);
    fake_run(&c, &now, now + S);
    CHECK_INT(f.writes, 1);
    cadence_remove(&c, &f.job);
    cadence_done(&c);
}

TEST(cadence_is_silent_after_the_end) {
    struct cadence c;
    struct fake_job f = {.key = 1, .hash = 1};
    int64_t now = 0;
    cadence_init(&c, &fake_options);
    cadence_add(&f.job, NULL);
    cadence_mark(&c, &f.job);
    fake_run(&c, &now, S);
    f.key = 2, f.hash = 2, f.is_final = true;
    cadence_mark(&c, &f.job);
    fake_run(&c, &now, 2 * S);
    CHECK_INT(f.writes, 2);
    CHECK(cadence_wake_us(&c) == CADENCE_NEVER);
    f.hash = 3; /* whatever comes later */
    cadence_mark(&c, &f.job);
    fake_run(&c, &now, 600 * S);
    CHECK_INT(f.writes, 2);
    CHECK(cadence_wake_us(&c) == CADENCE_NEVER);
    f.key = 3, f.hash = 4, f.is_final = false; /* a new target of the same name */
    cadence_mark(&c, &f.job);
    fake_run(&c, &now, 601 * S);
    CHECK_INT(f.writes, 3);
    cadence_remove(&c, &f.job);
    cadence_done(&c);
}

/* The end is known, something that led to it is not: looked at as often as while steps came in, until it is final. */
TEST(cadence_looks_often_between_the_end_and_the_final_numbers) {
    struct cadence c;
    struct fake_job f = {.key = 1, .hash = 1};
    int64_t now = 0;
    cadence_init(&c, &fake_options);
    cadence_add(&f.job, NULL);
    f.is_ending = true;
    cadence_mark(&c, &f.job);
    fake_run(&c, &now, S);
    CHECK_INT(f.writes, 1);
    f.is_ending = false, f.is_final = true, f.key = 2; /* the same numbers: the key says that they are the last */
    fake_run(&c, &now, now + fake_options.active_us);
    CHECK_INT(f.writes, 2);
    CHECK(cadence_wake_us(&c) == CADENCE_NEVER);
    cadence_remove(&c, &f.job);
    cadence_done(&c);
}

TEST(cadence_keeps_one_write_in_flight) {
    struct cadence c;
    struct cadence_job job = {0};
    struct cadence_evaluation e = {.key = 1, .hash = 1};
    cadence_init(&c, &fake_options);
    cadence_add(&job, NULL);
    cadence_mark(&c, &job);
    CHECK(cadence_pick(&c, 0) == &job);
    CHECK(cadence_decide(&c, &job, &e, 0));
    e.key = e.hash = 2;
    cadence_mark(&c, &job);
    CHECK(cadence_pick(&c, S) == &job);
    CHECK(!cadence_decide(&c, &job, &e, S));
    CHECK(cadence_pick(&c, 2 * S) == NULL);
    CHECK(cadence_wake_us(&c) > 2 * S);
    cadence_wrote(&c, &job, 3 * S);
    CHECK(cadence_pick(&c, 3 * S) == &job);
    CHECK(cadence_decide(&c, &job, &e, 3 * S));
    cadence_remove(&c, &job);
    cadence_done(&c);
}

TEST(cadence_ends_with_the_steps_that_were_not_written) {
    struct cadence c;
    struct cadence_job job = {0};
    struct cadence_evaluation e = {.key = 1, .hash = 1};
    cadence_init(&c, &fake_options);
    cadence_add(&job, NULL);
    cadence_mark(&c, &job);
    CHECK(cadence_pick(&c, 0) == &job);
    CHECK(cadence_decide(&c, &job, &e, 0));
    e = (struct cadence_evaluation){.key = 1, .hash = 2, .has_new_steps = true};
    CHECK(!cadence_decide_last(&c, &job, &e, S)); /* one is in flight */
    cadence_wrote(&c, &job, S);
    e.has_new_steps = false; /* they were looked at, but not written */
    CHECK(cadence_decide_last(&c, &job, &e, S));
    cadence_wrote(&c, &job, 2 * S);
    e.hash = 3; /* only time has passed */
    CHECK(!cadence_decide_last(&c, &job, &e, 2 * S));
    cadence_remove(&c, &job);
    cadence_done(&c);
}

TEST(cadence_waits_for_the_newer_object_after_a_conflict) {
    struct cadence c;
    struct cadence_job job = {0};
    struct cadence_evaluation e = {.key = 1, .hash = 1};
    cadence_init(&c, &fake_options);
    cadence_add(&job, NULL);
    cadence_mark(&c, &job);
    CHECK(cadence_pick(&c, 0) == &job);
    CHECK(cadence_decide(&c, &job, &e, 0));
    cadence_failed(&c, &job, 10 * S);
    CHECK(cadence_pick(&c, S) == NULL);
    CHECK_INT(cadence_wake_us(&c), 10 * S);
    cadence_observed(&c, &job, true, 99, 2 * S); /* it came */
    CHECK(cadence_pick(&c, 2 * S) == &job);
    CHECK(cadence_decide(&c, &job, &e, 2 * S));
    cadence_failed(&c, &job, 12 * S); /* and if it never comes */
    CHECK(cadence_pick(&c, 11 * S) == NULL);
    CHECK(cadence_pick(&c, 12 * S) == &job);
    cadence_remove(&c, &job);
    cadence_done(&c);
}

/* An event's companions on other streams come a moment later: without another event the job is looked at again. */
TEST(cadence_looks_again_when_the_streams_have_settled) {
    struct cadence c;
    struct cadence_options settling = fake_options;
    struct fake_job f = {.key = 1, .hash = 1};
    int64_t now = 0;
    settling.settle_us = 3 * S / 10;
    cadence_init(&c, &settling);
    cadence_add(&f.job, NULL);
    cadence_mark(&c, &f.job);
    fake_run(&c, &now, now);
    CHECK_INT(f.evaluations, 1);
    f.key = 2, f.hash = 2; /* only time has passed */
    fake_run(&c, &now, S);
    CHECK_INT(f.evaluations, 2); /* once more, not forever */
    CHECK_INT(f.writes, 2);
    f.is_final = true;
    f.key = 3, f.hash = 3;
    cadence_mark(&c, &f.job);
    fake_run(&c, &now, 100 * S);
    CHECK_INT(f.evaluations, 3); /* the end needs no second look */
    CHECK_INT(f.writes, 3);
    CHECK(cadence_wake_us(&c) == CADENCE_NEVER);
    cadence_remove(&c, &f.job);
    cadence_done(&c);
}

/* 1,000 jobs with a step a second want 67 writes a second; they get 20, all alike, and an urgent one does not wait. */
TEST(cadence_stretches_a_fleet_evenly) {
    enum { JOBS = 1000 };
    static struct fake_job fakes[JOBS];
    struct cadence c;
    int64_t now = 0, urgent_us = 0;
    memset(fakes, 0, sizeof fakes);
    cadence_init(&c, &fake_options);
    for (int i = 0; i < JOBS; i++) {
        fakes[i].key = 1;
        fakes[i].hash = 1;
        cadence_add(&fakes[i].job, NULL);
        cadence_observed(&c, &fakes[i].job, true, 0, 0); /* a new leader: the server has older totals */
    }
    for (int second = 1; second <= 300; second++) {
        for (int i = 0; i < JOBS; i++) {
            fakes[i].hash++;
            fakes[i].has_new_steps = true;
            cadence_mark(&c, &fakes[i].job);
        }
        if (second == 200)
            fakes[777].key++;
        int before = fakes[777].writes;
        fake_run(&c, &now, second * S);
        if (second == 200)
            urgent_us = fakes[777].writes > before ? now - fakes[777].written_us[fakes[777].writes - 1] : -1;
    }
    int min_writes = 1 << 30, max_writes = 0, sum = 0;
    for (int i = 0; i < JOBS; i++) {
        sum += fakes[i].writes;
        min_writes = fakes[i].writes < min_writes ? fakes[i].writes : min_writes;
        max_writes = fakes[i].writes > max_writes ? fakes[i].writes : max_writes;
    }
    CHECK(sum <= 300 * 20 + 2); /* both ends of the span count, and the urgent one */
    CHECK(sum >= 298 * 20);
    CHECK(max_writes - min_writes <= 2);
    CHECK(urgent_us >= S - S / 2); /* within half a second of its second of 1,000 evaluations */
    for (int i = 0; i < JOBS; i++)
        cadence_remove(&c, &fakes[i].job);
    cadence_done(&c);
}

/* 1,000 jobs that step every second, of which 20 are written in a second; the scores of some move every 50 s, those of
 * the others with every step or never. The longest time that a moved score waited for its write, and the longest
 * between two writes of the last job. */
static void play_moves(int some, bool do_others_move, int64_t *ret_wait_us, int64_t *ret_gap_us) {
    enum { JOBS = 1000, SECONDS = 900 };
    static struct fake_job fakes[JOBS];
    static int64_t moved_us[JOBS];
    struct cadence c;
    int64_t now = 0;
    *ret_wait_us = *ret_gap_us = 0;
    memset(fakes, 0, sizeof fakes);
    memset(moved_us, 0, sizeof moved_us);
    cadence_init(&c, &fake_options);
    for (int i = 0; i < JOBS; i++)
        cadence_add(&fakes[i].job, NULL);
    for (int second = 1; second <= SECONDS; second++) {
        for (int i = 0; i < JOBS; i++) {
            struct fake_job *f = &fakes[i];
            bool moves = i < some ? second % 50 == i % 50 : do_others_move && i < JOBS - 1;
            f->hash++;
            f->printed += moves;
            f->has_new_steps = true;
            moved_us[i] = moves && i < some ? now : moved_us[i];
            cadence_mark(&c, &f->job);
        }
        fake_run(&c, &now, second * S);
        for (int i = 0; i < some && second > 200; i++)
            if (fakes[i].job.written_printed != fakes[i].printed && now - moved_us[i] > *ret_wait_us)
                *ret_wait_us = now - moved_us[i];
    }
    for (int k = 1; k < fakes[JOBS - 1].writes; k++) {
        int64_t gap_us = fakes[JOBS - 1].written_us[k] - fakes[JOBS - 1].written_us[k - 1];
        *ret_gap_us = gap_us > *ret_gap_us ? gap_us : *ret_gap_us;
    }
    CHECK(fakes[JOBS - 1].writes > 1);
    for (int i = 0; i < JOBS; i++)
        cadence_remove(&c, &fakes[i].job);
    cadence_done(&c);
}

TEST(cadence_writes_first_what_moved_a_printed_score) {
    int64_t wait_us, gap_us;
    play_moves(200, false, &wait_us, &gap_us); /* 4 of 20 writes a second */
    CHECK(wait_us <= 2 * S);                   /* all alike, it is 50 s */
    CHECK(gap_us <= 80 * S);
}

TEST(cadence_forgets_no_job_whose_scores_do_not_move) {
    int64_t wait_us, gap_us;
    play_moves(0, true, &wait_us, &gap_us);
    CHECK(gap_us > 100 * S); /* all others are before it, ... */
    CHECK(gap_us <= CADENCE_AHEAD_US + 60 * S);
}

/* Changes of phase of more jobs than the budget has writes: a burst, then 20 in any second; running totals continue as
 * if there were none. */
TEST(cadence_never_writes_more_than_its_limits) {
    enum { CHANGES = CADENCE_URGENT_BURST + 200, TOTALS = 400, JOBS = CHANGES + TOTALS };
    static struct fake_job fakes[JOBS];
    struct cadence c;
    int64_t now = 100 * S;
    int at_once = 0, soon = 0, totals = 0;
    memset(fakes, 0, sizeof fakes);
    cadence_init(&c, &fake_options);
    for (int i = 0; i < JOBS; i++) {
        fakes[i].key = 1, fakes[i].hash = 1;
        cadence_add(&fakes[i].job, NULL);
        if (i >= CHANGES)
            cadence_observed(&c, &fakes[i].job, true, 0, now); /* a new leader: the server has older totals */
        cadence_mark(&c, &fakes[i].job);
    }
    fake_run(&c, &now, 105 * S);
    for (int i = 0; i < JOBS; i++) {
        CHECK(fakes[i].writes <= 1);
        if (i >= CHANGES)
            totals += fakes[i].writes;
        else if (fakes[i].writes > 0 && fakes[i].written_us[0] == 100 * S)
            at_once++;
        else
            soon += fakes[i].writes;
        cadence_remove(&c, &fakes[i].job);
    }
    CHECK_INT(at_once, CADENCE_URGENT_BURST);
    CHECK_INT(soon, 5 * 20);
    CHECK_INT(totals, 5 * 20 + 1); /* both ends of the span count */
    cadence_done(&c);
}

/* A burst may come again when its writes have been paid for by the limit. */
TEST(cadence_has_another_burst_after_a_while) {
    enum { JOBS = CADENCE_URGENT_BURST };
    static struct fake_job fakes[JOBS];
    struct cadence c;
    int64_t now = 100 * S;
    memset(fakes, 0, sizeof fakes);
    cadence_init(&c, &fake_options);
    for (int i = 0; i < JOBS; i++)
        cadence_add(&fakes[i].job, NULL);
    for (int round = 1; round <= 3; round++, now += JOBS * S / 20) {
        for (int i = 0; i < JOBS; i++) {
            fakes[i].key = fakes[i].hash = (uint64_t)round;
            cadence_mark(&c, &fakes[i].job);
        }
        CHECK_INT(fake_turn(&c, now), JOBS);
    }
    for (int i = 0; i < JOBS; i++)
        cadence_remove(&c, &fakes[i].job);
    cadence_done(&c);
}

TEST(cadence_gives_a_slow_server_no_more_to_do) {
    enum { JOBS = 3 * CADENCE_IN_FLIGHT };
    struct cadence_options quick = fake_options;
    struct cadence c;
    static struct fake_job fakes[JOBS];
    struct cadence_job *waiting[JOBS], *job;
    int sent = 0, answered = 0;
    static struct cadence_share shares[JOBS];
    quick.writes_per_second = 10 * JOBS;
    cadence_init(&c, &quick);
    for (int i = 0; i < JOBS; i++) {
        cadence_add(&fakes[i].job, &shares[i]);
        cadence_mark(&c, &fakes[i].job);
    }
    for (int64_t now_us = S; answered < JOBS && now_us < 100 * S; now_us += S / 10) {
        while ((job = cadence_pick(&c, now_us)) != NULL)
            if (cadence_decide(&c, job, &(struct cadence_evaluation){.key = 1, .hash = 1}, now_us))
                waiting[sent++] = job;
        CHECK(sent - answered <= CADENCE_IN_FLIGHT);
        CHECK(sent == JOBS || sent - answered == CADENCE_IN_FLIGHT);
        CHECK(cadence_wake_us(&c) > now_us); /* an answer wakes it */
        if (answered % 2 == 0)
            cadence_wrote(&c, waiting[answered], now_us);
        else
            cadence_remove(&c, waiting[answered]);
        answered++;
    }
    CHECK_INT(sent, JOBS);
    CHECK_INT(c.in_flight, 0);
    for (int i = 0; i < JOBS; i += 2)
        cadence_remove(&c, waiting[i]);
    cadence_done(&c);
}

/* The cost of each job when N jobs start: all are marked, evaluated and written, and an event of each comes meanwhile.
 */
static int64_t compared_each(int jobs) {
    struct cadence_options quick = fake_options;
    struct cadence c;
    struct fake_job *fakes = calloc((size_t)jobs, sizeof *fakes);
    int64_t now = 0, compared, evaluations = 0;
    quick.settle_us = S / 10;
    quick.writes_per_second = 100;
    cadence_init(&c, &quick);
    for (int i = 0; i < jobs; i++) {
        fakes[i].key = fakes[i].hash = 1;
        cadence_add(&fakes[i].job, NULL);
        cadence_mark(&c, &fakes[i].job);
    }
    for (int i = 0; i < jobs; i++) {
        fakes[i].hash = 2;
        cadence_mark(&c, &fakes[i].job);
        fake_run(&c, &now, now + 1000);
    }
    fake_run(&c, &now, now + jobs / 10 * S);
    compared = c.marked.compared + c.turns[CADENCE_AT_ONCE].compared + c.turns[CADENCE_DUE].compared + c.calm.compared;
    for (int i = 0; i < jobs; i++) {
        CHECK(fakes[i].writes > 0);
        evaluations += fakes[i].evaluations;
        cadence_remove(&c, &fakes[i].job);
    }
    cadence_done(&c);
    free(fakes);
    return compared / evaluations;
}

TEST(cadence_costs_a_job_as_much_among_many_as_among_few) {
    int64_t few = compared_each(500), many = compared_each(8000);
    printf("compared for each evaluation: %lld among 500 jobs, %lld among 8,000\n", (long long)few, (long long)many);
    CHECK(many <= 2 * few); /* 13 levels of a heap instead of 9 */
}

/* A watch is cut: the loss that was observed at 5000 ms is neither in the first status nor in the one after settling.
 * The totals would bring it after 15 s. */
TEST(cadence_evaluates_again_once_the_watches_are_known_as_far_as_awaited) {
    struct cadence_options settling = fake_options;
    struct cadence c;
    struct fake_job f = {.key = 1, .hash = 1};
    int64_t now = 0;
    settling.settle_us = S * 3 / 10;
    cadence_init(&c, &settling);
    cadence_add(&f.job, NULL);
    cadence_mark(&c, &f.job);
    fake_run(&c, &now, 5 * S);
    f.evaluations = 0;
    f.awaits_ms = 5000;
    cadence_mark(&c, &f.job);
    fake_turn(&c, now);
    CHECK(!cadence_is_behind(&c)); /* it is evaluated after settling anyway */
    fake_run(&c, &now, 6 * S);
    CHECK_INT(f.evaluations, 2);
    CHECK(cadence_is_behind(&c));
    cadence_known(&c, 4999);
    fake_run(&c, &now, 7 * S);
    CHECK_INT(f.evaluations, 2);
    f.key++, f.hash++, f.awaits_ms = 0;
    cadence_known(&c, 5000);
    CHECK_INT(fake_turn(&c, now), 1);
    CHECK_INT(f.evaluations, 3);
    CHECK(!cadence_is_behind(&c));
    cadence_remove(&c, &f.job);
    cadence_done(&c);
}

/* An outage of an hour: what waits costs no evaluation, however often it is looked at. */
TEST(cadence_evaluates_nothing_while_a_job_awaits_the_watches) {
    struct cadence c;
    struct fake_job f = {.key = 1, .hash = 1, .awaits_ms = 1000};
    int64_t now = 0;
    cadence_init(&c, &fake_options);
    cadence_add(&f.job, NULL);
    cadence_mark(&c, &f.job);
    fake_turn(&c, now);
    for (int i = 0; i < 36000; i++) {
        cadence_known(&c, 999);
        now += S / 10;
        fake_turn(&c, now);
    }
    CHECK_INT(f.evaluations, 61); /* the totals, every minute */
    cadence_remove(&c, &f.job);
    CHECK(!cadence_is_behind(&c));
    cadence_done(&c);
}

/* 300 jobs that start, train and lose a pod, each at once: none waits for the limit. */
TEST(cadence_writes_three_changes_of_300_jobs_within_a_second) {
    enum { JOBS = 300 };
    static struct fake_job fakes[JOBS];
    struct cadence c;
    int64_t now = 100 * S;
    memset(fakes, 0, sizeof fakes);
    cadence_init(&c, &fake_options);
    for (int i = 0; i < JOBS; i++)
        cadence_add(&fakes[i].job, NULL);
    for (int change = 1; change <= 3; change++) {
        for (int i = 0; i < JOBS; i++) {
            fakes[i].key = fakes[i].hash = (uint64_t)change;
            cadence_mark(&c, &fakes[i].job);
        }
        fake_run(&c, &now, now + 3 * S / 10);
    }
    for (int i = 0; i < JOBS; i++) {
        CHECK_INT(fakes[i].writes, 3);
        cadence_remove(&c, &fakes[i].job);
    }
    cadence_done(&c);
}
