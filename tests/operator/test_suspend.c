/* Real controllers (kwok nodes): a person suspends a JobSet, whose pods exit 143 within the second of their deletion;
 * 35 s later a node on which one of them had run is cut off, with a pod of the next execution on it. */
#include "harness.h"
#include "replay.h"

#include <stdlib.h>

#define SUSPENDED_MS INT64_C(1795237786000) /* 05:09:46Z; the node was seen lost at 05:10:21.198 */

static void check_suspend(const char *s, int64_t at_ms) {
    if (status_int(s, "interruptions.total") < 1)
        return;
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "UserSuspend");
    if (status_int(s, "interruptions.excluded") != 1)
        harness_fail(__FILE__, __LINE__, "at %" PRId64 " the suspend was rewritten", at_ms);
}

TEST(a_suspend_stays_one_whatever_its_nodes_do_later) {
    struct replay r;
    struct model_options options = {0};
    REQUIRE(replay_load(&r, "tests/data/recordings/suspend.jsonl.gz", "workloads"));
    struct model *m = model_new(&options);
    replay_jobgoodput(m, "hand", "by-hand", "None", "", r.events[0].at_ms);
    for (size_t i = 0; i < r.count; i++) {
        replay_feed(m, &r.events[i]);
        if (i + 1 < r.count && r.events[i].at_ms < SUSPENDED_MS)
            continue;
        char *s = replay_status(m, "hand", "by-hand", r.events[i].at_ms, NULL);
        check_suspend(s, r.events[i].at_ms);
        if (i + 1 == r.count) {
            CHECK_TEXT(status_text(s, "phase"), "Completed");
            CHECK_INT(status_int(s, "interruptions.total"), 2);
            CHECK_TEXT(status_text(s, "executions[number=2].cause"), "NodeFailure");
            CHECK_INT(status_int(s, "badput[bucket=Suspended].milliseconds"), 8000);
        }
        free(s);
    }
    model_free(m);
    replay_done(&r);
}
