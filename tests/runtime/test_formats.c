/* A StepLogFormat and a JobGoodput that uses it: the format is missing, with an example that fails, then right; and
 * over the controller's death. The shipped ones become objects. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/mem.h"
#include "followed.h"
#include "program.h"
#include "steplog/shipped.h"

/* The number that its one example must give: 7 holds. */
static const char format[] =
    "apply <<END\n"
    "{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"StepLogFormat\",\"metadata\":{\"name\":\"mine\"},\"spec\":{"
    "\"patterns\":[{\"name\":\"it\",\"kind\":\"Step\",\"pattern\":\"^it (?<step>[0-9]+)\",\"examples\":[{\"line\":"
    "\"it 7\",\"gives\":{\"step\":%1$s}}]}]}}\nEND\n";

TEST(a_format_that_is_missing_then_wrong_then_right) {
    struct followed f;
    REQUIRE(followed_begin(&f, "mine", "train.log"));
    followed_write(&f, "it ", "", 0, 20);
    REQUIRE(followed_start(&f));
    CHECK(followed_holds(&f, "jobgoodputs", "\"reason\":\"FormatMissing\""));
    CHECK_INT(apiserver_dof(f.server, format, "8"), 0);
    CHECK(followed_holds(&f, "steplogformats", "example 1: step is 7, expected 8"));
    CHECK(followed_holds(&f, "jobgoodputs", "\"reason\":\"FormatInvalid\""));
    CHECK_INT(apiserver_dof(f.server, format, "7"), 0);
    CHECK(followed_holds(&f, "steplogformats", "1 examples give what they must"));
    CHECK(followed_holds(&f, "jobgoodputs", "\"retained\":20,\"repeated\":0"));
    followed_kill(&f);
    followed_write(&f, "it ", "", 20, 30);
    REQUIRE(followed_start(&f));
    CHECK(followed_holds(&f, "jobgoodputs", "\"retained\":30,\"repeated\":0"));
    followed_end(&f);
}

#define MADE_BY_CONTROLLER "\"app.kubernetes.io/managed-by\":\"goodput-controller\""

static struct program *installer(struct apiserver *s) {
    return program_start("goodput-controller",
                         (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                          "--leader-elect=false", "--install-formats", NULL});
}

/* The API server does not serve the kind yet when the controller starts to lead. One of the names is a user's. */
TEST(shipped_formats_become_objects_when_the_kind_is_served) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", "crds/goodput.dev_jobgoodputs.yaml", NULL});
    REQUIRE(s != NULL);
    struct followed f = {.server = s, .controller = installer(s)};
    REQUIRE(f.controller != NULL);
    CHECK(program_says(f.controller, "\"resource not served\",\"resource\":\"steplogformats\"", 60000));
    CHECK_INT(apiserver_do(s,
                           "crd crds/goodput.dev_steplogformats.yaml\n"
                           "apply <<END\n"
                           "{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"StepLogFormat\",\"metadata\":{\"name\":"
                           "\"verl\"},\"spec\":{\"patterns\":[{\"name\":\"mine\",\"kind\":\"Step\",\"pattern\":"
                           "\"^mine (?<step>[0-9]+)\"}]}}\nEND\n"),
              0);
    for (int i = 0; i < SHIPPED_COUNT; i++) {
        CLEANUP_FREE char *name = mem_format("\"name\":\"%s\"", shipped_get(i)->name);
        CHECK(followed_holds(&f, "steplogformats", name));
    }
    CHECK(followed_holds(&f, "steplogformats", "1 patterns, 1 examples give what they must"));
    CHECK_INT(apiserver_asknumber(s, "holding steplogformats " MADE_BY_CONTROLLER), SHIPPED_COUNT - 1);
    CHECK_INT(apiserver_asknumber(s, "holding steplogformats ^mine (?<step>"), 1);
    CHECK_INT(apiserver_asknumber(s, "holding steplogformats verl, PPO"), 0);
    program_free(f.controller);
    apiserver_stop(s);
}
