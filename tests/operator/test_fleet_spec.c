/* What a FleetGoodput's spec may say: the server refuses most of what is wrong (tests/data/crd/bad), and what gets by
 * it (an older CRD, another version) is said in one sentence each; the fleet is then Ready=False/BadSpec. */
#include "harness.h"

#include "operator/fleet/spec.h"

#define LLVMFuzzerTestOneInput fuzz_fleet_spec
#include "../fuzz/fuzz_fleet_spec.c"
#undef LLVMFuzzerTestOneInput

static void bad(const char *json, const char *why) {
    struct fleets_spec spec;
    CLEANUP_ERROR struct error *err = NULL;
    if (fleets_spec_read(&spec, slice_of(json), &err) >= 0)
        harness_fail(__FILE__, __LINE__, "%s is taken", json);
    else if (strstr(error_text(err), why) == NULL)
        harness_fail(__FILE__, __LINE__, "%s: %s; expected %s", json, error_text(err), why);
    fleets_spec_done(&spec);
}

TEST(an_invalid_fleet_spec_is_refused_with_the_reason) {
    bad("{\"window\":{}}", "spec.window is either rolling (such as 7d) or calendar (Day, Week or Month)");
    bad("{\"window\":{\"rolling\":\"7d\",\"calendar\":\"Day\"}}", "spec.window is either");
    bad("{\"window\":{\"rolling\":\"32d\"}}", "spec.window.rolling \"32d\": use 1h to 744h or 1d to 31d, such as 7d");
    bad("{\"window\":{\"rolling\":\"745h\"}}", "1h to 744h");
    bad("{\"window\":{\"rolling\":\"0h\"}}", "1h to 744h");
    bad("{\"window\":{\"rolling\":\"-1d\"}}", "1h to 744h");
    bad("{\"window\":{\"rolling\":\"7w\"}}", "1h to 744h");
    bad("{\"window\":{\"rolling\":\"99999999999999999999d\"}}", "1h to 744h");
    bad("{\"window\":{\"calendar\":\"Year\"}}", "spec.window.calendar \"Year\": use one of Day, Week, Month");
    bad("{\"groupBy\":[\"color\"]}", "spec.groupBy \"color\": use queue, clusterQueue, namespace, accelerator, job or");
    bad("{\"groupBy\":[\"label:\"]}", "spec.groupBy \"label:\"");
    bad("{\"groupBy\":[\"job\",\"queue\",\"namespace\",\"accelerator\"]}", "spec.groupBy has more than 3 keys");
    bad("{\"selector\":{\"labelSelector\":{\"matchExpressions\":[{\"operator\":\"In\",\"values\":[\"a\"]}]}}}",
        "a requirement without a key");
    bad("{\"selector\":{\"labelSelector\":{\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"Like\"}]}}}",
        "the operator for k is none of In, NotIn, Exists, DoesNotExist");
    bad("{\"selector\":{\"labelSelector\":{\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"In\"}]}}}",
        "the requirement on k needs values");
    bad("{\"selector\":{\"labelSelector\":{\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"Exists\","
        "\"values\":[\"a\"]}]}}}",
        "the requirement on k must have no values");
    /* the first wrong field is reported, whatever comes after it */
    bad("{\"window\":{\"calendar\":\"Year\"},\"groupBy\":[\"color\"]}", "spec.window.calendar");
}

static const char job[] =
    "{\"metadata\":{\"namespace\":\"research\",\"name\":\"llama\",\"labels\":{\"team\":\"nlp\",\"tier\":\"\"}},"
    "\"status\":{\"target\":{\"queue\":\"q1\",\"clusterQueue\":\"cq\",\"priorityClass\":\"high\","
    "\"accelerator\":\"TPU v5e\"}}}";

static void selects(const char *json, bool expected) {
    struct fleets_spec spec;
    CLEANUP_ERROR struct error *err = NULL;
    struct member *m = member_read(slice_of(job));
    CHECK_INT(fleets_spec_read(&spec, slice_of(json), &err), 0);
    if (fleets_spec_selects(&spec, m) != expected)
        harness_fail(__FILE__, __LINE__, "%s: expected %d", json, expected);
    fleets_spec_done(&spec);
    member_free(m);
}

