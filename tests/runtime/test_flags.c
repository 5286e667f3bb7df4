/* The command line, and what the runtime reads from objects. */
#include "harness.h"

#include "base/mem.h"
#include "operator/runtime/flags.h"
#include "operator/runtime/json.h"

#include <stdlib.h>

static void refuse(const char *argument, const char *text) {
    char *argv[] = {(char *)"goodput-controller", (char *)argument, NULL};
    struct runtime_flags flags;
    CLEANUP_ERROR struct error *err = NULL;
    CHECK(runtime_flags_parse(&flags, 2, argv, &err) < 0);
    CHECK_TEXT(error_text(err), text);
}

TEST(flags_that_are_wrong_say_so_in_one_line) {
    refuse("--nonsense", "unknown flag \"--nonsense\"; --help lists the flags");
    refuse("--ingest-bund-address=:1", "unknown flag \"--ingest-bund-address\"; --help lists the flags");
    refuse("--documentation-url=advice.md",
           "--documentation-url: \"advice.md\" is not the URL of a folder: https://HOST/PATH, at most 384 bytes");
    refuse("--documentation-url=https://",
           "--documentation-url: \"https://\" is not the URL of a folder: https://HOST/PATH, at most 384 bytes");
    refuse("--documentation-url=https://a/b#c",
           "--documentation-url: \"https://a/b#c\" is not the URL of a folder: https://HOST/PATH, at most 384 bytes");
    refuse("--auto-create=some", "--auto-create: \"some\" is not one of off, annotated, all");
    refuse("--auto-create-format=Word",
           "--auto-create-format: \"Word\" is not a log format such as Auto or MaxText (Regex needs a spec)");
    refuse("--auto-create-format=Regex",
           "--auto-create-format: \"Regex\" is not a log format such as Auto or MaxText (Regex needs a spec)");
    static const char *const windows[] = {"", "59", "60,", "60,60", "60;120", "60,120,180,240,300", "2592001"};
    for (size_t i = 0; i < ARRAY_SIZE(windows); i++) {
        CLEANUP_FREE char *flag = mem_format("--auto-create-windows=%s", windows[i]);
        CLEANUP_FREE char *text = mem_format("--auto-create-windows: \"%s\" is not a list of up to four numbers, each "
                                             "once, from 60 to 2592000",
                                             windows[i]);
        refuse(flag, text);
    }
    static const char *const labels[] = {"team", "team=a,", "=a", "team=a=b", ","};
    for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
        CLEANUP_FREE char *flag = mem_format("--auto-create-labels=%s", labels[i]);
        CLEANUP_FREE char *text =
            mem_format("--auto-create-labels: \"%s\" is not a list of labels, such as team=a,tier=gold", labels[i]);
        refuse(flag, text);
    }
    refuse("--chip-peaks=TPU v5e",
           "--chip-peaks: \"TPU v5e\" is not a list of CHIP=GFLOPS, such as \"TPU v5e=197000\"");
    refuse("--chip-prices=TPU v5e=cheap",
           "--chip-prices: \"TPU v5e=cheap\" is not a list of CHIP=PRICE, such as \"TPU v5e=1.2,*=2.5\"; a price is a "
           "decimal from 0 to 1000000");
    refuse("--currency=usd", "--currency: \"usd\" is not a code of three capital letters, such as USD");
    refuse("serve", "unexpected argument \"serve\"; --help lists the flags");
    refuse("--kubeconfig", "--kubeconfig needs a value (FILE)");
    refuse("--leader-elect=maybe", "--leader-elect: \"maybe\" is neither true nor false");
    refuse("--status-qps=0", "--status-qps: \"0\" is not a number from 1 to 10000");
    refuse("--status-qps=20x", "--status-qps: \"20x\" is not a number from 1 to 10000");
    refuse("--status-interval=15",
           "--status-interval: \"15\" is not a duration such as 15s or 1m30s, from 100ms to 24h");
    refuse("--status-interval=", "--status-interval: \"\" is not a duration such as 15s or 1m30s, from 100ms to 24h");
    refuse("--version=1", "--version takes no value");
}

TEST(flags_are_taken_in_both_notations) {
    char *argv[] = {(char *)"x",
                    (char *)"--kubeconfig",
                    (char *)"/tmp/k",
                    (char *)"--leader-elect=false",
                    (char *)"--status-interval=1m30s",
                    (char *)"--chip-peaks=TPU v5e=197000",
                    (char *)"--chip-prices",
                    (char *)"TPU v5e=1.2,*=2.5",
                    (char *)"--currency=EUR",
                    (char *)"--v",
                    (char *)"2"};
    struct runtime_flags flags;
    CLEANUP_ERROR struct error *err = NULL;
    CHECK_INT(runtime_flags_parse(&flags, ARRAY_SIZE(argv), argv, &err), 0);
    CHECK_TEXT(flags.kubeconfig, "/tmp/k");
    CHECK(!flags.leader_elect);
    CHECK_INT(flags.status_interval_us, 90000000);
    CHECK_TEXT(flags.chip_peaks, "TPU v5e=197000");
    CHECK_TEXT(flags.chip_prices, "TPU v5e=1.2,*=2.5");
    CHECK_TEXT(flags.currency, "EUR");
    CHECK_INT(flags.verbosity, 2);
    CHECK_INT(flags.status_qps, 20);
    CHECK_TEXT(flags.health_bind_address, ":8081");
}

