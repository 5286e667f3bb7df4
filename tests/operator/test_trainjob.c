/* TrainJobs (Kubeflow Trainer v2): the same recorded life, once as JobSets and once as if TrainJobs had made these
 * JobSets and Kueue had queued the TrainJobs, gives the same status but for the kind that it names. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define STORY "tests/data/recordings/story.jsonl.gz"
#define AFTER_MS 61000 /* the end is settled */

static const char *const names[] = {"train-a", "train-b", "train-c"};

/* Every occurrence of a text replaced; frees it. */
static char *replaced(char *text, const char *from, const char *to) {
    char *at = strstr(text, from);
    if (at == NULL)
        return text;
    CLEANUP_FREE char *rest = replaced(mem_strdup(at + strlen(from)), from, to);
    char *all = mem_format("%.*s%s%s", (int)(at - text), text, to, rest);
    free(text);
    return all;
}

/* Replaces the one text by the other where it first stands. Heap; NULL: it is not there. */
static char *with(const char *json, const char *from, const char *to) {
    const char *at = strstr(json, from);
    return at == NULL ? NULL : mem_format("%.*s%s%s", (int)(at - json), json, to, at + strlen(from));
}

#define OF_JOBSET                                                                                                      \
    "\"apiVersion\":\"jobset.x-k8s.io/v1alpha2\",\"blockOwnerDeletion\":true,\"controller\":true,\"kind\":\"JobSet\""
#define OF_TRAINJOB                                                                                                    \
    "\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"blockOwnerDeletion\":true,\"controller\":true,\"kind\":"       \
    "\"TrainJob\""

/* A JobSet gets its TrainJob as its controller; a Workload of a JobSet becomes one of the TrainJob. Heap. */
static char *as_of_trainjob(const struct replay_event *e) {
    CLEANUP_FREE char *json = slice_dup(e->object), *changed = NULL;
    if (e->resource == RESOURCE_JOBSET) {
        CLEANUP_FREE char *owned =
            mem_format("\"metadata\":{\"ownerReferences\":[{" OF_TRAINJOB ",\"name\":\"%.*s\",\"uid\":\"made-%.*s\"}],",
                       SLICE_ARG(e->name), SLICE_ARG(e->uid));
        return with(json, "\"metadata\":{", owned); /* its own comes first */
    }
    if (e->resource != RESOURCE_WORKLOAD || (changed = with(json, OF_JOBSET, OF_TRAINJOB)) == NULL)
        return mem_strdup(json);
    char *uid = strstr(strstr(changed, OF_TRAINJOB), "\"uid\":\"") + strlen("\"uid\":\"");
    return mem_format("%.*smade-%s", (int)(uid - changed), changed, uid);
}

static void feed(struct model *m, const struct replay_event *e, bool is_trainjob) {
    struct replay_event changed = *e;
    CLEANUP_FREE char *json = is_trainjob && e->object.size_bytes > 0 ? as_of_trainjob(e) : NULL;
    if (json != NULL)
        changed.object = slice_of(json);
    replay_feed(m, &changed);
}

static void add_jobgoodput(struct model *m, const char *name, const char *target, const char *kind, int64_t at_ms,
                           const char *status) {
    CLEANUP_FREE char *jobset =
        fake_jobgoodput_json(&(struct fake_jobgoodput){.namespace_ = "train",
                                                       .name = name,
                                                       .target = target,
                                                       .created = (int)((at_ms - fake_ms(0)) / 1000),
                                                       .status = status});
    CLEANUP_FREE char *trainjob = with(jobset, "\"apiGroup\":\"jobset.x-k8s.io\",\"kind\":\"JobSet\"",
                                       "\"apiGroup\":\"trainer.kubeflow.org\",\"kind\":\"TrainJob\"");
    CHECK_INT(model_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_PRESENT, SLICE("train"), slice_of(name), slice_of(name),
                            slice_of(strcmp(kind, "TrainJob") == 0 ? trainjob : jobset), at_ms),
              0);
}

/* The final statuses of all three; with a seed, the streams come in another order. */
static void run(const struct replay *r, bool is_trainjob, uint64_t seed, char *ret_status[static 3]) {
    struct model *m = model_new(&(struct model_options){0});
    const char *kind = is_trainjob ? "TrainJob" : "JobSet";
    for (int i = 0; i < 3; i++)
        add_jobgoodput(m, names[i], NULL, kind, r->events[0].at_ms, NULL);
    struct replay_shuffle shuffle = {.replay = r, .seed = &seed};
    for (size_t i = 0; seed == 0 && i < r->count; i++)
        feed(m, &r->events[i], is_trainjob);
    for (const struct replay_event *e; seed != 0 && (e = replay_shuffled(&shuffle)) != NULL;)
        feed(m, e, is_trainjob);
    for (int i = 0; i < 3; i++) {
        free(replay_status(m, "train", names[i], r->last_ms, NULL));
        ret_status[i] = replay_status(m, "train", names[i], r->last_ms + AFTER_MS, NULL);
    }
    model_free(m);
}

TEST(a_trainjob_is_measured_as_its_jobset) {
    struct replay r;
    char *of_jobset[3], *of_trainjob[3];
    REQUIRE(replay_load(&r, STORY, "workloads"));
    run(&r, false, 0, of_jobset);
    for (uint64_t seed = 0; seed < 5; seed++) {
        run(&r, true, seed, of_trainjob);
        for (int i = 0; i < 3; i++) {
            CHECK(status_int(of_jobset[i], "time.wallMilliseconds") > 0);
            CHECK(strstr(of_trainjob[i], "TrainJob train-") != NULL);
            of_trainjob[i] = replaced(of_trainjob[i], "TrainJob train-", "JobSet train-");
            CHECK_TEXT(of_trainjob[i], of_jobset[i]);
            free(of_trainjob[i]);
        }
    }
    for (int i = 0; i < 3; i++)
        free(of_jobset[i]);
    replay_done(&r);
}

static const char *ready_reason(struct model *m, const char *name, int64_t at_ms) {
    static char reason[64];
    CLEANUP_FREE char *status = replay_status(m, "train", name, at_ms, NULL);
    snprintf(reason, sizeof reason, "%s", status_text(status, "conditions[type=Ready].reason"));
    return reason;
}

TEST(a_jobset_that_no_trainjob_made_is_not_taken_for_one) {
    struct replay r;
    REQUIRE(replay_load(&r, STORY, "workloads"));
    struct model *m = model_new(&(struct model_options){0});
    add_jobgoodput(m, "train-a", NULL, "TrainJob", r.events[0].at_ms, NULL);
    for (size_t i = 0; i < r.count; i++)
        feed(m, &r.events[i], false);
    CHECK_TEXT(ready_reason(m, "train-a", r.last_ms), "TargetNotFound");
    model_free(m);
    replay_done(&r);
}

TEST(a_trainjob_and_its_jobset_are_one_target) {
    struct replay r;
    REQUIRE(replay_load(&r, STORY, "workloads"));
    struct model *m = model_new(&(struct model_options){0});
    add_jobgoodput(m, "older", "train-a", "TrainJob", r.events[0].at_ms - 1000, NULL);
    add_jobgoodput(m, "younger", "train-a", "JobSet", r.events[0].at_ms, NULL);
    for (size_t i = 0; i < r.count; i++)
        feed(m, &r.events[i], true);
    CHECK_TEXT(ready_reason(m, "older", r.last_ms), "Accounted");
    CHECK_TEXT(ready_reason(m, "younger", r.last_ms), "Duplicate");
    model_free(m);
    replay_done(&r);
}
