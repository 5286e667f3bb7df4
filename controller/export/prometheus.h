/* prometheus: writes metrics in Prometheus' text format and in OpenMetrics 1.0. Samples may be added to the families of
 * a page in any order; the output keeps each family together, as both formats require. Where it is compressed, a page
 * is never held as text: each family is compressed while it grows. */
#ifndef EXPORT_PROMETHEUS_H
#define EXPORT_PROMETHEUS_H

#include "base/buf.h"
#include "base/gzip.h"
#include "base/histogram.h"

enum metric_type { METRIC_GAUGE, METRIC_COUNTER, METRIC_HISTOGRAM };

struct metric_family {
    const char *name; /* a counter's without "_total", which is added */
    enum metric_type type;
    const char *help; /* one line; the unit is in the name */
};

struct prometheus_page {
    const struct metric_family *families;
    struct buf *samples;     /* per family; with parts, those that are not compressed yet */
    struct gzip_part *parts; /* per family; NULL: the page is not compressed */
    struct slice common;     /* labels of each sample; borrowed; empty: none */
    int count;
};

#define PROMETHEUS_TEXT_TYPE "text/plain; version=0.0.4; charset=utf-8"
#define PROMETHEUS_OPENMETRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* families must outlive the page. */
void prometheus_init(struct prometheus_page *page, const struct metric_family *families, int count, bool is_gzip);
void prometheus_done(struct prometheus_page *page);

/* Appends a label to the caller's buf: `a="x",b="y"`. Values are escaped. */
void prometheus_label(struct buf *labels, const char *name, const char *value);
/* Adds one sample with value / 10^digits. extra: more labels (may be empty), after labels. */
void prometheus_sample(struct prometheus_page *page, int family, struct slice labels, struct slice extra, int64_t value,
                       int digits);
/* Adds all samples of a histogram: its cumulative buckets, its sum in seconds and its count. */
void prometheus_histogram(struct prometheus_page *page, int family, struct slice labels,
                          const struct histogram *histogram);

/* Once: it empties the page. Families without samples are left out. */
void prometheus_write(struct prometheus_page *page, bool is_openmetrics, struct buf *out);

/* Whether an Accept header asks for OpenMetrics: it names it with at least the quality of text/plain. */
bool prometheus_wants_openmetrics(struct slice accept);
/* Whether an Accept-Encoding header names gzip. */
bool prometheus_wants_gzip(struct slice accept_encoding);

#endif
