/* Kubeconfigs as data: each file in tests/data/kube/kubeconfig says in a comment what it is ("# is: server=... ") or
 * what is wrong with it ("# error: ..."), and which context to take ("# context: ..."). Add a file to add a case. */
#include "base/base64.h"
#include "base/mem.h"
#include "folder.h"
#include "harness.h"
#include "kube/config_load.h"
#include "kube/kubeconfig.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

#define FOLDER "tests/data/kube/kubeconfig/"

/* The rest of the line "# key: value"; heap or NULL. */
static char *comment(const char *text, const char *key) {
    char *mark CLEANUP_FREE = mem_format("# %s: ", key);
    const char *at = strstr(text, mark);
    if (at == NULL)
        return NULL;
    at += strlen(mark);
    return mem_strndup(at, strcspn(at, "\n"));
}

static void check_value(const char *path, const struct kube_config *c, const char *key, const char *value) {
    const struct {
        const char *key, *value;
    } all[] = {{"server", c->server},
               {"token", c->token != NULL ? c->token : "none"},
               {"ca_file", c->ca_file},
               {"ca_pem", c->ca_pem},
               {"cert_pem", c->cert_pem},
               {"tls_server_name", c->tls_server_name},
               {"proxy_url", c->proxy_url},
               {"username", c->username},
               {"password", c->password},
               {"insecure", c->is_insecure ? "true" : "false"},
               {"header", c->headers != NULL ? c->headers[0] : NULL},
               {"command", c->exec != NULL ? c->exec->command : NULL},
               {"hint", c->exec != NULL ? c->exec->install_hint : NULL},
               {"config", c->exec != NULL ? c->exec->cluster_config_json : NULL}};
    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        if (strcmp(all[i].key, key) == 0) {
            if (all[i].value == NULL || strncmp(all[i].value, value, strlen(value)) != 0)
                harness_fail(path, 0, "%s is %s, expected %s", key, all[i].value, value);
            return;
        }
    harness_fail(path, 0, "unknown key %s", key);
}

static void check_values(const char *path, const struct kube_config *c, const char *expected) {
    struct slice rest = slice_of(expected), pair, key;
    while (rest.size_bytes > 0) {
        if (slice_starts(rest, "header=") || !slice_take_until(&rest, ' ', &pair)) {
            pair = rest;
            rest = slice_skip(rest, rest.size_bytes);
        }
        if (!slice_take_until(&pair, '=', &key))
            continue;
        char *name CLEANUP_FREE = slice_dup(key), *value CLEANUP_FREE = slice_dup(pair);
        check_value(path, c, name, value);
    }
}

TEST(each_file_is_what_it_says_or_wrong_as_it_says) {
    glob_t files;
    REQUIRE(glob(FOLDER "*.*", 0, NULL, &files) == 0);
    CHECK(files.gl_pathc > 20);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const char *path = files.gl_pathv[i];
        char *text CLEANUP_FREE = harness_read_file(path, NULL);
        char *context CLEANUP_FREE = comment(text, "context"), *is CLEANUP_FREE = comment(text, "is"),
                      *wrong CLEANUP_FREE = comment(text, "error");
        struct kube_config *c __attribute__((cleanup(kube_config_freep))) = NULL;
        struct error *err CLEANUP_ERROR = NULL;
        int r = kubeconfig_load(path, true, context, &c, &err);
        if (wrong != NULL) {
            char *start CLEANUP_FREE = mem_format("kubeconfig %s: %s", path, wrong);
            if (r >= 0 || strncmp(err->text, start, strlen(start)) != 0 || strchr(err->text, '\n') != NULL)
                harness_fail(path, 0, "says \"%s\", expected \"%s\"", error_text(err), start);
        } else if (r < 0 || is == NULL)
            harness_fail(path, 0, "says \"%s\"", error_text(err));
        else
            check_values(path, c, is);
    }
    globfree(&files);
}

