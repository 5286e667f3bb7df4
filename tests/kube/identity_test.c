/* Who the server is to us and who we are to it, with a real TLS peer: certificates, their rotation, server names,
 * proxies, and plugins that do not answer. */
#include "base/mem.h"
#include "fixture.h"
#include "folder.h"
#include "harness.h"
#include "kube/exec.h"
#include "kube/kubeconfig.h"
#include "rawserver.h"
#include "relay.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct outcome {
    bool done;
    int status;
    char error[600];
};

static void on_done(void *context, int status, struct slice body, const struct error *err) {
    struct outcome *o = context;
    (void)body;
    o->done = true;
    o->status = status;
    snprintf(o->error, sizeof o->error, "%s", err == NULL ? "" : err->text);
}

static struct outcome get_namespaces(struct loop *loop, struct kube_client *client) {
    struct outcome o = {0};
    kube_call(client, &(struct kube_request){.path = "/api/v1/namespaces"}, on_done, &o);
    CHECK(loop_until(loop, &o.done));
    return o;
}

/* A server with TLS that wants a token or a certificate of a separate CA. */
struct peer {
    struct apiserver *server;
    struct loop *loop;
    char *kubeconfig;
    struct kube_client *client;
};

static bool peer_begin(struct peer *p) {
    const char *const arguments[] = {"--tls", "--token", "t0k", NULL};
    *p = (struct peer){.server = apiserver_start(arguments), .loop = loop_new(NULL)};
    if (p->server == NULL)
        loop_free(p->loop);
    return p->server != NULL;
}

static void peer_forget_client(struct peer *p) {
    kube_client_free(p->client);
    p->client = NULL;
    if (p->kubeconfig != NULL)
        remove(p->kubeconfig);
    free(p->kubeconfig);
    p->kubeconfig = NULL;
}

static void peer_end(struct peer *p) {
    peer_forget_client(p);
    loop_free(p->loop);
    apiserver_do(p->server, "stop");
    apiserver_stop(p->server);
}

/* One call with a kubeconfig of these words. */
static struct outcome ask(struct peer *p, int port, const char *cluster, const char *user) {
    struct error *err CLEANUP_ERROR = NULL;
    char *url CLEANUP_FREE = mem_format("https://127.0.0.1:%d", port);
    peer_forget_client(p);
    p->kubeconfig = folder_kubeconfig(url, cluster, user);
    struct kube_options options = {.kubeconfig = p->kubeconfig, .user_agent = "test/0"};
    p->client = kube_client_new(p->loop, &options, &err);
    if (p->client == NULL) {
        harness_fail(__FILE__, __LINE__, "%s", error_text(err));
        return (struct outcome){0};
    }
    return get_namespaces(p->loop, p->client);
}

static char *with_ca(const struct peer *p, const char *more) {
    return mem_format("certificate-authority: \"%s/ca.crt\"%s", apiserver_directory(p->server), more);
}

static char *with_certificate(const char *folder) {
    return mem_format("client-certificate: \"%s/client.crt\", client-key: \"%s/client.key\"", folder, folder);
}

static void check(const struct outcome *o, int status, const char *error) {
    CHECK_INT(o->status, status);
    if (error[0] == '\0' ? o->error[0] != '\0' : strstr(o->error, error) == NULL)
        harness_fail(__FILE__, __LINE__, "\"%s\", expected \"%s\"", o->error, error);
    CHECK(strchr(o->error, '\n') == NULL);
}

TEST(a_client_certificate_says_who_we_are) {
    struct peer p;
    REQUIRE(peer_begin(&p));
    char *ca CLEANUP_FREE = with_ca(&p, ""), *user CLEANUP_FREE = with_certificate(apiserver_directory(p.server));
    struct outcome o = ask(&p, apiserver_port(p.server), ca, user);
    check(&o, 200, "");
    o = ask(&p, apiserver_port(p.server), ca, "token: t0k");
    check(&o, 200, "");
    o = ask(&p, apiserver_port(p.server), ca, "");
    check(&o, 403, "system:anonymous");
    peer_end(&p);
}

