#include "cli/commands/interval.h"

#include "archive/object.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "cli/arguments.h"
#include "cli/commands/interval_sums.h"
#include "cli/commands/job_lines.h"
#include "cli/render/output.h"
#include "cli/render/pick.h"
#include "cli/render/print.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TABLE_BYTES = 1 << 20, RANGE_SIZE = 2 * TEXT_DURATION_SIZE + 8, TIME_WIDTH = 16 };

/* ---- scores ---- */

static int64_t ppm(int64_t part, int64_t whole) { /* rounded as in a status */
    return whole > 0 ? (int64_t)(((__int128)part * 2000000 + whole) / ((__int128)whole * 2)) : 0;
}

struct score {
    const char *title, *key;
    struct interval_range ppm;
};

enum { SCORES = 3 };

/* The number of scores that are known. */
static size_t find_scores(const struct interval_sums *s, struct score out[static SCORES]) {
    int64_t wall_ms = interval_sums_wall_ms(s);
    const struct interval_range a = interval_sums_available(s), p = interval_sums_productive(s);
    int64_t highest = p.high == 0 ? 0 : p.high >= a.low ? 1000000 : ppm(p.high, a.low);
    out[0] = (struct score){"SCHEDULING", "scheduling", {ppm(a.low, wall_ms), ppm(a.high, wall_ms)}};
    out[1] = (struct score){"RUNTIME", "runtime", {ppm(p.low, a.high), highest}};
    out[2] = (struct score){"GOODPUT", "job", {ppm(p.low, wall_ms), ppm(p.high, wall_ms)}};
    if (s->has_steps && a.high == 0) { /* runtime is of available time */
        out[1] = out[2];
        return 2;
    }
    return s->has_steps ? SCORES : 1;
}

/* ---- drawing ---- */

static const char *put_percent(char out[RANGE_SIZE], struct interval_range ppm) {
    int n = snprintf(out, RANGE_SIZE, "%.2f%%", (double)ppm.low / 1e4);
    if (ppm.high != ppm.low)
        snprintf(out + n, RANGE_SIZE - (size_t)n, " to %.2f%%", (double)ppm.high / 1e4);
    return out;
}

static const char *put_duration(char out[RANGE_SIZE], struct interval_range ms) {
    char low[TEXT_DURATION_SIZE], high[TEXT_DURATION_SIZE];
    text_duration_in(low, ms.low, 1);
    text_duration_in(high, ms.high, 1);
    snprintf(out, RANGE_SIZE, ms.low == ms.high ? "%s" : "%s to %s", low, high);
    return out;
}

static void draw_rows(const struct interval_rows *rows, const char *title, const char *of, int64_t wall_ms,
                      struct buf *out) {
    char time[RANGE_SIZE], share[RANGE_SIZE];
    buf_append_char(out, '\n');
    text_cell(out, title, 24, 1);
    text_cell(out, of, 12, 1);
    text_cell(out, "TIME", TIME_WIDTH, -1);
    buf_append_text(out, "  SHARE\n");
    for (size_t i = 0; i < rows->count; i++) {
        const struct interval_row *row = &rows->items[i];
        const struct interval_range shares = {ppm(row->ms.low, wall_ms), ppm(row->ms.high, wall_ms)};
        put_duration(time, row->ms);
        text_cell(out, *row->name != '\0' ? row->name : "-", 23, 1);
        buf_append_char(out, ' ');
        text_cell(out, row->of, 11, 1);
        buf_append_char(out, ' ');
        text_cell(out, time, text_width(time) > TIME_WIDTH ? 0 : TIME_WIDTH, -1);
        buf_format(out, "  %s\n", put_percent(share, shares));
    }
}

