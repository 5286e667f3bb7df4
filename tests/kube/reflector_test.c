/* The reflector against the embedded API server and its faults (issue 3, point 2): after each, what the mirror holds
 * is what the server holds, nothing was lost, and nothing was shown twice but by a relist. */
#include "base/mem.h"
#include "fixture.h"
#include "folder.h"
#include "harness.h"
#include "kube/backoff.h"
#include "mirror.h"
#include "random.h"
#include "rawserver.h"
#include "relay.h"

#include <stdlib.h>

#define PODS "/api/v1/namespaces/n/pods"

static void touch(struct fixture *f, const char *name, int value) {
    apiserver_dof(f->server, "patch pods n/%s {\"metadata\":{\"annotations\":{\"v\":\"%d\"}}}", name, value);
}

/* What the mirror holds against what the server holds. */
static void check_same(struct fixture *f, struct mirror *m) {
    char *list CLEANUP_FREE = apiserver_ask(f->server, "list pods");
    struct slice rest = slice_of(list), line;
    size_t count = 0;
    while (slice_take_line(&rest, &line)) {
        struct slice namespace_;
        slice_take_until(&line, '/', &namespace_);
        char ask[300], found[128];
        snprintf(ask, sizeof ask, "get pods n/%.*s", SLICE_ARG(line));
        char *json CLEANUP_FREE = apiserver_ask(f->server, ask);
        const char *version = map_get(&m->versions, line);
        snprintf(found, sizeof found, "\"resourceVersion\":\"%s\"", version != NULL ? version : "none");
        if (json == NULL || strstr(json, found) == NULL)
            harness_fail(__FILE__, __LINE__, "pod %.*s: mirror has version %s, server %.300s", SLICE_ARG(line),
                         version != NULL ? version : "none", json != NULL ? json : "nothing");
        count++;
    }
    CHECK_INT(m->versions.count, count);
}

static void lists(bool is_paged) {
    struct fixture f;
    struct mirror m;
    REQUIRE(fixture_begin(&f, NULL));
    for (const char *name = "abcde"; *name != '\0'; name++)
        fixture_pod(&f, (char[]){*name, '\0'});
    mirror_start(&m, f.client, PODS, (struct kube_reflector_options){.page_size = 2, .no_streaming_list = is_paged});
    CHECK(mirror_wait_synced(&m, f.loop, 1));
    CHECK_TEXT(buf_text(&m.words), "+a +b +c +d +e |");
    CHECK_INT(apiserver_asknumber(f.server, "count list pods"), is_paged ? 3 : 0);
    touch(&f, "b", 1);
    apiserver_do(f.server, "delete pods n/a");
    fixture_pod(&f, "z");
    CHECK(mirror_wait(&m, f.loop, "+z"));
    CHECK_TEXT(buf_text(&m.words), "+a +b +c +d +e | ~b -a +z");
    check_same(&f, &m);
    mirror_stop(&m);
    fixture_end(&f);
}

TEST(a_paged_list_then_a_watch) {
    lists(true);
}

TEST(a_streaming_list_continues_as_the_watch) {
    lists(false);
}

/* A fault in the stream of events, of which `after` came through. relists: whether it may show objects again. */
/* Streams that broke off for that reason. */
static int64_t broken(const struct fixture *f, const char *reason) {
    const struct kube_stream_count *counts;
    int64_t sum = 0;
    for (int i = 0, n = kube_client_streams(f->client, &counts); i < n; i++)
        if (counts[i].reason != NULL && strcmp(counts[i].reason, reason) == 0)
            sum += counts[i].count;
    return sum;
}

