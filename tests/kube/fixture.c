#include "fixture.h"

#include "base/mem.h"
#include "folder.h"
#include "harness.h"
#include "rawserver.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool fixture_begin(struct fixture *f, const char *const *arguments) {
    *f = (struct fixture){.server = apiserver_start(arguments)};
    if (f->server == NULL)
        return false;
    apiserver_do(f->server,
                 "apply <<END\n{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"n\"}}\nEND");
    struct kube_options options = {.kubeconfig = apiserver_kubeconfig(f->server), .user_agent = "test/0"};
    struct error *err CLEANUP_ERROR = NULL;
    f->loop = loop_new(NULL);
    f->client = kube_client_new(f->loop, &options, &err);
    if (f->client != NULL)
        return true;
    fprintf(stderr, "%s\n", error_text(err));
    fixture_end(f);
    return false;
}

void fixture_end(struct fixture *f) {
    kube_client_free(f->client);
    loop_free(f->loop);
    if (f->server != NULL)
        apiserver_do(f->server, "stop");     /* sooner than by the end of its stdin */
    CHECK_INT(apiserver_stop(f->server), 0); /* a sanitizer's findings are its exit code */
}

void fixture_pod(struct fixture *f, const char *name) {
    apiserver_dof(f->server,
                  "apply <<END\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":"
                  "\"n\",\"labels\":{\"job\":\"j\"}},\"spec\":{\"containers\":[{\"name\":\"main\"}]}}\nEND",
                  name);
}

struct wait {
    struct loop *loop;
    struct loop_timer *timer;
    const struct buf *b;
    const char *text;
    bool done;
};

static void look(void *context) {
    struct wait *w = context;
    w->done = strstr(buf_text(w->b), w->text) != NULL;
    loop_timer_set(w->timer, 500);
}

bool wait_text(struct loop *loop, const struct buf *b, const char *text) {
    struct wait w = {.loop = loop, .b = b, .text = text};
    w.timer = loop_timer_new(loop, look, &w);
    loop_timer_set(w.timer, 0);
    loop_until(loop, &w.done);
    loop_timer_free(w.timer);
    if (!w.done)
        fprintf(stderr, "waited for \"%s\", have: %.3000s\n", text, buf_text(b));
    return w.done;
}

bool wait_number(struct fixture *f, const char *question, long min) {
    for (int i = 0; i < 120000; i++) {
        if (apiserver_asknumber(f->server, question) >= min)
            return true;
        loop_for(f->loop, 1000);
    }
    fprintf(stderr, "waited for \"%s\" %ld\n", question, min);
    return false;
}

char *write_tls_kubeconfig(const char *url, const char *user, const char *ca_directory) {
    char *cluster CLEANUP_FREE = mem_format("certificate-authority: \"%s/ca.crt\"", ca_directory);
    return folder_kubeconfig(url, cluster, user);
}
