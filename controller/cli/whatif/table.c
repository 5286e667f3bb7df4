#include "cli/whatif/table.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_WIDTH = 24, VALUE_WIDTH = 13, CURVE_ROWS = 9, CURVE_MARGIN = 11 };
#define FLAT_POINTS 0.1

static const char *duration(char out[TEXT_DURATION_SIZE], double seconds) {
    if (isnan(seconds))
        return "-";
    if (isinf(seconds) || seconds > 1e10)
        return "never";
    return text_duration(out, (int64_t)(seconds * 1000 + 0.5));
}

static void draw_row(struct buf *out, const struct whatif *w, const char *label, const char *now, const char *then,
                     const char *note) {
    text_repeat(out, " ", 2);
    text_cell(out, label, LABEL_WIDTH, 1);
    if (w->has_now)
        text_cell(out, now, VALUE_WIDTH, -1);
    text_cell(out, then, VALUE_WIDTH, -1);
    buf_format(out, "%s%s\n", *note ? "  " : "", note);
}

static void draw_time(struct buf *out, const struct whatif *w, const char *label, double now_s, double then_s) {
    char now[TEXT_DURATION_SIZE], then[TEXT_DURATION_SIZE];
    bool differs = w->has_now && (isnan(now_s) ? !isnan(then_s) : now_s != then_s);
    draw_row(out, w, label, duration(now, now_s), duration(then, then_s), differs ? "<" : "");
}

static const char *percent(char out[32], double fraction) {
    if (isnan(fraction))
        return "-";
    snprintf(out, 32, "%.2f%%", 100 * fraction);
    return out;
}

static void draw_score(struct buf *out, const struct whatif *w, const char *label, double now, double then) {
    char a[32], b[32], gain[64] = "";
    if (w->has_now && !isnan(now) && !isnan(then))
        snprintf(gain, sizeof gain, "%+.2f points", 100 * (then - now));
    draw_row(out, w, label, percent(a, now), percent(b, then), gain);
}

static void draw_failures(struct buf *out, const struct whatif *w, const struct text_style *style) {
    char rate[TEXT_DURATION_SIZE + 20] = "too few for a rate", low[TEXT_DURATION_SIZE], high[TEXT_DURATION_SIZE],
                                   up[TEXT_DURATION_SIZE];
    const struct forecast_mtbf *m = &w->now.mtbf;
    if (w->title == NULL || isnan(m->low_s))
        return;
    if (w->failures >= FORECAST_MIN_FAILURES)
        snprintf(rate, sizeof rate, "one per %s", duration(high, m->mean_s));
    CLEANUP_FREE char *seen = mem_format("%lld failure%s in %s of available time", (long long)w->failures,
                                         w->failures == 1 ? "" : "s", duration(up, w->uptime_s));
    CLEANUP_FREE char *line =
        mem_format("%s: %s (90 %%: one per %s to %s).", seen, rate, duration(low, m->low_s), duration(high, m->high_s));
    text_wrap(out, style, 2, 0, line);
    if (w->is_first_start)
        text_wrap(out, style, 2, 0, "No failure has a measured time to resume yet: it is that of the first start.");
    if (isnan(w->then.persist_lag_s))
        text_wrap(
            out, style, 2, 0,
            "No line reports when a save is durable: assumes that it is when it stops blocking (--persist-time).");
}

static void draw_best(struct buf *out, const struct whatif *w, const struct text_style *style) {
    const struct figures *f = &w->then;
    struct forecast at = figures_forecast(f, f->interval_s, !isnan(f->reschedule_s));
    double best_s = forecast_best_s(&at), low_s, high_s;
    char best[TEXT_DURATION_SIZE], low[TEXT_DURATION_SIZE], high[TEXT_DURATION_SIZE], steps[64] = "";
    forecast_flat_zone(&at, FLAT_POINTS, &low_s, &high_s);
    if (f->step_s > 0)
        snprintf(steps, sizeof steps, " = %.0f steps", fmax(1, round(best_s / f->step_s)));
    CLEANUP_FREE char *line =
        mem_format("Best checkpoint interval: %s%s; anything from %s to %s is within 0.1 point of it.",
                   duration(best, best_s), steps, duration(low, low_s), duration(high, high_s));
    text_wrap(out, style, 2, 0, line);
    if (!forecast_is_first_order_valid(&at))
        text_wrap(out, style, 2, 0,
                  "The first-order formula does not hold here: it needs failures at least five times as rare as the "
                  "interval and the recovery together are long.");
    double gain = whatif_goodput(f, f->interval_s) - whatif_goodput(&w->now, w->now.interval_s);
    if (w->has_now && f->chips > 0 && fabs(gain) >= 0.0005) {
        CLEANUP_FREE char *hours = mem_format("%+.2f points of %.0f chips are %.1f chip-hours a day.", 100 * gain,
                                              f->chips, fabs(gain) * f->chips * 24);
        text_wrap(out, style, 2, 0, hours);
    }
}

/* ---- the curve ---- */

