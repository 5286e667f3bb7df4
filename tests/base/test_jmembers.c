#include "harness.h"

#include "base/jmembers.h"

struct thing {
    struct slice name, raw;
    int64_t count, small, at_ms, sum;
    bool is_on;
    char text[4];
};

static void add(struct jscan *j, void *sum) {
    int64_t n;
    if (jscan_int(j, &n))
        *(int64_t *)sum += n;
}

static void count_members(struct jscan *j, void *at) {
    jscan_skip(j);
    ((struct thing *)at)->sum += 100;
}

static const struct jmember inner[] = {JMEMBER(struct thing, is_on, "on"), JMEMBER(struct thing, text, "text")};
static const struct jmember rows[] = {
    JMEMBER_REQUIRED(struct thing, name, "name"),
    JMEMBER(struct thing, count, "count"),
    JMEMBER_WITHIN(struct thing, small, "small", 1, 10),
    JMEMBER_TIME(struct thing, at_ms, "at"),
    JMEMBER_RAW(struct thing, raw, "raw"),
    JMEMBER_OBJECT("inner", inner),
    JMEMBER_LIST(struct thing, sum, "list", add),
    JMEMBER_SELF("other", count_members),
    JMEMBER_FIELD(struct thing, sum, "single", add),
};

static bool read(struct slice json, struct thing *t) {
    struct jscan j;
    *t = (struct thing){.count = -1, .small = -1, .at_ms = -1};
    jscan_init(&j, json);
    bool is_read = jmembers_read(&j, JMEMBERS(rows), t);
    CHECK(jscan_at_end(&j));
    return is_read;
}

static void check_all(struct slice json) {
    struct thing t;
    CHECK(read(json, &t));
    CHECK(slice_is(t.name, "a") && slice_is(t.raw, "{\"x\":[1]}"));
    CHECK_INT(t.count, INT64_MAX);
    CHECK_INT(t.small, 10);
    CHECK_INT(t.at_ms, 1000);
    CHECK_INT(t.sum, 110);
    CHECK(t.is_on);
    CHECK_TEXT(t.text, "lon");
}

TEST(members_are_read_in_any_order_and_others_skipped) {
    check_all(SLICE("{\"name\":\"a\",\"count\":9223372036854775807,\"small\":10,\"at\":\"1970-01-01T00:00:01Z\","
                    "\"raw\":{\"x\":[1]},\"inner\":{\"on\":true,\"text\":\"longer\"},\"list\":[1,\"no\",2],"
                    "\"other\":{\"name\":\"b\"},\"single\":7}"));
    check_all(SLICE("{\"single\":7,\"n\":\"c\",\"other\":1,\"inner\":{\"text\":\"longer\",\"name\":\"b\",\"on\":true},"
                    "\"names\":{\"name\":\"c\"},\"list\":[1,\"no\",2],\"raw\":{\"x\":[1]},\"small\":10,"
                    "\"at\":\"1970-01-01T00:00:01Z\",\"count\":9223372036854775807,\"\":0,\"name\":\"a\"}"));
}

TEST(a_value_of_another_type_or_out_of_bounds_leaves_the_default) {
    struct thing t;
    CHECK(read(SLICE("{\"name\":\"a\",\"count\":\"1\",\"small\":11,\"at\":5,\"inner\":[],\"list\":{},\"single\":null}"),
               &t));
    CHECK_INT(t.count, -1);
    CHECK_INT(t.small, -1);
    CHECK_INT(t.at_ms, -1);
    CHECK_INT(t.sum, 0);
    CHECK(!t.is_on);
    CHECK(read(SLICE("{\"name\":\"a\",\"small\":0}"), &t));
    CHECK_INT(t.small, -1);
}

TEST(a_required_member_is_missed) {
    struct thing t;
    CHECK(!read(SLICE("{\"count\":1}"), &t));
    CHECK_INT(t.count, 1);
    CHECK(!read(SLICE("{\"name\":1}"), &t));
    CHECK(!read(SLICE("[\"name\"]"), &t));
    CHECK(!read(SLICE("{}"), &t));
}

TEST(the_whole_is_one_object) {
    struct thing t = {.count = -1};
    CHECK(jmembers_parse(SLICE(" {\"name\":\"a\",\"count\":2}\n"), JMEMBERS(rows), &t));
    CHECK_INT(t.count, 2);
    CHECK(!jmembers_parse(SLICE("{\"name\":\"a\"} {}"), JMEMBERS(rows), &t));
    CHECK(!jmembers_parse(SLICE("{\"name\":\"a\""), JMEMBERS(rows), &t));
    CHECK(!jmembers_parse(SLICE(""), JMEMBERS(rows), &t));
}
