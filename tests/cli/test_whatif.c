/* whatif: what is wrong is said before anything is fetched; the numbers alone give the published ones; the picture. */
#include "harness.h"
#include "run.h"

#include "base/mem.h"
#include "cli/commands/options.h"
#include "cli/commands/whatif.h"
#include "cli/render/pick.h"
#include "cli/render/text.h"
#include "cli/whatif/expect.h"
#include "cli/whatif/output.h"
#include "cli/whatif/table.h"

#include <math.h>
#include <stdlib.h>

static const char *refusal(const struct cli_whatif_options *given) {
    static char text[256];
    struct cli_options options = {.command = "whatif", .whatif = *given};
    struct error *err = NULL;
    int r = whatif_check(&options, &err);
    snprintf(text, sizeof text, "%s", r < 0 ? error_text(err) : "");
    error_free(err);
    return text;
}

TEST(whatif_refuses_a_wrong_duration) {
    CHECK_TEXT(refusal(&(struct cli_whatif_options){.mtbf = "often"}),
               "--mtbf often: write a duration, such as 45s, 10m or 1h30m");
    CHECK_TEXT(refusal(&(struct cli_whatif_options){.save_time = "-5s"}),
               "--save-time -5s: write a duration, such as 45s, 10m or 1h30m");
    CHECK_TEXT(refusal(&(struct cli_whatif_options){.hot_spares = "0"}),
               "--hot-spares 0: write a number from 1 to 10000000");
    CHECK_TEXT(refusal(&(struct cli_whatif_options){.swap_time = "5s"}),
               "--hot-spares, --swap-time and --repair-time go together: give all three");
    CHECK_TEXT(refusal(&(struct cli_whatif_options){.hot_spares = "2", .repair_time = "4h"}),
               "--hot-spares, --swap-time and --repair-time go together: give all three");
    CHECK_TEXT(refusal(&(struct cli_whatif_options){.hot_spares = "2", .swap_time = "1m", .repair_time = "4h"}), "");
}

static struct whatif daly(void) {
    struct whatif w = {.measured_job = NAN, .measured_runtime = NAN, .now = figures_unknown()};
    w.then = w.now;
    w.then.interval_s = 3600;
    w.then.save_s = 300;
    w.then.resume_s = 600;
    w.then.mtbf.mean_s = 6 * 3600;
    return w;
}

/* facts of test_forecast.c: I 60, w 5, u 10, M 360 minutes. */
TEST(whatif_of_published_numbers) {
    struct whatif w = daly();
    json_t *o = whatif_json(&w), *then = json_object_get(o, "whatIf"), *best = json_object_get(o, "best");
    CHECK_INT(llround(json_real_value(json_object_get(then, "expectedRuntimeGoodput")) * 1e4), 8192);
    CHECK_INT(llround(json_real_value(json_object_get(then, "firstOrderRuntimeGoodput")) * 1e4), 8205);
    CHECK_INT(llround(json_real_value(json_object_get(best, "checkpointIntervalSeconds")) / 60 * 100), 5671);
    CHECK(json_object_get(o, "now") == NULL);
    CHECK(json_object_get(then, "expectedJobGoodput") == NULL); /* not known is left out */
    CHECK(json_object_get(best, "steps") == NULL);
    json_decref(o);
}

/* As forecast_finish (test_forecast.c holds it to a simulation): a week's worth of steps of 2 s at 81.92 %. */
TEST(whatif_prints_the_time_to_finish) {
    struct whatif w = daly();
    CLEANUP_BUF struct buf out;
    struct text_style style = {.columns = 80};
    buf_init(&out, 1 << 20);
    w.steps_left = 302400;
    w.work_s = 604800;
    json_t *o = whatif_json(&w), *then = json_object_get(o, "whatIf");
    double mean_s = json_real_value(json_object_get(then, "finishSeconds"));
    double deviation_s = json_real_value(json_object_get(then, "finishDeviationSeconds"));
    double runtime = json_real_value(json_object_get(then, "expectedRuntimeGoodput"));
    CHECK(fabs(mean_s - 604800 / runtime) < 0.001 * mean_s);
    CHECK(deviation_s > 0 && deviation_s < mean_s / 5);
    whatif_draw(&w, &style, &out);
    CHECK(strstr(buf_text(&out), "for the steps left") != NULL);
    CHECK(strstr(buf_text(&out), "standard deviation") != NULL);
    json_decref(o);
    w.work_s = 0; /* the number is not given */
    o = whatif_json(&w);
    CHECK(json_object_get(json_object_get(o, "whatIf"), "finishSeconds") == NULL);
    json_decref(o);
    CHECK_TEXT(refusal(&(struct cli_whatif_options){.total_steps = "many"}),
               "--total-steps many: write a number from 1 to 1000000000000");
}

