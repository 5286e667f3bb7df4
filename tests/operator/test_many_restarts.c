/* A job of one pod that restarts for days: what the controller holds of a restart. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

enum { RESTARTS = 240, EARLY = 40, EVERY_S = 120, STEPS = 10 };

/* 0 under a sanitizer. */
static size_t held_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* Each has a Job and a pod with new names, as JobSet makes them; half of its steps were done before. */
static void restart(struct model *m, int n) {
    char name[32], job[32], jobset[64];
    int created = n * EVERY_S, first = n * STEPS / 2;
    snprintf(name, sizeof name, "try-%d", n);
    snprintf(job, sizeof job, "job-%d", n);
    snprintf(jobset, sizeof jobset, "\"restarts\":%d", n - 1);
    fake_observe_jobset(m, 1, "", jobset, created);
    struct fake_pod p = fake_started(name, 0, created, created + 1, created + 5);
    p.job_uid = job;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, created + 6);
    fake_log_steps(m, name, first, first + STEPS - 1, 7, created + 15);
    free(fake_status(m, created + 90));
    p.phase = "Failed";
    p.finished = created + 100;
    p.exit_code = 1;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, created + 101);
    fake_observe_pod(m, &p, OBSERVED_DELETED, created + 102);
    free(fake_status(m, created + 103));
}

/* What a restart adds after the first ones. */
static size_t bytes_of_a_restart(const char *source) {
    struct model *m = model_new(&(struct model_options){.reads_last_words = true});
    size_t early_bytes = 0;
    fake_observe_node(m, "n0", "True", 0, "", "", 1);
    replay_jobgoodput(m, "ns", "js", source, "", fake_ms(0));
    for (int n = 1; n <= RESTARTS; n++) {
        restart(m, n);
        if (n == EARLY)
            early_bytes = held_bytes();
    }
    size_t late_bytes = held_bytes();
    CLEANUP_FREE char *status = fake_finish(m, RESTARTS * EVERY_S + EVERY_S);
    CHECK_INT(status_int(status, "interruptions.total"), RESTARTS);
    return late_bytes > early_bytes ? (late_bytes - early_bytes) / (RESTARTS - EARLY) : 0;
}

/* The pod that the evidence of an interruption names stays, and what was read of its log: 2.2 and 4.6 KiB today. */
TEST(a_restart_leaves_little_behind) {
    CHECK(bytes_of_a_restart("None") < 3 << 10);
    CHECK(bytes_of_a_restart("PodLog") < 6 << 10);
}
