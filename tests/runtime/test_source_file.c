/* stepLog.source File, through a controller that is killed meanwhile. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/mem.h"
#include "followed.h"
#include "program.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_steps(const struct followed *f, int from, int to) {
    followed_write(f, "completed step: ", ", seconds: 1.000, TFLOP/s/device: 50.1, loss: 2.1", from, to);
}

static bool holds(struct followed *f, const char *text) {
    return followed_holds(f, "jobgoodputs", text);
}

static void cut_off(const struct followed *f, off_t bytes) {
    struct stat st;
    CHECK(stat(f->path, &st) == 0 && truncate(f->path, st.st_size - bytes) == 0);
}

TEST(a_file_is_followed_over_the_controllers_death_each_line_once) {
    struct followed f;
    REQUIRE(followed_begin(&f, "Auto", "train.log") && followed_start(&f));
    CLEANUP_FREE char *rotated = mem_format("%s.1", f.path);
    CHECK(holds(&f, "default/train.log, below the log root, does not exist (yet)"));
    write_steps(&f, 0, 20);
    CHECK(holds(&f, "\"retained\":20,\"repeated\":0"));
    followed_kill(&f);
    write_steps(&f, 20, 30);
    CHECK_INT(rename(f.path, rotated), 0);
    write_steps(&f, 30, 40);
    REQUIRE(followed_start(&f));
    CHECK(holds(&f, "\"retained\":40,\"repeated\":0"));
    followed_end(&f);
}

/* The disk is full in the middle of a line, there is room again, and the next line comes right behind that half; then
 * somebody truncates the file, and its writer continues at its old offset. What was written counts, and nothing else.
 */
TEST(a_log_whose_disk_was_full_is_read_on) {
    struct followed f;
    REQUIRE(followed_begin(&f, "Auto", "train.log") && followed_start(&f));
    write_steps(&f, 0, 11);
    cut_off(&f, 40); /* of step 10 only a part was written */
    CHECK(holds(&f, "\"retained\":10,\"repeated\":0"));
    write_steps(&f, 11, 20);
    CHECK(holds(&f, "\"retained\":20,\"repeated\":0"));
    CHECK_INT(truncate(f.path, 0), 0);
    CHECK_INT(truncate(f.path, 3000), 0);
    write_steps(&f, 20, 30);
    CHECK(holds(&f, "\"retained\":30,\"repeated\":0"));
    CHECK(holds(&f, "\"productiveMilliseconds\":30000"));
    followed_end(&f);
}

TEST(the_last_line_counts_without_its_end_when_the_job_is_over) {
    struct followed f;
    REQUIRE(followed_begin(&f, "Auto", "train.log") && followed_start(&f));
    write_steps(&f, 0, 10);
    cut_off(&f, 1); /* it had no time for more */
    CHECK(holds(&f, "\"retained\":9,\"repeated\":0"));
    CHECK(followed_complete(&f, "2026-01-01T00:01:30Z"));
    CHECK(holds(&f, "\"retained\":10,\"repeated\":0"));
    CHECK(holds(&f, "\"phase\":\"Completed\""));
    followed_end(&f);
}

TEST(a_path_outside_the_namespace_and_an_unset_root_are_reported) {
    struct followed f;
    REQUIRE(followed_begin(&f, "Auto", "../other/train.log") && followed_start(&f));
    CHECK(holds(&f, "spec.stepLog.file.path has an empty component"));
    followed_kill(&f);
    f.controller =
        program_start("goodput-controller",
                      (const char *[]){"--kubeconfig", apiserver_kubeconfig(f.server), "--health-bind-address=0",
                                       "--leader-elect=false", "--status-interval=1s", NULL});
    REQUIRE(f.controller != NULL);
    CHECK(holds(&f, "the controller runs without --log-root"));
    followed_end(&f);
}