TEST(whatif_draws_a_picture_inside_its_frame) {
    struct whatif w = daly();
    CLEANUP_BUF struct buf svg;
    buf_init(&svg, 1 << 20);
    whatif_svg(&w, &svg);
    CHECK(strncmp(buf_text(&svg), "<svg ", 5) == 0 && strstr(buf_text(&svg), "</svg>\n") != NULL);
    CHECK(strstr(buf_text(&svg), "nan") == NULL && strstr(buf_text(&svg), "inf") == NULL);
    const char *curve = strstr(buf_text(&svg), "class=\"curve\" d=\"M");
    REQUIRE(curve != NULL);
    curve += strlen("class=\"curve\" d=\"M");
    int points = 0;
    for (double x, y; sscanf(curve, "%lf %lf", &x, &y) == 2; points++) {
        CHECK(x >= 0 && x <= 720 && y >= 0 && y <= 360);
        curve += strcspn(curve, "L\"");
        if (*curve++ != 'L')
            break;
    }
    CHECK(points >= 200);
}

/* ---- the whole command ---- */

/* Of a job of tests/data/cli, a list ("a.json") of its name and changes. */
static struct run whatif_of(const char *name, const char *options) {
    CLEANUP_FREE char *path = mem_format("tests/data/cli/%s.json", name);
    CLEANUP_FREE char *job = harness_read_file(path, NULL), *line = mem_format("whatif -f a.json %s", options);
    run_write_file("a.json", job ? job : "", job ? strlen(job) : 0);
    return run_command(line, "-o json");
}

