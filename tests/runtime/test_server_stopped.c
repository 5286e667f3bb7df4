/* An API server that is stopped (SIGSTOP) keeps its connections: its watches are as silent as those of a cluster in
 * which nothing happens. Events of that time arrive when it resumes, with the times at which they happened, so nothing
 * may count as known beyond the stop: wall time that was shown would go back. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/jscan.h"
#include "base/mem.h"
#include "io/loop.h"
#include "kube/client.h"
#include "operator/model/evaluate.h"
#include "operator/model/model.h"
#include "operator/runtime/watches.h"

#include <signal.h>
#include <string.h>

#define OBJECTS                                                                                                        \
    "apply <<END\n"                                                                                                    \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"a\",\"namespace\":\"default\"},"           \
    "\"spec\":{\"parallelism\":1,\"completions\":1,\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}}}\n"    \
    "END\napply <<END\n"                                                                                               \
    "{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\",\"metadata\":{\"name\":\"a\",\"namespace\":"     \
    "\"default\"},\"spec\":{\"targetRef\":{\"apiGroup\":\"batch\",\"kind\":\"Job\",\"name\":\"a\"},"                   \
    "\"stepLog\":{\"source\":\"None\",\"format\":\"Auto\"}}}\nEND\n"

/* A watch is known to be up to date until so long before: what happens arrives meanwhile. */
#define SETTLED_MS 3000

struct stage {
    struct apiserver *server;
    struct loop *loop;
    struct kube_client *client;
    struct model *model;
    struct runtime_watches *watches;
    struct loop_timer *timer;
};

static void ignore(void *context) {
    (void)context;
}

static void ignore_jobgoodput(void *context, const char *namespace_, const char *name, struct slice object) {
    (void)context, (void)namespace_, (void)name, (void)object;
}

static void ignore_record(void *context, enum resource resource, const char *namespace_, const char *name,
                          struct slice object) {
    (void)context, (void)resource, (void)namespace_, (void)name, (void)object;
}

static void on_time(void *context) {
    struct stage *st = context;
    loop_stop(st->loop, 0);
}

static void run_for(struct stage *st, int64_t us) {
    loop_timer_set(st->timer, us);
    loop_run(st->loop);
}

/* The time of the bucket Unobserved in a status. */
static int64_t unobserved_ms(struct slice status) {
    struct jscan j;
    struct slice key, bucket = {0};
    int64_t ms = 0, found_ms = 0;
    jscan_init(&j, status);
    for (bool is_in = jscan_object(&j); is_in && jscan_key(&j, &key);) {
        if (!slice_is(key, "badput")) {
            jscan_skip(&j);
            continue;
        }
        for (bool is_item = jscan_array(&j); is_item && jscan_element(&j);) {
            for (bool is_field = jscan_object(&j); is_field && jscan_key(&j, &key);)
                if (slice_is(key, "bucket"))
                    jscan_string_raw(&j, &bucket);
                else if (slice_is(key, "milliseconds"))
                    jscan_int(&j, &ms);
                else
                    jscan_skip(&j);
            found_ms += slice_is(bucket, "Unobserved") ? ms : 0;
        }
    }
    return found_ms;
}

/* As the runtime evaluates: how far the numbers reach, in ms; 0: there are none yet. */
static int64_t evaluate(struct stage *st, int64_t *ret_unobserved_ms) {
    CLEANUP_BUF struct buf status;
    struct jscan j;
    struct slice key;
    int64_t wait_us, ms = 0;
    runtime_watches_await_server(st->watches, &wait_us);
    runtime_watches_report_watermarks(st->watches);
    struct model_job *job = model_job_find(st->model, "default", "a");
    buf_init(&status, 1 << 20);
    *ret_unobserved_ms = 0;
    if (job == NULL)
        return 0;
    model_job_status(job, wall_ms(clock_wall()), &status, NULL);
    *ret_unobserved_ms = unobserved_ms(buf_slice(&status));
    jscan_init(&j, buf_slice(&status));
    for (bool is_in = jscan_object(&j); is_in && jscan_key(&j, &key);) {
        if (!slice_is(key, "time")) {
            jscan_skip(&j);
            continue;
        }
        for (bool is_time = jscan_object(&j); is_time && jscan_key(&j, &key);)
            if (!slice_is(key, "observedThrough") || !jscan_time_ms(&j, &ms))
                jscan_skip(&j);
    }
    return ms;
}

static int64_t known_ms(struct stage *st) {
    int64_t ignored_ms;
    return evaluate(st, &ignored_ms);
}

/* True once the numbers reach that far. */
static bool reaches(struct stage *st, int64_t ms) {
    for (int64_t end_us = clock_mono().us + INT64_C(60000000); clock_mono().us < end_us;) {
        run_for(st, 100000);
        if (known_ms(st) >= ms)
            return true;
    }
    return false;
}

