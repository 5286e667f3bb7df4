#include "export/prometheus.h"

#include "base/mem.h"

#include <string.h>

#define LE(us, seconds) "le=\"" seconds "\"",

enum { FAMILY_MAX_BYTES = 32 << 20, UNCOMPRESSED_MAX_BYTES = 32 << 10 };

void prometheus_init(struct prometheus_page *page, const struct metric_family *families, int count, bool is_gzip) {
    *page = (struct prometheus_page){.families = families, .count = count};
    page->samples = mem_alloc((size_t)count * sizeof *page->samples);
    page->parts = is_gzip ? mem_alloc((size_t)count * sizeof *page->parts) : NULL;
    for (int i = 0; i < count; i++) {
        buf_init(&page->samples[i], FAMILY_MAX_BYTES);
        if (is_gzip)
            gzip_part_init(&page->parts[i], FAMILY_MAX_BYTES);
    }
}

void prometheus_done(struct prometheus_page *page) {
    for (int i = 0; i < page->count; i++) {
        buf_done(&page->samples[i]);
        if (page->parts != NULL)
            gzip_part_done(&page->parts[i]);
    }
    free(page->samples);
    free(page->parts);
    *page = (struct prometheus_page){0};
}

/* Both formats escape only backslash, quote and line feed. */
void prometheus_label(struct buf *labels, const char *name, const char *value) {
    if (labels->size_bytes > 0)
        buf_append_char(labels, ',');
    buf_append_text(labels, name);
    buf_append_text(labels, "=\"");
    for (const char *p = value; *p != '\0'; p++) {
        size_t plain = strcspn(p, "\\\"\n");
        buf_append(labels, p, plain);
        p += plain;
        if (*p == '\0')
            break;
        buf_append_char(labels, '\\');
        buf_append_char(labels, *p == '\n' ? 'n' : *p);
    }
    buf_append_char(labels, '"');
}

enum { DECIMAL_SIZE = 24 };

/* value / 10^digits, written from its end; a whole number has no point. A page has hundreds of thousands of them. */
static struct slice decimal(char space[static DECIMAL_SIZE], int64_t value, int digits) {
    char *at = space + DECIMAL_SIZE; // cppcheck-suppress ctuPointerArith ; one past the end
    const char *end = at;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value, unit = 1;
    for (int i = 0; i < digits; i++)
        unit *= 10;
    if (rest % unit == 0) {
        rest /= unit;
        digits = 0;
    }
    for (; digits > 0; digits--, rest /= 10) {
        *--at = (char)('0' + rest % 10);
        if (digits == 1)
            *--at = '.';
    }
    do
        *--at = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (value < 0)
        *--at = '-';
    return slice_range(at, end);
}

static void append_head(const struct prometheus_page *page, int family, bool is_openmetrics, struct buf *out) {
    static const char *const types[] = {
        [METRIC_GAUGE] = "gauge", [METRIC_COUNTER] = "counter", [METRIC_HISTOGRAM] = "histogram"};
    const struct metric_family *f = &page->families[family];
    const char *suffix = f->type == METRIC_COUNTER && !is_openmetrics ? "_total" : "";
    buf_format(out, "# HELP %s%s %s\n# TYPE %s%s %s\n", f->name, suffix, f->help, f->name, suffix, types[f->type]);
}

static void append_sample(struct prometheus_page *page, int family, const char *suffix, struct slice labels,
                          struct slice extra, int64_t value, int digits) {
    struct buf *out = &page->samples[family];
    char space[DECIMAL_SIZE];
    buf_append_text(out, page->families[family].name);
    buf_append_text(out, suffix);
    const struct slice parts[] = {page->common, labels, extra};
    char before = '{';
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (parts[i].size_bytes > 0) {
            buf_append_char(out, before);
            buf_append_slice(out, parts[i]);
            before = ',';
        }
    if (before == ',')
        buf_append_char(out, '}');
    buf_append_char(out, ' ');
    buf_append_slice(out, decimal(space, value, digits));
    buf_append_char(out, '\n');
    if (page->parts != NULL && out->size_bytes >= UNCOMPRESSED_MAX_BYTES) {
        gzip_part_add(&page->parts[family], buf_slice(out));
        buf_clear(out);
    }
}