TEST(a_server_must_be_who_it_says_unless_that_is_waived) {
    struct peer p;
    REQUIRE(peer_begin(&p));
    int port = apiserver_port(p.server);
    struct outcome o = ask(&p, port, "", "token: t0k");
    check(&o, 0, "certificate");
    o = ask(&p, port, "insecure-skip-tls-verify: true", "token: t0k");
    check(&o, 200, "");
    char *right CLEANUP_FREE = with_ca(&p, ", tls-server-name: localhost");
    o = ask(&p, port, right, "token: t0k");
    check(&o, 200, "");
    char *wrong CLEANUP_FREE = with_ca(&p, ", tls-server-name: elsewhere.example");
    o = ask(&p, port, wrong, "token: t0k");
    check(&o, 0, "elsewhere.example");
    peer_end(&p);
}

/* Rotation: the folder is ours, its files are replaced as a kubelet or an administrator does. */

static void copy_file(const char *from_folder, const char *to_folder, const char *name) {
    char *from CLEANUP_FREE = mem_format("%s/%s", from_folder, name);
    char *to CLEANUP_FREE = mem_format("%s/%s", to_folder, name), *next CLEANUP_FREE = mem_format("%s.new", to);
    size_t size;
    char *text CLEANUP_FREE = harness_read_file(from, &size);
    FILE *file = fopen(next, "w");
    if (text == NULL || file == NULL || fwrite(text, 1, size, file) != size)
        harness_fail(to, 0, "cannot be written");
    if (file != NULL)
        fclose(file);
    rename(next, to);
}

static const char *const identity[] = {"ca.crt", "client.crt", "client.key"};

static void take_identity_of(const struct peer *p, const char *folder) {
    for (size_t i = 0; i < ARRAY_SIZE(identity); i++)
        copy_file(apiserver_directory(p->server), folder, identity[i]);
}

/* The same address first leads to a server of one CA, then to one of another, as after a rotation. */
TEST(rotated_certificates_are_read_and_the_old_ones_refused) {
    struct peer before, after;
    char folder[FOLDER_PATH];
    REQUIRE(peer_begin(&before) && peer_begin(&after));
    folder_make(folder);
    struct relay *relay = relay_new(before.loop, apiserver_port(before.server));
    char *ca CLEANUP_FREE = mem_format("certificate-authority: \"%s/ca.crt\"", folder);
    char *user CLEANUP_FREE = with_certificate(folder);
    take_identity_of(&before, folder);
    struct outcome o = ask(&before, relay_port(relay), ca, user);
    check(&o, 200, "");
    relay_move(relay, apiserver_port(after.server));
    o = get_namespaces(before.loop, before.client);
    check(&o, 0, "certificate"); /* the new server is not of the CA that the files name */
    take_identity_of(&after, folder);
    o = get_namespaces(before.loop, before.client); /* read at once after the refusal, not a minute later */
    check(&o, 200, "");
    relay_move(relay, apiserver_port(before.server));
    o = get_namespaces(before.loop, before.client); /* the old CA is trusted no longer */
    check(&o, 0, "certificate");
    folder_remove(folder);
    peer_forget_client(&before);
    relay_free(relay);
    peer_end(&before);
    peer_end(&after);
}

static char *through(const struct peer *p, const struct relay *proxy) {
    char *url CLEANUP_FREE = mem_format(", proxy-url: \"http://me:secret@127.0.0.1:%d\"", relay_port(proxy));
    return with_ca(p, url);
}

TEST(requests_go_through_a_proxy) {
    struct peer p;
    REQUIRE(peer_begin(&p));
    struct relay *proxy = proxy_new(p.loop, NULL);
    char *cluster CLEANUP_FREE = through(&p, proxy);
    struct outcome o = ask(&p, apiserver_port(p.server), cluster, "token: t0k");
    check(&o, 200, "");
    CHECK_INT(relay_connections(proxy), 1);
    peer_forget_client(&p);
    relay_free(proxy);
    peer_end(&p);
}

TEST(a_proxy_that_refuses_or_is_not_there_is_named) {
    struct peer p;
    REQUIRE(peer_begin(&p));
    struct relay *proxy = proxy_new(p.loop, "403 Not this way");
    char *cluster CLEANUP_FREE = through(&p, proxy);
    struct outcome o = ask(&p, apiserver_port(p.server), cluster, "token: t0k");
    check(&o, 0, "through the proxy http://127.0.0.1:");
    check(&o, 0, "403");
    CHECK(strstr(o.error, "secret") == NULL);
    peer_forget_client(&p);
    relay_free(proxy);
    o = ask(&p, apiserver_port(p.server), cluster, "token: t0k");
    check(&o, 0, "through the proxy http://127.0.0.1:");
    CHECK(strstr(o.error, "secret") == NULL);
    peer_end(&p);
}

