#include "cli/whatif/output.h"

#include "base/mem.h"
#include "cli/render/text.h"

#include <math.h>
#include <string.h>

static void set_real(json_t *object, const char *key, double value) {
    if (isfinite(value))
        json_object_set_new(object, key, json_real(value));
}

static json_t *figures_json(const struct whatif *w, const struct figures *f) {
    json_t *o = json_object();
    struct figures_goodput g = figures_expect(f, f->interval_s);
    struct forecast first = figures_forecast(f, f->interval_s, false);
    set_real(o, "checkpointIntervalSeconds", f->interval_s);
    set_real(o, "saveSeconds", f->save_s);
    set_real(o, "persistSeconds", f->persist_lag_s);
    set_real(o, "rescheduleSeconds", f->reschedule_s);
    set_real(o, "resumeSeconds", f->resume_s);
    set_real(o, "mtbfSeconds", f->mtbf.mean_s);
    set_real(o, "mtbfLowSeconds", f->mtbf.low_s);
    set_real(o, "mtbfHighSeconds", f->mtbf.high_s);
    set_real(o, "expectedRuntimeGoodput", g.runtime);
    set_real(o, "expectedJobGoodput", g.job);
    set_real(o, "firstOrderRuntimeGoodput", forecast_first_order(&first));
    struct whatif_finish finish = whatif_finish(w, f);
    set_real(o, "finishSeconds", finish.mean_s);
    set_real(o, "finishDeviationSeconds", finish.deviation_s);
    json_object_set_new(o, "firstOrderHolds", json_boolean(forecast_is_first_order_valid(&first)));
    return o;
}

json_t *whatif_json(const struct whatif *w) {
    json_t *o = json_object(), *best = json_object();
    const struct figures *f = &w->then;
    struct forecast at = figures_forecast(f, f->interval_s, !isnan(f->reschedule_s));
    double best_s = forecast_best_s(&at), low_s, high_s;
    forecast_flat_zone(&at, 0.1, &low_s, &high_s);
    if (w->title)
        json_object_set_new(o, "name", json_string(w->title));
    if (w->has_now)
        json_object_set_new(o, "now", figures_json(w, &w->now));
    json_object_set_new(o, "whatIf", figures_json(w, f));
    if (w->work_s > 0)
        set_real(o, "stepsLeft", w->steps_left);
    set_real(best, "checkpointIntervalSeconds", best_s);
    set_real(best, "steps", f->step_s > 0 ? fmax(1, round(best_s / f->step_s)) : NAN);
    set_real(best, "expectedGoodput", whatif_goodput(f, best_s));
    set_real(best, "withinTenthOfAPointFromSeconds", low_s);
    set_real(best, "withinTenthOfAPointToSeconds", high_s);
    json_object_set_new(o, "best", best);
    return o;
}

enum { WIDTH = 720, HEIGHT = 360, LEFT = 70, RIGHT = 20, TOP = 40, BOTTOM = 50, POINTS = 200 };

struct plot {
    double from_s, to_s, low, high;
};

static double plot_x(const struct plot *p, double at_s) {
    return (double)LEFT + (WIDTH - LEFT - RIGHT) * log(at_s / p->from_s) / log(p->to_s / p->from_s);
}

static double plot_y(const struct plot *p, double goodput) {
    return (double)TOP + (HEIGHT - TOP - BOTTOM) * (p->high - goodput) / (p->high - p->low);
}

static void svg_mark(struct buf *out, const struct plot *p, const struct figures *f, double at_s, const char *label) {
    double x = plot_x(p, at_s), y = plot_y(p, whatif_goodput(f, at_s));
    buf_format(
        out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
        x, y, x, y - 12, label);
}

static void svg_axes(struct buf *out, const struct plot *p) {
    char text[TEXT_DURATION_SIZE];
    for (int i = 0; i <= 4; i++) {
        double goodput = p->low + (p->high - p->low) * i / 4, y = plot_y(p, goodput);
        buf_format(
            out,
            "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.1f%%</text>\n",
            LEFT, y, WIDTH - RIGHT, LEFT - 8, y + 4, 100 * goodput);
    }
    for (int i = 0; i <= 4; i++) {
        double at_s = p->from_s * pow(p->to_s / p->from_s, i / 4.0);
        buf_format(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", plot_x(p, at_s),
                   HEIGHT - BOTTOM + 22, text_duration(text, (int64_t)(at_s * 1000 + 0.5)));
    }
}

void whatif_svg(const struct whatif *w, struct buf *out) {
    const struct figures *f = &w->then;
    struct plot p = {.low = 1, .high = 0};
    whatif_range(w, &p.from_s, &p.to_s);
    double step = log(p.to_s / p.from_s) / (double)POINTS;
    for (int i = 0; i <= POINTS; i++) {
        double g = whatif_goodput(f, p.from_s * exp(step * i));
        p.low = fmin(p.low, g);
        p.high = fmax(p.high, g);
    }
    buf_format(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n"
        "<title>Expected %s goodput over the checkpoint interval</title>\n"
        "<style>text{font:13px system-ui,sans-serif;fill:#444}.grid{stroke:#8884}.curve{fill:none;stroke:#0072b2;"
        "stroke-width:2.5}circle{fill:#d55e00}@media(prefers-color-scheme:dark){text{fill:#ccc}}</style>\n"
        "<text x=\"%d\" y=\"20\">Expected %s goodput over the checkpoint interval</text>\n",
        WIDTH, HEIGHT, isnan(f->reschedule_s) ? "runtime" : "job", LEFT, isnan(f->reschedule_s) ? "runtime" : "job");
    svg_axes(out, &p);
    buf_append_text(out, "<path class=\"curve\" d=\"");
    for (int i = 0; i <= POINTS; i++) {
        double at_s = p.from_s * exp(step * i);
        buf_format(out, "%c%.1f %.1f", i == 0 ? 'M' : 'L', plot_x(&p, at_s), plot_y(&p, whatif_goodput(f, at_s)));
    }
    buf_append_text(out, "\"/>\n");
    svg_mark(out, &p, f, whatif_best(f), "best");
    if (w->has_now)
        svg_mark(out, &p, &w->then, w->now.interval_s, "now");
    if (!w->is_best)
        svg_mark(out, &p, f, f->interval_s, "what if");
    buf_append_text(out, "</svg>\n");
}
