/* FleetGoodputs, by the controller itself against the embedded API server: many jobs as one, over restarts. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "base/slice.h"
#include "fleet_objects.h"
#include "folder.h"
#include "operator/runtime/fleet_nodes.h"
#include "preload/preload.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEADLINE_MS 120000

static struct program *start(const struct apiserver *s) {
    return program_start("goodput-controller",
                         (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                          "--leader-elect=false", "--status-interval=100ms", NULL});
}

#define BY_CLASS "\"byClass\":[{\"class\":\"Unknown\",\"count\":1},{\"class\":\"GPUHardware\",\"count\":1}]"
#define BY_NODE                                                                                                        \
    "\"byNode\":[{\"node\":\"gpu-7\",\"nodePool\":\"a3\",\"class\":\"GPUHardware\",\"owner\":\"Provider\","            \
    "\"count\":1,\"chipSeconds\":5760,\"lastTime\":\""

/* 8 chips with steps and 2 without: scores of the one, allScheduling of both; 20 chip-hours asked for. */
static const char *const sums[] = {
    "\"scheduling\":\"50.00%\"",
    "\"runtime\":\"50.00%\"",
    "\"job\":\"25.00%\"",
    "\"allScheduling\":\"50.00%\"",
    "\"evidence\":\"80.00%\"",
    "\"asked\":72000",
    "\"available\":36000",
    "\"productive\":14400",
    "\"withoutSteps\":1",
    "\"bucket\":\"QueueWait\",\"chipSeconds\":36000",
    "\"name\":\"default/big\",\"chipSeconds\":28800",
    "\"cost\":{\"currency\":\"USD\",\"allocated\":\"16.00\",\"lost\":\"8.00\"",
    "\"allocatedChipSeconds\":14400,\"cost\":\"8.00\"",
    "\"interruptions\":3,\"cost\":\"16.00\",\"costLost\":\"8.00\"",
    "\"byOwner\":[{\"owner\":\"Tenant\",\"interruptions\":2,\"chipSeconds\":10800,\"share\":\"37.50%\","
    "\"cost\":\"6.00\"," TENANT_CLASSES
    "},{\"owner\":\"Provider\",\"interruptions\":1,\"chipSeconds\":3600,\"share\":\"12.50%\","
    "\"cost\":\"2.00\",\"byClass\":[{\"class\":\"GPUHardware\",\"chipSeconds\":3600}]}]",
    "\"byCause\":[{\"cause\":\"NodeFailure\",\"count\":1,\"chipSeconds\":3600,"
    "\"cost\":\"2.00\"},{\"cause\":\"Eviction\",\"count\":2}]",
    BY_CLASS,
    BY_NODE,
    NULL};

TEST(jobs_that_were_deleted_keep_counting_over_restarts) {
    struct apiserver *s = fleet_serve();
    REQUIRE(s != NULL);
    CHECK_INT(fleet_add_job(s, "big", "q1", 8, true), 0);
    CHECK_INT(fleet_add_job(s, "small", "q2", 2, false), 0);
    CHECK_INT(apiserver_do(s, FLEET_OBJECT("all", "\"window\":{\"rolling\":\"1d\"},\"groupBy\":[\"queue\"]")), 0);
    struct program *c = start(s);
    CHECK_INT(apiserver_do(s, "wait 120s field fleetgoodputs /all status.jobs.counted 2"), 0);
    fleet_check_has(s, "all", sums);
    struct program *shown = program_start(
        "kubectl-goodput", (const char *[]){"fleet", "all", "--kubeconfig", apiserver_kubeconfig(s), NULL});
    CHECK_INT(program_wait(shown, DEADLINE_MS), 0);
    CHECK(strstr(program_output(shown), "cost in USD: 16.00, of these 8.00 lost") != NULL);
    program_free(shown);
    /* One goes while the controller looks, and one while none does. */
    CHECK_INT(apiserver_do(s, "delete jobgoodputs default/small\n"), 0);
    CHECK_INT(fleet_add_job(s, "mark", "q3", 1, true), 0);
    CHECK_INT(apiserver_do(s, "wait 120s field fleetgoodputs /all status.jobs.counted 3"), 0);
    program_free(c);
    CHECK_INT(apiserver_do(s, "delete jobgoodputs default/big\n"), 0);
    CHECK_INT(fleet_add_job(s, "again", "q3", 1, true), 0);
    c = start(s);
    CHECK_INT(apiserver_do(s, "wait 120s field fleetgoodputs /all status.jobs.counted 4"), 0);
    fleet_check_has(s, "all",
                    (const char *[]){"\"asked\":86400", "\"available\":43200", "\"productive\":18000",
                                     "\"name\":\"q1\"", "\"name\":\"q2\"", BY_CLASS, BY_NODE, NULL});
    program_free(c);
    apiserver_stop(s);
}

