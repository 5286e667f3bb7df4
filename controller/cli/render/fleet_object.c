/* fleet NAME: one FleetGoodput from its status: scores, the waterfall, groups, losses and their costs. */
#include "cli/render/fleet_object.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "cli/render/pick.h"

#include <stdio.h>
#include <string.h>

enum {
    NAME_WIDTH = 24,
    GROUP_WIDTH = 12,
    JOBS_WIDTH = 6,
    NUMBER_WIDTH = 10,
    SHARE_WIDTH = 8,
    COST_WIDTH = 12,
    BAR_WIDTH = 24
};

static void draw_hours(struct buf *out, const json_t *of, const char *key) {
    char text[32] = "-";
    if (pick_has(of, key))
        snprintf(text, sizeof text, "%.1f", (double)pick_int(of, key, 0) / 3600);
    text_cell(out, text, NUMBER_WIDTH, -1);
}

static void draw_text(struct buf *out, const char *text, int width) {
    text_cell(out, *text ? text : "-", width, -1);
}

static void draw_line(struct buf *out, const struct text_style *style, char *owned) {
    text_wrap(out, style, 0, 2, owned);
    free(owned);
}

static void draw_head(const json_t *fleet, const struct text_style *style, struct buf *out) {
    const json_t *status = pick(fleet, "status");
    char from[TEXT_DURATION_SIZE], to[TEXT_DURATION_SIZE];
    size_t i;
    json_t *item;
    draw_line(out, style, mem_format("%s (FleetGoodput)", pick_text(fleet, "metadata.name")));
    if (pick_has(status, "window.from"))
        draw_line(out, style,
                  mem_format("window %s: %s to %s UTC", pick_text(status, "window.name"),
                             text_stamp(from, pick_time_ms(status, "window.from")),
                             text_stamp(to, pick_time_ms(status, "window.to"))));
    json_array_foreach(pick(status, "conditions"), i, item) {
        bool is_ready = strcmp(pick_text(item, "type"), "Ready") == 0;
        if (is_ready || strcmp(pick_text(item, "status"), "True") == 0)
            draw_line(out, style,
                      mem_format("%s %s, %s: %s", pick_text(item, "type"), pick_text(item, "status"),
                                 pick_text(item, "reason"), pick_text(item, "message")));
    }
}

static void draw_scores(const json_t *status, const struct text_style *style, struct buf *out) {
    static const char *const names[] = {"scheduling",   "runtime",       "job",     "program",
                                        "productivity", "allScheduling", "evidence"};
    CLEANUP_BUF struct buf line;
    buf_init(&line, 1024);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char path[64];
        snprintf(path, sizeof path, "goodput.%s", names[i]);
        if (pick_has(status, path))
            buf_format(&line, "%s%s %s", line.size_bytes > 0 ? ", " : "goodput: ", names[i], pick_text(status, path));
        snprintf(path, sizeof path, "goodput.%sUpperBound", names[i]);
        if (pick_has(status, path))
            buf_format(&line, " to %s", pick_text(status, path));
    }
    if (pick_has(status, "chipSeconds.unobserved"))
        buf_format(&line, " (%.1f chip-hours unobserved)",
                   (double)pick_int(status, "chipSeconds.unobserved", 0) / 3600);
    if (line.size_bytes > 0)
        text_wrap(out, style, 0, 2, buf_text(&line));
}

