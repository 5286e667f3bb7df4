/* The real logs of a MaxText run that was killed twice, joined with pods made from when its processes ran. */
#include "base/mem.h"
#include "base/rfc3339.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>

#define RESTARTS "tests/data/trainer-logs/maxtext/restarts/"

static struct model *begin(const char *name, const char *more_spec) {
    struct model_options options = {.version = "test"};
    struct model *m = model_new(&options);
    replay_jobgoodput(m, "ns", name, "PodLog", more_spec, fake_ms(0));
    return m;
}

static void read_log(struct model_job *job, const char *pod_uid, const char *path) {
    size_t size;
    char *text = harness_read_file(path, &size);
    REQUIRE(text != NULL);
    struct slice rest = {text, size}, line;
    while (slice_take_line(&rest, &line)) {
        int64_t stamp_ns = INT64_MIN;
        if (rfc3339_take(&line, &stamp_ns, NULL))
            slice_take_char(&line, ' ');
        model_job_log_line(job, pod_uid, 0, stamp_ns, line);
    }
    model_job_log_end(job, pod_uid, 0, NULL);
    free(text);
}

/* run.json of the attempts: spawned and exited, in seconds after 02:00:00, cut to whole seconds as kubelets do. */
static const struct {
    int spawned, exited, exit_code;
} attempts[] = {{994, 1012, 137}, {1016, 1036, 137}, {1042, 1069, 0}};

static void tell_attempt(struct model *m, int i, bool is_over) {
    char name[16];
    snprintf(name, sizeof name, "try%d", i + 1);
    struct fake_pod p = fake_pod(name, 0, attempts[i].spawned);
    p.bound = p.started = attempts[i].spawned;
    p.phase = "Running";
    if (is_over) {
        p.finished = attempts[i].exited;
        p.exit_code = attempts[i].exit_code;
        p.phase = p.exit_code ? "Failed" : "Succeeded";
    }
    fake_tell_pod(m, &p, OBSERVED_PRESENT, is_over ? attempts[i].exited + 1 : attempts[i].spawned + 1);
}

static void tell_run(struct model *m, int order) {
    char status[512], path[128], uid[16];
    fake_tell_jobset(m, 1, "", "", 0.2);
    for (int i = 0; i < 3; i++) {
        tell_attempt(m, i, false);
        if (order != 0) /* all objects first, or all logs in the end, from the last to the first */
            tell_attempt(m, i, true);
        snprintf(path, sizeof path, RESTARTS "attempt-%d.log", i + 1);
        snprintf(uid, sizeof uid, "uid-try%d", i + 1);
        if (order != 2)
            read_log(model_job_find(m, "ns", "js"), uid, path);
        if (order == 0)
            tell_attempt(m, i, true);
    }
    for (int i = 2; i >= 0 && order == 2; i--) {
        snprintf(path, sizeof path, RESTARTS "attempt-%d.log", i + 1);
        snprintf(uid, sizeof uid, "uid-try%d", i + 1);
        read_log(model_job_find(m, "ns", "js"), uid, path);
    }
    snprintf(status, sizeof status, "\"conditions\":[%s]", fake_condition("Completed", "True", "AllJobsCompleted", 1069));
    fake_tell_jobset(m, 1, "", status, 1070);
}

TEST(maxtext_restarts_joined_with_pods) {
    struct model *m = begin("js", "");
    struct model_summary summary;
    tell_run(m, 0);
    char *s = replay_status(m, "ns", "js", fake_ms(1080), &summary);
    printf("%s\n", s);
    model_free(m);
    free(s);
}