/* Plugins. */

#define PLUGIN                                                                                                         \
    "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: /bin/sh, args: "             \
    "[tests/data/kube/plugin.sh], env: [{name: PLUGIN_MODE, value: hang}]}"

struct answer {
    bool done;
    char error[400];
};

static void on_answer(void *context, struct kube_exec_result *result, const struct error *err) {
    struct answer *a = context;
    CHECK((result == NULL) == (err != NULL));
    snprintf(a->error, sizeof a->error, "%s", err != NULL ? err->text : "");
    a->done = true;
}

TEST(a_plugin_that_hangs_is_ended_in_time) {
    char *path CLEANUP_FREE = folder_kubeconfig("http://127.0.0.1:1", "", PLUGIN);
    struct kube_config *config = NULL;
    REQUIRE(kubeconfig_load(path, true, NULL, &config, NULL) == 0);
    struct loop *loop = loop_new(NULL);
    struct answer a = {0};
    kube_exec_start(loop, config, 50000, on_answer, &a);
    CHECK(loop_until(loop, &a.done));
    CHECK(strstr(a.error, "credential plugin /bin/sh: it did not answer in time and was ended") != NULL);
    loop_free(loop);
    kube_config_free(config);
    remove(path);
}

/* The plugin has a minute; who asks need not wait for it. */
TEST(a_call_does_not_outwait_its_time_for_a_plugin) {
    char *path CLEANUP_FREE = folder_kubeconfig("http://127.0.0.1:1", "", PLUGIN);
    struct loop *loop = loop_new(NULL);
    struct kube_options options = {.kubeconfig = path, .user_agent = "test/0"};
    struct kube_client *client = kube_client_new(loop, &options, NULL);
    REQUIRE(client != NULL);
    struct outcome o = {0};
    kube_call(client, &(struct kube_request){.path = "/version", .timeout_us = 50000}, on_done, &o);
    CHECK(loop_until(loop, &o.done));
    check(&o, 0, "the credential plugin has not answered for 50 ms");
    kube_client_free(client);
    loop_free(loop);
    remove(path);
}

/* A line break in a token would end its header. The request must not be sent as somebody else: anonymously. */
TEST(a_token_with_a_line_break_is_an_error) {
    struct peer p;
    REQUIRE(peer_begin(&p));
    char *file CLEANUP_FREE = mem_format("%s/token", apiserver_directory(p.server));
    FILE *out = fopen(file, "w");
    REQUIRE(out != NULL);
    fputs("t0k\r\nX-Remote-User: admin\r\n", out);
    fclose(out);
    char *token_file CLEANUP_FREE = mem_format("tokenFile: \"%s\"", file);
    const char *const users[] = {"token: \"t0k\\r\\nX-Remote-User: admin\"", token_file,
                                 "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: "
                                 "/bin/sh, args: [tests/data/kube/plugin.sh], env: [{name: PLUGIN_TOKEN, value: "
                                 "'t0k\\r\\nX-Remote-User: admin'}]}"};
    for (size_t i = 0; i < ARRAY_SIZE(users); i++) {
        struct error *err CLEANUP_ERROR = NULL;
        char *url CLEANUP_FREE = mem_format("https://127.0.0.1:%d", apiserver_port(p.server));
        char *ca CLEANUP_FREE = with_ca(&p, "");
        peer_forget_client(&p);
        p.kubeconfig = folder_kubeconfig(url, ca, users[i]);
        struct kube_options options = {.kubeconfig = p.kubeconfig, .user_agent = "test/0"};
        p.client = kube_client_new(p.loop, &options, &err);
        struct outcome o = {0};
        if (p.client == NULL)
            snprintf(o.error, sizeof o.error, "%s", error_text(err));
        else
            o = get_namespaces(p.loop, p.client);
        CHECK_INT(o.status, 0);
        if (strstr(o.error, "holds no token (one word is expected)") == NULL)
            harness_fail(__FILE__, __LINE__, "user %zu: status %d, \"%s\"", i, o.status, o.error);
    }
    remove(file);
    peer_end(&p);
}
