/* A StepLogFormat and a JobGoodput that uses it: the format is missing, with an example that fails, then right; and
 * over the controller's death. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "followed.h"

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