/* Draws totals as full bars and each loss at its place. */
static void draw_waterfall(const json_t *status, const struct text_style *style, struct buf *out) {
    const json_t *steps = pick(status, "waterfall");
    int64_t whole = max_of(1, pick_int(json_array_get(steps, 0), "chipSeconds", 0)), level = whole;
    size_t i;
    json_t *item;
    if (json_array_size(steps) > 0)
        buf_append_text(out, "\nWhere the chip-hours went\n");
    json_array_foreach(steps, i, item) {
        bool is_total = json_is_true(pick(item, "total"));
        int64_t chip_s = pick_int(item, "chipSeconds", 0), from = is_total ? 0 : level - chip_s;
        level = is_total ? chip_s : level - chip_s;
        int begins = (int)min_of(BAR_WIDTH, max_of(0, from) * BAR_WIDTH / whole);
        int ends = (int)min_of(BAR_WIDTH, max_of(0, from + chip_s) * BAR_WIDTH / whole);
        text_repeat(out, " ", is_total ? 2 : 4);
        text_cell(out, pick_text(item, "name"), NAME_WIDTH - (is_total ? 0 : 2), 1);
        draw_hours(out, item, "chipSeconds");
        draw_text(out, pick_text(item, "share"), SHARE_WIDTH);
        if (ends > begins) {
            text_repeat(out, " ", 2 + begins);
            text_repeat(out, style->is_utf8 ? (is_total ? "█" : "▒") : (is_total ? "#" : "="), ends - begins);
        }
        buf_append_char(out, '\n');
    }
}

struct group_column {
    const char *title, *path; /* below the group */
    int width;
    bool is_hours, is_number, is_cost;
    int dispensable; /* 0: always shown; else columns that do not fit are dropped, the smallest first */
};
static const struct group_column group_columns[] = {
    {.title = "JOBS", .path = "jobs", .width = JOBS_WIDTH, .is_number = true},
    {.title = "CHIP-H", .path = "askedChipSeconds", .width = NUMBER_WIDTH, .is_hours = true},
    {.title = "SCHED-ALL", .path = "goodput.allScheduling", .width = NUMBER_WIDTH, .dispensable = 1},
    {.title = "KNOWN", .path = "goodput.evidence", .width = SHARE_WIDTH, .dispensable = 4},
    {.title = "SCHED", .path = "goodput.scheduling", .width = SHARE_WIDTH},
    {.title = "RUNTIME", .path = "goodput.runtime", .width = SHARE_WIDTH},
    {.title = "GOODPUT", .path = "goodput.job", .width = SHARE_WIDTH},
    {.title = "PROGRAM", .path = "goodput.program", .width = SHARE_WIDTH, .dispensable = 3},
    {.title = "MPG", .path = "goodput.productivity", .width = SHARE_WIDTH},
    {.title = "COST", .path = "cost", .width = COST_WIDTH, .is_cost = true, .dispensable = 2},
    {.title = "LOST", .path = "costLost", .width = COST_WIDTH, .is_cost = true},
};
enum { DISPENSABLE = 4 };

static int groups_width(bool has_cost, int dropped) {
    int width = 2 + GROUP_WIDTH;
    for (size_t c = 0; c < ARRAY_SIZE(group_columns); c++) {
        bool is_dropped = group_columns[c].dispensable > 0 && group_columns[c].dispensable <= dropped;
        width += is_dropped || (group_columns[c].is_cost && !has_cost) ? 0 : group_columns[c].width;
    }
    return width;
}

static void draw_cell(const json_t *group, const struct group_column *c, struct buf *out) {
    char number[32] = "";
    if (c->is_hours) {
        draw_hours(out, group, c->path);
        return;
    }
    if (c->is_number && pick_has(group, c->path))
        snprintf(number, sizeof number, "%lld", (long long)pick_int(group, c->path, 0));
    char upper[64];
    snprintf(upper, sizeof upper, "%sUpperBound", c->path);
    const char *score = pick_text(group, c->path);
    CLEANUP_FREE char *lower = mem_format("%.*s%%+", (int)strcspn(score, ".") + 2, score);
    draw_text(out, c->is_number ? number : pick_has(group, upper) ? lower : score, c->width);
}

static void draw_groups(const json_t *status, bool has_cost, const struct text_style *style, struct buf *out) {
    const json_t *groups = pick(status, "groups");
    int dropped = 0;
    while (dropped < DISPENSABLE && style->columns > 0 && groups_width(has_cost, dropped) > style->columns)
        dropped++;
    for (size_t row = 0; row <= json_array_size(groups) && json_array_size(groups) > 0; row++) {
        const json_t *group = row > 0 ? json_array_get(groups, row - 1) : NULL;
        buf_append_text(out, row == 0 ? "\n  " : "  ");
        text_cell(out, group ? pick_text(group, "name") : "GROUP", GROUP_WIDTH, 1);
        for (size_t k = 0; k < ARRAY_SIZE(group_columns); k++) {
            const struct group_column *c = &group_columns[k];
            if ((c->dispensable > 0 && c->dispensable <= dropped) || (c->is_cost && !has_cost))
                continue;
            if (group != NULL)
                draw_cell(group, c, out);
            else
                text_cell(out, c->title, c->width, -1);
        }
        buf_append_char(out, '\n');
    }
}