static void stream_fault_for(void (*start)(struct mirror *m, struct kube_client *client, const char *path,
                                           struct kube_reflector_options o),
                             const char *fault, int after, bool relists, const char *const *arguments,
                             int64_t silence_us) {
    struct fixture f;
    struct mirror m;
    REQUIRE(fixture_begin(&f, arguments));
    fixture_pod(&f, "a");
    fixture_pod(&f, "b");
    start(&m, f.client, PODS, (struct kube_reflector_options){.no_streaming_list = true, .silence_us = silence_us});
    apiserver_dof(f.server, "on watch pods after %d events : %s", after, fault);
    CHECK(mirror_wait_synced(&m, f.loop, 1));
    CHECK(wait_number(&f, "open watch pods", 1));
    for (int i = 0; i < 4; i++)
        touch(&f, i % 2 == 0 ? "a" : "b", i);
    apiserver_do(f.server, "delete pods n/a");
    fixture_pod(&f, "z");
    if (!mirror_wait(&m, f.loop, "+z"))
        harness_fail(__FILE__, __LINE__, "after %s", fault);
    check_same(&f, &m);
    if (strcmp(fault, "malformed") == 0)
        CHECK_INT(broken(&f, "malformed"), 1);
    if (!relists) {
        CHECK_INT(m.repeats, 0);
        if (strcmp(buf_text(&m.words), "+a +b | ~a ~b ~a ~b -a +z") != 0)
            harness_fail(__FILE__, __LINE__, "%s: %s", fault, buf_text(&m.words));
    }
    mirror_stop(&m);
    fixture_end(&f);
}

static void stream_fault(const char *fault, int after, bool relists, const char *const *arguments, int64_t silence_us) {
    stream_fault_for(mirror_start, fault, after, relists, arguments, silence_us);
}

TEST(a_reset_in_the_middle_of_a_line_loses_and_doubles_nothing) {
    stream_fault("reset", 2, false, NULL, 0);
    stream_fault("reset", 0, false, NULL, 0);
    stream_fault("cut", 2, false, NULL, 0);
    stream_fault("truncate", 1, false, NULL, 0);
    stream_fault("close", 3, false, NULL, 0);
}

TEST(malformed_json_in_the_stream_is_listed_again) {
    stream_fault("malformed", 2, false, NULL, 0);
    stream_fault_for(mirror_start_reading, "malformed", 2, false, NULL, 0); /* the reader of the object finds it */
    stream_fault_for(mirror_start_reading, "truncate", 1, false, NULL, 0);
}

TEST(expired_in_the_stream_lists_again) {
    stream_fault("expired", 2, true, NULL, 0);
    stream_fault("error 500", 2, true, NULL, 0);
}

TEST(a_silent_peer_is_left) {
    stream_fault("silent", 2, true, NULL, 100000);
}

TEST(a_slow_trickle_of_bytes_is_accepted) {
    stream_fault("drip 20000 bytes/s", 1, false, NULL, 0);
}

TEST(the_same_over_tls_and_http2) {
    const char *const h2[] = {"--tls", NULL};
    stream_fault("reset", 2, false, h2, 0);
    stream_fault("goaway", 2, false, h2, 0);
    stream_fault("goaway-hard", 2, false, h2, 0);
    stream_fault("truncate", 1, false, h2, 0);
    stream_fault("silent", 2, true, h2, 100000);
}

static void list_fault_for(void (*start)(struct mirror *m, struct kube_client *client, const char *path,
                                         struct kube_reflector_options o),
                           const char *rule, bool is_paged, const char *trouble) {
    struct fixture f;
    struct mirror m;
    REQUIRE(fixture_begin(&f, NULL));
    for (const char *name = "abcde"; *name != '\0'; name++)
        fixture_pod(&f, (char[]){*name, '\0'});
    apiserver_do(f.server, rule);
    start(&m, f.client, PODS, (struct kube_reflector_options){.page_size = 2, .no_streaming_list = is_paged});
    if (!mirror_wait_synced(&m, f.loop, 1))
        harness_fail(__FILE__, __LINE__, "after %s", rule);
    CHECK_TEXT(mirror_names(&m), "a b c d e");
    check_same(&f, &m);
    if (trouble != NULL && strstr(buf_text(&m.words), trouble) == NULL)
        harness_fail(__FILE__, __LINE__, "%s: no %s in %s", rule, trouble, buf_text(&m.words));
    mirror_stop(&m);
    fixture_end(&f);
}

