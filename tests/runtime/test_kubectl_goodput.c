/* kubectl-goodput as its users run it: what it asks the server, its errors and exit codes. What it draws is tested in
 * tests/cli. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/mem.h"
#include "program.h"

#define DEADLINE_MS 120000
#define CRD "crds/goodput.dev_jobgoodputs.yaml"

/* A failure is one line; where kubectl has said it, ours may follow. */
static void check_lines(const char *const *arguments, int code, int lines, const char *text) {
    struct program *p = program_start("kubectl-goodput", arguments);
    CHECK_INT(program_wait(p, DEADLINE_MS), code);
    const char *printed = program_output(p);
    int count = 0;
    for (const char *c = printed; *c != '\0'; c++)
        count += *c == '\n';
    if (strstr(printed, text) == NULL)
        harness_fail(__FILE__, __LINE__, "said \"%s\", expected \"%s\"", printed, text);
    if (code != 0 && count != lines)
        harness_fail(__FILE__, __LINE__, "not %d lines: \"%s\"", lines, printed);
    program_free(p);
}

static void check(const char *const *arguments, int code, const char *text) {
    check_lines(arguments, code, 1, text);
}

#define CALL(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(kubectl_goodput_reads_the_cluster) {
    struct apiserver *s = apiserver_start(CALL("--crd", CRD));
    REQUIRE(s != NULL);
    const char *kubeconfig = apiserver_kubeconfig(s);
    CHECK_INT(apiserver_do(s, "apply <<END\n{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\","
                              "\"metadata\":{\"name\":\"a\",\"namespace\":\"team\"},\"spec\":{\"targetRef\":{"
                              "\"apiGroup\":\"batch\",\"kind\":\"Job\",\"name\":\"a\"}},"
                              "\"status\":{\"phase\":\"Training\",\"topBadput\":\"QueueWait\"}}\nEND"),
              0);
    check(CALL("top", "-A", "--kubeconfig", kubeconfig), 0, "team       a     Training");
    check(CALL("top", "-n", "team", "--kubeconfig", kubeconfig), 0, "a     Training");
    check(CALL("top", "-n", "other", "--kubeconfig", kubeconfig), 0, "No resources found in other namespace.\n");
    check(CALL("top", "-n", "team", "-l", "tier=none", "--kubeconfig", kubeconfig), 0,
          "No resources found in team namespace.\n");
    check(CALL("top", "-A", "-l", "tier=none", "--kubeconfig", kubeconfig), 0, "No resources found\n");
    check(CALL("top", "-A", "-l", "!tier", "--kubeconfig", kubeconfig), 0, "team       a     Training");
    check(CALL("top", "-A", "-o", "name", "--kubeconfig", kubeconfig), 0, "jobgoodput.goodput.dev/a\n");
    check(CALL("explain", "a", "-nteam", "--kubeconfig", kubeconfig), 0, "team/a (Job a)\nTraining\n");
    check(CALL("timeline", "jobgoodput/a", "-n", "team", "--kubeconfig", kubeconfig), 0, "nothing to draw yet");
    check(CALL("explain", "a", "-n", "team", "-o", "yaml", "--kubeconfig", kubeconfig), 0,
          "\n  topBadput: QueueWait\n");
    check_lines(CALL("explain", "b", "-n", "team", "--kubeconfig", kubeconfig), 1, 2,
                "Error from server (NotFound): jobgoodputs.goodput.dev \"b\" not found\n"
                "kubectl-goodput: kubectl goodput top -A lists the JobGoodputs of all namespaces\n");
    apiserver_stop(s);
}

static int put(struct apiserver *s, const char *name, const char *phase) {
    CLEANUP_FREE char *line =
        mem_format("apply <<END\n{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\",\"metadata\":{"
                   "\"name\":\"%s\",\"namespace\":\"team\"},\"spec\":{\"targetRef\":{\"apiGroup\":\"batch\","
                   "\"kind\":\"Job\",\"name\":\"%s\"}},\"status\":{\"phase\":\"%s\"}}\nEND",
                   name, name, phase);
    return apiserver_do(s, line);
}