/* The columns that all lists of lost time have: name, chip-hours, share or count, cost. */
static void draw_lost(const json_t *item, const char *name, const char *share, bool has_cost, struct buf *out) {
    buf_append_text(out, "  ");
    text_cell(out, name, NAME_WIDTH, 1);
    draw_hours(out, item, "chipSeconds");
    draw_text(out, share, SHARE_WIDTH);
    if (has_cost)
        draw_text(out, pick_text(item, "cost"), COST_WIDTH);
}

static void draw_losses(const json_t *status, bool has_cost, const struct text_style *style, struct buf *out) {
    int left = style->columns - NAME_WIDTH - NUMBER_WIDTH - SHARE_WIDTH - (has_cost ? COST_WIDTH : 0) - 4;
    const json_t *losses = pick(status, "topLosses");
    size_t i;
    json_t *item;
    if (json_array_size(losses) > 0)
        buf_append_text(out, "\nLost most to, in chip-hours asked for; the job that lost the most to each\n");
    json_array_foreach(losses, i, item) {
        draw_lost(item, pick_text(item, "bucket"), pick_text(item, "share"), has_cost, out);
        buf_append_text(out, "  ");
        text_cell(out, pick_text(json_array_get(pick(item, "jobs"), 0), "name"), left > 0 ? left : 0, 0);
        buf_append_char(out, '\n');
    }
}

static void draw_owners(const json_t *status, bool has_cost, struct buf *out) {
    const json_t *owners = pick(status, "byOwner"), *item, *class;
    size_t i, k;
    if (json_array_size(owners) > 0)
        buf_append_text(out, "\nWho owns the lost chip-hours, of those allocated\n");
    json_array_foreach(owners, i, item) {
        long long count = (long long)pick_int(item, "interruptions", 0);
        draw_lost(item, pick_text(item, "owner"), pick_text(item, "share"), has_cost, out);
        if (count > 0)
            buf_format(out, "  %lld interruption%s", count, count == 1 ? "" : "s");
        buf_append_char(out, '\n');
        json_array_foreach(pick(item, "byClass"), k, class) {
            CLEANUP_FREE char *name = mem_format("  %s", pick_text(class, "class"));
            draw_lost(class, name, "", has_cost, out);
            buf_append_char(out, '\n');
        }
    }
}

/* "Root causes: GPUHardware 3, Unknown 1", and the nodes that are to blame. */
static void draw_root_causes(const json_t *interruptions, const struct text_style *style, struct buf *out) {
    size_t i;
    json_t *item;
    CLEANUP_BUF struct buf line;
    buf_init(&line, 8192);
    json_array_foreach(pick(interruptions, "byClass"), i, item)
        buf_format(&line, "%s%s %lld", i == 0 ? "Root causes: " : ", ", pick_text(item, "class"),
                   (long long)pick_int(item, "count", 0));
    if (line.size_bytes > 0)
        text_wrap(out, style, 0, 2, buf_text(&line));
    json_array_foreach(pick(interruptions, "byNode"), i, item) {
        const char *pool = pick_text(item, "nodePool");
        char when[TEXT_DURATION_SIZE];
        draw_line(out, style,
                  mem_format("Node %s%s%s: %lldx %s (owner %s), the last at %s; %.2f chip-hours at risk",
                             pick_text(item, "node"), *pool ? " of pool " : "", pool,
                             (long long)pick_int(item, "count", 0), pick_text(item, "class"), pick_text(item, "owner"),
                             text_stamp(when, pick_time_ms(item, "lastTime")),
                             (double)pick_int(item, "chipSeconds", 0) / 3600));
    }
    if (pick_has(interruptions, "otherNodes"))
        draw_line(out, style,
                  mem_format("Other nodes: %lld failures; %.2f chip-hours at risk",
                             (long long)pick_int(interruptions, "otherNodes.count", 0),
                             (double)pick_int(interruptions, "otherNodes.chipSeconds", 0) / 3600));
}

