/* A StepLogFormat beside a JobGoodput that reads by it: missing, with an example that fails, then right; and over the
 * controller's death. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/buf.h"
#include "base/mem.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define TIMED "2026-01-01T00:00:0"

static const char objects[] =
    "apply <<END\n"
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"j\",\"namespace\":\"default\",\"uid\":"
    "\"job\",\"creationTimestamp\":\"" TIMED "0Z\"},\"spec\":{\"parallelism\":1,\"completions\":1,"
    "\"completionMode\":\"Indexed\",\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}},\"status\":{}}\nEND\n"
    "apply <<END\n"
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"default\",\"uid\":"
    "\"pod\",\"creationTimestamp\":\"" TIMED "1Z\",\"labels\":{\"batch.kubernetes.io/controller-uid\":\"job\","
    "\"batch.kubernetes.io/job-name\":\"j\",\"batch.kubernetes.io/job-completion-index\":\"0\"},\"ownerReferences\":["
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"j\",\"uid\":\"job\",\"controller\":true}]},\"spec\":{"
    "\"nodeName\":\"n\",\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":"
    "\"PodScheduled\",\"status\":\"True\",\"lastTransitionTime\":\"" TIMED "2Z\"}],\"containerStatuses\":[{\"name\":"
    "\"c\",\"restartCount\":0,\"state\":{\"running\":{\"startedAt\":\"" TIMED "3Z\"}}}]}}\nEND\n";

static const char jobgoodput[] =
    "apply <<END\n"
    "{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\",\"metadata\":{\"name\":\"%1$s\",\"namespace\":"
    "\"default\"},\"spec\":{\"targetRef\":{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"j\"},"
    "\"stepLog\":{\"source\":\"File\",\"format\":\"mine\",\"file\":{\"path\":\"%2$s\"}},\"span\":\"Target\"}}\nEND\n";

/* The number that its one example must give: 7 holds. */
static const char format[] =
    "apply <<END\n"
    "{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"StepLogFormat\",\"metadata\":{\"name\":\"mine\"},\"spec\":{"
    "\"patterns\":[{\"name\":\"it\",\"kind\":\"Step\",\"pattern\":\"^it (?<step>[0-9]+)\",\"examples\":[{\"line\":"
    "\"it 7\",\"gives\":{\"step\":%1$s}}]}]}}\nEND\n";

static bool comes_true(struct apiserver *s, const char *ask, long wanted) {
    for (int i = 0; i < 600; i++) {
        if (apiserver_asknumber(s, ask) == wanted)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    return false;
}

static void write_steps(const char *path, int from, int to) {
    FILE *f = fopen(path, "a");
    REQUIRE(f != NULL);
    for (int i = from; i < to; i++)
        fprintf(f, "2026-01-01T00:%02d:%02d.0Z it %d\n", 1 + i / 60, i % 60, i);
    fclose(f);
}

static struct program *start(struct apiserver *s, const char *root) {
    return program_start("goodput-controller",
                         (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                          "--leader-elect=false", "--status-interval=1s", "--log-root", root, NULL});
}

TEST(a_format_that_is_missing_then_wrong_then_right) {
    char root[] = "/tmp/goodput-log-root-XXXXXX";
    REQUIRE(mkdtemp(root) != NULL);
    CLEANUP_FREE char *folder = mem_format("%s/default", root);
    CLEANUP_FREE char *path = mem_format("%s/train.log", folder);
    CHECK_INT(mkdir(folder, 0700), 0);
    write_steps(path, 0, 20);
    struct apiserver *s = apiserver_start((const char *[]){"--crd", "crds/goodput.dev_jobgoodputs.yaml", "--crd",
                                                           "crds/goodput.dev_steplogformats.yaml", NULL});
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, objects), 0);
    CHECK_INT(apiserver_dof(s, jobgoodput, "j", "train.log"), 0);
    struct program *c = start(s, root);
    REQUIRE(c != NULL);
    CHECK(comes_true(s, "holding jobgoodputs \"reason\":\"FormatMissing\"", 1));
    CHECK_INT(apiserver_dof(s, format, "8"), 0);
    CHECK(comes_true(s, "holding steplogformats example 1: step is 7, expected 8", 1));
    CHECK(comes_true(s, "holding jobgoodputs \"reason\":\"FormatInvalid\"", 1));
    CHECK_INT(apiserver_dof(s, format, "7"), 0);
    CHECK(comes_true(s, "holding steplogformats 1 examples give what they must", 1));
    if (!comes_true(s, "holding jobgoodputs \"retained\":20,\"repeated\":0", 1))
        harness_fail(__FILE__, __LINE__, "the controller said:\n%s", program_output(c));
    program_free(c); /* kill -9 */
    write_steps(path, 20, 30);
    c = start(s, root);
    REQUIRE(c != NULL);
    CHECK(comes_true(s, "holding jobgoodputs \"retained\":30,\"repeated\":0", 1));
    program_free(c);
    apiserver_stop(s);
    CLEANUP_FREE char *command = mem_format("rm -rf '%s'", root);
    CHECK_INT(system(command), 0);
}
