/* whatif: what is wrong is said before anything is fetched; the numbers alone give the published ones; the picture. */
#include "harness.h"

#include "cli/commands/options.h"
#include "cli/commands/whatif.h"
#include "cli/render/text.h"
#include "cli/whatif/expect.h"
#include "cli/whatif/output.h"
#include "cli/whatif/table.h"

#include <math.h>

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