#define EXPRESSION(x) "{\"selector\":{\"labelSelector\":{\"matchExpressions\":[{" x "}]}}}"

TEST(a_fleet_selects_by_every_part_that_is_given) {
    selects("", true);
    selects("{}", true);
    selects("{\"selector\":{}}", true);
    selects("{\"selector\":{\"namespaces\":[\"ml\",\"research\"]}}", true);
    selects("{\"selector\":{\"namespaces\":[\"ml\"]}}", false);
    selects("{\"selector\":{\"localQueues\":[\"q1\"],\"clusterQueues\":[\"cq\"],\"priorityClasses\":[\"high\"]}}",
            true);
    selects("{\"selector\":{\"localQueues\":[\"q1\"],\"clusterQueues\":[\"other\"]}}", false);
    selects("{\"selector\":{\"priorityClasses\":[\"low\"]}}", false);
    selects("{\"selector\":{\"labelSelector\":{\"matchLabels\":{\"team\":\"nlp\"}}}}", true);
    selects("{\"selector\":{\"labelSelector\":{\"matchLabels\":{\"team\":\"nlp\",\"zone\":\"a\"}}}}", false);
    selects(EXPRESSION("\"key\":\"team\",\"operator\":\"In\",\"values\":[\"cv\",\"nlp\"]"), true);
    selects(EXPRESSION("\"key\":\"team\",\"operator\":\"NotIn\",\"values\":[\"nlp\"]"), false);
    selects(EXPRESSION("\"key\":\"zone\",\"operator\":\"NotIn\",\"values\":[\"a\"]"), true);
    selects(EXPRESSION("\"key\":\"tier\",\"operator\":\"Exists\""), true);
    selects(EXPRESSION("\"key\":\"zone\",\"operator\":\"DoesNotExist\""), true);
    selects(EXPRESSION("\"operator\":\"DoesNotExist\",\"key\":\"team\""), false);
}

TEST(a_fleet_groups_by_what_is_asked_for) {
    struct fleets_spec spec;
    CLEANUP_BUF struct buf group;
    struct member *m = member_read(slice_of(job));
    buf_init(&group, 1024);
    CHECK_INT(fleets_spec_read(&spec, SLICE("{\"groupBy\":[\"label:team\",\"accelerator\",\"label:zone\"]}"), NULL), 0);
    fleets_spec_group(&spec, m, &group);
    CHECK_TEXT(buf_text(&group), "nlp / TPU v5e / -");
    fleets_spec_done(&spec);
    CHECK_INT(
        fleets_spec_read(&spec,
                         SLICE("{\"groupBy\":[\"queue\",\"clusterQueue\",\"job\"],\"window\":{\"rolling\":\"36h\"},"
                               "\"capacity\":{\"nodeSelector\":{\"a\":\"b\",\"c\":\"\"},\"accelerators\":[\"H100\"]}}"),
                         NULL),
        0);
    fleets_spec_group(&spec, m, &group);
    CHECK_TEXT(buf_text(&group), "q1 / cq / llama");
    CHECK_TEXT(spec.node_selector, "a=b,c=");
    CHECK(spec.has_capacity && spec.accelerators.count == 1);
    CHECK_INT(spec.window.length_ms, 36 * ROLL_HOUR_MS);
    CHECK_TEXT(spec.window_name, "36h");
    fleets_spec_done(&spec);
    CHECK_INT(fleets_spec_read(&spec, SLICE("{}"), NULL), 0);
    fleets_spec_group(&spec, m, &group);
    CHECK_TEXT(buf_text(&group), "all");
    CHECK_TEXT(spec.window_name, "7d");
    CHECK(!spec.has_capacity);
    fleets_spec_done(&spec);
    member_free(m);
}

TEST(the_fleet_spec_survives_its_corpus) {
    harness_replay("fuzz_fleet_spec", 4, fuzz_fleet_spec);
}
