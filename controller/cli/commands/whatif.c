#include "cli/commands/whatif.h"

#include "base/duration.h"
#include "base/mem.h"
#include "cli/commands/fetch.h"
#include "cli/render/output.h"
#include "cli/render/pick.h"
#include "cli/render/print.h"
#include "cli/whatif/expect.h"
#include "cli/whatif/measure.h"
#include "cli/whatif/output.h"
#include "cli/whatif/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECOND_US 1e6

static bool is_given(const char *text) {
    return text != NULL;
}

static int take_duration(const char *option, const char *text, double *to_s, bool *is_set, struct error **err) {
    int64_t us;
    if (!is_given(text))
        return 0;
    if (!duration_parse(text, &us) || us <= 0)
        return error_set(err, EINVAL, "%s %s: write a duration, such as 45s, 10m or 1h30m", option, text);
    *to_s = (double)us / SECOND_US;
    *is_set = true;
    return 0;
}

static int take_number(const char *option, const char *text, double max, double *to, struct error **err) {
    struct slice rest = slice_of(text);
    if (!is_given(text))
        return 0;
    double value;
    if (!slice_take_double(&rest, &value) || rest.size_bytes != 0 || !(value >= 1 && value <= max))
        return error_set(err, EINVAL, "%s %s: write a number from 1 to %.0f", option, text, max);
    *to = value;
    return 0;
}

/* Given figures replace the measured ones. */
static int take_figures(const struct cli_whatif_options *o, struct figures *f, bool *is_set, struct error **err) {
    const struct {
        const char *option, *text;
        double *to;
    } durations[] = {
        {"--checkpoint-interval", o->checkpoint_interval, &f->interval_s},
        {"--save-time", o->save_time, &f->save_s},
        {"--persist-time", o->persist_time, &f->persist_lag_s},
        {"--reschedule-time", o->reschedule_time, &f->reschedule_s},
        {"--resume-time", o->resume_time, &f->resume_s},
        {"--step-time", o->step_time, &f->step_s},
    };
    for (size_t i = 0; i < ARRAY_SIZE(durations); i++)
        if (take_duration(durations[i].option, durations[i].text, durations[i].to, is_set, err) < 0)
            return -EINVAL;
    bool ignored, has_rate = !isnan(f->mtbf.mean_s); /* a rate for a job that has none yet changes nothing */
    if (take_duration("--mtbf", o->mtbf, &f->mtbf.mean_s, has_rate ? is_set : &ignored, err) < 0)
        return -EINVAL;
    if (o->mtbf)
        f->mtbf.low_s = f->mtbf.high_s = NAN;
    return take_number("--chips", o->chips, 1e7, &f->chips, err);
}

static int take_changes(const struct cli_whatif_options *o, struct figures_change *c, struct error **err) {
    double spares = 0;
    bool ignored;
    *c = (struct figures_change){.caches_compile = o->compile_cache};
    if (take_duration("--image-pull-time", o->image_pull_time, &c->image_pull_s, &ignored, err) < 0 ||
        take_number("--hot-spares", o->hot_spares, 1e7, &spares, err) < 0 ||
        take_duration("--swap-time", o->swap_time, &c->swap_s, &ignored, err) < 0 ||
        take_duration("--repair-time", o->repair_time, &c->repair_s, &ignored, err) < 0)
        return -EINVAL;
    c->spares = (int64_t)spares;
    if (is_given(o->hot_spares) != is_given(o->swap_time) || is_given(o->hot_spares) != is_given(o->repair_time))
        return error_set(err, EINVAL, "--hot-spares, --swap-time and --repair-time go together: give all three");
    return 0;
}

/* The remaining steps, if the total is known. */
static int take_rest(const struct cli_whatif_options *o, struct whatif *w, struct error **err) {
    double total = 0;
    if (take_number("--total-steps", o->total_steps, 1e12, &total, err) < 0)
        return -EINVAL;
    if (total == 0)
        return 0;
    if (total <= w->steps_done)
        return error_set(err, EINVAL, "--total-steps %s: the job has already done %.0f", o->total_steps, w->steps_done);
    if (isnan(w->then.step_s))
        return error_set(err, EINVAL, "--total-steps: the time of a step is not known: give --step-time");
    double step_s = o->step_time == NULL && w->mean_step_s > 0 ? w->mean_step_s : w->then.step_s;
    w->steps_left = total - w->steps_done;
    w->work_s = w->steps_left * step_s;
    return 0;
}

