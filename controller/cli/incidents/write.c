#include "cli/incidents/write.h"

#include "base/mem.h"
#include "base/rfc3339.h"
#include "cli/render/pick.h"
#include "formulas/price.h"

#include <math.h>
#include <string.h>

enum column {
    FROM,
    TO,
    JOB,
    EXECUTION,
    CAUSE,
    CLASS,
    REASON,
    NODE,
    NODE_POOL,
    CHIPS,
    CHIP_HOURS,
    COST,
    CURRENCY,
    EVIDENCE,
    COLUMNS
};

static const struct {
    const char *title, *key, *path; /* path: of the execution; NULL: calculated */
    bool is_number;
} columns[COLUMNS] = {
    [FROM] = {"FROM", "from", NULL, false},
    [TO] = {"TO", "to", NULL, false},
    [JOB] = {"JOB", "job", NULL, false},
    [EXECUTION] = {"EXECUTION", "execution", NULL, true},
    [CAUSE] = {"CAUSE", "cause", "cause", false},
    [CLASS] = {"CLASS", "class", "rootCause.class", false},
    [REASON] = {"REASON", "reason", "rootCause.reason", false},
    [NODE] = {"NODE", "node", "node", false},
    [NODE_POOL] = {"NODE-POOL", "node_pool", "nodePool", false},
    [CHIPS] = {"CHIPS", "chips", NULL, true},
    [CHIP_HOURS] = {"CHIP-HOURS", "chip_hours", NULL, true},
    [COST] = {"COST", "cost", NULL, true},
    [CURRENCY] = {"CURRENCY", "currency", NULL, true}, /* right-aligned, next to its number */
    [EVIDENCE] = {"EVIDENCE", "evidence", NULL, false},
};

static const char *evidence_of(const json_t *execution) {
    const char *line = pick_text(execution, "rootCause.line");
    return *line ? line : pick_text(execution, "evidence");
}

static void put_time(struct buf *out, int64_t ms, bool is_machine) {
    char stamp[TEXT_DURATION_SIZE], text[RFC3339_SIZE];
    buf_append_text(out, is_machine ? rfc3339_format_ms(text, ms) : text_stamp(stamp, ms));
}

static void put_hours(struct buf *out, int64_t chip_seconds) {
    long long hundredths = (long long)(chip_seconds + 18) / 36;
    buf_format(out, "%lld.%02lld", hundredths / 100, hundredths % 100);
}

static void put_money(struct buf *out, int64_t cents) {
    char text[PRICE_TEXT_SIZE];
    buf_append_text(out, price_cents_format(text, cents));
}

static void put_chips(struct buf *out, double chips) {
    double tenths = round(chips * 10);
    if (!isnan(chips))
        buf_format(out, fmod(tenths, 10) == 0 ? "%.0f" : "%.1f", tenths / 10);
}

/* Nothing where it is not known. is_machine: times as RFC 3339. */
static void put_cell(struct buf *out, const struct incident *x, enum column c, bool is_machine) {
    buf_clear(out);
    if (c == FROM || c == TO)
        put_time(out, c == FROM ? x->from_ms : x->to_ms, is_machine);
    else if (c == JOB)
        buf_format(out, "%s/%s", pick_text(x->job, "metadata.namespace"), pick_text(x->job, "metadata.name"));
    else if (c == EXECUTION)
        buf_format(out, "%lld", (long long)pick_int(x->execution, "number", 0));
    else if (c == CHIPS)
        put_chips(out, x->chips);
    else if (c == CHIP_HOURS && x->chip_seconds >= 0)
        put_hours(out, x->chip_seconds);
    else if (c == COST && x->cost_cents >= 0)
        put_money(out, x->cost_cents);
    else if (c == CURRENCY && x->cost_cents >= 0)
        buf_append_text(out, pick_text(x->job, "status.cost.currency"));
    else if (c == EVIDENCE)
        buf_append_text(out, evidence_of(x->execution));
    else if (columns[c].path != NULL)
        buf_append_text(out, pick_text(x->execution, columns[c].path));
}

/* People see no column of costs where no job has a price. */
static bool is_shown(const struct incidents *n, enum column c) {
    return (c != COST && c != CURRENCY) || n->cost_count > 0;
}

/* ---- sentences ---- */

