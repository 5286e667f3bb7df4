#include "cli/commands/compare_side.h"

#include "archive/read.h"
#include "base/mem.h"
#include "base/slice.h"
#include "cli/commands/job_lines.h"
#include "cli/commands/run_targets.h"
#include "cli/render/pick.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

static const char of_run[] = "run/";

/* ---- one job ---- */

/* Where a log has the start and the end of a step, the first of them counts. */
static void take_steps(struct compare_job *job, const json_t *steps) {
    const json_t *point;
    size_t i;
    json_array_foreach((json_t *)steps, i, point) {
        int64_t step = json_integer_value(json_array_get(point, 1));
        if (job->step_count > 0 && job->steps[job->step_count - 1].step == step)
            continue;
        MEM_GROW(job->steps, job->step_count, job->step_capacity);
        job->steps[job->step_count++] = (struct compare_step){json_integer_value(json_array_get(point, 0)), step};
    }
}

static int read_job(const struct cli_options *options, struct comparison_side *side, struct error **err) {
    struct job_lines lines;
    int r = job_lines_read(options, side->name, true, &lines, err);
    if (r < 0)
        return r;
    r = comparison_take(side, slice_of(lines.text), COMPARISON_JOINED, err);
    take_steps(&side->job, lines.steps);
    job_lines_done(&lines);
    return r;
}

/* ---- several jobs: those without any time are left out ---- */

static int read_run(const struct cli_options *options, struct comparison_side *side, struct error **err) {
    struct run_members run = {0};
    int r = run_members_read(options, side->name + strlen(of_run), &run, err);
    if (r < 0)
        return r;
    for (size_t i = 0; i < run.count; i++)
        comparison_take(side, slice_of(run.items[i]->lines.text), COMPARISON_NOT_SUBMITTED, NULL);
    run_members_done(&run);
    return side->ledgers > 0 ? 0 : error_set(err, ENODATA, "%s: no span of its time is known", side->name);
}

static int take_match(void *context, struct slice lines, int64_t to_ms, struct error **err) {
    struct comparison_side *side = context;
    struct job_lines job = {0};
    (void)to_ms;
    int r = job_lines_parse(lines, &job, err);
    if (r == 0 && fnmatch(side->name, pick_text(job_lines_find(&job, "job"), "name"), 0) == 0)
        comparison_take(side, lines, COMPARISON_JOINED, NULL);
    job_lines_done(&job);
    return r;
}

static int read_matches(const struct cli_options *options, struct comparison_side *side, struct error **err) {
    int r = archive_each(options->ledger.archive, options->namespace_, NULL, take_match, side, err);
    return r == 0 && side->ledgers == 0
               ? error_set(err, ENOENT, "%s: no job of the archive has such a name and time", side->name)
               : r;
}

int compare_side_read(const struct cli_options *options, struct comparison_side *side, struct error **err) {
    bool is_file = access(side->name, F_OK) == 0;
    if (!is_file && slice_starts(slice_of(side->name), of_run))
        return read_run(options, side, err);
    if (!is_file && options->ledger.archive != NULL && strpbrk(side->name, "*?[") != NULL &&
        strchr(side->name, '/') == NULL)
        return read_matches(options, side, err);
    return read_job(options, side, err);
}
