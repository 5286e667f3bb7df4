/* The rules of cadence.h that namespaces share status writes by, with a fake clock. */
#include "harness.h"

#include "fake_jobs.h"

#include <stdlib.h>

/* A namespace whose writes are answered late leaves half of all to others, and is written to its end. */
TEST(cadence_keeps_a_namespace_of_late_answers_from_delaying_others) {
    enum { JOBS = 200, LATE_S = 10 };
    struct cadence c;
    struct cadence_share late = {.in_flight = 0}, calm = {.in_flight = 0};
    struct fake_job *fakes = calloc(JOBS, sizeof *fakes), victim = {.key = 1, .hash = 1};
    struct cadence_job *waiting[JOBS], *job;
    int sent = 0, answered = 0;
    cadence_init(&c, &fake_options);
    cadence_add(&victim.job, &calm);
    for (int i = 0; i < JOBS; i++) {
        cadence_add(&fakes[i].job, &late);
        cadence_mark(&c, &fakes[i].job);
    }
    for (int64_t now_us = 0; answered < JOBS && now_us < JOBS * LATE_S * S; now_us += S) {
        int64_t writes = victim.writes;
        bool is_late = now_us / S % LATE_S == LATE_S - 1;
        victim.key++, victim.hash++;
        cadence_mark(&c, &victim.job);
        while ((job = cadence_pick(&c, now_us)) != NULL)
            if (cadence_decide(&c, job, &(struct cadence_evaluation){.key = victim.key, .hash = victim.key}, now_us)) {
                if (job != &victim.job) {
                    waiting[sent++] = job;
                    continue;
                }
                victim.writes++;
                cadence_wrote(&c, job, now_us);
            }
        CHECK_INT(victim.writes, writes + 1);
        CHECK_INT(sent - answered, JOBS - answered < CADENCE_IN_FLIGHT / 2 ? JOBS - answered : CADENCE_IN_FLIGHT / 2);
        for (int until = sent; is_late && answered < until; answered++)
            cadence_remove(&c, waiting[answered]); /* as written for the last time */
    }
    CHECK_INT(answered, JOBS);
    CHECK_INT(c.in_flight + late.in_flight + calm.in_flight, 0);
    cadence_remove(&c, &victim.job);
    free(fakes);
    cadence_done(&c);
}

/* A job that its namespace holds may be forgotten, and be changed meanwhile: it is written once, with the newest. */
TEST(cadence_forgets_a_job_that_its_namespace_holds) {
    enum { JOBS = CADENCE_IN_FLIGHT };
    struct cadence c;
    struct cadence_share share = {.in_flight = 0};
    static struct fake_job fakes[JOBS];
    struct cadence_job *job;
    int sent = 0;
    cadence_init(&c, &fake_options);
    for (int i = 0; i < JOBS; i++) {
        cadence_add(&fakes[i].job, &share);
        cadence_mark(&c, &fakes[i].job);
    }
    for (int turn = 0; turn < 2; turn++) {
        while ((job = cadence_pick(&c, turn * S)) != NULL)
            sent += cadence_decide(&c, job, &(struct cadence_evaluation){.key = 1, .hash = 1}, turn * S);
        CHECK_INT(sent, JOBS / 2);
        for (int i = 0; i < JOBS && turn == 0; i++)
            cadence_mark(&c, &fakes[i].job);
    }
    for (int i = 0; i < JOBS; i++)
        if (!fakes[i].job.is_in_flight && i % 2 == 0)
            cadence_remove(&c, &fakes[i].job);
    for (int i = 0; i < JOBS; i++)
        if (fakes[i].job.is_in_flight)
            cadence_remove(&c, &fakes[i].job);
    while ((job = cadence_pick(&c, 3 * S)) != NULL)
        sent += cadence_decide(&c, job, &(struct cadence_evaluation){.key = 1, .hash = 1}, 3 * S);
    CHECK_INT(sent, JOBS / 2 + JOBS / 4);
    CHECK_INT(share.in_flight, JOBS / 4);
    for (int i = 0; i < JOBS; i++)
        cadence_remove(&c, &fakes[i].job);
    CHECK_INT(share.in_flight, 0);
    CHECK(share.lines[CADENCE_LINE_URGENT].first == NULL);
    cadence_done(&c);
}