static int check_known(const struct whatif *w, struct error **err) {
    const struct figures *f = &w->then;
    const struct {
        double value;
        const char *option;
    } needed[] = {{f->interval_s, "--checkpoint-interval"},
                  {f->save_s, "--save-time"},
                  {f->resume_s, "--resume-time"},
                  {f->mtbf.mean_s, "--mtbf"}};
    CLEANUP_BUF struct buf missing;
    buf_init(&missing, 1024);
    for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
        if (isnan(needed[i].value))
            buf_format(&missing, "%s%s", missing.size_bytes > 0 ? ", " : "", needed[i].option);
    if (missing.size_bytes > 0)
        return error_set(err, EINVAL, "%s%s figures are not known%s: give %s%s", w->title ? w->title : "",
                         w->title ? ": some" : "some",
                         w->title && isnan(f->mtbf.mean_s) ? " (fewer than three failures give no rate)" : "",
                         buf_text(&missing), w->title ? "" : ", or the NAME of a JobGoodput");
    if (w->change.image_pull_s > 0 && isnan(f->image_pull_s))
        return error_set(err, EINVAL, "--image-pull-time: the status shows no image pull to compare with");
    if (w->change.caches_compile && isnan(f->compile_s))
        return error_set(err, EINVAL, "--compile-cache: no compilation was observed, so its effect is unknown");
    if (w->change.spares > 0 && isnan(f->reschedule_s))
        return error_set(err, EINVAL, "--hot-spares: the time to reschedule is not known: give --reschedule-time");
    return 0;
}

static int prepare(const struct cli_options *options, struct whatif *w, struct error **err) {
    const struct cli_whatif_options *o = &options->whatif;
    bool is_set = false;
    w->now = figures_unknown();
    if (options->name != NULL || options->file != NULL) {
        json_t *job = NULL;
        int r = fetch_goodput(options, &job, err);
        if (r < 0)
            return r;
        whatif_measure(job, w);
        json_decref(job);
    }
    w->then = w->now;
    if (take_figures(o, &w->then, &is_set, err) < 0 || take_changes(o, &w->change, err) < 0 ||
        check_known(w, err) < 0 || take_rest(o, w, err) < 0)
        return -EINVAL;
    if (isnan(w->now.mtbf.mean_s))
        w->now.mtbf.mean_s = w->then.mtbf.mean_s;
    figures_apply(&w->then, &w->change);
    bool changes = is_set || w->change.image_pull_s > 0 || w->change.caches_compile || w->change.spares > 0;
    w->has_now = w->title != NULL && !isnan(whatif_goodput(&w->now, w->now.interval_s));
    w->is_best = w->title != NULL && !changes;
    if (w->is_best)
        w->then.interval_s = whatif_best(&w->then);
    return 0;
}

int whatif_check(const struct cli_options *options, struct error **err) {
    struct figures figures = figures_unknown();
    struct figures_change change;
    bool is_set;
    double ignored;
    if (take_number("--total-steps", options->whatif.total_steps, 1e12, &ignored, err) < 0)
        return -EINVAL;
    return take_figures(&options->whatif, &figures, &is_set, err) < 0 ? -EINVAL
                                                                      : take_changes(&options->whatif, &change, err);
}

int whatif_command(const struct cli_options *options, struct error **err) {
    struct whatif w = {.measured_job = NAN, .measured_runtime = NAN};
    CLEANUP_BUF struct buf out, svg;
    buf_init(&out, 1 << 20);
    buf_init(&svg, 1 << 20);
    int r = prepare(options, &w, err);
    if (r == 0 && options->whatif.svg != NULL) {
        whatif_svg(&w, &svg);
        r = output_write_to(options->whatif.svg, &svg, err);
    }
    if (r == 0 && options->output != NULL) {
        json_t *value = whatif_json(&w);
        r = print_as(options->output, value, err);
        json_decref(value);
    } else if (r == 0 && (options->whatif.svg == NULL || strcmp(options->whatif.svg, "-") != 0)) {
        whatif_draw(&w, &options->style, &out);
        r = output_write(&out, err);
    }
    whatif_done(&w);
    return r;
}
