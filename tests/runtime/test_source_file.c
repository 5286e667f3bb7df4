/* stepLog.source File, through a controller that is killed meanwhile. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/buf.h"
#include "base/mem.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CRD "crds/goodput.dev_jobgoodputs.yaml"
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
    "\"stepLog\":{\"source\":\"File\",\"format\":\"Auto\",\"file\":{\"path\":\"%2$s\"}},\"span\":\"Target\"}}\nEND\n";

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
        fprintf(f, "2026-01-01T00:%02d:%02d.0Z completed step: %d, seconds: 1.000, TFLOP/s/device: 50.1, loss: 2.1\n",
                1 + i / 60, i % 60, i);
    fclose(f);
}

static struct program *start(struct apiserver *s, const char *root) {
    return program_start("goodput-controller",
                         (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                          "--leader-elect=false", "--status-interval=1s", "--log-root", root, NULL});
}

TEST(a_file_is_followed_over_the_controllers_death_each_line_once) {
    char root[] = "/tmp/goodput-log-root-XXXXXX";
    REQUIRE(mkdtemp(root) != NULL);
    CLEANUP_FREE char *folder = mem_format("%s/default", root);
    CLEANUP_FREE char *path = mem_format("%s/train.log", folder);
    CLEANUP_FREE char *rotated = mem_format("%s/train.log.1", folder);
    CHECK_INT(mkdir(folder, 0700), 0);
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, objects), 0);
    CHECK_INT(apiserver_dof(s, jobgoodput, "j", "train.log"), 0);
    struct program *c = start(s, root);
    REQUIRE(c != NULL);
    CHECK(comes_true(s, "holding jobgoodputs default/train.log, below the log root, does not exist (yet)", 1));
    write_steps(path, 0, 20);
    CHECK(comes_true(s, "holding jobgoodputs \"retained\":20,\"repeated\":0", 1));
    program_free(c); /* kill -9 */
    write_steps(path, 20, 30);
    CHECK_INT(rename(path, rotated), 0);
    write_steps(path, 30, 40);
    c = start(s, root);
    REQUIRE(c != NULL);
    if (!comes_true(s, "holding jobgoodputs \"retained\":40,\"repeated\":0", 1))
        harness_fail(__FILE__, __LINE__, "the controller said:\n%s", program_output(c));
    program_free(c);
    apiserver_stop(s);
    CLEANUP_FREE char *command = mem_format("rm -rf '%s'", root);
    CHECK_INT(system(command), 0);
}

/* The disk is full in the middle of a line, there is room again, and the next line comes right behind that half; then
 * somebody truncates the file, and its writer goes on where it was. What was written counts, and nothing else. */
TEST(a_log_whose_disk_was_full_is_read_on) {
    char root[] = "/tmp/goodput-log-root-XXXXXX";
    REQUIRE(mkdtemp(root) != NULL);
    CLEANUP_FREE char *folder = mem_format("%s/default", root);
    CLEANUP_FREE char *path = mem_format("%s/train.log", folder);
    CHECK_INT(mkdir(folder, 0700), 0);
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, objects), 0);
    CHECK_INT(apiserver_dof(s, jobgoodput, "j", "train.log"), 0);
    struct program *c = start(s, root);
    REQUIRE(c != NULL);
    struct stat st;
    write_steps(path, 0, 11);
    REQUIRE(stat(path, &st) == 0 && truncate(path, st.st_size - 40) == 0); /* of step 10 only a part was written */
    CHECK(comes_true(s, "holding jobgoodputs \"retained\":10,\"repeated\":0", 1));
    write_steps(path, 11, 20);
    if (!comes_true(s, "holding jobgoodputs \"retained\":20,\"repeated\":0", 1))
        harness_fail(__FILE__, __LINE__, "the controller said:\n%s", program_output(c));
    CHECK_INT(truncate(path, 0), 0);
    CHECK_INT(truncate(path, 3000), 0);
    write_steps(path, 20, 30);
    if (!comes_true(s, "holding jobgoodputs \"retained\":30,\"repeated\":0", 1) ||
        !comes_true(s, "holding jobgoodputs \"productiveMs\":30000", 1))
        harness_fail(__FILE__, __LINE__, "the controller said:\n%s", program_output(c));
    program_free(c);
    apiserver_stop(s);
    CLEANUP_FREE char *command = mem_format("rm -rf '%s'", root);
    CHECK_INT(system(command), 0);
}

