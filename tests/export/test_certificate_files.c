/* tls.crt and tls.key of a directory: which pair a server shows while the files change under it. */
#include "base/mem.h"
#include "export/certificate.h"
#include "export/certificate_files.h"
#include "harness.h"
#include "io/http.h"
#include "rawserver.h"
#include "steer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOOK_US INT64_C(10000000)
enum { PAIRS = 3 };

struct pair {
    struct buf certificate, key;
};

struct rig {
    char folder[64];
    struct pair pairs[PAIRS];
    struct loop *loop;
    struct certificate_files *files;
    struct server *servers[2];
    char log[64]; /* path of what stderr gets while the files are looked at */
};

static void put(const struct rig *r, const char *name, struct slice text) {
    CLEANUP_FREE char *path = mem_format("%s/%s", r->folder, name);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL && fwrite(text.data, 1, text.size_bytes, f) == text.size_bytes && fclose(f) == 0);
}

static void put_pair(const struct rig *r, int certificate, int key) {
    put(r, "tls.crt", buf_slice(&r->pairs[certificate].certificate));
    put(r, "tls.key", buf_slice(&r->pairs[key].key));
}

static void drop(const struct rig *r, const char *name) {
    CLEANUP_FREE char *path = mem_format("%s/%s", r->folder, name);
    CHECK_INT(remove(path), 0);
}

static void hello(void *context, const struct server_request *request, struct server_reply *reply) {
    (void)context, (void)request;
    buf_append_text(&reply->body, "hello");
}

static struct server *serve(struct rig *r, struct error **err) {
    const struct server_endpoint endpoint = {"/", hello, NULL};
    struct server_options options = {.address = "127.0.0.1:0", .endpoints = &endpoint, .endpoint_count = 1};
    return certificate_files_serve(r->files, &options, err);
}

/* A folder without files, and three pairs. */
static void prepare(struct rig *r) {
    *r = (struct rig){.folder = "/tmp/certificates-XXXXXX", .log = "/tmp/certificates-log-XXXXXX"};
    CHECK(mkdtemp(r->folder) != NULL);
    int fd = mkstemp(r->log);
    CHECK(fd >= 0 && close(fd) == 0);
    for (int i = 0; i < PAIRS; i++)
        CHECK_INT(certificate_make("x", time(NULL), &r->pairs[i].certificate, &r->pairs[i].key, NULL), 0);
    r->loop = loop_new(NULL);
}

static void begin(struct rig *r) {
    CLEANUP_ERROR struct error *err = NULL;
    prepare(r);
    put_pair(r, 0, 0);
    r->files = certificate_files_new(r->loop, r->folder, &err);
    REQUIRE(r->files != NULL);
    for (int i = 0; i < 2; i++) {
        r->servers[i] = serve(r, &err);
        if (r->servers[i] == NULL)
            harness_fail(__FILE__, __LINE__, "%s", error_text(err));
    }
}

static void end(struct rig *r) {
    CLEANUP_FREE char *command = mem_format("rm -rf '%s' '%s'", r->folder, r->log);
    certificate_files_free(r->files);
    for (int i = 0; i < 2; i++)
        server_free(r->servers[i]);
    loop_free(r->loop);
    for (int i = 0; i < PAIRS; i++) {
        buf_done(&r->pairs[i].certificate);
        buf_done(&r->pairs[i].key);
    }
    CHECK_INT(system(command), 0);
}

static int on_data(void *context, struct slice bytes) {
    (void)context, (void)bytes;
    return 0;
}

struct asked {
    int status;
    bool done;
};

static void on_done(void *context, const struct http_reply *reply, const struct error *err) {
    *(struct asked *)context = (struct asked){err == NULL ? reply->status : -1, true};
}

