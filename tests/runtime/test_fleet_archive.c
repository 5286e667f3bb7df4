/* FleetGoodputs with an archive: days that are older than a week are there, over restarts. */
#include "base/mem.h"
#include "fleet_objects.h"
#include "folder.h"
#include "harness.h"
#include "io/loop.h"
#include "preload/preload.h"
#include "program.h"
#include "rawserver.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct program *start_archiving(const struct apiserver *s, const char *archive) {
    preload_begin();
    struct program *c = program_start(
        "goodput-controller",
        (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0", "--leader-elect=false",
                         "--status-interval=100ms", "--cluster-name=here", "--archive", archive, NULL});
    preload_end();
    return c;
}

/* The newest object of the fleet (heap); NULL: there is none within two minutes. */
static char *find_day(const char *archive) {
    CLEANUP_FREE char *pattern = mem_format("%s/cluster=here/date=*/fleet=all/*.sums", archive);
    glob_t paths;
    for (int i = 0; i < 1200; i++) {
        if (glob(pattern, 0, NULL, &paths) == 0) {
            char *path = mem_strdup(paths.gl_pathv[paths.gl_pathc - 1]);
            globfree(&paths);
            return path;
        }
        usleep(100000);
    }
    return NULL;
}

#define DEGRADED "wait 120s field fleetgoodputs /all .status.conditions[?(@.type==\"Degraded\")].reason "

static void overwrite(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    REQUIRE(f != NULL);
    fputs(text, f);
    fclose(f);
}

/* A day that left the status survives a restart in the archive alone; what cannot be read is unknown, not 0. */
TEST(days_older_than_a_week_are_read_from_the_archive_after_a_restart) {
    struct apiserver *s = fleet_serve();
    struct preload_clock *clock = preload_clock(1);
    char archive[FOLDER_PATH];
    size_t size;
    REQUIRE(s != NULL && clock != NULL);
    folder_make(archive);
    CHECK_INT(fleet_add_job(s, "big", "q1", 8, true), 0);
    CHECK_INT(apiserver_do(s, FLEET_OBJECT("all", "\"window\":{\"rolling\":\"31d\"}")), 0);
    struct program *c = start_archiving(s, archive);
    CHECK_INT(apiserver_do(s, "wait 120s field fleetgoodputs /all status.jobs.counted 1"), 0);
    CHECK_INT(apiserver_do(s, "delete jobgoodputs default/big\n"), 0);
    CHECK_INT(fleet_add_job(s, "mark", "q3", 1, true), 0);
    CHECK_INT(apiserver_do(s, "wait 120s field fleetgoodputs /all status.jobs.counted 2"), 0);
    clock->step_us = 10 * 24 * HOUR_MS * 1000;
    CLEANUP_FREE char *day = find_day(archive);
    REQUIRE(day != NULL);
    CHECK_INT(fleet_add_job(s, "again", "q3", 1, true), 0);
    CHECK_INT(apiserver_do(s, "wait 120s field fleetgoodputs /all status.jobs.counted 3"), 0);
    program_free(c); /* which kills it */
    c = start_archiving(s, archive);
    CHECK_INT(fleet_add_job(s, "more", "q3", 1, true), 0);
    CHECK_INT(apiserver_do(s, "wait 120s field fleetgoodputs /all status.jobs.counted 4"), 0);
    fleet_check_has(s, "all", (const char *[]){"\"asked\":79200", "\"reason\":\"AsExpected\"", NULL});
    program_free(c);

    CLEANUP_FREE char *folder = mem_format("%s/cluster=here", archive);
    CLEANUP_FREE char *away = mem_format("%s/away", archive);
    CHECK_INT(rename(folder, away), 0);
    c = start_archiving(s, archive);
    CHECK_INT(apiserver_do(s, DEGRADED "ArchiveNotRead"), 0);
    fleet_check_has(s, "all",
                    (const char *[]){"older days could not be read from the archive yet, so the status covers the time",
                                     "No such file", "\"asked\":14400", NULL});
    CHECK_INT(rename(away, folder), 0);
    CHECK_INT(apiserver_do(s, DEGRADED "AsExpected"), 0);
    fleet_check_has(s, "all", (const char *[]){"\"asked\":79200", "\"counted\":4", NULL});
    program_free(c);

    CLEANUP_FREE char *text = harness_read_file(day, &size);
    overwrite(day, "AAAA");
    c = start_archiving(s, archive);
    CHECK_INT(apiserver_do(s, DEGRADED "ArchiveNotRead"), 0);
    fleet_check_has(s, "all", (const char *[]){"it is damaged: restore it from a copy", "\"asked\":14400", NULL});
    overwrite(day, text);
    CHECK_INT(apiserver_do(s, DEGRADED "AsExpected"), 0);
    fleet_check_has(s, "all", (const char *[]){"\"asked\":79200", "\"counted\":4", NULL});
    program_free(c);
    preload_done(clock);
    folder_remove(archive);
    apiserver_stop(s);
}