struct mark {
    double interval_s;
    const char *letter;
};

static void draw_axis(struct buf *out, int width, double from_s, double to_s) {
    char text[TEXT_DURATION_SIZE];
    const int ticks = width >= 60 ? 4 : 3;
    text_repeat(out, " ", CURVE_MARGIN);
    for (int i = 0, at = 0; i < ticks; i++) {
        int place = i * (width - 8) / (ticks - 1);
        duration(text, from_s * pow(to_s / from_s, (double)place / (width - 1)));
        text_repeat(out, " ", place - at);
        text_cell(out, text, 0, 0);
        at = place + text_width(text);
    }
    buf_append_char(out, '\n');
}

static void draw_curve(struct buf *out, const struct whatif *w, const struct text_style *style) {
    const struct figures *f = &w->then;
    double from_s, to_s, low = 1, high = 0;
    int width = (style->columns > 50 ? style->columns : 80) - CURVE_MARGIN - 2;
    width = width > 120 ? 120 : width;
    whatif_range(w, &from_s, &to_s);
    double step = log(to_s / from_s) / (width - 1);
    for (int i = 0; i < width; i++) {
        double g = whatif_goodput(f, from_s * exp(step * i));
        low = fmin(low, g);
        high = fmax(high, g);
    }
    const struct mark marks[] = {
        {whatif_best(f), "B"}, {w->has_now ? w->now.interval_s : NAN, "N"}, {w->is_best ? NAN : f->interval_s, "W"}};
    CLEANUP_FREE char *title = mem_format("\n  Expected %s goodput over the checkpoint interval (B best%s%s)\n",
                                          isnan(f->reschedule_s) ? "runtime" : "job", w->has_now ? ", N now" : "",
                                          w->is_best ? "" : ", W what if");
    buf_append_text(out, title);
    for (int row = 0; row < CURVE_ROWS; row++) {
        int drawn = 0;
        buf_format(out, "  %7.2f%% ", 100 * (high - (high - low) * row / (CURVE_ROWS - 1)));
        for (int i = 0; i < width; i++) {
            double g = whatif_goodput(f, from_s * exp(step * i));
            if ((int)lround((high - g) / (high - low) * (CURVE_ROWS - 1)) != row)
                continue;
            const char *glyph = style->is_utf8 ? "•" : ".";
            for (size_t k = 0; k < ARRAY_SIZE(marks); k++)
                if (!isnan(marks[k].interval_s) && lround(log(marks[k].interval_s / from_s) / step) == i)
                    glyph = marks[k].letter;
            text_repeat(out, " ", i - drawn);
            buf_append_text(out, glyph);
            drawn = i + 1;
        }
        buf_append_char(out, '\n');
    }
    draw_axis(out, width, from_s, to_s);
}

void whatif_draw(const struct whatif *w, const struct text_style *style, struct buf *out) {
    const struct figures *now = &w->now, *then = &w->then;
    struct figures_goodput a = figures_expect(now, now->interval_s), b = figures_expect(then, then->interval_s);
    struct forecast first_now = figures_forecast(now, now->interval_s, false);
    struct forecast first_then = figures_forecast(then, then->interval_s, false);
    if (w->title) {
        text_color(out, style, COLOR_BOLD);
        text_cell(out, w->title, 0, 0);
        text_color(out, style, COLOR_NONE);
        buf_append_char(out, '\n');
        draw_failures(out, w, style);
        buf_append_char(out, '\n');
    }
    if (w->has_now)
        draw_row(out, w, "", "now", w->is_best ? "at the best" : "what if", "");
    draw_time(out, w, "a checkpoint every", now->interval_s, then->interval_s);
    draw_time(out, w, "a save blocks", now->save_s, then->save_s);
    if (!isnan(then->persist_lag_s))
        draw_time(out, w, "and is durable after", now->persist_lag_s, then->persist_lag_s);
    draw_time(out, w, "a failure every", now->mtbf.mean_s, then->mtbf.mean_s);
    draw_time(out, w, "to reschedule", now->reschedule_s, then->reschedule_s);
    draw_time(out, w, "to resume", now->resume_s, then->resume_s);
    draw_score(out, w, "expected runtime goodput", a.runtime, b.runtime);
    draw_score(out, w, "  to first order", forecast_first_order(&first_now), forecast_first_order(&first_then));
    draw_score(out, w, "expected job goodput", a.job, b.job);
    if (w->work_s > 0) {
        struct whatif_finish x = whatif_finish(w, now), y = whatif_finish(w, then);
        draw_time(out, w, "for the steps left", x.mean_s, y.mean_s);
        draw_time(out, w, "  standard deviation", x.deviation_s, y.deviation_s);
    }
    if (!isnan(w->measured_job)) {
        char runtime[32], job[32];
        buf_format(out, "  measured so far: runtime %s, job %s with its waits for quota\n",
                   percent(runtime, w->measured_runtime), percent(job, w->measured_job));
    }
    buf_append_char(out, '\n');
    draw_best(out, w, style);
    draw_curve(out, w, style);
}
