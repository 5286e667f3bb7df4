/* The 50,944-chip job: 12,736 pods in one JobSet (199 slices x 64). GOODPUT_BENCH=1 prints what an event and a status
 * cost of CPU; without it the same runs small, and only that it holds together is checked. */
#include "base/mem.h"
#include "base/rfc3339.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <time.h>

static double cpu_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void show_jobset(struct model *m, int slices, int hosts) {
    fake_observe_jobset_of(m, &(struct fake_jobset){.replicas = slices, .pods = hosts}, 0.2);
}

/* About as long as a real one is, most of it managedFields. */
static char *pod_json(int slice, int host, int state, const char *padding) {
    const char *conditions = state > 0 ? fake_condition("PodScheduled", "True", "", 5) : "";
    CLEANUP_FREE char *status = state > 1 ? mem_format("{\"running\":{\"startedAt\":%s}}", fake_time(9))
                                          : mem_format("{\"waiting\":{\"reason\":\"ContainerCreating\"}}");
    return mem_format(
        "{\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"ns\",\"name\":\"js-slice-%d-%d\",\"uid\":\"uid-%d-%d\","
        "\"creationTimestamp\":%s,\"labels\":{\"jobset.sigs.k8s.io/jobset-uid\":\"uid-js\","
        "\"jobset.sigs.k8s.io/jobset-name\":\"js\",\"jobset.sigs.k8s.io/replicatedjob-name\":\"slice\","
        "\"jobset.sigs.k8s.io/job-index\":\"%d\",\"batch.kubernetes.io/job-completion-index\":\"%d\","
        "\"batch.kubernetes.io/"
        "controller-uid\":\"job-%d\"},\"managedFields\":[{\"manager\":\"kubelet\",\"fieldsV1\":{%s}}]},"
        "\"spec\":{%s\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"train\",\"resources\":{\"limits\":{"
        "\"google.com/"
        "tpu\":\"4\"}}}]},\"status\":{\"phase\":\"%s\",\"conditions\":[%s],\"containerStatuses\":[{\"name\":"
        "\"train\",\"restartCount\":0,\"state\":%s}]}}",
        slice, host, slice, host, fake_time(3), slice, host, slice, padding, state > 0 ? "\"nodeName\":\"n\"," : "",
        state > 1 ? "Running" : "Pending", conditions, status);
}

struct cost {
    double events_us, worst_us, status_us;
    int events;
};

static char *padding_of(size_t size) {
    char *text = mem_alloc(size + 64);
    size_t n = 0;
    while (n < size)
        n += (size_t)snprintf(text + n, 64, "%s\"f:field%zu\":{\".\":{}}", n ? "," : "", n);
    return text;
}

static struct cost run(int slices, int hosts) {
    struct model *m = model_new(&(struct model_options){0});
    CLEANUP_FREE char *padding = padding_of(6000);
    struct cost cost = {0};
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    show_jobset(m, slices, hosts);
    for (int state = 0; state < 3; state++)
        for (int i = 0; i < slices * hosts; i++) {
            CLEANUP_FREE char *json = pod_json(i / hosts, i % hosts, state, padding);
            char name[64], uid[64];
            snprintf(name, sizeof name, "js-slice-%d-%d", i / hosts, i % hosts);
            snprintf(uid, sizeof uid, "uid-%d-%d", i / hosts, i % hosts);
            struct slice object = slice_of(json);
            double started_us = cpu_us();
            model_observe(m, RESOURCE_POD, OBSERVED_PRESENT, SLICE("ns"), slice_of(name), slice_of(uid), object,
                          fake_ms(4 + 3 * state));
            cost.events_us += cpu_us() - started_us;
            cost.events++;
        }
    free(replay_status(m, "ns", "js", fake_ms(20), NULL));
    double started_us = cpu_us();
    char *s = replay_status(m, "ns", "js", fake_ms(30), NULL);
    cost.status_us = cpu_us() - started_us;
    CHECK_INT(status_int(s, "availability.available"), slices * hosts);
    free(s);
    model_free(m);
    return cost;
}

TEST(an_event_of_a_large_job_costs_what_one_of_a_small_job_does) {
    bool is_bench = getenv("GOODPUT_BENCH") != NULL;
    static const int sizes[] = {1, 10, 199};
    for (int i = 0; i < (is_bench ? 3 : 2); i++) {
        struct cost c = run(sizes[i], 64);
        if (is_bench)
            printf("%6d pods: %.2f us of CPU a pod event, %.0f us a status\n", sizes[i] * 64, c.events_us / c.events,
                   c.status_us);
        CHECK(c.events == 3 * 64 * sizes[i]);
    }
}
