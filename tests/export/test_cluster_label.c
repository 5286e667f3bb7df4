/* The label cluster of all series, so that those of several clusters can be in one Prometheus. */
#include "export/metrics.h"
#include "harness.h"

#include "base/slice.h"

TEST(each_series_has_the_name_of_the_cluster) {
    static const struct fleet none;
    const struct runtime_figures own = {.is_leading = true, .has_archive = true};
    const struct metrics_options options = {
        .now_ms = INT64_C(1795232000000), .is_openmetrics = true, .has_all_job_series = true};
    struct fleet f;
    CLEANUP_BUF struct buf out;
    struct slice rest, line;
    size_t count = 0;
    fleet_init(&f);
    f.cluster_name = "prod\"1";
    fleet_put(&f, "n", "j",
              SLICE("{\"status\":{\"phase\":\"Training\",\"steps\":{\"hangAfterMilliseconds\":60000},\"time\":"
                    "{\"wallMilliseconds\":1000,\"availableMilliseconds\":900}}}"));
    buf_init(&out, 1 << 20);
    metrics_write(&f, &none, &own, &options, &out);
    rest = buf_slice(&out);
    while (slice_take_line(&rest, &line)) {
        const char *brace = slice_find_char(line, '{');
        if (line.data[0] == '#')
            continue;
        count++;
        if (brace == NULL || !slice_starts(slice_range(brace, line.data + line.size_bytes), "{cluster=\"prod\\\"1\""))
            harness_fail(__FILE__, __LINE__, "%.*s", SLICE_ARG(line));
    }
    CHECK(count > 30);
    fleet_done(&f);
}