void prometheus_sample(struct prometheus_page *page, int family, struct slice labels, struct slice extra, int64_t value,
                       int digits) {
    const char *suffix = page->families[family].type == METRIC_COUNTER ? "_total" : "";
    append_sample(page, family, suffix, labels, extra, value, digits);
}

void prometheus_histogram(struct prometheus_page *page, int family, struct slice labels,
                          const struct histogram *histogram) {
    static const char *const bounds[] = {HISTOGRAM_BOUNDS(LE) "le=\"+Inf\""};
    int64_t count = 0;
    for (size_t i = 0; i < ARRAY_SIZE(bounds); i++) {
        count += histogram->counts[i];
        append_sample(page, family, "_bucket", labels, slice_of(bounds[i]), count, 0);
    }
    append_sample(page, family, "_sum", labels, slice_of(NULL), histogram->sum_us, 6);
    append_sample(page, family, "_count", labels, slice_of(NULL), count, 0);
}

static void write_families(struct prometheus_page *page, bool is_openmetrics, struct buf *out) {
    for (int i = 0; i < page->count; i++) {
        struct buf *samples = &page->samples[i];
        if (samples->size_bytes == 0)
            continue;
        append_head(page, i, is_openmetrics, out);
        buf_append_slice(out, buf_slice(samples));
        if (samples->truncated)
            out->truncated = true;
        buf_done(samples);
        buf_init(samples, FAMILY_MAX_BYTES);
    }
    if (is_openmetrics)
        buf_append_text(out, "# EOF\n");
}

/* A family that is still in its samples alone is small: it goes into the part before it. */
static void write_compressed(struct prometheus_page *page, bool is_openmetrics, struct buf *out) {
    struct gzip gzip;
    struct gzip_part between;
    CLEANUP_BUF struct buf head;
    buf_init(&head, UNCOMPRESSED_MAX_BYTES);
    gzip_part_init(&between, FAMILY_MAX_BYTES);
    gzip_begin(&gzip, out);
    for (int i = 0; i < page->count; i++) {
        bool is_large = page->parts[i].size_bytes > 0;
        if (!is_large && page->samples[i].size_bytes == 0)
            continue;
        buf_clear(&head);
        append_head(page, i, is_openmetrics, &head);
        gzip_part_add(&between, buf_slice(&head));
        if (is_large) {
            gzip_join(&gzip, &between);
            gzip_join(&gzip, &page->parts[i]);
        }
        gzip_part_add(&between, buf_slice(&page->samples[i]));
        buf_clear(&page->samples[i]);
    }
    if (is_openmetrics)
        gzip_part_add(&between, SLICE("# EOF\n"));
    gzip_join(&gzip, &between);
    gzip_part_done(&between);
    gzip_end(&gzip);
}

void prometheus_write(struct prometheus_page *page, bool is_openmetrics, struct buf *out) {
    if (page->parts != NULL)
        write_compressed(page, is_openmetrics, out);
    else
        write_families(page, is_openmetrics, out);
}

/* The q of one element of an Accept or Accept-Encoding header, in thousandths; 1000 if it has none. */
static int64_t quality(struct slice element) {
    const char *at = slice_find(element, "q=");
    int64_t thousandths;
    if (at == NULL)
        return 1000;
    struct slice rest = slice_range(at + 2, element.data + element.size_bytes);
    return slice_take_scaled(&rest, 3, &thousandths) ? thousandths : 0;
}

bool prometheus_wants_openmetrics(struct slice accept) {
    int64_t openmetrics = 0, text = 0;
    struct slice element;
    while (slice_take_item(&accept, ',', &element)) {
        element = slice_trim(element);
        int64_t *to = slice_starts(element, "application/openmetrics-text") ? &openmetrics
                      : slice_starts(element, "text/plain")                 ? &text
                                                                            : NULL;
        if (to != NULL && quality(element) > *to)
            *to = quality(element);
    }
    return openmetrics > 0 && openmetrics >= text;
}

bool prometheus_wants_gzip(struct slice accept_encoding) {
    struct slice element;
    while (slice_take_item(&accept_encoding, ',', &element)) {
        struct slice name;
        element = slice_trim(element);
        int64_t weight = quality(element);
        if (!slice_take_item(&element, ';', &name))
            continue;
        if (slice_is(slice_trim(name), "gzip"))
            return weight > 0;
    }
    return false;
}
