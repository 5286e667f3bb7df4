#include "cli/commands/run.h"

#include "base/mem.h"
#include "base/rfc3339.h"
#include "cli/commands/run_targets.h"
#include "cli/render/output.h"
#include "cli/render/pick.h"
#include "cli/render/print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_BYTES = 1 << 20 };

/* ---- the targets as one ---- */

struct run {
    const struct run_members *of;
    struct interval_rows buckets, losses;
    struct interval_scores scores;
    struct interval_range interruptions, lost; /* lost: productive time that later targets did again */
    int64_t start_ms, through_ms, gap_ms, overlap_ms;
};

static void add_target(struct run *r, size_t i) {
    const struct interval_sums *s = &r->of->items[i]->sums;
    const struct interval_scores scores = interval_sums_scores(s);
    const struct interval_range lost = run_lost(r->of->targets, r->of->count, i);
    int64_t overlap_ms, gap_ms = run_gap_ms(r->of->targets, i, &overlap_ms);
    for (size_t k = 0; k < s->buckets.count; k++) {
        struct interval_row row = s->buckets.items[k];
        if (strcmp(row.name, "Productive") == 0)
            row.ms = (struct interval_range){row.ms.low - lost.high, row.ms.high - lost.low};
        interval_rows_add(&r->buckets, row.name, row.of, row.ms);
    }
    for (size_t k = 0; k < s->losses.count; k++)
        interval_rows_add(&r->losses, s->losses.items[k].name, s->losses.items[k].of, s->losses.items[k].ms);
    interval_rows_add(&r->buckets, "WastedProgress", "Runtime", lost);
    interval_rows_add(&r->losses, "(done again)", "Tenant", lost);
    interval_rows_add(&r->buckets, "NotSubmitted", "Scheduling", (struct interval_range){gap_ms, gap_ms});
    interval_rows_add(&r->losses, "", "Tenant", (struct interval_range){gap_ms, gap_ms});
    r->scores.wall_ms += scores.wall_ms + gap_ms;
    r->scores.available.low += scores.available.low;
    r->scores.available.high += scores.available.high;
    r->scores.productive.low += scores.productive.low - lost.high;
    r->scores.productive.high += scores.productive.high - lost.low;
    r->scores.has_steps |= scores.has_steps;
    r->interruptions.low += s->interruptions.low;
    r->interruptions.high += s->interruptions.high;
    r->lost.low += lost.low;
    r->lost.high += lost.high;
    r->gap_ms += gap_ms;
    r->overlap_ms += overlap_ms;
    r->start_ms = i == 0 ? s->time.start_ms : r->start_ms;
    r->through_ms = i == 0 || s->through_ms > r->through_ms ? s->through_ms : r->through_ms;
}

/* ---- drawing ---- */

static void put_steps(const struct run_member *m, char out[48]) {
    if (m->first_step == RUN_NO_STEP)
        snprintf(out, 48, "-");
    else
        snprintf(out, 48, "%lld-%lld", (long long)m->first_step, (long long)m->last_step);
}

static void draw_target(const struct run *r, size_t i, struct buf *out) {
    const struct run_member *m = r->of->items[i];
    const struct interval_range lost = run_lost(r->of->targets, r->of->count, i);
    char stamp[TEXT_DURATION_SIZE], took[TEXT_DURATION_SIZE], gap[TEXT_DURATION_SIZE], steps[48];
    char again[INTERVAL_TEXT_SIZE];
    int64_t overlap_ms, gap_ms = run_gap_ms(r->of->targets, i, &overlap_ms);
    put_steps(m, steps);
    text_cell(out, m->name, 24, 1);
    buf_append_text(out, "  ");
    text_cell(out, text_stamp(stamp, m->sums.time.start_ms), 19, 1);
    buf_append_text(out, "  ");
    text_cell(out, text_duration_in(took, m->sums.through_ms - m->sums.time.start_ms, 1000), 14, -1);
    buf_append_text(out, "  ");
    text_cell(out, *m->phase != '\0' ? m->phase : "-", 10, 1);
    buf_append_text(out, "  ");
    text_cell(out, steps, 17, 1);
    buf_append_text(out, "  ");
    text_cell(out, gap_ms > 0 ? text_duration_in(gap, gap_ms, 1000) : "-", 14, -1);
    buf_append_text(out, "  ");
    text_cell(out, lost.high > 0 ? interval_duration(again, lost) : "-", 0, 0);
    buf_append_char(out, '\n');
}

