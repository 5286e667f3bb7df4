/* Image pulls as the pod's status shows them. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>

static void observe_waiting(struct model *m, const char *reason, double at) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"a\",\"uid\":\"uid-a\",\"creationTimestamp\":%s,\"labels\":{"
        "\"jobset.sigs.k8s.io/jobset-uid\":\"uid-js\",\"jobset.sigs.k8s.io/jobset-name\":\"js\","
        "\"jobset.sigs.k8s.io/replicatedjob-name\":\"slice\",\"jobset.sigs.k8s.io/job-index\":\"0\","
        "\"batch.kubernetes.io/"
        "job-completion-index\":\"0\"}},\"spec\":{\"nodeName\":\"n0\",\"restartPolicy\":\"Never\","
        "\"containers\":[{\"name\":\"train\",\"resources\":{\"limits\":{\"google.com/"
        "tpu\":\"4\"}}}]},\"status\":{\"phase\":"
        "\"Pending\",\"conditions\":[%s],\"containerStatuses\":[{\"name\":\"train\",\"restartCount\":0,\"state\":{"
        "\"waiting\":"
        "{\"reason\":\"%s\"}}}]}}",
        fake_time(1), fake_condition("PodScheduled", "True", "", 2), reason);
    CHECK_INT(model_observe(m, RESOURCE_POD, OBSERVED_PRESENT, SLICE("ns"), SLICE("a"), SLICE("uid-a"), slice_of(json),
                            fake_ms(at)),
              0);
}

/* Without Events only the container's status distinguishes a pull from a start. */
TEST(an_image_that_cannot_be_had_shows_as_a_pull) {
    struct model *m = model_new(&(struct model_options){.version = "test"});
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    observe_waiting(m, "ErrImagePull", 4);
    observe_waiting(m, "ImagePullBackOff", 6);
    char *s = replay_status(m, "ns", "js", fake_ms(10), NULL);
    CHECK_INT(status_int(s, "badput[bucket=ImagePull].milliseconds"), 8000);
    CHECK_TEXT(status_text(s, "badput[bucket=ImagePull].evidence"), "slowest: ImagePullBackOff: a on node n0");
    free(s);
    struct fake_pod a = fake_pod("a", 0, 1);
    a.bound = 2;
    a.started = 15;
    a.phase = "Running";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 15.2);
    s = replay_status(m, "ns", "js", fake_ms(20), NULL);
    model_free(m);
    CHECK_INT(status_int(s, "badput[bucket=ImagePull].milliseconds"), 13000);
    CHECK_INT(status_int(s, "badput[bucket=Unattributed].milliseconds"), 5000);
    free(s);
}
