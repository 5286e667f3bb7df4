/* Many JobGoodputs: which one measures a target is found without a look at the others. Counted in JobGoodputs that are
 * looked at, not in time, which a busy machine changes. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "operator/model/model_internal.h"
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show_jobset(struct model *m, const char *name, double at) {
    fake_observe_jobset_of(m, &(struct fake_jobset){.name = name}, at);
}

static void show_jobgoodput(struct model *m, const char *name, const char *target, int generation, int created,
                            double at) {
    struct fake_jobgoodput g = {.name = name, .target = target, .generation = generation, .created = created};
    fake_observe_jobgoodput(m, &g, at);
}

static void drop_goodput(struct model *m, const char *name, double at) {
    CLEANUP_FREE char *uid = mem_format("goodput-of-%s", name);
    fake_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_DELETED, name, uid, "", at);
}

/* ---- cost ---- */

enum order { TARGETS_FIRST, GOODPUTS_FIRST, IN_TURN, ORDERS };

static void name_of(char out[static 32], int i) {
    snprintf(out, 32, "j%d", i);
}

static struct model *started(int jobs, enum order order) {
    struct model *m = model_new(&(struct model_options){0});
    char name[32];
    for (int i = 0; i < jobs; i++) {
        name_of(name, i);
        if (order != TARGETS_FIRST)
            show_jobgoodput(m, name, name, 1, 0, 1);
        if (order != GOODPUTS_FIRST)
            show_jobset(m, name, 1);
    }
    for (int i = 0; i < jobs && order != IN_TURN; i++) {
        name_of(name, i);
        if (order == TARGETS_FIRST)
            show_jobgoodput(m, name, name, 1, 0, 1);
        else
            show_jobset(m, name, 1);
    }
    return m;
}

/* All of them measure their own target. */
static int measuring(struct model *m, int jobs) {
    char name[32];
    int count = 0;
    for (int i = 0; i < jobs; i++) {
        name_of(name, i);
        char *status = replay_status(m, "ns", name, fake_ms(3), NULL);
        count += status_int(status, "availability.required") == 1;
        free(status);
    }
    return count;
}

TEST(the_start_of_a_job_looks_at_no_other) {
    for (int order = 0; order < ORDERS; order++)
        for (int jobs = 64; jobs <= 4096; jobs *= 8) {
            struct model *m = started(jobs, (enum order)order);
            CHECK(m->jobs.jobs_looked_at <= 2 * jobs);
            CHECK_INT(measuring(m, jobs), jobs);
            model_free(m);
        }
}

TEST(the_end_of_a_jobgoodput_looks_at_no_other) {
    for (int jobs = 64; jobs <= 4096; jobs *= 8) {
        struct model *m = started(jobs, TARGETS_FIRST);
        int64_t before = m->jobs.jobs_looked_at;
        char name[32];
        for (int i = 0; i < jobs; i++) {
            name_of(name, i);
            drop_goodput(m, name, 4);
        }
        CHECK(m->jobs.jobs_looked_at - before <= jobs);
        CHECK_INT((int64_t)model_job_count(m), 0);
        model_free(m);
    }
}

/* What each may have another of goes with it: jobs come and go for years. */
TEST(no_name_of_a_deleted_job_is_kept) {
    struct model *m = started(16, IN_TURN);
    size_t before = m->store.strings.count;
    char name[32];
    for (int i = 16; i < 2000; i++) {
        name_of(name, i);
        CLEANUP_FREE char *step_log = mem_format("\"source\":\"CloudLogging\",\"format\":\"Auto\",\"file\":{"
                                                 "\"path\":\"runs/%s\"},\"cloudLogging\":{\"project\":\"p%d\","
                                                 "\"logger\":\"goodput_%s\",\"jobName\":\"run-%s\"}",
                                                 name, i, name, name);
        fake_observe_jobgoodput(m, &(struct fake_jobgoodput){.name = name, .step_log = step_log}, 5);
        show_jobset(m, name, 5);
        struct model_source source;
        CHECK(model_job_source(model_job_find(m, "ns", name), &source));
        CHECK_TEXT(source.logger + sizeof "goodput_" - 1, name);
        drop_goodput(m, name, 6);
        while (model_next_dirty(m) != NULL)
            ;
    }
    CHECK(m->store.strings.count <= before + 1); /* "CloudLogging" */
    model_free(m);
}

