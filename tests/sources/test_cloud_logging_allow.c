/* Which namespace may read which logger with the controller's identity. */
#include "harness.h"

#include "sources/cloud_logging_allow.h"

static const char rules[] = "research=my-project/goodput_*,ml-*=p/exact,*=shared/*";

TEST(a_namespace_reads_what_a_rule_names) {
    CHECK_INT(cloud_logging_allow_check(rules, NULL), 0);
    CHECK(cloud_logging_allows(rules, "research", "my-project", "goodput_llama"));
    CHECK(cloud_logging_allows(rules, "research", "my-project", "goodput_"));
    CHECK(cloud_logging_allows(rules, "ml-7", "p", "exact"));
    CHECK(cloud_logging_allows(rules, "anybody", "shared", "any/thing"));
}

TEST(all_else_is_denied) {
    CHECK(!cloud_logging_allows(NULL, "research", "my-project", "goodput_llama"));
    CHECK(!cloud_logging_allows("", "research", "my-project", "goodput_llama"));
    CHECK(!cloud_logging_allows(rules, "research", "my-project", "audit"));
    CHECK(!cloud_logging_allows(rules, "research", "my-project-2", "goodput_llama"));
    CHECK(!cloud_logging_allows(rules, "research2", "my-project", "goodput_llama"));
    CHECK(!cloud_logging_allows(rules, "ml-7", "p", "exactly"));
    CHECK(!cloud_logging_allows(rules, "ml", "p", "exact"));
    CHECK(!cloud_logging_allows(rules, "", "", ""));
}

TEST(a_rule_that_is_not_one_is_named) {
    static const char *const bad[] = {"research", "research=p", "=p/l",    "r=/l",    "r=p/",
                                      "r*x=p/l",  "r=*p/l",     "r=p/l*x", "r=p/l,,", "*"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CLEANUP_ERROR struct error *err = NULL;
        CHECK(cloud_logging_allow_check(bad[i], &err) < 0);
        CHECK(err != NULL);
        CHECK(!cloud_logging_allows(bad[i], "r", "p", "other"));
    }
    CLEANUP_ERROR struct error *err = NULL;
    cloud_logging_allow_check("a=p/l,b", &err);
    CHECK_TEXT(error_text(err), "\"b\" is not a rule NAMESPACE=PROJECT/LOGGER, where * may end each part, such as "
                                "\"research=my-project/goodput_*\"");
}
