/* goodput-controller --check: one line for each list that the controller needs, and the exit code. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>

#define DEADLINE_MS 60000

/* Its exit code; what it printed is in ret_output. */
static int check(struct apiserver *s, const char *namespaces, char **ret_output) {
    struct program *p =
        program_start("goodput-controller", (const char *[]){"--check", "--kubeconfig", apiserver_kubeconfig(s),
                                                             "--watch-namespaces", namespaces, NULL});
    *ret_output = NULL;
    if (p == NULL)
        return -1;
    int code = program_wait(p, DEADLINE_MS);
    *ret_output = strdup(program_output(p));
    program_free(p);
    return code;
}

static int lines_with(const char *output, const char *text) {
    int count = 0;
    for (const char *at = strstr(output, text); at != NULL; at = strstr(at + 1, text))
        count++;
    return count;
}

TEST(check_says_of_each_list_whether_it_can_be_read) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", "crds/goodput.dev_jobgoodputs.yaml", NULL});
    REQUIRE(s != NULL);
    char *output;
    CHECK_INT(check(s, "", &output), 0);
    CHECK_INT(lines_with(output, "readable     /apis/goodput.dev/v1alpha1/jobgoodputs\n"), 1);
    CHECK_INT(lines_with(output, "readable     /api/v1/pods\n"), 1);
    CHECK_INT(lines_with(output, "not served   /apis/goodput.dev/v1alpha1/steplogformats: its CRD is missing: install "
                                 "the chart, or kubectl apply -k deploy\n"),
              1);
    CHECK_INT(lines_with(output, "not readable "), 0);
    free(output);
    apiserver_stop(s);
}

TEST(check_fails_where_jobgoodputs_cannot_be_read_and_nowhere_else) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", "crds/goodput.dev_jobgoodputs.yaml", NULL});
    REQUIRE(s != NULL);
    char *output;
    CHECK_INT(apiserver_do(s, "on any /api/v1/namespaces/a/pods always : status 403"), 0);
    CHECK_INT(check(s, "a,b", &output), 0);
    CHECK_INT(lines_with(output, "not readable /api/v1/namespaces/a/pods: "), 1);
    CHECK_INT(lines_with(output, "readable     /api/v1/namespaces/b/pods\n"), 1);
    CHECK_INT(lines_with(output, " /api/v1/nodes\n"), 1); /* of the cluster: asked for once */
    free(output);
    CHECK_INT(apiserver_do(s, "on any /apis/goodput.dev/v1alpha1/namespaces/b/jobgoodputs always : status 403"), 0);
    CHECK_INT(check(s, "a, b", &output), 1);
    CHECK_INT(lines_with(output, "not readable /apis/goodput.dev/v1alpha1/namespaces/b/jobgoodputs: "), 1);
    CHECK_INT(lines_with(output, "goodput-controller: JobGoodputs cannot be read (see above): nothing would be "
                                 "measured\n"),
              1);
    free(output);
    apiserver_stop(s);
}