static bool begin(struct stage *st) {
    CLEANUP_ERROR struct error *err = NULL;
    static const struct runtime_watches_handler handler = {ignore, ignore_jobgoodput, ignore_record, NULL};
    st->server = apiserver_start((const char *[]){"--crd", "crds/goodput.dev_jobgoodputs.yaml", NULL});
    st->loop = loop_new(&err);
    if (st->server == NULL || st->loop == NULL || apiserver_do(st->server, OBJECTS) < 0)
        return false;
    st->client =
        kube_client_new(st->loop, &(struct kube_options){.kubeconfig = apiserver_kubeconfig(st->server)}, &err);
    st->model = model_new(&(struct model_options){0});
    st->timer = loop_timer_new(st->loop, on_time, st);
    if (st->client != NULL)
        st->watches = runtime_watches_new(st->client, st->model, "", false, &handler);
    return st->watches != NULL;
}

static void end(struct stage *st) {
    runtime_watches_free(st->watches);
    model_free(st->model);
    loop_timer_free(st->timer);
    kube_client_free(st->client);
    loop_free(st->loop);
    apiserver_stop(st->server);
}

TEST(while_the_server_is_stopped_the_watches_are_not_up_to_date) {
    struct stage st = {0};
    if (begin(&st)) {
        /* While it works, what is known follows the clock though nothing happens. */
        CHECK(reaches(&st, wall_ms(clock_wall()) + 3000));
        kill(apiserver_pid(st.server), SIGSTOP);
        run_for(&st, 20000); /* an answer on its way when the signal was sent counts when it is read */
        int64_t stopped_ms = wall_ms(clock_wall());
        for (int i = 0; i < 8; i++) {
            run_for(&st, 500000);
            int64_t ms = known_ms(&st);
            if (ms > stopped_ms + 1)
                harness_fail(__FILE__, __LINE__, "known until %lld ms after the server was stopped",
                             (long long)(ms - stopped_ms));
        }
        kill(apiserver_pid(st.server), SIGCONT);
        CHECK(reaches(&st, wall_ms(clock_wall())));
    } else {
        harness_fail(__FILE__, __LINE__, "the server or the client did not start");
    }
    end(&st);
}

/* What is known reaches just to the last word, so what came about with it is known by the next one: where nothing else
 * happens the server is asked for it before the evaluation that follows an event (settle_us after it). */
TEST(a_silent_server_is_asked_before_an_evaluation) {
    struct stage st = {0};
    int64_t wait_us;
    if (begin(&st)) {
        for (int64_t end_us = clock_mono().us + INT64_C(60000000);
             !runtime_watches_are_synced(st.watches) && clock_mono().us < end_us;)
            run_for(&st, 10000);
        bool is_asked = false; /* the answers to the watches may come after the lists and count as a word */
        for (int i = 0; i < 100 && !is_asked; i++) {
            run_for(&st, 300000);
            is_asked = runtime_watches_await_server(st.watches, &wait_us);
        }
        CHECK(is_asked);
    } else {
        harness_fail(__FILE__, __LINE__, "the server or the client did not start");
    }
    end(&st);
}

/* A watch that has nothing to say was up to date all the same: when it is cut and must list again, only the time since
 * then is unobserved, however long ago its last word was, and however often jobs are evaluated meanwhile. */
TEST(a_cut_makes_just_the_time_since_then_unobserved) {
    struct stage st = {0};
    int64_t before_ms, after_ms;
    if (begin(&st)) {
        CHECK(reaches(&st, wall_ms(clock_wall()) + 9000));
        evaluate(&st, &before_ms);
        int64_t cut_ms = wall_ms(clock_wall());
        CHECK_INT(apiserver_do(st.server, "on any * always : status 503\nexpire\nall reset\n"), 0);
        for (int i = 0; i < 15; i++) {
            run_for(&st, 100000);
            known_ms(&st);
        }
        CHECK_INT(apiserver_do(st.server, "clear faults\n"), 0);
        CHECK(reaches(&st, wall_ms(clock_wall())));
        int64_t back_ms = wall_ms(clock_wall());
        evaluate(&st, &after_ms);
        CHECK(after_ms > before_ms);
        if (after_ms - before_ms > back_ms - cut_ms + SETTLED_MS)
            harness_fail(__FILE__, __LINE__, "%lld ms are unobserved after a cut of at most %lld ms",
                         (long long)(after_ms - before_ms), (long long)(back_ms - cut_ms));
    } else {
        harness_fail(__FILE__, __LINE__, "the server or the client did not start");
    }
    end(&st);
}