static void put_title(const struct incidents *n, struct buf *out) {
    char text[TEXT_DURATION_SIZE];
    buf_format(out, "Lost time of owner %s", n->query.owner);
    if (n->query.from_ms != INT64_MIN)
        buf_format(out, ", from %s", text_stamp(text, n->query.from_ms));
    if (n->query.to_ms != INT64_MAX)
        buf_format(out, " to %s", text_stamp(text, n->query.to_ms));
    buf_append_text(out, " (UTC)");
}

static void put_part(struct buf *out, const char *before, const struct incidents_part *part, const char *after) {
    char text[TEXT_DURATION_SIZE];
    buf_format(out, "%s%s (", before, text_duration_in(text, part->ms, 1000));
    put_hours(out, part->chip_seconds);
    buf_format(out, " chip-hours)%s", after);
}

static void put_sum(const struct incidents *n, struct buf *out) {
    size_t without = 0;
    for (size_t i = 0; i < n->count; i++)
        without += n->items[i].chip_seconds < 0;
    CLEANUP_FREE char *before = mem_format("Sum: %zu interval%s, ", n->count, n->count == 1 ? "" : "s");
    put_part(out, before, &n->inside, "");
    if (without > 0)
        buf_format(out, "; the chips of %zu are not known", without);
    for (int i = 0; i < n->cost_count; i++) {
        buf_append_text(out, i == 0 ? "; cost " : ", ");
        put_money(out, n->costs[i].cents);
        buf_format(out, " %s", n->costs[i].currency);
    }
}

/* The sum by class of the root cause, the classes in their order. */
static void put_classes(const struct incidents *n, struct buf *out) {
    const char *between = "By class of the root cause: ";
    for (int c = 0; c < CLASS_COUNT; c++) {
        if (n->classes[c].count == 0)
            continue;
        buf_append_text(out, between);
        CLEANUP_FREE char *name = mem_format("%s ", rootcause_class_name((enum rootcause_class)c));
        put_part(out, name, &n->classes[c], "");
        between = ", ";
    }
    buf_append_text(out, n->count > 0 ? "." : "");
}

/* What the sums of the statuses have, and where the rest of it is. */
static void put_rest(const struct incidents *n, struct buf *out) {
    CLEANUP_FREE char *older = mem_format(" in %lld older interruption%s that the status lists no longer",
                                          (long long)n->older.count, n->older.count == 1 ? "" : "s");
    put_part(out, "status.byOwner has ", &n->total, " since the start of the jobs: ");
    put_part(out, "", &n->inside, " in these intervals");
    if (n->outside.ms > 0)
        put_part(out, ", ", &n->outside, " of listed interruptions outside the window");
    if (n->older.ms > 0)
        put_part(out, ", ", &n->older, older);
    if (n->buckets.ms > 0)
        put_part(out, ", ", &n->buckets, " in buckets outside interruptions");
    buf_append_char(out, '.');
    if (n->jobs_without > 0)
        buf_format(out, " Not known: %zu of %zu jobs, whose status names no owners.", n->jobs_without, n->jobs);
}

static const char rule[] =
    "An interval is as long as the lost time of its interruption and ends when training resumed; it starts when the "
    "execution ended at the latest. Where the window cuts it, its chip-hours are cut in proportion.";

/* ---- formats ---- */

static void draw_line(const struct incidents *n, const struct incident *x, const int *widths, struct buf *out) {
    CLEANUP_BUF struct buf text;
    buf_init(&text, 65536);
    for (enum column c = FROM; c < EVIDENCE; c++) {
        if (!is_shown(n, c))
            continue;
        if (x != NULL)
            put_cell(&text, x, c, false);
        buf_append_text(out, c > FROM ? "  " : "");
        const char *shown = x == NULL ? columns[c].title : text.size_bytes > 0 ? buf_text(&text) : "-";
        text_cell(out, shown, widths[c], columns[c].is_number ? -1 : 1);
    }
    buf_append_char(out, '\n');
}