TEST(selectors_select_and_impossible_ones_are_reported) {
    struct apiserver *s = fleet_serve();
    REQUIRE(s != NULL);
    CHECK_INT(fleet_add_job(s, "big", "q1", 8, true), 0);
    CHECK_INT(fleet_add_job(s, "small", "q2", 2, false), 0);
    CHECK_INT(apiserver_do(s, FLEET_OBJECT("one", "\"selector\":{\"localQueues\":[\"q2\"]}") FLEET_OBJECT(
                                  "labels", "\"selector\":{\"labelSelector\":{\"matchLabels\":{\"team\":\"nlp\"}}}")
                                  FLEET_OBJECT("none", "\"selector\":{\"namespaces\":[\"elsewhere\"]}")
                                      FLEET_OBJECT("month", "\"window\":{\"calendar\":\"Month\"}")),
              0);
    struct program *c = start(s);
    CHECK_INT(apiserver_do(s, "wait 120s field fleetgoodputs /one status.jobs.counted 1\n"
                              "wait 120s field fleetgoodputs /labels status.jobs.counted 2\n"
                              "wait 120s field fleetgoodputs /none status.jobs.counted 0\n"
                              "wait 120s field fleetgoodputs /month status.window.name Month\n"),
              0);
    fleet_check_has(s, "none",
                    (const char *[]){"\"reason\":\"NothingSelected\"", "none of the 2 JobGoodputs fits", NULL});
    fleet_check_has(s, "one", (const char *[]){"\"asked\":14400", "\"reason\":\"RolledUp\"", "\"AsExpected\"", NULL});
    fleet_check_has(s, "month",
                    (const char *[]){"\"reason\":\"WindowNeedsArchive\"", "Run the controller with --archive", NULL});
    program_free(c);
    apiserver_stop(s);
}

/* A bucket that does not answer, and a clock that is a day later. */
TEST(an_archive_that_is_not_written_for_a_day_degrades_the_fleet) {
    struct apiserver *s = fleet_serve();
    struct preload_clock *clock = preload_clock(1);
    char spool[FOLDER_PATH];
    REQUIRE(s != NULL && clock != NULL);
    folder_make(spool);
    const char *waiting = "cluster=here/date=2026-01-01/namespace=default/j_u_t_1764000000.jsonl.gz";
    folder_write(spool, waiting, "");
    setenv("AWS_ACCESS_KEY_ID", "x", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "y", 1);
    CHECK_INT(fleet_add_job(s, "big", "q1", 8, true), 0);
    CHECK_INT(apiserver_do(s, FLEET_OBJECT("all", "\"window\":{\"rolling\":\"7d\"}")), 0);
    preload_begin();
    struct program *c =
        program_start("goodput-controller",
                      (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                       "--leader-elect=false", "--status-interval=100ms", "--archive=s3://bucket",
                                       "--archive-endpoint=http://127.0.0.1:1", "--archive-spool", spool, NULL});
    preload_end();
    CHECK(program_says(c, "archive not uploaded", DEADLINE_MS));
    CHECK_INT(apiserver_do(s, "wait 120s field fleetgoodputs /all status.jobs.counted 1"), 0);
    clock->step_us = 23 * HOUR_MS * 1000;
    CHECK_INT(fleet_add_job(s, "small", "q2", 2, false), 0); /* so that a status is written */
    CHECK_INT(apiserver_do(s, "wait 120s field fleetgoodputs /all status.jobs.counted 2"), 0);
    fleet_check_has(s, "all", (const char *[]){"\"reason\":\"AsExpected\"", NULL});
    clock->step_us = 25 * HOUR_MS * 1000;
    CHECK_INT(apiserver_do(s, "wait 120s field fleetgoodputs /all "
                              ".status.conditions[?(@.type==\"Degraded\")].reason ArchiveNotWritten"),
              0);
    fleet_check_has(s, "all", (const char *[]){"the archive has not been written since 20", "s3://bucket: ", NULL});
    CLEANUP_FREE char *path = mem_format("%s/%s", spool, waiting);
    CHECK_INT(unlink(path), 0); /* nothing waits: nothing fails */
    CHECK_INT(apiserver_do(s, "wait 240s field fleetgoodputs /all "
                              ".status.conditions[?(@.type==\"Degraded\")].reason AsExpected"),
              0);
    program_free(c);
    preload_done(clock);
    folder_remove(spool);
    apiserver_stop(s);
}