/* Thousands of new statuses of one namespace, and a change in another: it is among the next writes. */
TEST(cadence_shares_urgent_writes_between_namespaces) {
    enum { CROWD = 2000, NAMESPACES = 3 };
    struct cadence c;
    struct cadence_share crowded[NAMESPACES] = {{.in_flight = 0}}, calm = {.in_flight = 0};
    struct fake_job *crowd = calloc(CROWD, sizeof *crowd), victim = {.key = 1, .hash = 1};
    int64_t now = 100 * S;
    cadence_init(&c, &fake_options);
    for (int i = 0; i < CROWD; i++) {
        crowd[i].key = crowd[i].hash = (uint64_t)i + 1;
        cadence_add(&crowd[i].job, &crowded[i % NAMESPACES]);
        cadence_mark(&c, &crowd[i].job);
    }
    fake_run(&c, &now, 110 * S);
    cadence_add(&victim.job, &calm);
    for (int i = 0; i < 20; i++) {
        int64_t from = now;
        victim.key++, victim.hash++;
        cadence_mark(&c, &victim.job);
        fake_run(&c, &now, from + S);
        CHECK_INT(victim.writes, i + 1);
        if (victim.writes > i)
            CHECK(victim.written_us[i] - from <= S); /* the limit is of a second */
    }
    for (int i = 0; i < CROWD; i++)
        cadence_remove(&c, &crowd[i].job);
    cadence_remove(&c, &victim.job);
    free(crowd);
    cadence_done(&c);
}

/* Urgent writes do not delay running totals. */
TEST(cadence_writes_totals_next_to_urgent_writes) {
    enum { CROWD = 2000 };
    struct cadence c;
    struct cadence_share crowded = {.in_flight = 0}, calm = {.in_flight = 0};
    struct fake_job *crowd = calloc(CROWD, sizeof *crowd), victim = {.key = 1, .hash = 1};
    int64_t now = 100 * S;
    cadence_init(&c, &fake_options);
    cadence_add(&victim.job, &calm);
    cadence_mark(&c, &victim.job);
    fake_run(&c, &now, 101 * S);
    CHECK_INT(victim.writes, 1);
    for (int i = 0; i < CROWD; i++) {
        crowd[i].key = crowd[i].hash = (uint64_t)i + 1;
        cadence_add(&crowd[i].job, &crowded);
        cadence_mark(&c, &crowd[i].job);
    }
    victim.has_new_steps = true, victim.hash++;
    cadence_mark(&c, &victim.job);
    fake_run(&c, &now, 120 * S);
    CHECK_INT(victim.writes, 2);
    int written = 0;
    for (int i = 0; i < CROWD; i++) {
        written += crowd[i].writes;
        cadence_remove(&c, &crowd[i].job);
    }
    CHECK(written >= CADENCE_URGENT_BURST + 18 * 20);
    CHECK_INT(crowded.next_turn[CADENCE_AT_ONCE], written); /* what was not written is not charged */
    cadence_remove(&c, &victim.job);
    free(crowd);
    cadence_done(&c);
}

/* 10,000 stepping jobs of one namespace ask for 667 running totals a second of 20, those of another two for less than
 * their share: only the first one's stretch, and they alike. */
TEST(cadence_shares_running_totals_between_namespaces) {
    enum { CROWD = 10000, CALM = 20 };
    struct cadence c;
    struct cadence_share crowded = {.in_flight = 0}, calm[2] = {{.in_flight = 0}, {.in_flight = 0}};
    struct fake_job *crowd = calloc(CROWD, sizeof *crowd), *victims = calloc(CALM, sizeof *victims);
    int64_t now = 100 * S, longest = 0;
    int min_writes = 1 << 30, max_writes = 0;
    cadence_init(&c, &fake_options);
    for (int i = 0; i < CROWD + CALM; i++) {
        struct fake_job *f = i < CROWD ? &crowd[i] : &victims[i - CROWD];
        f->key = 1;
        cadence_add(&f->job, i < CROWD ? &crowded : &calm[i % 2]);
        cadence_observed(&c, &f->job, true, 0, now); /* a new leader: the server has older totals */
    }
    for (int second = 101; second <= 1200; second++) {
        for (int i = 0; i < CROWD + CALM; i++) {
            struct fake_job *f = i < CROWD ? &crowd[i] : &victims[i - CROWD];
            f->hash++;
            f->has_new_steps = true;
            if (i >= CROWD || i % 60 == second % 60) /* what is evaluated costs this test time */
                cadence_mark(&c, &f->job);
        }
        fake_run(&c, &now, second * S);
        for (int i = 0; i < CALM && second > 102; i++) {
            CHECK(victims[i].writes > 0);
            int64_t last = victims[i].written_us[(victims[i].writes + 4095) % 4096];
            longest = now - last > longest ? now - last : longest;
        }
    }
    for (int i = 0; i < CROWD; i++) {
        min_writes = crowd[i].writes < min_writes ? crowd[i].writes : min_writes;
        max_writes = crowd[i].writes > max_writes ? crowd[i].writes : max_writes;
        cadence_remove(&c, &crowd[i].job);
    }
    for (int i = 0; i < CALM; i++)
        cadence_remove(&c, &victims[i].job);
    CHECK(longest <= fake_options.active_us + 2 * S);
    CHECK(min_writes >= 1);
    CHECK(max_writes - min_writes <= 1);
    printf(" the longest without: %.1f s; of the crowd %d to %d writes ", (double)longest / S, min_writes, max_writes);
    free(crowd);
    free(victims);
    cadence_done(&c);
}