void incidents_table(const struct incidents *n, const struct text_style *style, struct buf *out) {
    int widths[EVIDENCE];
    CLEANUP_BUF struct buf text;
    buf_init(&text, 65536);
    for (enum column c = FROM; c < EVIDENCE; c++) {
        widths[c] = text_width(columns[c].title);
        for (size_t i = 0; i < n->count; i++) {
            put_cell(&text, &n->items[i], c, false);
            widths[c] = text_width(buf_text(&text)) > widths[c] ? text_width(buf_text(&text)) : widths[c];
        }
    }
    put_title(n, out);
    buf_append_text(out, "\n\n");
    if (n->count > 0)
        draw_line(n, NULL, widths, out);
    for (size_t i = 0; i < n->count; i++) {
        draw_line(n, &n->items[i], widths, out);
        if (*evidence_of(n->items[i].execution))
            text_wrap(out, style, 4, 0, evidence_of(n->items[i].execution));
    }
    buf_append_text(out, n->count > 0 ? "\n" : "");
    buf_clear(&text);
    put_sum(n, &text);
    text_wrap(out, style, 0, 2, buf_text(&text));
    buf_clear(&text);
    put_classes(n, &text);
    if (n->count > 0)
        text_wrap(out, style, 0, 2, buf_text(&text));
    text_wrap(out, style, 0, 2, rule);
    buf_clear(&text);
    put_rest(n, &text);
    text_wrap(out, style, 0, 2, buf_text(&text));
}

/* As RFC 4180 has it. A text that a spreadsheet would calculate gets an apostrophe: a log line may hold any. */
static void put_csv(struct buf *out, const char *text) {
    CLEANUP_BUF struct buf safe;
    buf_init(&safe, 65536);
    text_cell(&safe, text, 0, 0);
    const char *at = buf_text(&safe);
    bool is_formula = *at != '\0' && strchr("=+-@", *at) != NULL;
    bool is_quoted = is_formula || strpbrk(at, "\",") != NULL;
    buf_append_text(out, !is_quoted ? "" : is_formula ? "\"'" : "\"");
    for (; *at; at++) {
        if (*at == '"')
            buf_append_char(out, '"');
        buf_append_char(out, *at);
    }
    buf_append_text(out, is_quoted ? "\"" : "");
}

void incidents_csv(const struct incidents *n, struct buf *out) {
    CLEANUP_BUF struct buf text;
    buf_init(&text, 65536);
    for (enum column c = FROM; c < COLUMNS; c++)
        buf_format(out, "%s%s", columns[c].key, c + 1 < COLUMNS ? "," : "\r\n");
    for (size_t i = 0; i < n->count; i++)
        for (enum column c = FROM; c < COLUMNS; c++) {
            put_cell(&text, &n->items[i], c, true);
            put_csv(out, buf_text(&text));
            buf_append_text(out, c + 1 < COLUMNS ? "," : "\r\n");
        }
}

static void put_html(struct buf *out, const char *tag, const char *text) {
    CLEANUP_BUF struct buf safe;
    buf_init(&safe, 65536);
    text_cell(&safe, text, 0, 0);
    buf_format(out, "<%s>", tag);
    for (const char *at = buf_text(&safe); *at; at++)
        if (*at == '<' || *at == '>' || *at == '&')
            buf_format(out, "&#%d;", *at);
        else
            buf_append_char(out, *at);
    buf_format(out, "</%s>%s", tag, strcmp(tag, "p") == 0 ? "\n" : "");
}

void incidents_html(const struct incidents *n, struct buf *out) {
    CLEANUP_BUF struct buf text;
    buf_init(&text, 65536);
    buf_append_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                         "'unsafe-inline'\">\n"
                         "<style>body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}"
                         "th,td{border:1px solid #999;padding:.3em .5em;text-align:left;vertical-align:top}</style>\n");
    put_title(n, &text);
    put_html(out, "title", buf_text(&text));
    buf_append_text(out, "\n</head>\n<body>\n");
    put_html(out, "h1", buf_text(&text));
    buf_append_text(out, "\n<table>\n<tr>");
    for (enum column c = FROM; c < COLUMNS; c++)
        if (is_shown(n, c))
            put_html(out, "th", columns[c].title);
    for (size_t i = 0; i < n->count; i++) {
        buf_append_text(out, "</tr>\n<tr>");
        for (enum column c = FROM; c < COLUMNS; c++) {
            if (!is_shown(n, c))
                continue;
            put_cell(&text, &n->items[i], c, false);
            put_html(out, "td", text.size_bytes > 0 ? buf_text(&text) : "-");
        }
    }
    buf_append_text(out, "</tr>\n</table>\n");
    buf_clear(&text);
    put_sum(n, &text);
    put_html(out, "p", buf_text(&text));
    buf_clear(&text);
    put_classes(n, &text);
    if (n->count > 0)
        put_html(out, "p", buf_text(&text));
    put_html(out, "p", rule);
    buf_clear(&text);
    put_rest(n, &text);
    put_html(out, "p", buf_text(&text));
    buf_append_text(out, "</body>\n</html>\n");
}