/* Without nodes there is no capacity, and the condition has the server's words until they may be read. */
TEST(without_permission_to_read_nodes_the_fleet_reports_it) {
    struct apiserver *s = fleet_serve();
    REQUIRE(s != NULL);
    CHECK_INT(fleet_add_job(s, "big", "q1", 8, true), 0);
    CHECK_INT(apiserver_do(s, "on any nodes always : status 403\n" FLEET_OBJECT("all", "\"capacity\":{}")), 0);
    struct program *c = start(s);
    CHECK_INT(apiserver_do(s, "wait 120s field fleetgoodputs /all status.jobs.counted 1"), 0);
    const char *words = "\"reason\":\"NodesForbidden\",\"message\":\"nodes is forbidden: User ";
    bool is_reported = false;
    for (int i = 0; i < 1200 && !is_reported; i++) { /* defaults of the spec may begin another roll-up */
        usleep(100000);
        is_reported = fleet_has(s, "all", words);
    }
    CHECK(is_reported);
    CHECK_INT(apiserver_do(s, "clear faults"), 0);
    for (int i = 0; i < 1200 && fleet_has(s, "all", "NodesForbidden"); i++)
        usleep(100000);
    CHECK(!fleet_has(s, "all", "NodesForbidden"));
    program_free(c);
    apiserver_stop(s);
}

/* The number after `key` in what follows `from`. */
static int64_t number_in(const char *text, const char *from, const char *key) {
    const char *at = text != NULL ? strstr(text, from) : NULL;
    at = at != NULL ? strstr(at, key) : NULL;
    struct slice rest = slice_of(at != NULL ? at + strlen(key) : "");
    int64_t value;
    while (rest.size_bytes > 0 && rest.data[0] == ' ')
        rest = slice_skip(rest, 1);
    return slice_take_int(&rest, &value) ? value : -1;
}

static char *condition_of_fleet(struct apiserver *s) {
    struct program *p =
        program_start("kubectl-goodput", (const char *[]){"fleet", "-A", "--group-by", "queue", "-o", "json",
                                                          "--kubeconfig", apiserver_kubeconfig(s), NULL});
    CHECK_INT(program_wait(p, DEADLINE_MS), 0);
    char *text = mem_strdup(program_output(p));
    program_free(p);
    return text;
}

/* The same jobs, by the plugin at once and by the controller over time. */
TEST(the_plugin_and_a_fleet_count_alike) {
    static const char *const same[] = {
        "\"allScheduling\":", "\"evidence\":", "\"scheduling\":", "\"runtime\":", "\"job\":"};
    struct apiserver *s = fleet_serve();
    REQUIRE(s != NULL);
    CHECK_INT(fleet_add_job(s, "big", "q1", 8, true), 0);
    CHECK_INT(fleet_add_job(s, "small", "q1", 2, false), 0);
    CHECK_INT(fleet_add_job(s, "none", "q2", 3, false), 0);
    CHECK_INT(fleet_add_job(s, "more", "q3", 5, true), 0);
    CHECK_INT(fleet_add_job(s, "idle", "q3", 0, true), 0); /* asks for no chips */
    CHECK_INT(apiserver_do(s, FLEET_OBJECT("all", "\"groupBy\":[\"queue\"]")), 0);
    struct program *c = start(s);
    CHECK_INT(apiserver_do(s, "wait 120s field fleetgoodputs /all status.jobs.counted 4"), 0);
    CLEANUP_FREE char *fleet = apiserver_ask(s, "get fleetgoodputs /all");
    CLEANUP_FREE char *plugin = condition_of_fleet(s);
    for (size_t i = 0; i < ARRAY_SIZE(same); i++)
        CHECK_INT(number_in(plugin, "\"all\"", same[i]), number_in(strstr(fleet, "\"goodputPPM\""), "{", same[i]));
    CHECK_INT(number_in(plugin, "\"all\"", "\"jobs\":"), 4);
    CHECK_INT(number_in(plugin, "\"all\"", "\"withoutSteps\":"), number_in(fleet, "\"counted\"", "\"withoutSteps\":"));
    CHECK_INT(number_in(plugin, "\"all\"", "\"chipMilliseconds\":") / 1000,
              number_in(fleet, "\"chipSeconds\"", "\"asked\":"));
    CHECK(number_in(plugin, "\"all\"", "\"job\":") > 0);
    CHECK(strstr(fleet, "\"name\":\"q2\",\"jobs\":1,\"withoutSteps\":1") != NULL);
    program_free(c);
    apiserver_stop(s);
}

/* ---- the nodes of one fleet ---- */