static void draw_interruptions(const json_t *status, bool has_cost, const struct text_style *style, struct buf *out) {
    const json_t *x = pick(status, "interruptions");
    const char *rate = pick_text(x, "per1000NodeDays");
    size_t i;
    json_t *item;
    if (x == NULL)
        return;
    buf_append_char(out, '\n');
    draw_line(out, style,
              mem_format("Interruptions: %lld, of these %lld that the jobs' owners or Kueue did not decide on%s%s%s",
                         (long long)pick_int(x, "total", 0), (long long)pick_int(x, "failures", 0), *rate ? "; " : "",
                         rate, *rate ? " per 1,000 node-days" : ""));
    json_array_foreach(pick(x, "byCause"), i, item) {
        char count[32];
        snprintf(count, sizeof count, "%lldx", (long long)pick_int(item, "count", 0));
        draw_lost(item, pick_text(item, "cause"), count, has_cost, out);
        buf_append_char(out, '\n');
    }
    draw_root_causes(x, style, out);
    json_array_foreach(pick(status, "nodePools"), i, item) {
        char mean[TEXT_DURATION_SIZE] = "";
        int64_t mean_s = pick_int(item, "meanTimeBetweenFailuresSeconds", -1);
        draw_line(out, style,
                  mem_format("Node pool %s: %lld failures%s%s", pick_text(item, "name"),
                             (long long)pick_int(item, "failures", 0), mean_s >= 0 ? ", one per node in " : "",
                             mean_s >= 0 ? text_duration(mean, mean_s * 1000) : ""));
    }
}

static void draw_suspects(const json_t *status, const struct text_style *style, struct buf *out) {
    size_t i;
    json_t *item;
    json_array_foreach(pick(status, "suspectNodes"), i, item) {
        const char *pool = pick_text(item, "nodePool");
        int64_t hundredths = (pick_int(item, "chipSeconds", 0) + 18) / 36;
        draw_line(
            out, style,
            mem_format("Suspect node %s%s%s: %lld of %lld failures on %lld nodes, at least %s times as often as the "
                       "rest; %lld.%02lld chip-hours at risk",
                       pick_text(item, "name"), *pool ? " of pool " : "", pool,
                       (long long)pick_int(item, "failures", 0), (long long)pick_int(item, "poolFailures", 0),
                       (long long)pick_int(item, "poolNodes", 0), pick_text(item, "rateRatioAtLeast"),
                       (long long)(hundredths / 100), (long long)(hundredths % 100)));
    }
}

void fleet_object_draw(const json_t *fleet, const struct text_style *style, struct buf *out) {
    const json_t *status = pick(fleet, "status");
    const char *currency = pick_text(status, "cost.currency");
    draw_head(fleet, style, out);
    if (!pick_has(status, "window.from")) {
        buf_append_text(out, "not rolled up yet\n");
        return;
    }
    draw_scores(status, style, out);
    if (*currency) {
        const char *priced = pick_text(status, "cost.pricedShare");
        draw_line(out, style,
                  mem_format("cost in %s: %s, of these %s lost%s%s%s", currency, pick_text(status, "cost.allocated"),
                             pick_has(status, "cost.lost") ? pick_text(status, "cost.lost") : "not known to be",
                             *priced ? " (" : "", priced, *priced ? " of the chip-hours have a price)" : ""));
    }
    draw_waterfall(status, style, out);
    draw_groups(status, *currency != '\0', style, out);
    draw_losses(status, *currency != '\0', style, out);
    draw_owners(status, *currency != '\0', out);
    draw_interruptions(status, *currency != '\0', style, out);
    draw_suspects(status, style, out);
}
