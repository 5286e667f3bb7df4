/* A reflector whose server answers in protobuf, in JSON, or once so and once so. */
#include "base/mem.h"
#include "folder.h"
#include "harness.h"
#include "mirror.h"
#include "rawserver.h"

#include <stdio.h>
#include <stdlib.h>

#define PODS "/api/v1/namespaces/n/pods"
#define PROTOBUF "application/vnd.kubernetes.protobuf"

static const struct protobuf_field meta_rows[] = {
    PROTOBUF_FIELD(1, PROTOBUF_STRING, false, "name", NULL, NULL),
    PROTOBUF_FIELD(3, PROTOBUF_STRING, false, "namespace", NULL, NULL),
    PROTOBUF_FIELD(5, PROTOBUF_STRING, false, "uid", NULL, NULL),
    PROTOBUF_FIELD(6, PROTOBUF_STRING, false, "resourceVersion", NULL, NULL)};
static const struct protobuf_message meta = PROTOBUF_MESSAGE_OF(meta_rows);
static const struct protobuf_field pod_rows[] = {PROTOBUF_FIELD(1, PROTOBUF_MESSAGE, false, "metadata", &meta, NULL)};
static const struct protobuf_message pod = PROTOBUF_MESSAGE_OF(pod_rows);

/* ---- what a server writes; all is shorter than 128 bytes ---- */

#define BYTES_MAX 1000

struct bytes {
    char data[BYTES_MAX];
    size_t size;
};