/* A bucket that speaks as much S3 as uploads need. */
struct fake_bucket {
    struct loop *loop;
    struct rawserver *server;
    struct {
        char *path, *text;
    } objects[16];
    int count, puts, reads;
};

static void serve_bucket(void *context, struct rawconn *c, struct slice request) {
    struct fake_bucket *b = context;
    struct slice rest = request, method, path, line;
    int at = 0;
    slice_take_until(&rest, ' ', &method);
    slice_take_until(&rest, ' ', &path);
    b->puts += slice_is(method, "PUT");
    while (at < b->count && !slice_is(path, b->objects[at].path))
        at++;
    if (slice_is(method, "PUT") && at < b->count) {
        rawconn_reply(c, 412, "", "<Error><Code>PreconditionFailed</Code></Error>");
    } else if (slice_is(method, "PUT") && b->count < 16) {
        while (slice_take_line(&rest, &line) && line.size_bytes > 1)
            continue;
        b->objects[b->count].path = slice_dup(path);
        b->objects[b->count++].text = slice_dup(rest);
        rawconn_reply(c, 200, "", "");
    } else if (at < b->count) {
        b->reads++;
        rawconn_reply(c, 200, "", b->objects[at].text);
    } else {
        rawconn_reply(c, 404, "", "<Error><Code>NoSuchKey</Code></Error>");
    }
}

static void bucket_done(struct fake_bucket *b) {
    for (int i = 0; i < b->count; i++) {
        free(b->objects[i].path);
        free(b->objects[i].text);
    }
    rawserver_free(b->server);
    loop_free(b->loop);
}

/* Serves the bucket meanwhile. */
static bool comes(struct fake_bucket *b, struct apiserver *s, const char *text) {
    for (int i = 0; i < 1200; i++)
        if (fleet_has(s, "all", text))
            return true;
        else
            loop_for(b->loop, 50000);
    return false;
}

static struct program *start_uploading(const struct apiserver *s, const char *endpoint, const char *spool) {
    CLEANUP_FREE char *flag = mem_format("--archive-endpoint=%s", endpoint);
    preload_begin();
    struct program *c = program_start(
        "goodput-controller", (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                               "--leader-elect=false", "--status-interval=100ms", "--cluster-name=here",
                                               "--archive=s3://bucket/x", flag, "--archive-spool", spool, NULL});
    preload_end();
    return c;
}

/* A day stays in the status until the bucket has it, so a volume that is lost loses nothing. */
TEST(a_day_leaves_the_status_once_the_bucket_has_it) {
    struct apiserver *s = fleet_serve();
    struct preload_clock *clock = preload_clock(1);
    struct fake_bucket b = {.loop = loop_new(NULL)};
    char lost[FOLDER_PATH], spool[FOLDER_PATH];
    b.server = rawserver_new(b.loop, serve_bucket, &b);
    REQUIRE(s != NULL && clock != NULL && b.server != NULL);
    folder_make(lost);
    folder_make(spool);
    setenv("AWS_ACCESS_KEY_ID", "x", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "y", 1);
    CHECK_INT(fleet_add_job(s, "big", "q1", 8, true), 0);
    CHECK_INT(apiserver_do(s, FLEET_OBJECT("all", "\"window\":{\"rolling\":\"31d\"}")), 0);
    struct program *c = start_uploading(s, "http://127.0.0.1:1", lost);
    CHECK(comes(&b, s, "\"asked\":57600"));
    CHECK_INT(apiserver_do(s, "delete jobgoodputs default/big\n"), 0);
    clock->step_us = 10 * 24 * HOUR_MS * 1000;
    CLEANUP_FREE char *day = find_day(lost);
    CHECK(day != NULL);
    CHECK_INT(fleet_add_job(s, "mark", "q3", 1, true), 0);
    CHECK(comes(&b, s, "\"asked\":64800"));
    program_free(c);
    folder_remove(lost);

    c = start_uploading(s, rawserver_url(b.server), spool);
    for (int i = 0; i < 1200 && b.count == 0; i++)
        loop_for(b.loop, 50000);
    CHECK(b.count > 0);
    CHECK_INT(fleet_add_job(s, "more", "q3", 1, true), 0);
    CHECK(comes(&b, s, "\"asked\":72000"));
    loop_for(b.loop, 2000000);
    CHECK_INT(fleet_add_job(s, "last", "q3", 1, true), 0); /* so that a status is written */
    CHECK(comes(&b, s, "\"asked\":79200"));
    program_free(c);

    b.reads = b.puts = 0;
    c = start_uploading(s, rawserver_url(b.server), spool);
    CHECK_INT(fleet_add_job(s, "again", "q3", 1, true), 0);
    CHECK(comes(&b, s, "\"asked\":86400"));
    CHECK(b.reads > 0 && b.puts == 0); /* the status does not have it any more */
    CHECK(fleet_has(s, "all", "AsExpected"));
    program_free(c);
    bucket_done(&b);
    preload_done(clock);
    folder_remove(spool);
    apiserver_stop(s);
}
