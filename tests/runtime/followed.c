#include "followed.h"

#include "apiserver/apiserver.h"
#include "base/mem.h"
#include "harness.h"
#include "program.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

static const char objects[] =
    "apply <<END\n"
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"j\",\"namespace\":\"default\",\"uid\":"
    "\"job\",\"creationTimestamp\":\"" FOLLOWED_BEGAN "0Z\"},\"spec\":{\"parallelism\":1,\"completions\":1,"
    "\"completionMode\":\"Indexed\",\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}},\"status\":{}}\nEND\n"
    "apply <<END\n"
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"default\",\"uid\":"
    "\"pod\",\"creationTimestamp\":\"" FOLLOWED_BEGAN "1Z\",\"labels\":{\"batch.kubernetes.io/controller-uid\":\"job\","
    "\"batch.kubernetes.io/job-name\":\"j\",\"batch.kubernetes.io/job-completion-index\":\"0\"},\"ownerReferences\":["
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"j\",\"uid\":\"job\",\"controller\":true}]},\"spec\":{"
    "\"nodeName\":\"n\",\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":"
    "\"PodScheduled\",\"status\":\"True\",\"lastTransitionTime\":\"" FOLLOWED_BEGAN "2Z\"}],\"containerStatuses\":[{"
    "\"name\":\"c\",\"restartCount\":0,\"state\":{\"running\":{\"startedAt\":\"" FOLLOWED_BEGAN "3Z\"}}}]}}\nEND\n";

static const char jobgoodput[] =
    "apply <<END\n"
    "{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\",\"metadata\":{\"name\":\"j\",\"namespace\":"
    "\"default\"},\"spec\":{\"targetRef\":{\"apiGroup\":\"batch\",\"kind\":\"Job\",\"name\":\"j\"},"
    "\"stepLog\":{\"source\":\"File\",\"format\":\"%s\",\"file\":{\"path\":\"%s\"}}}}\nEND\n";

static const char ended[] =
    "apply <<END\n"
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"default\",\"uid\":"
    "\"pod\",\"creationTimestamp\":\"" FOLLOWED_BEGAN "1Z\",\"labels\":{\"batch.kubernetes.io/controller-uid\":\"job\","
    "\"batch.kubernetes.io/job-name\":\"j\",\"batch.kubernetes.io/job-completion-index\":\"0\"},\"ownerReferences\":["
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"j\",\"uid\":\"job\",\"controller\":true}]},\"spec\":{"
    "\"nodeName\":\"n\",\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"Succeeded\",\"conditions\":[{"
    "\"type\":\"PodScheduled\",\"status\":\"True\",\"lastTransitionTime\":\"" FOLLOWED_BEGAN
    "2Z\"}],\"containerStatuses\":[{"
    "\"name\":\"c\",\"restartCount\":0,\"state\":{\"terminated\":{\"exitCode\":0,\"startedAt\":\"" FOLLOWED_BEGAN
    "3Z\","
    "\"finishedAt\":\"%s\"}}}]}}\nEND\n"
    "apply <<END\n"
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"j\",\"namespace\":\"default\",\"uid\":"
    "\"job\",\"creationTimestamp\":\"" FOLLOWED_BEGAN "0Z\"},\"spec\":{\"parallelism\":1,\"completions\":1,"
    "\"completionMode\":\"Indexed\",\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}},\"status\":{"
    "\"succeeded\":1,\"completedIndexes\":\"0\",\"completionTime\":\"%s\",\"conditions\":[{\"type\":"
    "\"Complete\",\"status\":\"True\",\"lastTransitionTime\":\"%s\"}]}}\nEND\n";

bool followed_complete(struct followed *f, const char *at) {
    return apiserver_dof(f->server, ended, at, at, at) == 0;
}

bool followed_begin(struct followed *f, const char *format, const char *file) {
    *f = (struct followed){.root = "/tmp/goodput-log-root-XXXXXX"};
    if (mkdtemp(f->root) == NULL)
        return false;
    CLEANUP_FREE char *folder = mem_format("%s/default", f->root);
    f->path = mem_format("%s/train.log", folder);
    f->server = apiserver_start((const char *[]){"--crd", "crds/goodput.dev_jobgoodputs.yaml", "--crd",
                                                 "crds/goodput.dev_steplogformats.yaml", NULL});
    return mkdir(folder, 0700) == 0 && f->server != NULL && apiserver_do(f->server, objects) == 0 &&
           apiserver_dof(f->server, jobgoodput, format, file) == 0;
}

bool followed_start(struct followed *f) {
    f->controller =
        program_start("goodput-controller",
                      (const char *[]){"--kubeconfig", apiserver_kubeconfig(f->server), "--health-bind-address=0",
                                       "--leader-elect=false", "--status-interval=1s", "--log-root", f->root, NULL});
    return f->controller != NULL;
}

void followed_kill(struct followed *f) {
    program_free(f->controller);
    f->controller = NULL;
}

void followed_end(struct followed *f) {
    CLEANUP_FREE char *command = mem_format("rm -rf '%s'", f->root);
    followed_kill(f);
    apiserver_stop(f->server);
    CHECK_INT(system(command), 0);
    free(f->path);
}

void followed_write(const struct followed *f, const char *before, const char *after, int from, int to) {
    FILE *file = fopen(f->path, "a");
    REQUIRE(file != NULL);
    for (int i = from; i < to; i++)
        fprintf(file, "2026-01-01T00:%02d:%02d.0Z %s%d%s\n", 1 + i / 60, i % 60, before, i, after);
    fclose(file);
}

bool followed_holds(struct followed *f, const char *kind, const char *text) {
    CLEANUP_FREE char *ask = mem_format("holding %s %s", kind, text);
    for (int i = 0; i < 1200; i++) {
        if (apiserver_asknumber(f->server, ask) == 1)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    harness_fail(__FILE__, __LINE__, "no %s; the controller said:\n%s", text,
                 f->controller ? program_output(f->controller) : "");
    return false;
}
