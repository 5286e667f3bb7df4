/* status.advice[]: where its topic leads, to the documentation's address if the controller was told it, and what it
 * would save. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

static char *advised_with(const char *url, const char *member) {
    struct model_options options = {.version = "test", .documentation_url = url};
    struct model *m = model_new(&options);
    fake_tell_node(m, "n0", "True", 0, "", "", 1);
    replay_jobgoodput(m, "ns", "js", "PodLog", "", fake_ms(0));
    fake_tell_jobset(m, 1, "", "", 0.2);
    struct fake_pod p = fake_pod("try1", 0, 490);
    p.node = "n0";
    p.bound = 500;
    p.started = 994; /* most of the job so far is the pull of its image */
    p.phase = "Running";
    fake_tell_event(m, "try1", "Pulling", "Pulling image \\\"trainer\\\"", 501);
    fake_tell_event(m, "try1", "Pulled", "Successfully pulled image \\\"trainer\\\" in 8m10s (8m10s including waiting)",
                    992);
    fake_tell_pod(m, &p, OBSERVED_PRESENT, 995);
    replay_log_file(model_job_find(m, "ns", "js"), "uid-try1",
                    "tests/data/trainer-logs/maxtext/restarts/attempt-1.log");
    char *s = replay_status(m, "ns", "js", fake_ms(1100), NULL);
    char path[64];
    snprintf(path, sizeof path, "advice[kind=PreloadImage].%s", member);
    char *told = strdup(status_text(s, path));
    free(s);
    model_free(m);
    return told;
}

TEST(advice_leads_to_the_documentation) {
    static const char *const cases[][2] = {
        {NULL, "deploy/docs/how-to/advice.md#"},
        {"https://git.example.com/goodput/docs", "https://git.example.com/goodput/docs/how-to/advice.md#"},
        {"https://git.example.com/goodput/docs/", "https://git.example.com/goodput/docs/how-to/advice.md#"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *topic = advised_with(cases[i][0], "topic");
        if (strncmp(topic, cases[i][1], strlen(cases[i][1])) != 0 || topic[strlen(cases[i][1])] == '\0')
            harness_fail(__FILE__, __LINE__, "topic is %s", topic);
        free(topic);
    }
}

TEST(advice_tells_the_hours_that_it_would_save) {
    char *hours = advised_with(NULL, "acceleratorHours");
    CHECK_TEXT(hours, "0.527"); /* 28/29 of a pull of 491 s, for 4 chips */
    free(hours);
}
