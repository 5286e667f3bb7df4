/* --archive: the volume of a controller that is killed; one that is not mounted. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "archive/members.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "folder.h"
#include "followed.h"
#include "program.h"

#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEADLINE_MS 120000
#define STEPS 3000 /* most of them settle */

static bool start_with(struct followed *f, const char *archive, const char *spool) {
    f->controller = program_start(
        "goodput-controller",
        (const char *[]){"--kubeconfig", apiserver_kubeconfig(f->server), "--health-bind-address=0", "--archive",
                         archive, "--cluster-name=here", "--leader-elect=false", "--status-interval=1s", "--log-root",
                         f->root, spool != NULL ? "--archive-spool" : NULL, spool, NULL});
    return f->controller != NULL;
}

static bool start(struct followed *f, const char *archive) {
    return start_with(f, archive, NULL);
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
    for (int i = 0; i < 1200 && strstr(buf_text(&all), "{\"record\":\"status\"") == NULL; i++) {
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
    CHECK_INT(count(program_output(f.controller), "spans are missing"), 0);
    followed_end(&f);
    folder_remove(archive);
}

static size_t count_objects(const char *archive, const char *folder) {
    CLEANUP_FREE char *pattern = mem_format("%s/cluster=here/%s/namespace=default/j_*.jsonl.gz", archive, folder);
    glob_t paths;
    size_t n = glob(pattern, 0, NULL, &paths) == 0 ? paths.gl_pathc : 0;
    globfree(&paths);
    return n;
}

TEST(what_a_jobgoodput_that_was_deleted_while_no_controller_ran_left_is_completed_once) {
    struct followed f;
    char archive[FOLDER_PATH];
    folder_make(archive);
    REQUIRE(followed_begin(&f, "Auto", "train.log") && start(&f, archive));
    write_steps(&f, 0, STEPS);
    CHECK(followed_holds(&f, "jobgoodputs", "\"retained\":3000,\"repeated\":0"));
    followed_kill(&f);
    CHECK_INT(count_objects(archive, ".open"), 1);
    REQUIRE(start(&f, archive));
    write_steps(&f, STEPS, STEPS + 100);
    CHECK(followed_holds(&f, "jobgoodputs", "\"retained\":3100,\"repeated\":0"));
    CHECK_INT(count_objects(archive, ".open"), 1); /* its JobGoodput is there */
    followed_kill(&f);
    CHECK_INT(apiserver_do(f.server, "delete jobgoodputs default/j\n"), 0);
    REQUIRE(start(&f, archive));
    CHECK(program_says(f.controller, "completed what ended while no controller ran\",\"objects\":1", DEADLINE_MS));
    CHECK_INT(count_objects(archive, ".open"), 0);
    CHECK_INT(count_objects(archive, "date=*"), 1);
    followed_end(&f);
    folder_remove(archive);
}

/* Where the time of the job's growing object ends. */
static int64_t end_of_growing(const char *archive) {
    CLEANUP_BUF struct buf text;
    CLEANUP_FREE char *pattern = mem_format("%s/cluster=here/.open/namespace=default/j_*.jsonl.gz", archive);
    struct archive_part part = {0};
    glob_t paths;
    buf_init(&text, 64 << 20);
    if (glob(pattern, 0, NULL, &paths) != 0)
        return TIME_UNKNOWN;
    size_t size;
    CLEANUP_FREE char *bytes = harness_read_file(paths.gl_pathv[0], &size);
    struct slice in = {bytes, size};
    while (archive_member_take(&in, &text, &part))
        continue;
    globfree(&paths);
    return part.to_ms;
}

TEST(a_successor_without_the_volume_reports_how_much_was_not_uploaded) {
    struct followed f;
    char spool[FOLDER_PATH];
    int64_t began_ms;
    folder_make(spool);
    REQUIRE(rfc3339_parse_ms(slice_of(FOLLOWED_BEGAN "0Z"), &began_ms));
    REQUIRE(followed_begin(&f, "Auto", "train.log") && start_with(&f, "s3://bucket", spool));
    write_steps(&f, 0, STEPS);
    CHECK(followed_holds(&f, "jobgoodputs", "\"retained\":3000,\"repeated\":0"));
    CHECK_INT(count_objects(spool, ".open"), 1);
    CHECK_INT(count(program_output(f.controller), "spans are missing"), 0);
    followed_kill(&f);
    int64_t settled_s = (end_of_growing(spool) - began_ms) / 1000;
    folder_remove(spool);
    folder_make(spool);
    REQUIRE(start_with(&f, "s3://bucket", spool));
    write_steps(&f, STEPS, STEPS + 100);
    CHECK(followed_holds(&f, "jobgoodputs", "\"retained\":3100,\"repeated\":0"));
    CHECK(followed_complete(&f, "2026-01-01T00:52:50Z"));
    CHECK(program_says(f.controller, "spans are missing in the archive", DEADLINE_MS));
    const char *found = strstr(program_output(f.controller), "spans are missing in the archive");
    found = found != NULL ? strstr(found, "\"seconds\":") : NULL;
    int64_t seconds = found != NULL ? strtoll(found + strlen("\"seconds\":"), NULL, 10) : -1;
    if (seconds < settled_s / 2 || seconds > settled_s) /* the newest status may have settled less than the volume */
        harness_fail(__FILE__, __LINE__, "%" PRId64 " seconds are missing of %" PRId64, seconds, settled_s);
    CHECK_INT(count(program_output(f.controller), "with what was not uploaded"), 1);
    followed_end(&f);
    folder_remove(spool);
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