static bool accepts(struct rig *r, const struct server *server, int pair) {
    CLEANUP_FREE char *url = mem_format("https://127.0.0.1:%d/", server_port(server));
    const struct http_transport transport = {.ca_pem = buf_slice(&r->pairs[pair].certificate)};
    const struct http_options options = {.method = "GET", .url = url, .transport = &transport};
    struct asked asked = {0};
    const struct http_handler handler = {NULL, on_data, on_done, &asked};
    struct http_client *client = http_client_new(r->loop); /* a separate connection */
    http_start(client, &options, &handler);
    CHECK(loop_until(r->loop, &asked.done));
    http_client_free(client);
    return asked.status == 200;
}

/* Which of the pairs a new connection is shown; -1: none. */
static int shown(struct rig *r, int server) {
    for (int i = 0; i < PAIRS; i++)
        if (accepts(r, r->servers[server], i))
            return i;
    return -1;
}

/* Ten seconds later: the lines that were logged then, as one text. */
static const char *look(struct rig *r) {
    static char text[4096];
    FILE *log = fopen(r->log, "w+");
    int saved = dup(STDERR_FILENO);
    dup2(fileno(log), STDERR_FILENO);
    steer_by(LOOK_US);
    loop_for(r->loop, 1000);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(log);
    text[fread(text, 1, sizeof text - 1, log)] = '\0';
    fclose(log);
    return text;
}

#define CHECK_LOGGED(r, part)                                                                                          \
    do {                                                                                                               \
        const char *log_ = look(r);                                                                                    \
        if (strstr(log_, part) == NULL)                                                                                \
            harness_fail(__FILE__, __LINE__, "logged: \"%s\", expected \"%s\"", log_, part);                           \
    } while (0)

TEST(a_new_pair_is_shown_by_every_server_within_ten_seconds) {
    struct rig r;
    begin(&r);
    CHECK_INT(shown(&r, 0), 0);
    CHECK_INT(shown(&r, 1), 0);
    put_pair(&r, 1, 1);
    CHECK_INT(shown(&r, 0), 0);
    CHECK_LOGGED(&r, "\"msg\":\"certificate renewed\"");
    CHECK_INT(shown(&r, 0), 1);
    CHECK_INT(shown(&r, 1), 1);
    CHECK_TEXT(look(&r), ""); /* nothing changed */
    put_pair(&r, 0, 0);
    CHECK_LOGGED(&r, "\"msg\":\"certificate renewed\"");
    CHECK_INT(shown(&r, 1), 0);
    end(&r);
}

/* As the kubelet replaces a Secret: both files in one step, by a link. */
TEST(a_mounted_secret_is_renewed) {
    struct rig r;
    char path[160];
    prepare(&r);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/..%d", r.folder, i);
        CHECK_INT(mkdir(path, 0700), 0);
        snprintf(path, sizeof path, "..%d/tls.crt", i);
        put(&r, path, buf_slice(&r.pairs[i].certificate));
        snprintf(path, sizeof path, "..%d/tls.key", i);
        put(&r, path, buf_slice(&r.pairs[i].key));
    }
    CLEANUP_FREE char *data = mem_format("%s/..data", r.folder), *fresh = mem_format("%s/..data_tmp", r.folder);
    CLEANUP_FREE char *certificate = mem_format("%s/tls.crt", r.folder), *key = mem_format("%s/tls.key", r.folder);
    CHECK_INT(symlink("..0", data) | symlink("..data/tls.crt", certificate) | symlink("..data/tls.key", key), 0);
    r.files = certificate_files_new(r.loop, r.folder, NULL);
    REQUIRE(r.files != NULL);
    r.servers[0] = serve(&r, NULL);
    CHECK_INT(shown(&r, 0), 0);
    CHECK_INT(symlink("..1", fresh) | rename(fresh, data), 0);
    CHECK_LOGGED(&r, "\"msg\":\"certificate renewed\"");
    CHECK_INT(shown(&r, 0), 1);
    end(&r);
}

/* Files that change one after the other, and half-written ones: the old pair stays, with one warning, until both fit.
 */
