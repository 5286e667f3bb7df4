/* Compares our ledger with the Python library: both names of the same quantity, both numbers, and one line on the
 * difference. The reasons come from the library's rules (`make parity` compares controller/library with them) and the
 * ledger's buckets. */
#include "cli/analyze/compare.h"

#include "base/mem.h"
#include "cli/render/pick.h"

#include <math.h>
#include <string.h>

/* Prefixes of buckets ("|" between), the library's types, and why ours is more or less. */
static const struct row {
    const char *name, *buckets, *types, *more, *less;
} rows[] = {
    {"initialization", "AcceleratorInit", "TPU_INITIALIZATION",
     "there an initialization whose end is missing adds nothing",
     "here an interval that overlaps another one, or lies outside the attempts, counts only once"},
    {"preparation", "TrainingPreparation", "TRAINING_PREP",
     "here it also is the time from a process's start to its first record; there an interval without end adds nothing",
     "restores, loading and compilation inside it have their own rows here"},
    {"restore", "CheckpointRestore", "UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME",
     "there restores of the same step count once, by their mean",
     "the same time is counted once here, there also in preparation"},
    {"compilation", "ProgramStartup", "PROGRAM_STARTUP",
     "there only the first step beyond the mean of its attempt's others counts, nothing if there are no others",
     "here a first step counts beyond the whole job's ideal step, and its lost part is lost work"},
    {"data loading", "DataLoading", "DATA_LOADING_SYNC",
     "there only the first load after a start is synchronous; here also others, as far as they made a step longer",
     "there the last load before a restart is added once more"},
    {"saving", "CheckpointSave", "UNPRODUCTIVE_CHECKPOINT_SAVE_TIME",
     "there saves of the same step count once, by their mean",
     "here it is the time that blocked the steps, once, inside the attempts"},
    {"custom events", "Custom", "CUSTOM_BADPUT_EVENTS",
     "there only events wholly between two starts of kept steps count",
     "here nested and overlapping events count once"},
    {"lost work", "WastedProgress", "WASTED_PROGRESS_FROM_DISRUPTION",
     "here the unfinished step of an interruption and all work before a restart at step 0 are in it; there they are in "
     "recovery or in OTHER",
     "overheads inside lost work (saves, loading, compilation) keep their own rows here"},
    {"recovery", "Unobserved", "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION",
     "there it needs a repeated step number and a job start that was logged; training that resumes at the next number "
     "counts its downtime as productive",
     "there it begins with the start of the last step, which was not finished; here after the attempt's last line"},
    {"elastic", "ElasticReinit", "ELASTIC_REINITIALIZATION", "there it is counted with --elastic only",
     "here an interval that overlaps another one counts only once"},
    {"the rest", "Unattributed|Stall|Evaluation|Shutdown|FailureDetection", "OTHER",
     "there buckets may overlap, so that the rest is negative, which is shown as 0",
     "there it is the time that no bucket explains: first steps of one-step attempts, gaps in the numbers, work before "
     "a "
     "restart at 0"},
};

static bool is_one_of(const char *list, const char *name) {
    for (const char *at = list; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
        size_t size = strcspn(at, "|");
        if (strncmp(at, name, size) == 0)
            return true;
    }
    return false;
}

static double ours_of(const json_t *status, const char *buckets) {
    size_t i;
    json_t *bucket;
    int64_t ms = 0;
    json_array_foreach(pick(status, "badput"), i, bucket) {
        if (is_one_of(buckets, pick_text(bucket, "bucket")))
            ms += pick_int(bucket, "milliseconds", 0);
    }
    return (double)ms / 1000;
}

static double theirs_of(const json_t *answer, const char *type) {
    const json_t *value = json_object_get(pick(answer, "badput_seconds"), type);
    double sum = 0;
    const char *key;
    json_t *seconds;
    if (!json_is_object(value))
        return json_number_value(value);
    json_object_foreach((json_t *)value, key, seconds) sum += json_number_value(seconds);
    return sum;
}

static void add(json_t *rows_out, const char *what, const char *unit, double ours, double theirs, double same,
                const char *more, const char *less) {
    const char *why = fabs(ours - theirs) <= same ? "" : ours > theirs ? more : less;
    json_array_append_new(rows_out, json_pack("{s:s, s:s, s:f, s:f, s:s}", "what", what, "unit", unit, "ledger", ours,
                                              "library", theirs, "why", why));
}

json_t *analyze_compare(const json_t *status, const json_t *answer) {
    json_t *out = json_array();
    if (pick_has(answer, "with_exclusions")) /* the ledger excludes them as well */
        answer = pick(answer, "with_exclusions");
    if (!json_is_object(answer) || *pick_text(answer, "error"))
        return out;
    double wall_s = (double)pick_int(status, "time.wallMilliseconds", 0) / 1000, same_s = fmax(0.05, wall_s / 10000);
    add(out, "goodput", "%", (double)pick_int(status, "goodputPPM.job", 0) / 10000,
        json_number_value(pick(answer, "goodput_percent")), 0.005, "the rows below show the reasons",
        "the rows below show the reasons");
    add(out, "total", "s", wall_s, json_number_value(pick(answer, "total_seconds")), same_s,
        "there the clock runs from the first job start to the last job end, here over the whole log",
        "there the clock runs until the query time, here until the last record");
    add(out, "productive", "s", (double)pick_int(status, "time.productiveMilliseconds", 0) / 1000,
        json_number_value(pick(answer, "productive_seconds")), same_s,
        "there gaps in the step numbers and the first attempt of a restart at 0 are not seen, and all saves are "
        "subtracted",
        "there downtime counts as productive where training resumes at the next number, and so do stalls, data loading "
        "and the compilation of one-step attempts");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        double ours = ours_of(status, rows[i].buckets), theirs = theirs_of(answer, rows[i].types);
        if (ours != 0 || theirs != 0)
            add(out, rows[i].name, "s", ours, theirs, same_s, rows[i].more, rows[i].less);
    }
    add(out, "interruptions", "", (double)pick_int(status, "interruptions.total", 0),
        json_number_value(pick(answer, "disruptions")), 0, "there a restart shows only if a step number comes again",
        "there each step number that comes again is one, also a doubled line, or without a sign of a new process (here "
        "that "
        "begins a new series)");
    add(out, "last step", "", (double)pick_int(status, "steps.last", 0),
        json_number_value(pick(answer, "last_recorded_step")), 0, "there it is the last attempt's highest",
        "there it has started, here it has ended");
    return out;
}

static void draw_number(struct buf *out, double value, const char *unit) {
    if (*unit)
        buf_format(out, " %11.2f %s", value, unit);
    else
        buf_format(out, " %11.0f  ", value);
}

void analyze_compare_draw(const json_t *differences, const struct text_style *style, struct buf *out) {
    size_t i;
    json_t *row;
    if (json_array_size(differences) == 0)
        return;
    text_color(out, style, COLOR_BOLD);
    buf_append_text(out, "Comparison                    ours   the library\n");
    text_color(out, style, COLOR_NONE);
    json_array_foreach(differences, i, row) {
        const char *unit = pick_text(row, "unit"), *why = pick_text(row, "why");
        buf_append_text(out, "  ");
        text_cell(out, pick_text(row, "what"), 18, 1);
        draw_number(out, json_number_value(pick(row, "ledger")), unit);
        draw_number(out, json_number_value(pick(row, "library")), unit);
        buf_append_text(out, *why ? "\n" : "  the same\n");
        if (*why)
            text_wrap(out, style, 6, 0, why);
    }
}
