#include "operator/runtime/check.h"

#include "base/mem.h"
#include "kube/client.h"
#include "operator/runtime/watched.h"

#include <string.h>

#define ASK_US INT64_C(10000000)

struct check {
    struct loop *loop;
    struct kube_client *client;
    FILE *out;
    struct slice namespaces, namespace_; /* still to come; of now */
    bool is_first;
    size_t next; /* of watched_table; the number of entries: the namespace is done */
    char *path;
    int unread_jobgoodputs; /* lists of them that cannot be read */
};

static void ask_next(struct check *c);

/* Several watches may select from one list. */
static bool is_asked_already(const struct watched *watched) {
    for (const struct watched *w = watched_table; w < watched; w++)
        if (w->resource == watched->resource && strcmp(w->group_path, watched->group_path) == 0 &&
            strcmp(w->plural, watched->plural) == 0)
            return true;
    return false;
}

static bool is_asked(const struct check *c) {
    const struct watched *watched = &watched_table[c->next];
    return (watched->scope == WATCHED_NAMESPACED || c->is_first) && !is_asked_already(watched);
}

static void on_reply(void *context, int status, struct slice body, const struct error *err) {
    struct check *c = context;
    const struct watched *watched = &watched_table[c->next++];
    (void)body;
    bool is_absent = status == 404;
    fprintf(c->out, "%-12s %s%s%s\n",
            err == NULL ? "readable"
            : is_absent ? "not served"
                        : "not readable",
            c->path, err == NULL || (is_absent && *watched->absent == '\0') ? "" : ": ",
            err == NULL ? ""
            : is_absent ? watched->absent
                        : error_text(err));
    c->unread_jobgoodputs += watched->resource == RESOURCE_JOBGOODPUT && err != NULL;
    ask_next(c);
}

static void ask_next(struct check *c) {
    free(c->path);
    c->path = NULL;
    while (c->next < watched_count && !is_asked(c))
        c->next++;
    if (c->next == watched_count) {
        c->next = 0;
        c->is_first = false;
        if (!watched_take_namespace(&c->namespaces, false, &c->namespace_)) {
            loop_stop(c->loop, 0);
            return;
        }
        ask_next(c);
        return;
    }
    const struct watched *watched = &watched_table[c->next];
    bool is_of_cluster = watched->scope == WATCHED_CLUSTER;
    c->path = watched_path(watched, is_of_cluster ? slice_of(NULL) : c->namespace_);
    CLEANUP_FREE char *one = mem_format("%s?limit=1", c->path);
    const struct kube_request request = {.path = one, .timeout_us = ASK_US, .may_retry = true};
    kube_call(c->client, &request, on_reply, c);
}

static int complain(const char *text) {
    fprintf(stderr, "goodput-controller: %s\n", text);
    return 1;
}

int runtime_check(const struct runtime_flags *flags, FILE *out) {
    struct check c = {.out = out, .namespaces = slice_of(flags->watch_namespaces), .is_first = true};
    CLEANUP_ERROR struct error *err = NULL;
    c.loop = loop_new(&err);
    if (c.loop == NULL)
        return complain(error_text(err));
    const struct kube_options kube = {.kubeconfig = flags->kubeconfig,
                                      .context = flags->context,
                                      .user_agent = "goodput-controller/" GOODPUT_VERSION};
    c.client = kube_client_new(c.loop, &kube, &err);
    if (c.client != NULL) {
        watched_take_namespace(&c.namespaces, true, &c.namespace_);
        ask_next(&c);
        loop_run(c.loop);
        kube_client_free(c.client);
    }
    loop_free(c.loop);
    if (err != NULL)
        return complain(error_text(err));
    if (c.unread_jobgoodputs > 0)
        return complain("JobGoodputs cannot be read (see above): nothing would be measured");
    return 0;
}