TEST(a_pair_that_does_not_fit_is_reported_once_and_the_old_one_stays) {
    struct rig r;
    begin(&r);
    struct slice certificate = buf_slice(&r.pairs[1].certificate), key = buf_slice(&r.pairs[1].key);
    put(&r, "tls.crt", (struct slice){certificate.data, certificate.size_bytes / 2});
    CHECK_LOGGED(&r, "the certificate is not PEM");
    CHECK_INT(shown(&r, 0), 0);
    CHECK_TEXT(look(&r), "");
    put(&r, "tls.crt", certificate);
    CHECK_LOGGED(&r, "the private key is not that of the certificate");
    CHECK_INT(shown(&r, 0), 0);
    CHECK_TEXT(look(&r), "");
    put(&r, "tls.key", (struct slice){key.data, key.size_bytes / 2});
    CHECK_LOGGED(&r, "the private key is not PEM");
    put(&r, "tls.key", (struct slice){"", 0});
    CHECK_TEXT(look(&r), ""); /* the same complaint */
    CHECK_INT(shown(&r, 0), 0);
    put(&r, "tls.key", key);
    CHECK_LOGGED(&r, "\"msg\":\"certificate renewed\"");
    CHECK_INT(shown(&r, 0), 1);
    CHECK_INT(shown(&r, 1), 1);
    end(&r);
}

TEST(unreadable_files_are_reported_each_time_they_vanish) {
    struct rig r;
    begin(&r);
    for (int i = 0; i < 2; i++) {
        drop(&r, "tls.key");
        CHECK_LOGGED(&r, "tls.key cannot be opened: No such file or directory");
        CHECK_TEXT(look(&r), "");
        CHECK_INT(shown(&r, 0), 0);
        put_pair(&r, 0, 0);
        CHECK_TEXT(look(&r), ""); /* the pair that is shown */
    }
    drop(&r, "tls.crt");
    CLEANUP_FREE char *path = mem_format("%s/tls.crt", r.folder);
    CHECK_INT(mkdir(path, 0700), 0);
    CHECK_LOGGED(&r, "tls.crt is a directory");
    CHECK_INT(rmdir(path), 0);
    CLEANUP_BUF struct buf large;
    buf_init(&large, 4 << 20);
    for (int i = 0; i <= 1 << 20; i++)
        buf_append_char(&large, 'x');
    put(&r, "tls.crt", buf_slice(&large));
    CHECK_LOGGED(&r, "tls.crt is larger than 1048576 bytes");
    CHECK_INT(shown(&r, 1), 0);
    put_pair(&r, 2, 2);
    CHECK_LOGGED(&r, "\"msg\":\"certificate renewed\"");
    CHECK_INT(shown(&r, 1), 2);
    end(&r);
}

TEST(what_is_unusable_at_the_start_is_an_error_that_names_the_place) {
    struct rig r;
    CLEANUP_ERROR struct error *missing = NULL, *half = NULL, *mixed = NULL;
    prepare(&r);
    CHECK(certificate_files_new(r.loop, r.folder, &missing) == NULL);
    CHECK(strstr(error_text(missing), "tls.crt cannot be opened: No such file or directory") != NULL);
    put(&r, "tls.crt", buf_slice(&r.pairs[0].certificate));
    CHECK(certificate_files_new(r.loop, r.folder, &half) == NULL);
    CHECK(strstr(error_text(half), "tls.key cannot be opened") != NULL);
    put_pair(&r, 0, 1);
    r.files = certificate_files_new(r.loop, r.folder, NULL);
    REQUIRE(r.files != NULL);
    CHECK(serve(&r, &mixed) == NULL);
    CHECK(strstr(error_text(mixed), r.folder) != NULL);
    CHECK(strstr(error_text(mixed), "the private key is not that of the certificate") != NULL);
    CHECK_INT(mixed->code, EINVAL);
    end(&r);
    certificate_files_free(NULL);
}

TEST(files_that_are_no_longer_looked_at_change_nothing) {
    struct rig r;
    begin(&r);
    certificate_files_free(r.files);
    r.files = NULL;
    put_pair(&r, 1, 1);
    CHECK_TEXT(look(&r), "");
    CHECK_INT(shown(&r, 0), 0);
    end(&r);
}