TEST(every_truncation_of_every_file_is_survived) {
    glob_t files;
    char path[] = "/tmp/kubeconfig-test-XXXXXX";
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    REQUIRE(glob(FOLDER "*.*", 0, NULL, &files) == 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        size_t size;
        char *text CLEANUP_FREE = harness_read_file(files.gl_pathv[i], &size);
        for (size_t n = 0; n < size; n += 3) {
            CHECK(pwrite(fd, text, n, 0) == (ssize_t)n && ftruncate(fd, (off_t)n) == 0);
            struct kube_config *c __attribute__((cleanup(kube_config_freep))) = NULL;
            struct error *err CLEANUP_ERROR = NULL;
            int r = kubeconfig_load(path, true, NULL, &c, &err);
            CHECK((r < 0) == (err != NULL));
        }
    }
    globfree(&files);
    close(fd);
    remove(path);
}

TEST(a_missing_file_is_one_line) {
    struct kube_config *c = NULL;
    struct error *err CLEANUP_ERROR = NULL;
    CHECK_INT(kubeconfig_load("/nowhere/config", true, NULL, &c, &err), -ENOENT);
    CHECK_TEXT(error_text(err), "kubeconfig: /nowhere/config cannot be opened: No such file or directory");
}

TEST(a_directory_is_not_a_kubeconfig) {
    struct kube_config *c = NULL;
    struct error *err CLEANUP_ERROR = NULL;
    CHECK(kubeconfig_load("/tmp", true, NULL, &c, &err) < 0);
    CHECK_TEXT(error_text(err), "kubeconfig: /tmp is a directory");
}

TEST(of_several_files_the_first_that_names_a_thing_has_all_of_it) {
    struct kube_config *c __attribute__((cleanup(kube_config_freep))) = NULL;
    struct error *err CLEANUP_ERROR = NULL;
    /* bad-no-current has contexts but no current one; token.yaml brings it, and "a" is token.yaml's own. */
    const char *paths = FOLDER "bad-no-current.yaml:/nowhere/config:" FOLDER "token.yaml:" FOLDER "context.yaml";
    CHECK_INT(kubeconfig_load(paths, false, NULL, &c, &err), 0);
    REQUIRE(c != NULL);
    CHECK_TEXT(c->server, "https://10.0.0.1:6443");
    CHECK_TEXT(c->token, "abc.def");
    kube_config_free(c);
    c = NULL;
    CHECK_INT(kubeconfig_load(paths, false, "b", &c, &err), 0);
    REQUIRE(c != NULL);
    CHECK_TEXT(c->server, "http://[::1]:8001");
}

TEST(of_several_files_one_must_exist) {
    struct kube_config *c = NULL;
    struct error *err CLEANUP_ERROR = NULL;
    CHECK(kubeconfig_load("/nowhere/a:/nowhere/b", false, NULL, &c, &err) < 0);
    CHECK(strstr(error_text(err), "no such file") != NULL);
}

TEST(in_cluster_reads_the_service_account) {
    char folder[FOLDER_PATH];
    folder_make(folder);
    struct kube_config *c __attribute__((cleanup(kube_config_freep))) = NULL;
    struct error *err CLEANUP_ERROR = NULL;
    CHECK(kube_config_load_in_cluster(folder, "fd00::1", "443", &c, &err) < 0);
    CHECK(strstr(error_text(err), "automountServiceAccountToken") != NULL);
    folder_write(folder, "token", "tok");
    CHECK_INT(kube_config_load_in_cluster(folder, "fd00::1", "443", &c, NULL), 0);
    REQUIRE(c != NULL);
    CHECK_TEXT(c->server, "https://[fd00::1]:443");
    folder_remove(folder);
}

TEST(base64_of_every_length_comes_back) {
    char bytes[40];
    for (size_t n = 0; n < sizeof bytes; n++) {
        for (size_t i = 0; i < n; i++)
            bytes[i] = (char)(i * 37 + n);
        char *coded CLEANUP_FREE = base64_encode((struct slice){bytes, n});
        size_t size = 0;
        char *back CLEANUP_FREE = base64_decode(slice_of(coded), &size);
        CHECK(back != NULL && size == n && memcmp(back, bytes, n) == 0);
    }
    CHECK(base64_decode(SLICE("a"), NULL) == NULL);
    CHECK(base64_decode(SLICE("ab=c"), NULL) == NULL);
    CHECK(base64_decode(SLICE("===="), NULL) == NULL);
}
