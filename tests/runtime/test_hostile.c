/* Specs that name what their authors may not have: nobody but the API server is connected to (CloudLogging has its own
 * tests), and nothing is asked of it beyond what the controller reads anyway: no job of another namespace, no log of a
 * pod that the target does not own. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/mem.h"
#include "base/slice.h"
#include "program.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define DEADLINE_MS 120000
#define CRD "crds/goodput.dev_jobgoodputs.yaml"
/* A container's name that would be arguments and a path of its own if it were put into a URL as it is. */
#define CONTAINER "main&previous=true&x=/../../secrets/s?y#"

/* With the labels of a pod of the Job `job`, and these owners. */
#define POD(namespace, name, job, owners)                                                                              \
    "---\n{apiVersion: v1, kind: Pod, metadata: {name: " name                                                          \
    ", namespace: " namespace ", uid: " namespace "-" name ", creationTimestamp: '2026-01-01T00:00:01Z', labels: "     \
                                                  "{batch.kubernetes.io/controller-uid: job-" job                      \
                                                  ", batch.kubernetes.io/job-name: " job                               \
                                                  ", batch.kubernetes.io/job-completion-index: '0'}, "                 \
                                                  "ownerReferences: "                                                  \
                                                  "[" owners "]}, spec: {nodeName: n, containers: [{name: main}]}, "   \
                                                  "status: {phase: Running, conditions: [{type: "                      \
                                                  "PodScheduled, status: 'True', lastTransitionTime: "                 \
                                                  "'2026-01-01T00:00:02Z'}], containerStatuses: [{name: main, "        \
                                                  "restartCount: 0, state: {running: {startedAt: "                     \
                                                  "'2026-01-01T00:00:03Z'}}}]}}\n"
#define OWNED_BY_V "{apiVersion: batch/v1, kind: Job, name: v, uid: job-v, controller: true}"
/* Of a job in another namespace; of that job by its owner, in this namespace; of h by its labels alone. */
#define PODS_OF_OTHERS                                                                                                 \
    POD("victim", "v-0", "v", OWNED_BY_V) POD("default", "v-0", "v", OWNED_BY_V) POD("default", "h-1", "h", "")

static const char objects[] =
    "apply <<END\n---\n"
    "{apiVersion: batch/v1, kind: Job, metadata: {name: h, namespace: default, uid: job-h, creationTimestamp: "
    "'2026-01-01T00:00:00Z'}, spec: {parallelism: 1, completions: 1, completionMode: Indexed, template: {spec: "
    "{containers: [{name: '" CONTAINER "'}]}}}}\n"
    "---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: h-0, namespace: default, uid: pod-h, creationTimestamp: "
    "'2026-01-01T00:00:01Z', labels: {batch.kubernetes.io/controller-uid: job-h, batch.kubernetes.io/job-name: h, "
    "batch.kubernetes.io/job-completion-index: '0'}, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: h, uid: "
    "job-h, controller: true}]}, spec: {nodeName: n, containers: [{name: '" CONTAINER "'}]}, status: {phase: Running, "
    "conditions: [{type: PodScheduled, status: 'True', lastTransitionTime: '2026-01-01T00:00:02Z'}], "
    "containerStatuses: [{name: '" CONTAINER "', restartCount: 0, state: {running: {startedAt: "
    "'2026-01-01T00:00:03Z'}}}]}}\n"
    "---\n"
    "{apiVersion: goodput.dev/v1alpha1, kind: JobGoodput, metadata: {name: h, namespace: default}, spec: {targetRef: "
    "{apiGroup: batch, kind: Job, name: h}, stepLog: {source: PodLog, format: MaxText, podLog: {container: "
    "'" CONTAINER "'}}}}\n"
    "---\n"
    "{apiVersion: goodput.dev/v1alpha1, kind: JobGoodput, metadata: {name: u, namespace: default}, spec: {targetRef: "
    "{apiGroup: batch, kind: Job, name: u}, stepLog: {source: File, format: Auto, file: {path: "
    "'http://127.0.0.1:%1$d/../../../../../etc/passwd'}}}}\n"
    "---\n"
    "{apiVersion: goodput.dev/v1alpha1, kind: JobGoodput, metadata: {name: other, namespace: default}, spec: "
    "{targetRef: {apiGroup: batch, kind: Job, name: 'victim/../../kube-system/jobs/secret'}, stepLog: {source: "
    "PodLog, format: Auto}}}\n"
    "---\n"
    "{apiVersion: batch/v1, kind: Job, metadata: {name: v, namespace: victim, uid: job-v, creationTimestamp: "
    "'2026-01-01T00:00:00Z'}, spec: {parallelism: 1, completions: 1, completionMode: Indexed, template: {spec: "
    "{containers: [{name: main}]}}}}\n"
    "---\n"
    "{apiVersion: goodput.dev/v1alpha1, kind: JobGoodput, metadata: {name: v, namespace: default}, spec: {targetRef: "
    "{apiGroup: batch, kind: Job, name: v}, stepLog: {source: PodLog, format: MaxText}}}\n" PODS_OF_OTHERS "END\n"
    "log default/h-0:" CONTAINER " @2026-01-01T00:00:09Z completed step: 1, seconds: 1.000, TFLOP/s/device: 1.0, "
    "Tokens/s/device: 1.0, total_weights: 1, loss: 1.000\n"
    "wait 120s answered log pods 200\n"
    "wait 120s field jobgoodputs default/h .status.steps.last 1\n"
    "wait 120s field jobgoodputs default/u .status.phase Pending\n"
    "wait 120s field jobgoodputs default/other .status.phase Pending\n"
    "wait 120s field jobgoodputs default/v .status.phase Pending";

