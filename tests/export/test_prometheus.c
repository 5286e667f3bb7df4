/* The two text formats that Prometheus reads. promtool's own opinion of them is asked in tests/export/metrics.py. */
#include "harness.h"

#include "base/mem.h"
#include "export/prometheus.h"

#include <string.h>

static const struct metric_family two[] = {{"a_things", METRIC_COUNTER, "Things."},
                                           {"b_seconds", METRIC_GAUGE, "Time."},
                                           {"c_empty", METRIC_GAUGE, "Nothing."}};

static void add_samples(struct prometheus_page *page) {
    CLEANUP_BUF struct buf labels;
    prometheus_init(page, two, 3, false);
    buf_init(&labels, 4096);
    prometheus_label(&labels, "x", "a\"b\\c\nd");
    prometheus_sample(page, 1, buf_slice(&labels), SLICE("y=\"1\""), -1500, 3);
    prometheus_sample(page, 0, buf_slice(&labels), slice_of(NULL), 7, 0);
    prometheus_sample(page, 1, slice_of(NULL), slice_of(NULL), 934100, 6);
    prometheus_sample(page, 1, slice_of(NULL), SLICE("y=\"2\""), 2000, 3);
    prometheus_sample(page, 1, slice_of(NULL), SLICE("y=\"3\""), INT64_MIN + 1, 3);
}

TEST(both_formats_are_written_by_the_book) {
    struct prometheus_page page;
    CLEANUP_BUF struct buf out;
    buf_init(&out, 4096);
    add_samples(&page);
    prometheus_write(&page, false, &out);
    prometheus_done(&page);
    CHECK_TEXT(buf_text(&out), "# HELP a_things_total Things.\n# TYPE a_things_total counter\n"
                               "a_things_total{x=\"a\\\"b\\\\c\\nd\"} 7\n"
                               "# HELP b_seconds Time.\n# TYPE b_seconds gauge\n"
                               "b_seconds{x=\"a\\\"b\\\\c\\nd\",y=\"1\"} -1.500\n"
                               "b_seconds 0.934100\nb_seconds{y=\"2\"} 2\nb_seconds{y=\"3\"} -9223372036854775.807\n");
    buf_clear(&out);
    add_samples(&page);
    prometheus_write(&page, true, &out);
    CHECK(strncmp(buf_text(&out), "# HELP a_things Things.\n# TYPE a_things counter\na_things_total{", 63) == 0);
    CHECK(slice_ends(buf_slice(&out), "\n# EOF\n"));
    prometheus_done(&page);
}

TEST(a_histogram_counts_up_to_each_bound) {
    static const struct metric_family one[] = {{"took_seconds", METRIC_HISTOGRAM, "Time."}};
    struct prometheus_page page;
    struct histogram h = {0};
    CLEANUP_BUF struct buf out;
    buf_init(&out, 4096);
    histogram_add(&h, 3000);
    histogram_add(&h, 250000);
    histogram_add(&h, 61000000);
    prometheus_init(&page, one, 1, false);
    prometheus_histogram(&page, 0, SLICE("verb=\"GET\""), &h);
    prometheus_write(&page, false, &out);
    CHECK_TEXT(buf_text(&out), "# HELP took_seconds Time.\n# TYPE took_seconds histogram\n"
                               "took_seconds_bucket{verb=\"GET\",le=\"0.00001\"} 0\n"
                               "took_seconds_bucket{verb=\"GET\",le=\"0.0001\"} 0\n"
                               "took_seconds_bucket{verb=\"GET\",le=\"0.001\"} 0\n"
                               "took_seconds_bucket{verb=\"GET\",le=\"0.005\"} 1\n"
                               "took_seconds_bucket{verb=\"GET\",le=\"0.025\"} 1\n"
                               "took_seconds_bucket{verb=\"GET\",le=\"0.1\"} 1\n"
                               "took_seconds_bucket{verb=\"GET\",le=\"0.25\"} 2\n"
                               "took_seconds_bucket{verb=\"GET\",le=\"0.5\"} 2\n"
                               "took_seconds_bucket{verb=\"GET\",le=\"1.0\"} 2\n"
                               "took_seconds_bucket{verb=\"GET\",le=\"2.0\"} 2\n"
                               "took_seconds_bucket{verb=\"GET\",le=\"4.0\"} 2\n"
                               "took_seconds_bucket{verb=\"GET\",le=\"8.0\"} 2\n"
                               "took_seconds_bucket{verb=\"GET\",le=\"15.0\"} 2\n"
                               "took_seconds_bucket{verb=\"GET\",le=\"30.0\"} 2\n"
                               "took_seconds_bucket{verb=\"GET\",le=\"60.0\"} 2\n"
                               "took_seconds_bucket{verb=\"GET\",le=\"+Inf\"} 3\n"
                               "took_seconds_sum{verb=\"GET\"} 61.253000\ntook_seconds_count{verb=\"GET\"} 3\n");
    prometheus_done(&page);
}

TEST(openmetrics_is_given_to_those_who_ask) {
    static const struct {
        const char *accept;
        bool wants;
    } cases[] = {
        {"", false},
        {"*/*", false},
        {"text/plain", false},
        {"application/openmetrics-text", true},
        {"application/openmetrics-text; version=1.0.0, text/plain;q=0.5", true},
        {"text/plain;q=0.5,application/openmetrics-text;q=0.4", false},
        {"application/openmetrics-text;q=0", false},
        /* Prometheus 2.42 and 3 */
        {"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;"
         "version=0.0.4;q=0.5,*/*;q=0.1",
         true},
        {"application/openmetrics-text;q=banana", false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        if (prometheus_wants_openmetrics(slice_of(cases[i].accept)) != cases[i].wants)
            harness_fail(__FILE__, __LINE__, "Accept: %s", cases[i].accept);
}

TEST(gzip_is_given_to_those_who_take_it) {
    static const struct {
        const char *accept_encoding;
        bool wants;
    } cases[] = {
        {"", false},
        {"identity", false},
        {"gzip", true}, /* Prometheus, vmagent, and the collector of OpenTelemetry */
        {"gzip, deflate, br", true},
        {"deflate,gzip;q=0.5", true},
        {"gzip;q=0", false},
        {"gzip;q=0.000, identity", false},
        {"gzip;q=banana", false},
        {"xgzip, gzipped", false},
        {"*", false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        if (prometheus_wants_gzip(slice_of(cases[i].accept_encoding)) != cases[i].wants)
            harness_fail(__FILE__, __LINE__, "Accept-Encoding: %s", cases[i].accept_encoding);
}
