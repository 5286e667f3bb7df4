/* A whole job dies at once: how many logs are read, and what that costs in memory. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/mem.h"
#include "fake_objects.h"
#include "operator/model/evaluate.h"
#include "operator/model/model.h"
#include "operator/runtime/last_words.h"
#include "steplog/steplog.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum { PODS = 12736, READS = 16, LINES = 600, SAMPLE_US = 200 };
#define MAX_BYTES ((int64_t)1 << 20)

struct run {
    struct loop *loop;
    struct loop_timer *timer;
    struct model *model;
    int64_t before, max;
    int heard;
};

static int64_t allocated(void) {
    struct mallinfo2 info = mallinfo2(); /* 0 under a sanitizer */
    return (int64_t)(info.uordblks + info.hblkhd);
}

static void sample(struct run *r) {
    int64_t now = allocated() - r->before;
    if (now > r->max)
        r->max = now;
}

static void on_sample(void *context) {
    struct run *r = context;
    sample(r);
    loop_timer_set(r->timer, SAMPLE_US);
}

static void on_change(void *context) {
    struct run *r = context;
    sample(r);
    if (++r->heard == READS)
        loop_stop(r->loop, 0);
}

/* Takes the JSON. */
static void observe(struct model *m, enum resource resource, const char *name, const char *uid, char *object,
                    double at) {
    CLEANUP_FREE char *json = object;
    CHECK_INT(model_observe(m, resource, OBSERVED_PRESENT, slice_of("ns"), slice_of(name), slice_of(uid),
                            slice_of(json), fake_ms(at)),
              0);
}

static void observe_pod(struct model *m, int i, bool has_failed) {
    char name[32], uid[48];
    snprintf(name, sizeof name, "p%d", i);
    snprintf(uid, sizeof uid, "uid-p%d", i);
    struct fake_pod p = fake_started(name, i, 5, 6, 7);
    p.node = "n0";
    p.finished = has_failed ? 1000 : 0;
    p.exit_code = has_failed;
    p.phase = has_failed ? "Failed" : "Running";
    observe(m, RESOURCE_POD, name, uid, fake_pod_json(&p), has_failed ? 1000.5 : 8);
}

static struct model *new_model(void) {
    struct model *m = model_new(&(struct model_options){.reads_last_words = true});
    observe(m, RESOURCE_JOBGOODPUT, "js", "goodput-of-js",
            fake_jobgoodput_json(&(struct fake_jobgoodput){.name = "js", .step_log = "\"source\":\"None\""}), 0);
    observe(m, RESOURCE_JOBSET, "js", "uid-js", fake_jobset_json(&(struct fake_jobset){.name = "js", .pods = PODS}), 1);
    for (int i = 0; i < PODS; i++)
        observe_pod(m, i, false);
    return m;
}

static char *status_at(struct model *m, double at) {
    struct buf out;
    buf_init(&out, 1 << 20);
    for (int r = 0; r < RESOURCE_COUNT; r++)
        model_watermark(m, (enum resource)r, fake_ms(at), false);
    model_job_status(model_job_find(m, "ns", "js"), fake_ms(at), &out, NULL);
    return buf_take(&out);
}

/* Its log is longer than what is read of it. */
static void apply_pod(struct apiserver *s, int i) {
    struct buf text;
    buf_init(&text, 1 << 20);
    buf_format(&text,
               "apply <<END\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%d\",\"namespace\":"
               "\"ns\"},\"spec\":{\"containers\":[{\"name\":\"train\"}]}}\nEND\n",
               i);
    CHECK_INT(apiserver_do(s, text.data), 0);
    buf_clear(&text);
    buf_format(&text, "log ns/p%d:train <<END\n", i);
    for (int k = 0; k < LINES; k++)
        buf_format(&text, "RuntimeError: rank %d failed at %d %0200d\n", i, k, k);
    buf_append_text(&text, "END\n");
    CHECK_INT(apiserver_do(s, text.data), 0);
    buf_done(&text);
}

static void on_answered(void *context, int status, struct slice body, const struct error *err) {
    (void)body;
    (void)err;
    CHECK_INT(status, 200);
    loop_stop(context, 0);
}

static void ignore_record(void *context, const struct record *r) {
    (void)context;
    (void)r;
}

/* What a controller that reads logs took before, once: OpenSSL's tables, the formats of step logs. */
static void use_once(struct loop *loop, struct kube_client *client) {
    struct steplog *log = steplog_new(STEPLOG_AUTO, NULL, ignore_record, NULL);
    steplog_stored_line(log, slice_of("step: 1"), 0);
    steplog_free(log);
    kube_call(client, &(struct kube_request){.path = "/api/v1/namespaces/ns/pods/p0"}, on_answered, loop);
    loop_run(loop);
}

TEST(of_12736_pods_that_die_at_once_16_logs_are_read_in_one_mebibyte) {
    struct apiserver *s = apiserver_start((const char *[]){NULL});
    REQUIRE(s != NULL);
    for (int i = 0; i < 2 * READS; i++)
        apply_pod(s, i);
    struct run r = {.loop = loop_new(NULL), .model = new_model()};
    struct kube_client *client = kube_client_new(
        r.loop, &(struct kube_options){.kubeconfig = apiserver_kubeconfig(s), .user_agent = "test/0"}, NULL);
    REQUIRE(client != NULL);
    struct last_words *words = last_words_new(client, READS, on_change, &r);
    struct last_words_job *mine = NULL;
    struct model_job *job = model_job_find(r.model, "ns", "js");
    free(status_at(r.model, 900));
    use_once(r.loop, client);
    r.before = allocated();
    for (int i = PODS - 1; i >= 0; i--) { /* the worst order: each displaces one that was known */
        observe_pod(r.model, i, true);
        sample(&r);
    }
    r.timer = loop_timer_new(r.loop, on_sample, &r);
    loop_timer_set(r.timer, SAMPLE_US);
    last_words_observe(words, job, &mine);
    loop_run(r.loop);
    loop_timer_free(r.timer);
    CLEANUP_FREE char *status = status_at(r.model, 1002);
    CHECK(strstr(status, "\"followers\":0,\"unread\":0") != NULL && strstr(status, "\"RuntimeError\"") != NULL);
    CHECK_INT(apiserver_asknumber(s, "count log pods"), READS);
    printf("%d pods, %d reads: at most %lld KiB more\n", PODS, r.heard, (long long)(r.max >> 10));
    CHECK(r.max <= MAX_BYTES);
    last_words_observe(words, job, &mine); /* nothing more is asked for */
    CHECK_INT(apiserver_asknumber(s, "count log pods"), READS);
    last_words_drop(&mine);
    last_words_free(words);
    model_free(r.model);
    kube_client_free(client);
    loop_free(r.loop);
    apiserver_stop(s);
}