static const char *const asked_for[] = {"/version",
                                        "/livez", /* of a server that was silent for long */
                                        "/apis/goodput.dev/v1alpha1/jobgoodputs?",
                                        "/apis/goodput.dev/v1alpha1/steplogformats?",
                                        "/apis/goodput.dev/v1alpha1/fleetgoodputs?",
                                        "/apis/goodput.dev/v1alpha1/namespaces/default/jobgoodputs/h/status?",
                                        "/apis/goodput.dev/v1alpha1/namespaces/default/jobgoodputs/u/status?",
                                        "/apis/goodput.dev/v1alpha1/namespaces/default/jobgoodputs/other/status?",
                                        "/apis/goodput.dev/v1alpha1/namespaces/default/jobgoodputs/v/status?",
                                        "/apis/jobset.x-k8s.io/v1alpha2/jobsets?",
                                        "/apis/ray.io/v1/rayjobs?",
                                        "/apis/ray.io/v1/rayclusters?",
                                        "/apis/leaderworkerset.x-k8s.io/v1/leaderworkersets?",
                                        "/apis/kubeflow.org/v1/pytorchjobs?",
                                        "/apis/batch/v1/jobs?",
                                        "/apis/kueue.x-k8s.io/v1beta2/workloads?",
                                        "/api/v1/pods?",
                                        "/api/v1/nodes?",
                                        "/api/v1/events?",
                                        "/api/v1/namespaces/default/events/",
                                        "/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind=Node,",
                                        "/apis/resource.k8s.io/v1/resourceslices?",
                                        "/apis/resource.k8s.io/v1beta2/resourceslices?",
                                        "/apis/resource.k8s.io/v1beta1/resourceslices?",
                                        "/apis/resource.k8s.io/v1/resourceclaims?",
                                        "/apis/resource.k8s.io/v1beta2/resourceclaims?",
                                        "/apis/resource.k8s.io/v1beta1/resourceclaims?",
                                        "/apis/resource.k8s.io/v1/resourceclaimtemplates?",
                                        "/apis/resource.k8s.io/v1beta2/resourceclaimtemplates?",
                                        "/apis/resource.k8s.io/v1beta1/resourceclaimtemplates?",
                                        "/api/v1/namespaces/default/pods/h-0/log?"};

static void check_requests(const char *log) {
    struct slice rest = slice_of(log), line;
    int count = 0;
    while (slice_take_line(&rest, &line) && line.size_bytes > 0) {
        const char *path = slice_find(line, " /");
        bool is_known = false;
        for (size_t i = 0; path != NULL && i < ARRAY_SIZE(asked_for); i++)
            is_known = is_known || slice_starts(slice_range(path + 1, line.data + line.size_bytes), asked_for[i]);
        if (!is_known)
            harness_fail(__FILE__, __LINE__, "it asked for %.*s", SLICE_ARG(line));
        count++;
    }
    CHECK(count > 10);
}

static int listen_somewhere(int *port) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 8) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        return -1;
    *port = ntohs(address.sin_port);
    return fd;
}

TEST(no_spec_makes_it_ask_elsewhere_or_for_more) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    int port = 0, fd = listen_somewhere(&port);
    REQUIRE(fd >= 0);
    struct program *c = program_start(
        "goodput-controller", (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                               "--leader-elect=false", "--status-interval=1s", NULL});
    CHECK_INT(apiserver_dof(s, objects, port), 0);
    CLEANUP_FREE char *requests = apiserver_ask(s, "requests");
    check_requests(requests != NULL ? requests : "");
    struct pollfd caller = {.fd = fd, .events = POLLIN};
    CHECK_INT(poll(&caller, 1, 0), 0); /* nobody has called */
    program_terminate(c);
    CHECK_INT(program_wait(c, DEADLINE_MS), 0);
    program_free(c);
    apiserver_stop(s);
    close(fd);
}

/* The controller reads Cloud Logging with its own identity: without a rule a JobGoodput names no project or logger. */
TEST(cloud_logging_is_denied_unless_a_rule_allows_it) {
    static const char cloud[] =
        "apply <<END\n---\n"
        "{apiVersion: batch/v1, kind: Job, metadata: {name: c, namespace: default, uid: job-c, creationTimestamp: "
        "'2026-01-01T00:00:00Z'}, spec: {parallelism: 1, completions: 1, completionMode: Indexed, template: {spec: "
        "{containers: [{name: main}]}}}}\n"
        "---\n"
        "{apiVersion: goodput.dev/v1alpha1, kind: JobGoodput, metadata: {name: c, namespace: default}, spec: "
        "{targetRef: {apiGroup: batch, kind: Job, name: c}, stepLog: {source: CloudLogging, format: Recorder, "
        "cloudLogging: {project: victim, logger: audit, jobName: x}}}}\n"
        "END";
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    struct program *c =
        program_start("goodput-controller",
                      (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                       "--leader-elect=false", "--status-interval=1s",
                                       "--cloud-logging-allow=research=victim/*,default=victim/goodput_*", NULL});
    CHECK_INT(apiserver_do(s, cloud), 0);
    bool is_denied = false;
    for (int i = 0; i < DEADLINE_MS / 100 && !is_denied; i++) {
        CLEANUP_FREE char *object = apiserver_ask(s, "get jobgoodputs default/c");
        is_denied = object != NULL && strstr(object, "namespace default may not read logger audit of project victim");
        usleep(100000);
    }
    CHECK(is_denied);
    program_terminate(c);
    CHECK_INT(program_wait(c, DEADLINE_MS), 0);
    program_free(c);
    apiserver_stop(s);
}
