/* /metrics in gzip, as zlib's own reader unpacks it. */
#include "harness.h"

#include "base/mem.h"
#include "export/metrics.h"

#include <zlib.h>

static void gunzip(struct slice packed, struct buf *out) {
    z_stream z = {.next_in = (z_const Bytef *)(uintptr_t)packed.data, .avail_in = (uInt)packed.size_bytes};
    char space[4096];
    int r = inflateInit2(&z, 15 + 16);
    while (r == Z_OK) {
        z.next_out = (Bytef *)space;
        z.avail_out = sizeof space;
        r = inflate(&z, Z_NO_FLUSH);
        buf_append(out, space, sizeof space - z.avail_out);
    }
    CHECK_INT(r, Z_STREAM_END);
    CHECK_INT(z.avail_in, 0);
    inflateEnd(&z);
}

/* Without its lines about this process, which differ from one to the next. */
static void without_process(struct slice text, struct buf *out) {
    struct slice line;
    while (slice_take_line(&text, &line))
        if (!slice_starts(line, "process_"))
            buf_format(out, "%.*s\n", SLICE_ARG(line));
}

static const struct fleet none;

TEST(a_compressed_page_is_the_same_page) {
    enum { JOBS = 900, MAX_BYTES = 8 << 20 }; /* some families have more than is held uncompressed, most have not */
    struct fleet f;
    struct runtime_figures own = {.is_leading = true};
    fleet_init(&f);
    CLEANUP_FREE char *training = harness_read_file("tests/data/export/training.json", NULL);
    REQUIRE(training != NULL);
    for (int i = 0; i < JOBS; i++) {
        char name[32];
        snprintf(name, sizeof name, "job-%d", i);
        CHECK_INT(fleet_put(&f, "research", name, slice_of(training)), 0);
    }
    for (int kind = 0; kind < 4; kind++) {
        CLEANUP_BUF struct buf text, packed, again, expected, found;
        struct metrics_options options = {.is_openmetrics = kind & 1, .has_all_job_series = kind & 2};
        buf_init(&text, MAX_BYTES * 4);
        buf_init(&packed, MAX_BYTES);
        buf_init(&again, MAX_BYTES * 4);
        buf_init(&expected, MAX_BYTES * 4);
        buf_init(&found, MAX_BYTES * 4);
        metrics_write(&f, &none, &own, &options, &text);
        options.is_gzip = true;
        metrics_write(&f, &none, &own, &options, &packed);
        CHECK(packed.size_bytes < text.size_bytes / 8);
        gunzip(buf_slice(&packed), &again);
        without_process(buf_slice(&text), &expected);
        without_process(buf_slice(&again), &found);
        CHECK(!text.truncated && !packed.truncated && !again.truncated);
        CHECK(slice_equal(buf_slice(&expected), buf_slice(&found)));
    }
    fleet_done(&f);
}
