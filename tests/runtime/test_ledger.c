/* kubectl goodput ledger: the ledger of a job that runs, from the controller that follows it, over the controller's
 * death. tests/recompute computes the statuses from those that RECORDS_DIR keeps. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/mem.h"
#include "followed.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEADLINE_MS 120000
#define STEPS 3000 /* most of them are settled */

static const char pod[] =
    "apply <<END\n"
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"g-0\",\"namespace\":\"goodput-system\",\"uid\":"
    "\"g\",\"labels\":{\"app.kubernetes.io/name\":\"goodput-controller\"}},\"spec\":{\"containers\":[{\"name\":"
    "\"controller\",\"args\":[\"--page-bind-address=127.0.0.1:%s\"]}]},\"status\":{\"phase\":\"Running\"}}\nEND\n";

/* The controller with a page, and its pod, which names the page's port. */
static bool start(struct followed *f) {
    static const char key[] = "\"page served\",\"port\":";
    f->controller = program_start(
        "goodput-controller",
        (const char *[]){"--kubeconfig", apiserver_kubeconfig(f->server), "--health-bind-address=0",
                         "--metrics-bind-address=0", "--page-bind-address=127.0.0.1:0", "--cluster-name=here",
                         "--leader-elect=false", "--status-interval=1s", "--log-root", f->root, NULL});
    if (f->controller == NULL || !program_says(f->controller, key, DEADLINE_MS))
        return false;
    char port[8] = "";
    sscanf(strstr(program_output(f->controller), key) + strlen(key), "%7[0-9]", port);
    return apiserver_dof(f->server, pod, port) == 0;
}

/* What the command prints (heap). */
static char *ledger(struct followed *f, const char *name, const char *output, int code) {
    struct program *p =
        program_start("kubectl-goodput", (const char *[]){"ledger", name, "-n", "default", "-o", output, "--kubeconfig",
                                                          apiserver_kubeconfig(f->server), NULL});
    CHECK_INT(program_wait(p, DEADLINE_MS), code);
    char *text = mem_strdup(program_output(p));
    program_free(p);
    return text;
}

static void keep(const char *name, const char *text) {
    const char *dir = getenv("RECORDS_DIR");
    if (dir == NULL)
        return;
    CLEANUP_FREE char *path = mem_format("%s/%s.jsonl", dir, name);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void check_has(const char *text, const char *part) {
    if (strstr(text, part) == NULL)
        harness_fail(__FILE__, __LINE__, "no %s in %s", part, text);
}

static void check_lines(const char *text) {
    check_has(text, "{\"record\":\"job\",\"schema\":1,\"cluster\":\"here\",\"namespace\":\"default\",\"name\":\"j\",");
    check_has(text, "\"complete\":false,\"ended\":false}\n{\"record\":\"settled\",");
    check_has(text, "\"bucket\":\"Productive\",");
    check_has(text, "\n{\"record\":\"span\",");
    check_has(text, "\n{\"record\":\"steps\",\"retained\":3000,");
    check_has(text, "\n{\"record\":\"status\",\"status\":{");
}

static void write_steps(const struct followed *f, int from, int to) {
    followed_write(f, "completed step: ", ", seconds: 1.000, TFLOP/s/device: 50.1, loss: 2.1", from, to);
}

TEST(a_live_jobs_ledger_comes_from_the_controller) {
    struct followed f;
    REQUIRE(followed_begin(&f, "Auto", "train.log") && start(&f));
    write_steps(&f, 0, STEPS);
    REQUIRE(followed_holds(&f, "jobgoodputs", "\"retained\":3000,\"repeated\":0"));
    CLEANUP_FREE char *lines = ledger(&f, "j", "jsonl", 0), *table = ledger(&f, "j", "table", 0);
    check_lines(lines);
    keep("live", lines);
    check_has(table, "FROM                       DURATION  BUCKET ");
    check_has(table, "\n(sum)");
    CLEANUP_FREE char *absent = ledger(&f, "k", "jsonl", 1);
    check_has(absent, "(NotFound)");
    followed_kill(&f);
    REQUIRE(start(&f));
    write_steps(&f, STEPS, STEPS + 100);
    REQUIRE(followed_holds(&f, "jobgoodputs", "\"retained\":3100,\"repeated\":0"));
    CLEANUP_FREE char *after = ledger(&f, "j", "jsonl", 0);
    check_has(after, "\"complete\":false,\"ended\":false}\n{\"record\":\"settled\",");
    check_has(after, "\n{\"record\":\"steps\",\"retained\":3100,");
    keep("after-death", after);
    followed_end(&f);
}