TEST(the_clusters_name_is_the_flags_else_the_environments) {
    char *argv[] = {(char *)"x", (char *)"--cluster-name=arn:aws:eks:us-east-1:1:cluster/prod_1"};
    struct runtime_flags flags;
    CLEANUP_ERROR struct error *err = NULL;
    CHECK_INT(runtime_flags_parse(&flags, 1, argv, &err), 0);
    CHECK_TEXT(flags.cluster_name, "");
    setenv("CLUSTER_NAME", "prod-1", 1);
    CHECK_INT(runtime_flags_parse(&flags, 1, argv, &err), 0);
    CHECK_TEXT(flags.cluster_name, "prod-1");
    CHECK_INT(runtime_flags_parse(&flags, 2, argv, &err), 0);
    CHECK_TEXT(flags.cluster_name, "arn:aws:eks:us-east-1:1:cluster/prod_1");
    static const char wrong[] =
        "\"the one\" is not a name of a cluster: at most 253 letters, digits and any of . _ : / -";
    CLEANUP_FREE char *of_flag = mem_format("--cluster-name: %s", wrong);
    refuse("--cluster-name=the one", of_flag);
    setenv("CLUSTER_NAME", "the one", 1);
    CLEANUP_FREE char *of_environment = mem_format("$CLUSTER_NAME: %s", wrong);
    refuse("--v=1", of_environment);
    unsetenv("CLUSTER_NAME");
}

static uint64_t hash(const char *json) {
    return runtime_json_hash(slice_of(json));
}

TEST(json_hash_sees_the_value_and_not_the_writing) {
    CHECK(hash("{\"a\":1,\"b\":[1,\"x\"]}") == hash(" { \"b\" : [ 1, \"x\" ] , \"a\":1 } "));
    CHECK(hash("\"a\\u0062\"") == hash("\"ab\""));
    CHECK(hash("{\"a\":{\"b\":1}}") != hash("{\"b\":{\"a\":1}}"));
    CHECK(hash("{\"a\":1,\"b\":2}") != hash("{\"a\":2,\"b\":1}"));
    CHECK(hash("[1,2]") != hash("[2,1]"));
    CHECK(hash("[]") != hash("{}"));
    CHECK(hash("\"1\"") != hash("1"));
    CHECK(hash("null") != hash("false"));
    CHECK(hash("{\"a\":1}") != hash("{\"a\":1,\"b\":null}"));
    CHECK_INT(hash("{\"a\":"), 0);
    CHECK_INT(hash("{} x"), 0);
}

TEST(json_reads_what_the_runtime_needs) {
    uint64_t h;
    char version[8];
    uint64_t before, after;
    runtime_json_hash_of_status(SLICE("{\"goodput\":{\"job\":\"90.00%\"},\"steps\":{\"last\":1}}"), &before);
    runtime_json_hash_of_status(SLICE("{\"steps\":{\"last\":2},\"goodput\":{\"job\":\"90.00%\"}}"), &after);
    CHECK(before == after); /* only a step: no printed score moved */
    runtime_json_hash_of_status(SLICE("{\"goodput\":{\"job\":\"90.01%\"},\"steps\":{\"last\":2}}"), &after);
    CHECK(before != after);
    CHECK(!runtime_json_status_hash(SLICE("{\"spec\":{}}"), &h));
    CHECK(!runtime_json_status_hash(SLICE("{\"status\":{}}"), &h));
    CHECK(runtime_json_status_hash(SLICE("{\"status\":{\"phase\":\"Training\"},\"x\":1}"), &h));
    CHECK(h == runtime_json_hash_of_status(SLICE("{\"phase\":\"Training\"}"), NULL));
    CHECK(h == runtime_json_hash_of_status(SLICE("{\"checkpoint\":\"x\",\"phase\":\"Training\"}"), NULL));
    CHECK(h != runtime_json_hash_of_status(SLICE("{\"phase\":\"Starting\"}"), NULL));
    CHECK(runtime_json_has_checkpoint(SLICE("{\"status\":{\"phase\":\"x\",\"checkpoint\":\"x\"}}")));
    CHECK(!runtime_json_has_checkpoint(SLICE("{\"checkpoint\":1,\"status\":{\"phase\":\"x\"}}")));
    runtime_json_resource_version(SLICE("{\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"42\"}}"), version, 8);
    CHECK_TEXT(version, "42");
    runtime_json_resource_version(SLICE("{\"metadata\":7}"), version, 8);
    CHECK_TEXT(version, "");
    CHECK(runtime_json_node_is_not_ready(SLICE("{\"status\":{\"conditions\":[{\"type\":\"Disk\",\"status\":\"False\"},"
                                               "{\"status\":\"Unknown\",\"type\":\"Ready\"}]}}")));
    CHECK(!runtime_json_node_is_not_ready(SLICE("{\"status\":{\"conditions\":[{\"type\":\"Disk\",\"status\":\"False\"},"
                                                "{\"status\":\"True\",\"type\":\"Ready\"}]}}")));
    CHECK(!runtime_json_node_is_not_ready(SLICE("{\"status\":{\"conditions\":[{\"type\":\"Rea")));
}