static void list_fault(const char *rule, bool is_paged, const char *trouble) {
    list_fault_for(mirror_start, rule, is_paged, trouble);
}

TEST(faults_of_a_paged_list) {
    list_fault("on list pods skip 1 : expired", true, NULL); /* the continue token */
    list_fault("on list pods : expired", true, NULL);
    list_fault("on list pods x2 : status 500", true, NULL);
    list_fault("on list pods x2 : status 429", true, NULL);
    list_fault("on list pods x5 : status 503", true, "!");
    list_fault("on list pods skip 1 after 100 bytes : reset", true, NULL);
    list_fault("on list pods skip 1 after 700 bytes : cut", true, NULL);
    list_fault("on list pods skip 1 after 700 bytes : truncate", true, NULL);
    list_fault("on list pods skip 2 : malformed", true, NULL);
    list_fault_for(mirror_start_reading, "on list pods skip 2 : malformed", true, NULL);
    list_fault("on list pods after 100 bytes : drip 50000", true, NULL);
    list_fault("on list pods x2 : status 403", true, "!");
}

TEST(faults_of_a_streaming_list) {
    list_fault("on watch pods : expired", false, NULL);
    list_fault("on watch pods after 2 events : reset", false, NULL);
    list_fault("on watch pods after 3 events : truncate", false, NULL);
    list_fault("on watch pods : status 422", false, NULL);
    list_fault("on watch pods : status 400", false, NULL);
    list_fault("on watch pods x3 : status 503", false, "!");
    list_fault("on watch pods after 2 events : malformed", false, NULL);
    list_fault_for(mirror_start_reading, "on watch pods after 2 events : malformed", false, NULL);
}

TEST(a_waiting_client_retries_at_once_when_hurried) {
    struct fixture f;
    struct mirror m;
    REQUIRE(fixture_begin(&f, NULL));
    fixture_pod(&f, "a");
    apiserver_do(f.server, "on list pods : status 403");
    struct kube_reflector_options options = {
        .no_streaming_list = true, .backoff_min_us = INT64_C(3600000000), .backoff_max_us = INT64_C(3600000000)};
    mirror_start(&m, f.client, PODS, options);
    kube_reflector_hurry(m.reflector); /* nothing has failed: nothing to hurry */
    CHECK(mirror_wait(&m, f.loop, "!"));
    kube_reflector_hurry(m.reflector);
    CHECK(mirror_wait_synced(&m, f.loop, 1));
    kube_reflector_hurry(m.reflector); /* the watch is open */
    fixture_pod(&f, "z");
    CHECK(mirror_wait(&m, f.loop, "+z"));
    mirror_stop(&m);
    fixture_end(&f);
}

TEST(quiet_watches_that_were_open_for_a_while_wait_no_longer_each_time) {
    struct fixture f;
    struct mirror m;
    REQUIRE(fixture_begin(&f, NULL));
    fixture_pod(&f, "a");
    mirror_start(&m, f.client, PODS, (struct kube_reflector_options){0});
    CHECK(mirror_wait_synced(&m, f.loop, 1));
    for (int i = 0; i < 5; i++) {
        CHECK(wait_number(&f, "open watch pods", 1));
        loop_for(f.loop, 50000); /* backoff_max_us is 8 ms here */
        apiserver_do(f.server, "strike watch pods : reset");
        loop_for(f.loop, 20000);
    }
    fixture_pod(&f, "z");
    CHECK(mirror_wait(&m, f.loop, "+z"));
    CHECK(strstr(buf_text(&m.words), "!") == NULL); /* no three failures in a row */
    mirror_stop(&m);
    fixture_end(&f);
}

TEST(retry_after_is_waited_for) {
    struct fixture f;
    struct mirror m;
    REQUIRE(fixture_begin(&f, NULL));
    fixture_pod(&f, "a");
    apiserver_do(f.server, "on list pods : status 429 retry-after 1");
    int64_t start_us = clock_mono().us;
    mirror_start(&m, f.client, PODS, (struct kube_reflector_options){.no_streaming_list = true});
    CHECK(mirror_wait_synced(&m, f.loop, 1));
    CHECK(clock_mono().us - start_us >= 1000000);
    mirror_stop(&m);
    fixture_end(&f);
}