static void draw_events(const struct interval_sums *s, struct buf *out) {
    char stamp[TEXT_DURATION_SIZE];
    const struct interval_range *n = &s->interruptions;
    buf_format(out, "\n%lld", (long long)n->low);
    if (n->high != n->low)
        buf_format(out, " to %lld", (long long)n->high);
    buf_format(out, " %s%s", n->high == 1 ? "interruption" : "interruptions", s->event_count > 0 ? ":\n" : "\n");
    for (size_t i = 0; i < s->event_count; i++) {
        const struct interval_event *e = &s->events[i];
        text_cell(out, text_stamp(stamp, e->at_ms), 19, 1);
        buf_append_text(out, "  ");
        text_cell(out, *e->cause != '\0' ? e->cause : "-", 20, 1);
        buf_append_text(out, "  ");
        text_cell(out, *e->owner != '\0' ? e->owner : "-", 9, 1);
        buf_append_text(out, "  ");
        text_cell(out, *e->node != '\0' ? e->node : "-", 0, 0);
        if (*e->evidence != '\0') {
            buf_append_text(out, "  ");
            text_cell(out, e->evidence, 0, 0);
        }
        buf_append_char(out, '\n');
    }
}

/* ---- the same in SQL ---- */

/* The files of DuckDB that have the job; NULL: its lines are in no file. */
static char *files_of(const struct cli_options *options, const struct job_lines *lines) {
    const json_t *job = job_lines_find(lines, "job");
    const struct archive_key key = {
        .name = pick_text(job, "name"), .uid = pick_text(job, "uid"), .target_uid = pick_text(job, "target")};
    char part[ARCHIVE_OBJECT_SIZE], prefix[ARCHIVE_OBJECT_SIZE];
    if (lines->is_ledger_file)
        return mem_strdup(options->name);
    if (options->ledger.archive == NULL)
        return NULL;
    archive_namespace_part(part, pick_text(job, "namespace"));
    archive_object_prefix(prefix, &key);
    CLEANUP_FREE char *cluster = archive_cluster_folder(options->ledger.archive, pick_text(job, "cluster"));
    return mem_format("%s/*/%s/%s*%s", cluster, part, prefix, ARCHIVE_SUFFIX);
}

/* A text of SQL, where it can be written between double quotes of a shell. */
static bool is_plain(const char *text) {
    return strpbrk(text, "'\"\\$`!\n") == NULL;
}

static void put_sql(const struct cli_options *options, const struct job_lines *lines, const struct interval_sums *s,
                    struct buf *out) {
    CLEANUP_FREE char *files = files_of(options, lines);
    char from[RFC3339_SIZE], to[RFC3339_SIZE];
    if (files == NULL || !is_plain(files))
        return;
    buf_format(out,
               "duckdb -c \"SET VARIABLE files = '%s'; SET VARIABLE from_time = '%s'; SET VARIABLE to_time = '%s'\" -c "
               "\".read deploy/sql/recompute.sql\" -c \".read deploy/sql/interval.sql\" -c \"FROM interval_goodput\" "
               "-c \"FROM interval_bucket\" -c \"FROM interval_loss\" -c \"FROM interval_interruption\"",
               files, rfc3339_format_ms(from, s->time.from_ms), rfc3339_format_ms(to, s->time.to_ms));
}

static void draw(const struct cli_options *options, const struct job_lines *lines, const struct interval_sums *s,
                 struct buf *out) {
    char from[TEXT_DURATION_SIZE], to[TEXT_DURATION_SIZE], percent[RANGE_SIZE], took[TEXT_DURATION_SIZE];
    struct score scores[SCORES];
    CLEANUP_BUF struct buf sql;
    int64_t wall_ms = interval_sums_wall_ms(s);
    size_t known = find_scores(s, scores);
    buf_init(&sql, TABLE_BYTES);
    text_cell(out, options->name, 0, 0);
    buf_format(out, ": %s to %s, %s\n", text_stamp(from, s->time.from_ms), text_stamp(to, s->time.to_ms),
               text_duration_in(took, wall_ms, 1));
    for (size_t i = 0; i < known; i++)
        buf_format(out, "%s%s %s", i > 0 ? "   " : "", scores[i].title, put_percent(percent, scores[i].ppm));
    buf_append_text(out, s->has_steps ? "\n" : "; no steps are known\n");
    draw_rows(&s->buckets, "BUCKET", "FAMILY", wall_ms, out);
    if (s->losses.count > 0)
        draw_rows(&s->losses, "LOST BY", "OWNER", wall_ms, out);
    draw_events(s, out);
    if (s->time.from_ms < s->time.complete_ms)
        text_wrap(out, &options->style, 0, 2,
                  "\"A to B\": of the time before the first span that is known there are only sums.");
    put_sql(options, lines, s, &sql);
    if (sql.size_bytes > 0)
        buf_format(out, "\nThe same: %s\n", buf_text(&sql));
}

