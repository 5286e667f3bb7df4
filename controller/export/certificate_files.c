#include "export/certificate_files.h"

#include "base/file.h"
#include "base/jsonlog.h"
#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* As controller-runtime does: two reads of a few KB instead of inotify, whose instances a node may run out of. */
#define LOOK_EVERY_US INT64_C(10000000)

enum { FILE_MAX_BYTES = 1 << 20, SERVERS = 3 };

struct certificate_files {
    struct loop *loop;
    char *directory;
    char *certificate, *key; /* as last read, usable or not */
    bool is_refused;         /* the pair above is not in use */
    char *complaint;         /* the last logged error; NULL: none */
    struct server *servers[SERVERS];
    size_t server_count;
    struct loop_timer *look;
};

static int read_one(const struct certificate_files *f, const char *name, char **ret_text, struct error **err) {
    CLEANUP_FREE char *path = mem_format("%s/%s", f->directory, name);
    return file_read(path, FILE_MAX_BYTES, ret_text, err);
}

static bool is_same(const char *a, const char *b) {
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* Returns 1 if the files changed. */
static int read_both(struct certificate_files *f, struct error **err) {
    char *certificate CLEANUP_FREE = NULL, *key CLEANUP_FREE = NULL, *old;
    int r = read_one(f, "tls.crt", &certificate, err);
    if (r == 0)
        r = read_one(f, "tls.key", &key, err);
    if (r < 0)
        return r;
    if (is_same(f->certificate, certificate) && is_same(f->key, key))
        return 0;
    old = f->certificate, f->certificate = certificate, certificate = old;
    old = f->key, f->key = key, key = old;
    return 1;
}

/* Returns 1 if a new pair is in use, 0 if the files did not change. */
static int take_news(struct certificate_files *f, struct error **err) {
    int r = read_both(f, err);
    if (r > 0)
        f->is_refused = false;
    for (size_t i = 0; r > 0 && i < f->server_count; i++) {
        int refused = server_set_certificate(f->servers[i], slice_of(f->certificate), slice_of(f->key), err);
        f->is_refused |= refused < 0;
        if (refused < 0)
            return refused;
    }
    return r;
}

static void look(void *context) {
    struct certificate_files *f = context;
    CLEANUP_ERROR struct error *err = NULL;
    int r = take_news(f, &err);
    if (r > 0)
        jsonlog(JSONLOG_INFO, "certificate renewed", "directory", LOG_S(f->directory), NULL);
    else if (r < 0 && !is_same(f->complaint, error_text(err)))
        jsonlog(JSONLOG_WARNING, "certificate not renewed, the old one is still used", "directory", LOG_S(f->directory),
                "error", LOG_S(error_text(err)), NULL);
    if (r < 0 || !f->is_refused) {
        free(f->complaint);
        f->complaint = r < 0 ? mem_strdup(error_text(err)) : NULL;
    }
    loop_timer_set(f->look, LOOK_EVERY_US);
}

struct certificate_files *certificate_files_new(struct loop *loop, const char *directory, struct error **err) {
    struct certificate_files *f = mem_new(struct certificate_files);
    *f = (struct certificate_files){.loop = loop, .directory = mem_strdup(directory)};
    if (read_both(f, err) < 0) {
        certificate_files_free(f);
        return NULL;
    }
    f->look = loop_timer_new(loop, look, f);
    loop_timer_set(f->look, LOOK_EVERY_US);
    return f;
}

void certificate_files_free(struct certificate_files *files) {
    if (files == NULL)
        return;
    loop_timer_free(files->look);
    free(files->directory);
    free(files->certificate);
    free(files->key);
    free(files->complaint);
    free(files);
}

struct server *certificate_files_serve(struct certificate_files *files, struct server_options *options,
                                       struct error **err) {
    assert(files->server_count < SERVERS);
    options->certificate_pem = slice_of(files->certificate);
    options->private_key_pem = slice_of(files->key);
    struct server *server = server_new(files->loop, options, err);
    if (server == NULL) {
        error_wrap(err, EINVAL, "%s", files->directory);
        return NULL;
    }
    files->servers[files->server_count++] = server;
    return server;
}
