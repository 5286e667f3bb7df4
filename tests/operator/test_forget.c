/* Of deleted pods only sums stay, so that a large set may restart any number of times. The tests count what is kept,
 * and compare the status with that of a model that forgets nothing. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "ledger/ledger_internal.h"
#include "operator/job/job.h"
#include "operator/model/model_internal.h"
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PODS = 512, RESTARTS = 20, APART = 1800, JOBS = 8, NEVER = 1000000000 };

/* With a status, or "", it keeps checkpoints: where they do not fit pods are forgotten early. */
static struct model *begin(int forget_after_s, const char *status) {
    struct model_options options = {.keeps_checkpoints = status != NULL,
                                    .forget_after_ms = (int64_t)forget_after_s * 1000};
    struct model *m = model_new(&options);
    CLEANUP_FREE char *more = replay_left(status);
    replay_jobgoodput(m, "ns", "js", "None", more, fake_ms(0));
    return m;
}

/* As it is written, then without the checkpoint. */
static char *status_at(struct model *m, double at, char **ret_written) {
    char *status = fake_status(m, at);
    if (ret_written)
        *ret_written = mem_strdup(status);
    fake_cut_checkpoint(status);
    return status;
}

/* A pod of an execution that began at `created`. It waits for its node, pulls its image, runs, and is Ready, each some
 * seconds later than others; one fails, and the others are asked to go. */
static void show_pod(struct model *m, int index, int created, int lost, enum observed what, double at) {
    char name[32], node[32], job[32];
    snprintf(name, sizeof name, "p-%d-%d", created, index);
    snprintf(node, sizeof node, "n%d", index);
    snprintf(job, sizeof job, "job-%d-%d", created, index % JOBS);
    struct fake_pod p = fake_pod(name, index, created + index % 5);
    p.node = node;
    p.job_uid = job;
    p.unschedulable = index % 3 == 0 ? p.created + 1 : -1;
    p.bound = p.created + 2 + index % 7;
    p.started = p.bound + 20 + index % 11;
    p.ready = p.started + 1;
    p.phase = "Running";
    if (lost >= 0 && index == 7) {
        p.phase = "Failed";
        p.finished = p.unready = lost;
        p.exit_code = 1;
    } else if (lost >= 0) {
        p.asked_to_go = lost + 1 + index % 3;
    }
    fake_observe_pod(m, &p, what, at);
}

static void observe_execution(struct model *m, int created, int lost, enum observed what, double at) {
    for (int i = 0; i < PODS; i++)
        show_pod(m, i, created, lost, what, at);
}

static void begin_execution(struct model *m, int created) {
    for (int i = 0; i < PODS; i++) {
        char name[32], job[32];
        snprintf(name, sizeof name, "p-%d-%d", created, i);
        snprintf(job, sizeof job, "job-%d-%d", created, i % JOBS);
        struct fake_pod p = fake_pod(name, i, created + i % 5);
        p.node = NULL;
        p.job_uid = job;
        p.unschedulable = i % 3 == 0 ? p.created + 1 : -1;
        fake_observe_pod(m, &p, OBSERVED_PRESENT, created + 6);
    }
    observe_execution(m, created, -1, OBSERVED_PRESENT, created + 90);
}

static void begin_set(struct model *m) {
    fake_observe_jobset(m, PODS, "", "", 0.2);
    for (int i = 0; i < PODS; i++) {
        char node[32];
        snprintf(node, sizeof node, "n%d", i);
        fake_observe_node(m, node, "True", 0, "", "", 0.5);
    }
    begin_execution(m, 1);
}

static int began(int execution) {
    return execution == 0 ? 1 : execution * APART + 10;
}

static void restart(struct model *m, int number) {
    int at = number * APART;
    observe_execution(m, began(number - 1), at, OBSERVED_PRESENT, at + 5);
    observe_execution(m, began(number - 1), at, OBSERVED_DELETED, at + 6);
    begin_execution(m, began(number));
}

struct kept {
    size_t pods, entries, lives, holds, disruptions, past;
};

static struct kept kept_by(struct model *m) {
    const struct model_job *job = model_job_find(m, "ns", "js");
    const struct ledger *l = job->ledger;
    return (struct kept){job->target->pods.count, m->store.pods.count,  l->occupancies.count,
                         l->holds.count,          l->disruptions.count, l->past.count};
}

static void check_kept(struct model *m, int restarts) {
    struct kept k = kept_by(m);
    size_t each = 16 * (size_t)restarts; /* pods that evidence names, and their facts */
    CHECK(k.pods <= PODS + each);
    CHECK_INT(k.entries, k.pods);
    CHECK_INT(k.lives, k.pods);
    CHECK(k.holds <= PODS / 3 + 1 + each);
    CHECK(k.disruptions <= PODS + each);
    CHECK(k.past <= 80 * (size_t)restarts); /* seconds in which something happened */
}