static void put(struct bytes *b, const char *data, size_t size) {
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put_field(struct bytes *b, int number, struct slice value) {
    put(b, (const char[]){(char)(number << 3 | 2), (char)value.size_bytes}, 2);
    put(b, value.data, value.size_bytes);
}

static struct slice slice_of_bytes(const struct bytes *b) {
    return (struct slice){b->data, b->size};
}

static struct bytes make_pod(const char *name, const char *version, bool is_end) {
    struct bytes m = {.size = 0}, o = {.size = 0}, e = {.size = 0};
    put_field(&m, 1, slice_of(name));
    put_field(&m, 3, slice_of(name[0] != '\0' ? "n" : ""));
    put_field(&m, 5, slice_of(name));
    put_field(&m, 6, slice_of(version));
    put_field(&e, 1, SLICE("k8s.io/initial-events-end"));
    put_field(&e, 2, SLICE("true"));
    if (is_end)
        put_field(&m, 12, slice_of_bytes(&e));
    put_field(&o, 1, slice_of_bytes(&m));
    return o;
}

static struct bytes make_envelope(const char *kind, struct bytes raw) {
    struct bytes type = {.size = 0}, o = {.size = 0};
    put(&o, "k8s", 4);
    put_field(&type, 1, SLICE("v1"));
    put_field(&type, 2, slice_of(kind));
    put_field(&o, 1, slice_of_bytes(&type));
    put_field(&o, 2, slice_of_bytes(&raw));
    put_field(&o, 4, SLICE(""));
    return o;
}

static void put_event(struct bytes *to, const char *type, struct bytes object) {
    struct bytes extension = {.size = 0}, event = {.size = 0};
    put_field(&extension, 1, slice_of_bytes(&object));
    put_field(&event, 1, slice_of(type));
    put_field(&event, 2, slice_of_bytes(&extension));
    put(to, (const char[]){0, 0, 0, (char)event.size}, 4);
    put(to, event.data, event.size);
}

static struct bytes make_status(int code, const char *message) {
    struct bytes s = {.size = 0};
    put_field(&s, 3, slice_of(message));
    put(&s, (const char[]){6 << 3, (char)((code & 127) | 128), (char)(code >> 7)}, 3);
    return make_envelope("Status", s);
}

static struct bytes make_list(const char *version, const char *token) {
    struct bytes l = {.size = 0}, m = {.size = 0}, item = make_pod(token[0] != '\0' ? "a" : "b", "1", false);
    put_field(&m, 2, slice_of(version));
    put_field(&m, 3, slice_of(token));
    put_field(&l, 1, slice_of_bytes(&m));
    put_field(&l, 2, slice_of_bytes(&item));
    return make_envelope("PodList", l);
}

static void reply(struct rawconn *c, int status, struct bytes body) {
    char *head CLEANUP_FREE =
        mem_format("HTTP/1.1 %d X\r\nContent-Type: " PROTOBUF "\r\nContent-Length: %zu\r\n\r\n", status, body.size);
    rawconn_send(c, head);
    rawconn_send_slice(c, slice_of_bytes(&body));
}

/* ---- the tests ---- */

struct world {
    struct loop *loop;
    struct rawserver *server;
    struct kube_client *client;
    char *kubeconfig;
    struct mirror mirror;
};

static void begin(struct world *w, rawserver_handler *handler, void *context, struct kube_reflector_options options) {
    w->loop = loop_new(NULL);
    w->server = rawserver_new(w->loop, handler, context);
    w->kubeconfig = folder_kubeconfig(rawserver_url(w->server), "", "");
    w->client = kube_client_new(w->loop, &(struct kube_options){.kubeconfig = w->kubeconfig}, NULL);
    REQUIRE(w->client != NULL);
    options.message = &pod;
    mirror_start(&w->mirror, w->client, PODS, options);
}

static void end(struct world *w) {
    mirror_stop(&w->mirror);
    kube_client_free(w->client);
    rawserver_free(w->server);
    loop_free(w->loop);
    remove(w->kubeconfig);
    free(w->kubeconfig);
}

struct cut {
    struct bytes events; /* of the versions from 11 on */
    size_t ends[4], at;
    bool is_dripping;
    int watches;
};

/* Two pages, then a watch that is cut and resumed where it was. */
static void serve_cut(void *context, struct rawconn *c, struct slice request) {
    struct cut *cut = context;
    CHECK(slice_contains(request, "Accept: " PROTOBUF ", application/json"));
    rawconn_drip(c, cut->is_dripping);
    if (!slice_contains(request, "watch=1")) {
        reply(c, 200, slice_contains(request, "continue=t") ? make_list("10", "") : make_list("10", "t"));
        return;
    }
    const char *version = slice_find(request, "resourceVersion=");
    int64_t from = version == NULL ? 0 : strtol(version + 16, NULL, 10);
    size_t start = from <= 10 || from > 14 ? 0 : cut->ends[from - 11];
    size_t stop = cut->watches++ == 0 ? cut->at : cut->events.size;
    if (from >= 14)
        return;
    rawconn_send(c, "HTTP/1.1 200 OK\r\nContent-Type: " PROTOBUF ";stream=watch\r\n\r\n");
    rawconn_send_slice(c, (struct slice){cut->events.data + start, stop - start});
    if (cut->watches == 1)
        rawconn_close(c);
}

static void cut_at(struct cut cut, size_t at, bool is_dripping) {
    struct world w;
    cut.at = at;
    cut.is_dripping = is_dripping;
    begin(&w, serve_cut, &cut, (struct kube_reflector_options){.no_streaming_list = true});
    CHECK(mirror_wait(&w.mirror, w.loop, "+z"));
    if (strcmp(buf_text(&w.mirror.words), "+a +b | ~a +c -a +z") != 0)
        harness_fail(__FILE__, __LINE__, "cut at %zu: %s", at, buf_text(&w.mirror.words));
    end(&w);
}

TEST(a_watch_in_protobuf_cut_at_any_byte_loses_and_doubles_nothing) {
    struct cut cut = {.watches = 0};
    put_event(&cut.events, "MODIFIED", make_envelope("Pod", make_pod("a", "11", false)));
    cut.ends[0] = cut.events.size;
    put_event(&cut.events, "ADDED", make_envelope("Pod", make_pod("c", "12", false)));
    cut.ends[1] = cut.events.size;
    put_event(&cut.events, "DELETED", make_envelope("Pod", make_pod("a", "13", false)));
    cut.ends[2] = cut.events.size;
    put_event(&cut.events, "ADDED", make_envelope("Pod", make_pod("z", "14", false)));
    for (size_t at = 0; at < cut.ends[2]; at++)
        cut_at(cut, at, false);
    cut_at(cut, cut.ends[2], true);
}

/* A streaming list, its marker, and an ERROR event that makes it list again, which is answered in JSON. */
static void serve_both(void *context, struct rawconn *c, struct slice request) {
    int *requests = context;
    struct bytes stream = {.size = 0};
    ++*requests;
    CHECK(slice_contains(request, "sendInitialEvents=true"));
    if (*requests == 1)
        reply(c, 403, make_status(403, "you may not"));
    else if (*requests == 2) {
        put_event(&stream, "ADDED", make_envelope("Pod", make_pod("a", "5", false)));
        put_event(&stream, "BOOKMARK", make_envelope("Pod", make_pod("", "9", true)));
        put_event(&stream, "ERROR", make_status(410, "too old"));
        rawconn_send(c, "HTTP/1.1 200 OK\r\nContent-Type: " PROTOBUF ";stream=watch\r\n\r\n");
        rawconn_send_slice(c, slice_of_bytes(&stream));
    } else
        rawconn_send(c,
                     "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
                     "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"j\",\"namespace\":\"n\",\"uid\":\"u\","
                     "\"resourceVersion\":\"10\"}}}\n");
}

TEST(each_reply_is_read_by_its_own_content_type) {
    struct world w;
    int requests = 0;
    begin(&w, serve_both, &requests, (struct kube_reflector_options){0});
    CHECK(mirror_wait(&w.mirror, w.loop, "+j"));
    CHECK_TEXT(buf_text(&w.mirror.words), "! . +a | +j");
    CHECK_TEXT(w.mirror.trouble, "you may not");
    end(&w);
}