static int put_node(struct apiserver *s, const char *name, const char *labels, int chips, const char *ready) {
    return apiserver_dof(s,
                         "apply <<END\n{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\","
                         "\"labels\":{\"team\":\"%s\"}},\"status\":{\"allocatable\":{\"google.com/tpu\":\"%d\"},"
                         "\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\"}]}}\nEND\n",
                         name, labels, chips, ready);
}

struct counting {
    struct loop *loop;
    struct loop_timer *timer;
    struct fleets_nodes *nodes;
    const char *expected;
    struct buf found;
    int64_t end_us;
};

static void count_again(void *context) {
    struct counting *c = context;
    const struct roll_nodes *pools;
    size_t count;
    buf_clear(&c->found);
    if (!fleets_nodes_count(c->nodes, &pools, &count))
        buf_append_text(&c->found, "not known");
    else
        for (size_t i = 0; i < count; i++)
            buf_format(&c->found, "%s %lld nodes %lld chips;", pools[i].pool, (long long)pools[i].nodes,
                       (long long)pools[i].chips);
    if (strcmp(buf_text(&c->found), c->expected) == 0 || clock_mono().us > c->end_us)
        loop_stop(c->loop, 0);
    else
        loop_timer_set(c->timer, 20000);
}

/* By pool: "a 2 nodes 8 chips;". */
static void check_counted(struct counting *c, const char *expected) {
    c->expected = expected;
    c->end_us = clock_mono().us + DEADLINE_MS * 1000;
    loop_timer_set(c->timer, 0);
    loop_run(c->loop);
    CHECK_TEXT(buf_text(&c->found), expected);
}

#define V5E(pool) "nlp\",\"cloud.google.com/gke-tpu-accelerator\":\"tpu-v5-lite-podslice" pool
#define POOL(name) "\",\"cloud.google.com/gke-nodepool\":\"" name

/* Only those that are Ready, with the selector's label and one of the accelerators; each as it is now. */
TEST(the_capacity_of_a_fleet_is_its_ready_nodes_by_pool) {
    struct apiserver *s = apiserver_start(NULL);
    CLEANUP_ERROR struct error *err = NULL;
    struct fleets_spec spec;
    struct counting c = {.loop = loop_new(&err)};
    REQUIRE(s != NULL && c.loop != NULL);
    CHECK_INT(
        fleets_spec_read(
            &spec, SLICE("{\"capacity\":{\"nodeSelector\":{\"team\":\"nlp\"},\"accelerators\":[\"TPU v5e\"]}}"), &err),
        0);
    CHECK_INT(put_node(s, "b1", V5E(POOL("b")), 4, "True"), 0);
    CHECK_INT(put_node(s, "a1", V5E(POOL("a")), 4, "True"), 0);
    CHECK_INT(put_node(s, "b2", V5E(POOL("b")), 8, "True"), 0);
    CHECK_INT(put_node(s, "away", V5E(POOL("b")), 8, "Unknown"), 0);
    CHECK_INT(put_node(s, "plain", V5E(POOL("b")), 0, "True"), 0);
    CHECK_INT(put_node(s, "poolless", V5E(""), 1, "True"), 0);
    CHECK_INT(put_node(s, "other", "cv\",\"cloud.google.com/gke-tpu-accelerator\":\"tpu-v5-lite-podslice", 4, "True"),
              0);
    CHECK_INT(put_node(s, "v4", "nlp\",\"cloud.google.com/gke-tpu-accelerator\":\"tpu-v4-podslice", 4, "True"), 0);
    struct kube_options options = {.kubeconfig = apiserver_kubeconfig(s), .user_agent = "test"};
    struct kube_client *client = kube_client_new(c.loop, &options, &err);
    REQUIRE(client != NULL);
    buf_init(&c.found, 4096);
    c.timer = loop_timer_new(c.loop, count_again, &c);
    c.nodes = fleets_nodes_new(client, &spec);
    check_counted(&c, "- 1 nodes 1 chips;a 1 nodes 4 chips;b 2 nodes 12 chips;");
    CHECK(fleets_nodes_refusal(c.nodes) == NULL);
    CHECK_INT(put_node(s, "a1", V5E(POOL("a")), 4, "False"), 0);
    CHECK_INT(put_node(s, "away", V5E(POOL("b")), 8, "True"), 0);
    check_counted(&c, "- 1 nodes 1 chips;b 3 nodes 20 chips;");
    CHECK_INT(apiserver_do(s, "delete nodes b1\n"), 0);
    check_counted(&c, "- 1 nodes 1 chips;b 2 nodes 16 chips;");
    fleets_nodes_free(c.nodes);
    loop_timer_free(c.timer);
    kube_client_free(client);
    loop_free(c.loop);
    buf_done(&c.found);
    fleets_spec_done(&spec);
    apiserver_stop(s);
}