TEST(a_set_that_restarts_twenty_times_keeps_the_pods_of_one_execution) {
    struct model *forgets = begin(0, NULL), *remembers = begin(NEVER, NULL);
    begin_set(forgets);
    begin_set(remembers);
    for (int k = 1; k <= RESTARTS; k++) {
        restart(forgets, k);
        restart(remembers, k);
        CLEANUP_FREE char *soon = status_at(forgets, k * APART + 200, NULL);
        CLEANUP_FREE char *as_soon = status_at(remembers, k * APART + 200, NULL);
        CHECK_TEXT(soon, as_soon);
        CHECK(kept_by(forgets).pods >= 2 * PODS && kept_by(forgets).pods <= 2 * PODS + 16 * (size_t)k);
        CLEANUP_FREE char *later = status_at(forgets, k * APART + 900, NULL);
        CLEANUP_FREE char *as_late = status_at(remembers, k * APART + 900, NULL);
        CHECK_TEXT(later, as_late);
        check_kept(forgets, k);
    }
    CLEANUP_FREE char *status = status_at(forgets, (RESTARTS + 1) * APART, NULL);
    CHECK_INT(status_int(status, "interruptions.total"), RESTARTS);
    CHECK_TEXT(status_text(status, "executions[number=10].cause"), "ApplicationError");
    CHECK_INT(kept_by(remembers).pods, PODS * (RESTARTS + 1));
    model_free(forgets);
    model_free(remembers);
}

/* Killed after each restart, before and after its pods are forgotten. */
TEST(a_successor_continues_from_the_sums_of_forgotten_pods) {
    struct model *killed = begin(0, ""), *remembers = begin(NEVER, NULL);
    begin_set(killed);
    begin_set(remembers);
    for (int k = 1; k <= 6; k++) {
        restart(killed, k);
        restart(remembers, k);
        for (int late = 0; late < 2; late++) {
            double at = k * APART + (late ? 900 : 200);
            CLEANUP_FREE char *written = NULL;
            free(status_at(killed, at, &written));
            REQUIRE(strstr(written, ",\"checkpoint\":\"") != NULL);
            model_free(killed);
            killed = begin(0, written);
            fake_observe_jobset(killed, PODS, "", "", at + 1);
            for (int i = 0; i < PODS; i++) {
                char node[32];
                snprintf(node, sizeof node, "n%d", i);
                fake_observe_node(killed, node, "True", 0, "", "", at + 1);
            }
            observe_execution(killed, began(k), -1, OBSERVED_PRESENT, at + 1);
            CLEANUP_FREE char *found = status_at(killed, at + 10, NULL);
            CLEANUP_FREE char *expected = status_at(remembers, at + 10, NULL);
            CHECK_TEXT(found, expected);
        }
        check_kept(killed, k);
    }
    model_free(killed);
    model_free(remembers);
}

static int64_t looked_at(struct model *m) {
    return m->jobs.pods_recorded + m->jobs.pods_looked_at + model_job_find(m, "ns", "js")->ledger->occupancies_visited;
}

TEST(an_event_costs_the_same_after_many_restarts) {
    int64_t cost[2] = {0};
    struct model *m = begin(0, NULL);
    begin_set(m);
    for (int k = 1; k <= RESTARTS; k++) {
        restart(m, k);
        free(status_at(m, k * APART + 900, NULL));
        free(status_at(m, k * APART + 910, NULL));
        int64_t before = looked_at(m);
        show_pod(m, 9, began(k), -1, OBSERVED_PRESENT, k * APART + 911);
        free(status_at(m, k * APART + 912, NULL));
        cost[k > 1] = looked_at(m) - before;
        CHECK_INT(cost[k > 1], cost[0]);
    }
    model_free(m);
}

/* ---- Jobs without pods ---- */

/* The Jobs of an execution; deletion 0: they are new. */
static void show_jobs(struct model *m, int execution, int deletion) {
    for (int i = 0; i < JOBS; i++) {
        char uid[32], attempt[8];
        snprintf(uid, sizeof uid, "job-%d-%d", began(execution), i);
        snprintf(attempt, sizeof attempt, "%d", execution);
        struct fake_job j = {.uid = uid, .attempt = attempt, .created = began(execution), .deletion = deletion};
        fake_observe_job_of(m, &j, deletion ? OBSERVED_DELETED : OBSERVED_PRESENT, deletion ? deletion : j.created + 1);
    }
}

static int jobs_of(struct model *m) {
    int count = 0;
    for (const struct kube_job *j = model_job_find(m, "ns", "js")->target->kube_jobs; j; j = j->next_in_target)
        count++;
    return count;
}

/* The JobSet's counter moves a minute after its Jobs were made again, whose creation gives the restart its time. */
TEST(a_restart_keeps_its_time_when_its_jobs_are_forgotten) {
    struct model *forgets = begin(0, NULL), *remembers = begin(NEVER, NULL), *models[] = {forgets, remembers};
    for (int i = 0; i < 2; i++) {
        begin_set(models[i]);
        show_jobs(models[i], 0, 0);
    }
    for (int k = 1; k <= 3; k++) {
        CLEANUP_FREE char *status = mem_format("\"restarts\":%d", k);
        for (int i = 0; i < 2; i++) {
            restart(models[i], k);
            show_jobs(models[i], k - 1, k * APART + 6);
            show_jobs(models[i], k, 0);
            fake_observe_jobset(models[i], PODS, "", status, began(k) + 60);
        }
        CLEANUP_FREE char *later = status_at(forgets, k * APART + 900, NULL);
        CLEANUP_FREE char *as_late = status_at(remembers, k * APART + 900, NULL);
        CHECK_TEXT(later, as_late);
        CHECK_INT(status_int(later, "interruptions.total"), k);
    }
    CHECK_INT(jobs_of(remembers), 4 * JOBS);
    CHECK(jobs_of(forgets) < 4 * JOBS); /* evidence names pods of most */
    model_free(forgets);
    model_free(remembers);
}