/* The table again after each change, until SIGTERM ends it. */
TEST(kubectl_goodput_top_follows_the_cluster) {
    struct apiserver *s = apiserver_start(CALL("--crd", CRD));
    REQUIRE(s != NULL);
    CHECK_INT(put(s, "a", "Training"), 0);
    const char *kubeconfig = apiserver_kubeconfig(s);
    struct program *all = program_start("kubectl-goodput", CALL("top", "-w", "-A", "--kubeconfig", kubeconfig)),
                   *team = program_start("kubectl-goodput", CALL("top", "-w", "-nteam", "--kubeconfig", kubeconfig)),
                   *other = program_start("kubectl-goodput", CALL("top", "-w", "-n", "x", "--kubeconfig", kubeconfig));
    CHECK(program_says(all, "team       a     Training", DEADLINE_MS));
    CHECK(program_says(team, "\na     Training", DEADLINE_MS));
    CHECK(program_says(other, "No resources found in x namespace.\n\n", DEADLINE_MS));
    CHECK_INT(put(s, "a", "Failed"), 0);
    CHECK(program_says(all, "team       a     Failed", DEADLINE_MS));
    CHECK(program_says(team, "\na     Failed", DEADLINE_MS));
    CHECK_INT(put(s, "b", "Queued"), 0);
    CHECK(program_says(all, "team       b     Queued", DEADLINE_MS));
    CHECK_INT(apiserver_do(s, "delete jobgoodputs team/a"), 0);
    CHECK_INT(apiserver_do(s, "delete jobgoodputs team/b"), 0);
    CHECK(program_says(all, "No resources found\n", DEADLINE_MS));
    struct program *programs[] = {all, team, other};
    for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
        program_terminate(programs[i]);
        CHECK_INT(program_wait(programs[i], DEADLINE_MS), 0);
    }
    CHECK_TEXT(program_output(other), "No resources found in x namespace.\n\n");
    for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
        program_free(programs[i]);
    apiserver_stop(s);
}

TEST(kubectl_goodput_says_when_there_are_none) {
    struct apiserver *s = apiserver_start(NULL);
    REQUIRE(s != NULL);
    const char *kubeconfig = apiserver_kubeconfig(s);
    check_lines(CALL("top", "--kubeconfig", kubeconfig), 1, 2,
                "error: the server doesn't have a resource type \"jobgoodputs\"\n"
                "kubectl-goodput: the cluster does not serve JobGoodputs: is goodput-controller installed?\n");
    check_lines(CALL("top", "-w", "--kubeconfig", kubeconfig), 1, 2,
                "does not serve JobGoodputs: is goodput-controller installed?");
    check_lines(CALL("explain", "a", "--kubeconfig", kubeconfig), 1, 2,
                "does not serve JobGoodputs: is goodput-controller installed?");
    check_lines(CALL("fleet", "a", "--kubeconfig", kubeconfig), 1, 2,
                "does not serve FleetGoodputs: is goodput-controller installed?");
    apiserver_stop(s);
}

TEST(kubectl_goodput_writes_a_report) {
    check(CALL("report", "-f", "tests/data/cli/training.json", "--html", "-"), 0, "\"wallMilliseconds\":7384000");
    check(CALL("report", "-f", "tests/data/cli/training.json", "--html=-"), 0, "Content-Security-Policy");
}

TEST(kubectl_goodput_refuses_wrong_usage) {
    check(CALL("tpo"), 2, "unknown command \"tpo\": did you mean \"top\"?");
    check(CALL("explain"), 2, "explain needs the NAME of a JobGoodput, or -f FILE");
    check(CALL("top", "x"), 2, "top takes no name");
    check(CALL("report"), 2, "report needs the NAME of a JobGoodput, or -f FILE, or --owner");
    check(CALL("report", "x"), 2, "report needs --html FILE (- is standard output)");
    check(CALL("top", "--html", "x"), 2, "--html works only with report");
    check(CALL("report", "-f", "tests/data/cli/training.json", "--html", "/nowhere/x.html"), 1,
          "/nowhere/x.html: No such file or directory");
    check(CALL("top", "-o", "xml"), 2, "-o xml: not one of json, yaml, name, wide");
    check(CALL("explain", "x", "--what"), 2, "unknown option \"--what\"");
    check(CALL("explain", "x", "-w"), 2, "--watch works only with top");
    check(CALL("explain", "x", "-l", "a=b"), 2, "--selector works only with top, history, report, fleet");
    check(CALL("top", "--sort-by", "nothing"), 2, "--sort-by nothing: write a column, such as goodput, or a path");
    check(CALL("explain", "-f"), 2, "-f needs a value");
}

TEST(kubectl_goodput_reads_files) {
    check(CALL("explain", "-f", "tests/data/cli/training.json"), 0,
          "goodput 82.18% = scheduling 93.61% x runtime 87.79%");
    check(CALL("explain", "no-log", "-f", "tests/data/cli/fleet.json"), 0, "team-b/no-log");
    check(CALL("explain", "x", "-f", "tests/data/cli/fleet.json"), 1, "no JobGoodput \"x\" in it");
    check(CALL("explain", "-f", "/nonexistent"), 1, "/nonexistent: No such file or directory");
    check(CALL("explain", "-f", "Makefile"), 1, "kubectl-goodput: file Makefile: line ");
    check(CALL("explain", "a", "--kubeconfig", "/nonexistent"), 1, "error: stat /nonexistent: no such file");
    check(CALL("version"), 0, "kubectl-goodput ");
    check(CALL("help"), 0, "kubectl goodput explain NAME");
}
