/* The cost of one scrape of /metrics with 10,000 JobGoodputs; the promise is 100 ms and 10 MB. */
#include "export/metrics.h"
#include "base/file.h"
#include "base/mem.h"
#include "cpu_time.h"

#define PROMISED_MS 100.0
#define PROMISED_MB 10.0
enum { JOBS = 10000, ROUNDS = 11, PAGE_MAX_BYTES = 128 << 20 };

/* Of this process: the machine has other work. */
static int by_value(const void *a, const void *b) {
    return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b;
}

static int lines_of_jobs(struct slice text) {
    struct slice line;
    int count = 0;
    while (slice_take_line(&text, &line))
        count += slice_starts(line, "goodput_job_");
    return count;
}

static void print_scrape(const struct fleet *fleet, bool has_all_job_series, bool is_gzip) {
    static const struct fleet none;
    const struct runtime_figures own = {.is_leading = true};
    const struct metrics_options options = {INT64_C(1795232000000), false, has_all_job_series, is_gzip};
    CLEANUP_BUF struct buf out;
    double took[ROUNDS];
    buf_init(&out, PAGE_MAX_BYTES);
    for (int i = 0; i < ROUNDS; i++) {
        buf_clear(&out);
        double started_ms = cpu_time_ms();
        metrics_write(fleet, &none, &own, &options, &out);
        took[i] = cpu_time_ms() - started_ms;
    }
    qsort(took, ROUNDS, sizeof *took, by_value);
    printf("  %-12s %-9s", has_all_job_series ? "all series" : "the default", is_gzip ? "in gzip:" : "as text:");
    if (!is_gzip) {
        int series = lines_of_jobs(buf_slice(&out));
        printf(" %7d series of jobs (%.1f a job),", series, (double)series / JOBS);
    }
    printf(" %5.1f MB (promised %.0f), %6.1f ms of CPU (median of %d, %.1f to %.1f; promised %.0f)\n",
           (double)out.size_bytes / 1e6, PROMISED_MB, took[ROUNDS / 2], ROUNDS, took[0], took[ROUNDS - 1], PROMISED_MS);
}

int main(void) {
    CLEANUP_FREE char *text = NULL;
    struct error *err = NULL;
    struct fleet fleet;
    if (file_read("tests/data/export/training.json", 1 << 20, &text, &err) < 0) {
        fprintf(stderr, "%s: run this in the source's folder\n", error_text(err));
        error_free(err);
        return 1;
    }
    fleet_init(&fleet);
    for (int i = 0; i < JOBS; i++) {
        char name[32];
        snprintf(name, sizeof name, "llama3-70b-%05d", i);
        fleet_put(&fleet, "research", name, slice_of(text));
    }
    printf("%d JobGoodputs of %zu bytes each:\n", JOBS, fleet_object(fleet.first).size_bytes);
    for (int kind = 0; kind < 4; kind++)
        print_scrape(&fleet, kind & 2, kind & 1);
    fleet_done(&fleet);
    return 0;
}