TEST(an_unobserved_deletion_is_reported_after_the_list) {
    struct fixture f;
    struct mirror m;
    REQUIRE(fixture_begin(&f, NULL));
    for (const char *name = "abc"; *name != '\0'; name++)
        fixture_pod(&f, (char[]){*name, '\0'});
    mirror_start(&m, f.client, PODS, (struct kube_reflector_options){.no_streaming_list = true});
    CHECK(mirror_wait_synced(&m, f.loop, 1));
    CHECK(wait_number(&f, "open watch pods", 1));
    apiserver_do(f.server, "strike watch pods : reset\ndelete pods n/b\ndelete pods n/c");
    fixture_pod(&f, "c"); /* another one of that name */
    apiserver_do(f.server, "expire");
    CHECK(mirror_wait_synced(&m, f.loop, 2));
    CHECK(strstr(buf_text(&m.words), "?b") != NULL);
    CHECK(strstr(buf_text(&m.words), "?c +c") != NULL);
    CHECK_TEXT(mirror_names(&m), "a c");
    check_same(&f, &m);
    mirror_stop(&m);
    fixture_end(&f);
}

/* However far apart they begin to wait, and however late each wakes up. */
TEST(what_is_absent_is_asked_for_at_common_times) {
    const int64_t interval_us = 60000000;
    uint64_t r = random_setting("GOODPUT_SEED", 23);
    for (int turn = 0; turn < 1000; turn++) {
        int64_t a_us = random_below(&r, 7000) * 1000000, b_us = a_us + random_below(&r, interval_us);
        int64_t a_wait_us = kube_common_wait(a_us, interval_us), b_wait_us = kube_common_wait(b_us, interval_us);
        CHECK(a_wait_us >= interval_us / 2 && a_wait_us < interval_us * 3 / 2);
        CHECK_INT((a_us + a_wait_us - (b_us + b_wait_us)) % interval_us, 0);
        CHECK_INT(kube_common_wait(a_us + a_wait_us + 5000, interval_us), interval_us - 5000);
    }
}

TEST(an_absent_resource_is_noticed_when_it_appears_and_goes) {
    struct fixture f;
    struct mirror m;
    const char *const arguments[] = {"--absent", "jobset.x-k8s.io", NULL};
    REQUIRE(fixture_begin(&f, arguments));
    mirror_start(&m, f.client, "/apis/jobset.x-k8s.io/v1alpha2/jobsets",
                 (struct kube_reflector_options){.absent_retry_us = 5000});
    CHECK(mirror_wait(&m, f.loop, "absent"));
    CHECK(kube_reflector_is_synced(m.reflector));
    apiserver_do(f.server, "serve jobset.x-k8s.io\napply <<END\n{\"apiVersion\":\"jobset.x-k8s.io/v1alpha2\",\"kind\":"
                           "\"JobSet\",\"metadata\":{\"name\":\"j\",\"namespace\":\"n\"},\"spec\":{}}\nEND");
    CHECK(mirror_wait_synced(&m, f.loop, 1));
    CHECK_TEXT(buf_text(&m.words), "absent served +j |");
    apiserver_do(f.server, "unserve jobset.x-k8s.io\nall reset");
    CHECK(mirror_wait(&m, f.loop, "| ?j absent"));
    mirror_stop(&m);
    fixture_end(&f);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return;
    fputs(text, file);
    fclose(file);
}