/* A tenant may name one target as often as it likes. */
TEST(a_further_duplicate_looks_at_those_before_it_alone_and_once) {
    enum { DUPLICATES = 500 };
    struct model *m = model_new(&(struct model_options){0});
    char name[32];
    show_jobset(m, "set", 1);
    for (int i = 0; i < DUPLICATES; i++) {
        int64_t before = m->jobs.jobs_looked_at;
        name_of(name, i);
        show_jobgoodput(m, name, "set", 1, i, 1);
        CHECK(m->jobs.jobs_looked_at - before <= i + 1);
    }
    model_free(m);
}

/* ---- which of several it is ---- */

/* "measures", or the name of the JobGoodput that does, or "" where none does. */
static const char *role(struct model *m, const char *name) {
    static char roles[2][300];
    static int next;
    char *status = replay_status(m, "ns", name, fake_ms(10), NULL);
    char *out = roles[next++ % 2];
    bool measures = status_int(status, "availability.required") == 1;
    snprintf(out, sizeof roles[0], "%s", measures ? "measures" : "");
    if (strcmp(status_text(status, "conditions[type=Ready].reason"), "Duplicate") == 0) {
        const char *by = strstr(status_text(status, "conditions[type=Ready].message"), "JobGoodput ");
        CHECK(by != NULL);
        by += strlen("JobGoodput ");
        snprintf(out, sizeof roles[0], "%s%.*s", measures ? "measures next to " : "", (int)strcspn(by, ","), by);
    }
    free(status);
    return out;
}

TEST(the_oldest_of_several_measures_in_whatever_order_they_are_observed) {
    static const char *const orders[] = {"abc", "acb", "bac", "bca", "cab", "cba"};
    for (size_t i = 0; i < ARRAY_SIZE(orders); i++)
        for (size_t at = 0; at < 4; at++) { /* the target is observed before the one of that number */
            struct model *m = model_new(&(struct model_options){0});
            for (size_t k = 0; k < 3; k++) {
                const char name[] = {orders[i][k], '\0'};
                if (k == at)
                    show_jobset(m, "set", 1);
                show_jobgoodput(m, name, "set", 1, name[0] - 'a', 5);
            }
            if (at == 3)
                show_jobset(m, "set", 6);
            CHECK_TEXT(role(m, "a"), "measures");
            CHECK_TEXT(role(m, "b"), "a");
            CHECK_TEXT(role(m, "c"), "a");
            drop_goodput(m, orders[i][0] == 'a' ? "a" : "b", 7);
            const char *heir = orders[i][0] == 'a' ? "b" : "a";
            CHECK_TEXT(role(m, heir), "measures");
            CHECK_TEXT(role(m, "c"), heir);
            drop_goodput(m, heir, 8);
            CHECK_TEXT(role(m, "c"), "measures");
            model_free(m);
        }
}

TEST(a_jobgoodput_that_names_another_target_leaves_its_own_to_the_next) {
    struct model *m = model_new(&(struct model_options){0});
    show_jobset(m, "one", 1);
    show_jobset(m, "two", 1);
    show_jobgoodput(m, "a", "one", 1, 0, 2);
    show_jobgoodput(m, "b", "one", 1, 1, 2);
    CHECK_TEXT(role(m, "b"), "a");
    show_jobgoodput(m, "a", "two", 2, 0, 3);
    CHECK_TEXT(role(m, "a"), "measures");
    CHECK_TEXT(role(m, "b"), "measures");
    show_jobgoodput(m, "b", "two", 2, 1, 4);
    CHECK_TEXT(role(m, "b"), "a");
    drop_goodput(m, "a", 5);
    CHECK_TEXT(role(m, "b"), "measures");
    model_free(m);
}