static void draw(const struct run *r, const struct cli_options *options, struct buf *out) {
    char from[TEXT_DURATION_SIZE], to[TEXT_DURATION_SIZE], took[TEXT_DURATION_SIZE], text[INTERVAL_TEXT_SIZE];
    const struct run_member *first = r->of->items[0];
    text_cell(out, first->namespace_, 0, 0);
    buf_append_char(out, '/');
    text_cell(out, options->name, 0, 0);
    buf_format(out, ": %s to %s, %zu %s\n", text_stamp(from, r->start_ms), text_stamp(to, r->through_ms), r->of->count,
               r->of->count == 1 ? "target" : "targets");
    interval_scores_draw(&r->scores, out);
    CLEANUP_FREE char *rule =
        mem_format("GOODPUT: steps that no target did again, of %s, which is the time of the targets and the time "
                   "between them.",
                   text_duration_in(took, r->scores.wall_ms, 1000));
    text_wrap(out, &options->style, 0, 2, rule);
    if (r->of->number > 1)
        buf_format(out, "Run %lld of this name: before it a target succeeded.\n", (long long)r->of->number);
    if (r->overlap_ms > 0)
        buf_format(out, "Targets overlap for %s, which counts for each of them.\n",
                   text_duration_in(text, r->overlap_ms, 1000));
    buf_append_text(out, "\nTARGET                    STARTED                        TIME  PHASE       STEPS           "
                         "    NOT-SUBMITTED  DONE AGAIN LATER\n");
    for (size_t i = 0; i < r->of->count; i++)
        draw_target(r, i, out);
    interval_rows_draw(&r->buckets, "BUCKET", "FAMILY", r->scores.wall_ms, out);
    if (r->losses.count > 0)
        interval_rows_draw(&r->losses, "LOST BY", "OWNER", r->scores.wall_ms, out);
    interval_interruptions_draw(r->interruptions, out);
    buf_append_text(out, " within targets\n");
    if (options->ledger.archive != NULL)
        buf_format(out,
                   "\nMore: duckdb -c \"SET VARIABLE archive = '%s'\" -c \".read deploy/sql/duckdb.sql\" -c \".read "
                   "deploy/sql/tables.sql\" -c \".read deploy/sql/views.sql\" -c \"FROM runs\"\n",
                   options->ledger.archive);
}

/* ---- JSON ---- */

static json_t *target_json(const struct run *r, size_t i) {
    const struct run_member *m = r->of->items[i];
    char from[RFC3339_SIZE], to[RFC3339_SIZE];
    int64_t overlap_ms, gap_ms = run_gap_ms(r->of->targets, i, &overlap_ms);
    json_t *out = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:o}", "name", m->name, "uid", m->uid, "target", m->target,
                            "from", rfc3339_format_ms(from, m->sums.time.start_ms), "to",
                            rfc3339_format_ms(to, m->sums.through_ms), "notSubmittedMilliseconds", (json_int_t)gap_ms,
                            "lostMilliseconds", interval_range_json(run_lost(r->of->targets, r->of->count, i)));
    if (*m->phase != '\0')
        json_object_set_new(out, "phase", json_string(m->phase));
    if (m->first_step != RUN_NO_STEP) {
        json_object_set_new(out, "firstStep", json_integer(m->first_step));
        json_object_set_new(out, "lastStep", json_integer(m->last_step));
    }
    return out;
}

static json_t *run_json(const struct run *r, const char *name) {
    const struct run_member *first = r->of->items[0];
    char from[RFC3339_SIZE], to[RFC3339_SIZE];
    json_t *targets = json_array();
    for (size_t i = 0; i < r->of->count; i++)
        json_array_append_new(targets, target_json(r, i));
    return json_pack("{s:s, s:s, s:s, s:I, s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "run", name,
                     "cluster", first->cluster, "namespace", first->namespace_, "number", (json_int_t)r->of->number,
                     "from", rfc3339_format_ms(from, r->start_ms), "to", rfc3339_format_ms(to, r->through_ms),
                     "wallMilliseconds", (json_int_t)r->scores.wall_ms, "notSubmittedMilliseconds",
                     (json_int_t)r->gap_ms, "overlapMilliseconds", (json_int_t)r->overlap_ms, "goodputPPM",
                     interval_scores_json(&r->scores), "lostMilliseconds", interval_range_json(r->lost),
                     "interruptions", interval_range_json(r->interruptions), "targets", targets, "buckets",
                     interval_rows_json(&r->buckets, "bucket", "family"), "lost",
                     interval_rows_json(&r->losses, "cause", "owner"));
}

int run_command(const struct cli_options *options, struct error **err) {
    struct run_members members = {0};
    struct run run = {.of = &members};
    CLEANUP_BUF struct buf out;
    buf_init(&out, TABLE_BYTES);
    int r = run_members_read(options, options->name, &members, err);
    if (r < 0)
        return r;
    for (size_t i = 0; i < members.count; i++)
        add_target(&run, i);
    interval_rows_sort(&run.buckets);
    interval_rows_sort(&run.losses);
    if (options->output != NULL && strcmp(options->output, "table") != 0) {
        json_t *value = run_json(&run, options->name);
        r = print_as(options->output, value, err);
        json_decref(value);
    } else {
        draw(&run, options, &out);
        r = output_write(&out, err);
    }
    free(run.buckets.items);
    free(run.losses.items);
    run_members_done(&members);
    return r;
}