TEST(a_rotated_token_is_read_again_after_a_401) {
    struct fixture f;
    struct mirror m;
    const char *const arguments[] = {"--token", "first", NULL};
    REQUIRE(fixture_begin(&f, arguments));
    char token[200], user[300];
    snprintf(token, sizeof token, "%s/token", apiserver_directory(f.server));
    write_file(token, "first\n");
    snprintf(user, sizeof user, "tokenFile: \"%s\"", token);
    char *path CLEANUP_FREE = folder_kubeconfig(apiserver_url(f.server), "", user);
    kube_client_free(f.client);
    struct kube_options options = {.kubeconfig = path, .user_agent = "test/0"};
    f.client = kube_client_new(f.loop, &options, NULL);
    REQUIRE(f.client != NULL);
    fixture_pod(&f, "a");
    mirror_start(&m, f.client, PODS, (struct kube_reflector_options){0});
    CHECK(mirror_wait_synced(&m, f.loop, 1));
    write_file(token, "second\n");
    apiserver_do(f.server, "token second\nall reset");
    fixture_pod(&f, "z");
    CHECK(mirror_wait(&m, f.loop, "+z"));
    CHECK(strstr(buf_text(&m.words), "!") == NULL);
    remove(path);
    remove(token);
    mirror_stop(&m);
    fixture_end(&f);
}

TEST(a_reflector_may_be_freed_by_its_own_event) {
    struct fixture f;
    struct mirror m;
    REQUIRE(fixture_begin(&f, NULL));
    for (const char *name = "abc"; *name != '\0'; name++)
        fixture_pod(&f, (char[]){*name, '\0'});
    mirror_start(&m, f.client, PODS, (struct kube_reflector_options){0});
    m.wants_end = true;
    CHECK(mirror_wait(&m, f.loop, "+a"));
    loop_for(f.loop, 20000);
    CHECK_TEXT(buf_text(&m.words), "+a");
    mirror_stop(&m);
    fixture_end(&f);
}

TEST(an_unreachable_server_is_trouble_until_it_is_back) {
    struct fixture f = {.loop = loop_new(NULL)};
    struct mirror m;
    char *path CLEANUP_FREE = folder_kubeconfig("http://127.0.0.1:1", "", "");
    struct kube_options options = {.kubeconfig = path, .user_agent = "test/0"};
    f.client = kube_client_new(f.loop, &options, NULL);
    REQUIRE(f.client != NULL);
    mirror_start(&m, f.client, PODS, (struct kube_reflector_options){0});
    CHECK(mirror_wait(&m, f.loop, "!"));
    CHECK(strstr(m.trouble, "127.0.0.1") != NULL);
    mirror_stop(&m);
    fixture_end(&f);
    remove(path);
}

/* Streams that share one HTTP/2 connection: leaving it for the one must not lead the next request back onto it. */
TEST(a_dead_connection_that_several_watches_share_is_left_by_all) {
    struct fixture f;
    struct mirror m[4];
    static const char *const paths[] = {PODS, "/api/v1/nodes", "/api/v1/namespaces", "/apis/batch/v1/jobs"};
    const char *const arguments[] = {"--tls", NULL};
    char server[64], user[400];
    REQUIRE(fixture_begin(&f, arguments));
    fixture_pod(&f, "a");
    struct relay *relay = relay_new(f.loop, apiserver_port(f.server));
    snprintf(server, sizeof server, "https://127.0.0.1:%d", relay_port(relay));
    snprintf(user, sizeof user, "client-certificate: %s/client.crt, client-key: %s/client.key",
             apiserver_directory(f.server), apiserver_directory(f.server));
    char *path CLEANUP_FREE = write_tls_kubeconfig(server, user, apiserver_directory(f.server));
    kube_client_free(f.client);
    struct kube_options options = {.kubeconfig = path, .user_agent = "test/0"};
    f.client = kube_client_new(f.loop, &options, NULL);
    REQUIRE(f.client != NULL);
    for (int i = 0; i < 4; i++)
        mirror_start(&m[i], f.client, paths[i], (struct kube_reflector_options){.silence_us = 1000000 + i * 200000});
    for (int i = 0; i < 4; i++)
        CHECK(mirror_wait_synced(&m[i], f.loop, 1));
    CHECK_INT(relay_connections(relay), 1);
    relay_freeze(relay);
    fixture_pod(&f, "z");
    CHECK(mirror_wait(&m[0], f.loop, "+z"));
    for (int i = 0; i < 4; i++)
        mirror_stop(&m[i]);
    relay_free(relay);
    fixture_end(&f);
    remove(path);
}