/* ---- JSON ---- */

static json_t *range_json(struct interval_range x) {
    return json_pack("{s:I, s:I}", "low", (json_int_t)x.low, "high", (json_int_t)x.high);
}

static json_t *rows_json(const struct interval_rows *rows, const char *name, const char *of) {
    json_t *out = json_array();
    for (size_t i = 0; i < rows->count; i++) {
        const struct interval_row *row = &rows->items[i];
        json_array_append_new(
            out, json_pack("{s:s, s:s, s:o}", name, row->name, of, row->of, "milliseconds", range_json(row->ms)));
    }
    return out;
}

static json_t *events_json(const struct interval_sums *s) {
    json_t *out = json_array();
    char at[RFC3339_SIZE];
    for (size_t i = 0; i < s->event_count; i++) {
        const struct interval_event *e = &s->events[i];
        json_array_append_new(out, json_pack("{s:s, s:I, s:s, s:s, s:s, s:s}", "from", rfc3339_format_ms(at, e->at_ms),
                                             "interruption", (json_int_t)e->number, "cause", e->cause, "owner",
                                             e->owner, "node", e->node, "evidence", e->evidence));
    }
    return out;
}

static json_t *interval_json(const struct cli_options *options, const struct job_lines *lines,
                             const struct interval_sums *s) {
    char from[RFC3339_SIZE], to[RFC3339_SIZE];
    struct score scores[SCORES];
    CLEANUP_BUF struct buf sql;
    size_t known = find_scores(s, scores);
    json_t *goodput = json_object();
    buf_init(&sql, TABLE_BYTES);
    put_sql(options, lines, s, &sql);
    for (size_t i = 0; i < known; i++)
        json_object_set_new(goodput, scores[i].key, range_json(scores[i].ppm));
    return json_pack("{s:s, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:s}", "name", options->name, "from",
                     rfc3339_format_ms(from, s->time.from_ms), "to", rfc3339_format_ms(to, s->time.to_ms),
                     "wallMilliseconds", (json_int_t)interval_sums_wall_ms(s), "goodputPPM", goodput, "buckets",
                     rows_json(&s->buckets, "bucket", "family"), "lost", rows_json(&s->losses, "cause", "owner"),
                     "interruptions", range_json(s->interruptions), "listed", events_json(s), "sql", buf_text(&sql));
}

/* ---- the command ---- */

int interval_check(const struct cli_options *options, struct error **err) {
    int64_t from_ms, to_ms;
    return arguments_window(options->window.from, options->window.to, &from_ms, &to_ms, err);
}

int interval_command(const struct cli_options *options, struct error **err) {
    struct job_lines lines = {0};
    struct interval_sums sums = {0};
    CLEANUP_BUF struct buf out;
    int64_t from_ms, to_ms;
    buf_init(&out, TABLE_BYTES);
    int r = arguments_window(options->window.from, options->window.to, &from_ms, &to_ms, err);
    if (r == 0)
        r = job_lines_read(options, options->name, false, &lines, err);
    if (r == 0) {
        r = interval_sums_read(&lines, from_ms, to_ms, &sums, err);
        if (r < 0)
            error_wrap(err, -r, "%s", options->name);
    }
    if (r == 0 && options->output != NULL && strcmp(options->output, "table") != 0) {
        json_t *value = interval_json(options, &lines, &sums);
        r = print_as(options->output, value, err);
        json_decref(value);
    } else if (r == 0) {
        draw(options, &lines, &sums, &out);
        r = output_write(&out, err);
    }
    interval_sums_done(&sums);
    job_lines_done(&lines);
    return r;
}
