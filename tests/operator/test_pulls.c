/* Image pulls as the pod's status shows them. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>

static void observe_waiting(struct model *m, const char *reason, double at) {
    struct fake_pod p = fake_pod("a", 0, 1);
    p.bound = 2;
    p.waiting = reason;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, at);
}

/* Without Events only the container's status distinguishes a pull from a start. */
TEST(an_image_that_cannot_be_had_shows_as_a_pull) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    observe_waiting(m, "ErrImagePull", 4);
    observe_waiting(m, "ImagePullBackOff", 6);
    char *s = replay_status(m, "ns", "js", fake_ms(10), NULL);
    CHECK_INT(status_int(s, "badput[bucket=ImagePull].milliseconds"), 8000);
    CHECK_TEXT(status_text(s, "badput[bucket=ImagePull].evidence"), "slowest: ImagePullBackOff: a on node n0");
    free(s);
    struct fake_pod a = fake_started("a", 0, 1, 2, 15);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 15.2);
    s = replay_status(m, "ns", "js", fake_ms(20), NULL);
    model_free(m);
    CHECK_INT(status_int(s, "badput[bucket=ImagePull].milliseconds"), 13000);
    CHECK_INT(status_int(s, "badput[bucket=Unattributed].milliseconds"), 5000);
    free(s);
}
