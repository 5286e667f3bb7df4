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

enum { TABLE_BYTES = 1 << 20 };

/* ---- drawing ---- */

static void draw_events(const struct interval_sums *s, struct buf *out) {
    char stamp[TEXT_DURATION_SIZE];
    interval_interruptions_draw(s->interruptions, out);
    buf_append_text(out, s->event_count > 0 ? ":\n" : "\n");
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
    char from[TEXT_DURATION_SIZE], to[TEXT_DURATION_SIZE], took[TEXT_DURATION_SIZE];
    CLEANUP_BUF struct buf sql;
    const struct interval_scores scores = interval_sums_scores(s);
    buf_init(&sql, TABLE_BYTES);
    text_cell(out, options->name, 0, 0);
    buf_format(out, ": %s to %s, %s\n", text_stamp(from, s->time.from_ms), text_stamp(to, s->time.to_ms),
               text_duration_in(took, scores.wall_ms, 1));
    interval_scores_draw(&scores, out);
    interval_rows_draw(&s->buckets, "BUCKET", "FAMILY", scores.wall_ms, out);
    if (s->losses.count > 0)
        interval_rows_draw(&s->losses, "LOST BY", "OWNER", scores.wall_ms, out);
    draw_events(s, out);
    if (s->time.from_ms < s->time.complete_ms)
        text_wrap(out, &options->style, 0, 2,
                  "\"A to B\": of the time before the first span that is known there are only sums.");
    put_sql(options, lines, s, &sql);
    if (sql.size_bytes > 0)
        buf_format(out, "\nThe same: %s\n", buf_text(&sql));
}

/* ---- JSON ---- */

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
    CLEANUP_BUF struct buf sql;
    const struct interval_scores scores = interval_sums_scores(s);
    buf_init(&sql, TABLE_BYTES);
    put_sql(options, lines, s, &sql);
    return json_pack("{s:s, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:s}", "name", options->name, "from",
                     rfc3339_format_ms(from, s->time.from_ms), "to", rfc3339_format_ms(to, s->time.to_ms),
                     "wallMilliseconds", (json_int_t)scores.wall_ms, "goodputPPM", interval_scores_json(&scores),
                     "buckets", interval_rows_json(&s->buckets, "bucket", "family"), "lost",
                     interval_rows_json(&s->losses, "cause", "owner"), "interruptions",
                     interval_range_json(s->interruptions), "listed", events_json(s), "sql", buf_text(&sql));
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