static double number_of(const json_t *o, const char *path) {
    const json_t *value = pick(o, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

#define DALY "--checkpoint-interval 1h --save-time 5m --resume-time 10m --mtbf 6h"
#define SPARES " --hot-spares 2 --swap-time 1m --repair-time 24h"

/* training.json: 12 saves in 30.05 s, 6,068 productive seconds, 132 s to reschedule and 142 s to resume after its node
 * failure; over its 3 starts 202.9 s of compilation and 61 s of image pulls; steps of 2.412 s on average, 4,804 done.
 */
TEST(whatif_changes_one_figure_of_a_measured_job) {
    const struct {
        const char *options;
        double interval_s, save_s, reschedule_s, resume_s, mtbf_s, steps_left;
    } cases[] = {
        {"--mtbf 6h --save-time 1s", 6068 / 12.0, 1, 132, 142, 21600, NAN},
        {"--mtbf 6h --checkpoint-interval 10m", 600, 30.05 / 12, 132, 142, 21600, NAN},
        {"--mtbf 12h --resume-time 1m --reschedule-time 30s", 6068 / 12.0, 30.05 / 12, 30, 60, 43200, NAN},
        {"--mtbf 6h --compile-cache", 6068 / 12.0, 30.05 / 12, 132, 142 - 202.9 / 3, 21600, NAN},
        {"--mtbf 6h --image-pull-time 10s", 6068 / 12.0, 30.05 / 12, 132, 142 - (61 / 3.0 - 10), 21600, NAN},
        /* A spare replaces a node for 24 h, a node fails every 6 h: one is free with probability e^-4 (1 + 4). */
        {"--mtbf 6h" SPARES, 6068 / 12.0, 30.05 / 12, 132 - 72 * 5 * exp(-4), 142, 21600, NAN},
        {"--mtbf 6h --save-time 1s --total-steps 10000", 6068 / 12.0, 1, 132, 142, 21600, 5196},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct run run = whatif_of("training", cases[i].options);
        json_t *o = json_loads(run.out ? run.out : "", 0, NULL);
        const struct {
            const char *path;
            double expected;
        } numbers[] = {{"whatIf.checkpointIntervalSeconds", cases[i].interval_s},
                       {"whatIf.saveSeconds", cases[i].save_s},
                       {"whatIf.rescheduleSeconds", cases[i].reschedule_s},
                       {"whatIf.resumeSeconds", cases[i].resume_s},
                       {"whatIf.mtbfSeconds", cases[i].mtbf_s},
                       {"stepsLeft", cases[i].steps_left},
                       /* the job as it is */
                       {"now.checkpointIntervalSeconds", 6068 / 12.0},
                       {"now.saveSeconds", 30.05 / 12},
                       {"now.rescheduleSeconds", 132},
                       {"now.resumeSeconds", 142}};
        CHECK_INT(run.code, 0);
        for (size_t k = 0; k < ARRAY_SIZE(numbers); k++) {
            double value = number_of(o, numbers[k].path), expected = numbers[k].expected;
            if (isnan(expected) ? !isnan(value) : !(fabs(value - expected) < 1e-9 * expected))
                harness_fail(__FILE__, __LINE__, "%s: %s is %.12g, expected %.12g", cases[i].options, numbers[k].path,
                             value, expected);
        }
        double rest_s = number_of(o, "whatIf.finishSeconds") * number_of(o, "whatIf.expectedJobGoodput");
        CHECK(isnan(cases[i].steps_left) ? isnan(rest_s) : fabs(rest_s - 5196 * 2.412) < 0.001 * rest_s);
        json_decref(o);
        run_done(&run);
    }
}

/* Without a change it answers with the best interval: sqrt(2 x save x MTBF) and no other is better. */
TEST(whatif_without_a_change_finds_the_best_interval) {
    struct run run = whatif_of("training", "--mtbf 6h"), given = whatif_of("training", "--mtbf 6h --step-time 2400ms");
    json_t *o = json_loads(run.out ? run.out : "", 0, NULL), *changed = json_loads(given.out ? given.out : "", 0, NULL);
    double best_s = number_of(o, "best.checkpointIntervalSeconds");
    CHECK(best_s > 0 && best_s == number_of(o, "whatIf.checkpointIntervalSeconds"));
    CHECK(fabs(best_s - sqrt(2 * 30.05 / 12 * 21600)) < 0.01 * best_s);
    CHECK(number_of(o, "whatIf.expectedJobGoodput") > number_of(o, "now.expectedJobGoodput"));
    CHECK(number_of(changed, "whatIf.checkpointIntervalSeconds") == number_of(o, "now.checkpointIntervalSeconds"));
    json_decref(o);
    json_decref(changed);
    run_done(&run);
    run_done(&given);
}

TEST(whatif_names_the_figures_that_are_missing) {
    static const struct {
        const char *job, *options, *error; /* job NULL: from given figures */
    } cases[] = {
        {NULL, "",
         "some figures are not known: give --checkpoint-interval, --save-time, --resume-time, --mtbf, or the NAME of a "
         "JobGoodput"},
        {NULL, "--save-time 5m --mtbf 6h --resume-time 1m",
         "some figures are not known: give --checkpoint-interval, or the NAME of a JobGoodput"},
        {NULL, "--save-time 5m --mtbf 6h --checkpoint-interval 1h",
         "some figures are not known: give --resume-time, or the NAME of a JobGoodput"},
        {"training", "",
         "research/llama3-70b: some figures are not known (fewer than three failures give no rate): give --mtbf"},
        {"no-status", "--mtbf 6h",
         "team-b/fresh: some figures are not known: give --checkpoint-interval, --save-time, --resume-time"},
        {NULL, DALY " --image-pull-time 3s", "--image-pull-time: the status shows no image pull to compare with"},
        {NULL, DALY " --compile-cache", "--compile-cache: no compilation was observed, so its effect is unknown"},
        {NULL, DALY SPARES, "--hot-spares: the time to reschedule is not known: give --reschedule-time"},
        {NULL, DALY " --total-steps 9", "--total-steps: the time of a step is not known: give --step-time"},
        {"training", "--mtbf 6h --total-steps 4804", "--total-steps 4804: the job has already done 4804"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CLEANUP_FREE char *given = mem_format("whatif %s", cases[i].options);
        struct run run = cases[i].job ? whatif_of(cases[i].job, cases[i].options) : run_command(given, "");
        CLEANUP_FREE char *line = mem_format("kubectl-goodput: %s\n", cases[i].error);
        CHECK_INT(run.code, 1);
        CHECK_TEXT(run.err, line);
        CHECK_TEXT(run.out, "");
        run_done(&run);
    }
}

TEST(whatif_prints_what_was_asked_for) {
    struct run table = run_command("whatif " DALY, ""), yaml = run_command("whatif " DALY, "-o yaml"),
               picture = run_command("whatif " DALY, "--svg -"),
               both = run_command("whatif " DALY " --step-time 2s --total-steps 302400", "--svg a.svg");
    CLEANUP_FREE char *path = run_path("a.svg"), *file = harness_read_file(path, NULL);
    CHECK(strstr(table.out, "  a checkpoint every             1h 00m\n") != NULL);
    CHECK(strstr(table.out, "  expected runtime goodput       81.92%\n") != NULL);
    CHECK(strstr(yaml.out, "\nbest:\n  checkpointIntervalSeconds: 3402.8") != NULL);
    CHECK(strncmp(picture.out, "<svg ", 5) == 0 && strstr(picture.out, "</svg>\n")[7] == '\0');
    CHECK_TEXT(file, picture.out);
    CHECK(strstr(both.out, "  for the steps left             8d 13h\n") != NULL); /* a week / 81.92 % = 8.54 days */
    run_done(&table);
    run_done(&yaml);
    run_done(&picture);
    run_done(&both);
}