static const char ended[] =
    "apply <<END\n"
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"default\",\"uid\":"
    "\"pod\",\"creationTimestamp\":\"" TIMED "1Z\",\"labels\":{\"batch.kubernetes.io/controller-uid\":\"job\","
    "\"batch.kubernetes.io/job-name\":\"j\",\"batch.kubernetes.io/job-completion-index\":\"0\"},\"ownerReferences\":["
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"j\",\"uid\":\"job\",\"controller\":true}]},\"spec\":{"
    "\"nodeName\":\"n\",\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"Succeeded\",\"conditions\":[{"
    "\"type\":\"PodScheduled\",\"status\":\"True\",\"lastTransitionTime\":\"" TIMED "2Z\"}],\"containerStatuses\":[{"
    "\"name\":\"c\",\"restartCount\":0,\"state\":{\"terminated\":{\"exitCode\":0,\"startedAt\":\"" TIMED "3Z\","
    "\"finishedAt\":\"2026-01-01T00:01:30Z\"}}}]}}\nEND\n"
    "apply <<END\n"
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"j\",\"namespace\":\"default\",\"uid\":"
    "\"job\",\"creationTimestamp\":\"" TIMED "0Z\"},\"spec\":{\"parallelism\":1,\"completions\":1,"
    "\"completionMode\":\"Indexed\",\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}},\"status\":{"
    "\"succeeded\":1,\"completedIndexes\":\"0\",\"completionTime\":\"2026-01-01T00:01:30Z\",\"conditions\":[{\"type\":"
    "\"Complete\",\"status\":\"True\",\"lastTransitionTime\":\"2026-01-01T00:01:30Z\"}]}}\nEND\n";

TEST(the_last_line_counts_without_its_end_when_the_job_is_over) {
    char root[] = "/tmp/goodput-log-root-XXXXXX";
    REQUIRE(mkdtemp(root) != NULL);
    CLEANUP_FREE char *folder = mem_format("%s/default", root);
    CLEANUP_FREE char *path = mem_format("%s/train.log", folder);
    CHECK_INT(mkdir(folder, 0700), 0);
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, objects), 0);
    CHECK_INT(apiserver_dof(s, jobgoodput, "j", "train.log"), 0);
    struct program *c = start(s, root);
    REQUIRE(c != NULL);
    write_steps(path, 0, 10);
    struct stat st;
    REQUIRE(stat(path, &st) == 0 && truncate(path, st.st_size - 1) == 0); /* it had no time for more */
    CHECK(comes_true(s, "holding jobgoodputs \"retained\":9,\"repeated\":0", 1));
    CHECK_INT(apiserver_do(s, ended), 0);
    if (!comes_true(s, "holding jobgoodputs \"retained\":10,\"repeated\":0", 1))
        harness_fail(__FILE__, __LINE__, "the controller said:\n%s", program_output(c));
    CHECK(comes_true(s, "holding jobgoodputs \"phase\":\"Completed\"", 1));
    program_free(c);
    apiserver_stop(s);
    CLEANUP_FREE char *command = mem_format("rm -rf '%s'", root);
    CHECK_INT(system(command), 0);
}

TEST(a_path_that_leaves_the_namespace_and_a_root_that_is_not_set_are_said) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, objects), 0);
    CHECK_INT(apiserver_dof(s, jobgoodput, "j", "../other/train.log"), 0);
    struct program *c = start(s, "/tmp");
    REQUIRE(c != NULL);
    CHECK(comes_true(s, "holding jobgoodputs spec.stepLog.file.path has an empty component", 1));
    program_free(c);
    c = program_start("goodput-controller",
                      (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                       "--leader-elect=false", "--status-interval=1s", NULL});
    REQUIRE(c != NULL);
    CHECK(comes_true(s, "holding jobgoodputs the controller runs without --log-root", 1));
    program_free(c);
    apiserver_stop(s);
}