static void set_text(json_t *object, const char *key, const char *text) {
    if (*text)
        json_object_set_new(object, key, json_string(text));
}

static void set_time(json_t *object, const char *key, int64_t ms) {
    char text[RFC3339_SIZE];
    if (ms != INT64_MIN && ms != INT64_MAX)
        set_text(object, key, rfc3339_format_ms(text, ms));
}

static void set_money(json_t *object, int64_t cents, const char *currency) {
    char text[PRICE_TEXT_SIZE];
    set_text(object, "cost", price_cents_format(text, cents));
    set_text(object, "currency", currency);
}

static json_t *incident_json(const struct incident *x) {
    json_t *o = json_object();
    set_time(o, "from", x->from_ms);
    set_time(o, "to", x->to_ms);
    json_object_set_new(o, "milliseconds", json_integer(x->to_ms - x->from_ms));
    json_object_set_new(o, "isCut", json_boolean(x->is_cut));
    set_text(o, "namespace", pick_text(x->job, "metadata.namespace"));
    set_text(o, "name", pick_text(x->job, "metadata.name"));
    json_object_set_new(o, "execution", json_integer(pick_int(x->execution, "number", 0)));
    set_text(o, "cause", pick_text(x->execution, "cause"));
    set_text(o, "class", pick_text(x->execution, "rootCause.class"));
    set_text(o, "reason", pick_text(x->execution, "rootCause.reason"));
    set_text(o, "node", pick_text(x->execution, "node"));
    set_text(o, "nodePool", pick_text(x->execution, "nodePool"));
    if (!isnan(x->chips))
        json_object_set_new(o, "chips", json_real(x->chips));
    if (x->chip_seconds >= 0)
        json_object_set_new(o, "chipSeconds", json_integer(x->chip_seconds));
    if (x->cost_cents >= 0)
        set_money(o, x->cost_cents, pick_text(x->job, "status.cost.currency"));
    set_text(o, "evidence", evidence_of(x->execution));
    return o;
}

static json_t *part_json(const struct incidents_part *p) {
    return json_pack("{s:I, s:I, s:I}", "interruptions", (json_int_t)p->count, "milliseconds", (json_int_t)p->ms,
                     "chipSeconds", (json_int_t)p->chip_seconds);
}

static json_t *classes_json(const struct incidents *n) {
    json_t *classes = json_array();
    for (int c = 0; c < CLASS_COUNT; c++) {
        if (n->classes[c].count == 0)
            continue;
        json_t *item = json_pack("{s:s, s:I, s:I, s:I}", "class", rootcause_class_name((enum rootcause_class)c),
                                 "intervals", (json_int_t)n->classes[c].count, "milliseconds",
                                 (json_int_t)n->classes[c].ms, "chipSeconds", (json_int_t)n->classes[c].chip_seconds);
        json_array_append_new(classes, item);
    }
    return classes;
}

json_t *incidents_json(const struct incidents *n) {
    const struct {
        const char *key;
        const struct incidents_part *part;
    } parts[] = {{"sum", &n->inside},
                 {"outsideIntervals", &n->outside},
                 {"olderInterruptions", &n->older},
                 {"buckets", &n->buckets},
                 {"byOwner", &n->total}};
    json_t *o = json_object(), *intervals = json_array();
    json_object_set_new(o, "owner", json_string(n->query.owner));
    set_time(o, "from", n->query.from_ms);
    set_time(o, "to", n->query.to_ms);
    for (size_t i = 0; i < n->count; i++)
        json_array_append_new(intervals, incident_json(&n->items[i]));
    json_object_set_new(o, "intervals", intervals);
    json_object_set_new(o, "byClass", classes_json(n));
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        json_object_set_new(o, parts[i].key, part_json(parts[i].part));
    json_t *costs = json_array();
    for (int i = 0; i < n->cost_count; i++) {
        json_t *cost = json_object();
        set_money(cost, n->costs[i].cents, n->costs[i].currency);
        json_array_append_new(costs, cost);
    }
    json_object_set_new(o, "costs", costs);
    json_object_set_new(o, "jobs", json_integer((json_int_t)n->jobs));
    json_object_set_new(o, "jobsWithoutOwners", json_integer((json_int_t)n->jobs_without));
    return o;
}
