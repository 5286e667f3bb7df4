/* status.advice[]: its topic links to the documentation if the controller has its address, and the hours that it would
 * save. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

/* A save that blocks for 480 s of a job of 600 s, on 4 chips. */
static char *advised_with(const char *url, const char *member) {
    static const struct {
        int at;
        const char *text;
    } lines[] = {{20, "it 0"}, {30, "it 1"}, {40, "saving"}, {520, "saved"}, {530, "it 2"}};
    struct model_options options = {.documentation_url = url};
    struct model *m = model_new(&options);
    fake_observe_node(m, "n0", "True", 0, "", "", 1);
    replay_jobgoodput(m, "ns", "js", "PodLog",
                      ",\"stepLog\":{\"format\":\"Regex\",\"regex\":{\"step\":\"^it (?<step>[0-9]+)\","
                      "\"checkpointStart\":\"^saving\",\"checkpointSaved\":\"^saved\"}}",
                      fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod p = fake_pod("try1", 0, 1);
    p.node = "n0";
    p.bound = p.started = 4;
    p.phase = "Running";
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 5);
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        model_job_log_line(model_job_find(m, "ns", "js"), "uid-try1", 0, fake_ms(lines[i].at) * 1000000,
                           slice_of(lines[i].text));
    char *s = replay_status(m, "ns", "js", fake_ms(600), NULL);
    char path[64];
    snprintf(path, sizeof path, "advice[kind=AsynchronousCheckpoint].%s", member);
    char *found = strdup(status_text(s, path));
    free(s);
    model_free(m);
    return found;
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

TEST(advice_names_the_hours_that_it_would_save) {
    char *hours = advised_with(NULL, "acceleratorHours");
    CHECK_TEXT(hours, "0.533"); /* 480 s of 4 chips */
    free(hours);
}
