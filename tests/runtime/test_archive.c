/* --archive: the volume of a controller that is killed; one that is not mounted. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "archive/members.h"
#include "base/mem.h"
#include "folder.h"
#include "followed.h"
#include "program.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEADLINE_MS 120000
#define STEPS 3000 /* most of them settle */

static bool start(struct followed *f, const char *archive) {
    f->controller =
        program_start("goodput-controller",
                      (const char *[]){"--kubeconfig", apiserver_kubeconfig(f->server), "--health-bind-address=0",
                                       "--archive", archive, "--cluster-name=here", "--leader-elect=false",
                                       "--status-interval=1s", "--log-root", f->root, NULL});
    return f->controller != NULL;
}

static void write_steps(const struct followed *f, int from, int to) {
    followed_write(f, "completed step: ", ", seconds: 1.000, TFLOP/s/device: 50.1, loss: 2.1", from, to);
}

/* All lines of the job's objects, in order (heap); NULL: there is none within a minute. */
static char *read_objects(const char *archive, size_t *ret_objects) {
    CLEANUP_BUF struct buf all, text;
    CLEANUP_FREE char *pattern = mem_format("%s/cluster=here/date=2026-01-01/namespace=default/j_*.jsonl.gz", archive);
    glob_t paths;
    buf_init(&all, 64 << 20);
    buf_init(&text, 64 << 20);
    for (int i = 0; i < 600 && strstr(buf_text(&all), "{\"record\":\"status\"") == NULL; i++) {
        buf_clear(&all);
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        if (glob(pattern, 0, NULL, &paths) != 0)
            continue;
        *ret_objects = paths.gl_pathc;
        for (size_t k = 0; k < paths.gl_pathc; k++) {
            size_t size;
            struct archive_part part;
            CLEANUP_FREE char *bytes = harness_read_file(paths.gl_pathv[k], &size);
            struct slice in = {bytes, size};
            while (archive_member_take(&in, &text, &part))
                buf_append_slice(&all, buf_slice(&text));
        }
        globfree(&paths);
    }
    return buf_take(&all);
}

static int count(const char *text, const char *part) {
    int n = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        n++;
    return n;
}

/* What the command prints (heap). */
static char *ledger(const char *name, const char *archive, const char *output, int code) {
    struct program *p = program_start(
        "kubectl-goodput", (const char *[]){"ledger", name, "-n", "default", "-o", output, "--archive", archive, NULL});
    CHECK_INT(program_wait(p, DEADLINE_MS), code);
    char *text = mem_strdup(program_output(p));
    program_free(p);
    return text;
}

TEST(a_killed_controllers_archive_is_continued_and_has_the_final_status) {
    struct followed f;
    char archive[FOLDER_PATH];
    size_t objects = 0;
    folder_make(archive);
    REQUIRE(followed_begin(&f, "Auto", "train.log") && start(&f, archive));
    write_steps(&f, 0, STEPS);
    REQUIRE(followed_holds(&f, "jobgoodputs", "\"retained\":3000,\"repeated\":0"));
    followed_kill(&f);
    REQUIRE(start(&f, archive));
    write_steps(&f, STEPS, STEPS + 100);
    REQUIRE(followed_holds(&f, "jobgoodputs", "\"retained\":3100,\"repeated\":0"));
    CHECK(followed_complete(&f, "2026-01-01T00:52:50Z"));
    CHECK(followed_holds(&f, "jobgoodputs", "\"phase\":\"Completed\""));
    CLEANUP_FREE char *lines = read_objects(archive, &objects);
    CHECK_INT(objects, 1);
    CHECK_INT(count(lines, "{\"record\":\"job\",\"schema\":1,\"cluster\":\"here\",\"namespace\":\"default\","), 1);
    CHECK(count(lines, "{\"record\":\"part\",") >= 3); /* the start, what settled, the rest */
    CHECK_INT(count(lines, "\"final\":true}"), 1);
    CHECK_INT(count(lines, "{\"record\":\"steps\",\"retained\":3100,"), 1);
    CHECK_INT(count(lines, "{\"record\":\"status\","), 1);
    CLEANUP_FREE char *read = ledger("j", archive, "jsonl", 0), *table = ledger("j", archive, "table", 0);
    CHECK_TEXT(read, lines);
    CHECK_INT(count(table, "\n") > 5, 1);
    CLEANUP_FREE char *absent = ledger("k", archive, "jsonl", 1);
    CHECK_INT(count(absent, "the archive has no job default/k"), 1);
    followed_end(&f);
    folder_remove(archive);
}

TEST(a_volume_that_is_not_mounted_delays_no_status_and_is_reported_once) {
    struct followed f;
    REQUIRE(followed_begin(&f, "Auto", "train.log") && start(&f, "/tmp/goodput-no-such-volume"));
    write_steps(&f, 0, STEPS);
    CHECK(followed_holds(&f, "jobgoodputs", "\"retained\":3000,\"repeated\":0"));
    CHECK(followed_complete(&f, "2026-01-01T00:52:50Z"));
    CHECK(followed_holds(&f, "jobgoodputs", "\"phase\":\"Completed\""));
    CHECK(program_says(f.controller, "mount the archive's volume there", DEADLINE_MS));
    CHECK_INT(count(program_output(f.controller), "archive not written"), 1);
    followed_end(&f);
}
