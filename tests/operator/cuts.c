#include "cuts.h"

#include "base/minmax.h"
#include "base/rfc3339.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_GAP_MS 60000

static const char *const violation_names[] = {
#define X(id, name) name,
    VIOLATIONS(X)
#undef X
};

const char *cuts_violation_name(enum violation v) {
    return violation_names[v];
}

static int64_t or_zero(int64_t value) {
    return value > 0 ? value : 0;
}

int64_t cuts_unobserved_ms(const char *status) {
    return or_zero(status_int(status, "badput[bucket=Unobserved].milliseconds"));
}

int64_t cuts_badput_sum(const char *status) {
    int64_t sum = or_zero(status_int(status, "time.productiveMilliseconds"));
    const char *at = strstr(status, "\"badput\":["), *end = at ? strchr(at, ']') : NULL;
    for (; at && (at = strstr(at, "\"milliseconds\":")) != NULL && at < end; at++)
        sum += strtoll(at + strlen("\"milliseconds\":"), NULL, 10);
    return sum;
}

static int64_t count_changes(const struct truth *truth, int64_t from_ms, int64_t to_ms) {
    int64_t count = 0;
    for (size_t i = 0; i < truth->change_count; i++)
        count += truth->changes[i] >= from_ms - RESOLUTION_MS && truth->changes[i] <= to_ms + RESOLUTION_MS;
    return count;
}

int64_t cuts_time_of(const char *status, const char *path) {
    int64_t ms;
    return rfc3339_parse_ms(slice_of(status_text(status, path)), &ms) ? ms : 0;
}

/* Since then nothing was watched until the list. */
static int64_t unwatched_from_ms(const struct truth *truth, const struct cut *cut) {
    int64_t start_ms = cuts_time_of(truth->status, "time.start");
    return cut->mode == LATE ? min_of(start_ms, cut->from_ms) : cut->from_ms;
}

static int64_t execution_end_ms(const char *status, int number) {
    char path[64];
    snprintf(path, sizeof path, "executions[number=%d].cause", number);
    if (status_text(status, path)[0] == '\0')
        return 0;
    snprintf(path, sizeof path, "executions[number=%d].end", number);
    return cuts_time_of(status, path);
}

static bool is_of_counter(const char *status, int number) {
    char path[64];
    snprintf(path, sizeof path, "executions[number=%d].cause", number);
    return strcmp(status_text(status, path), "Unknown") == 0;
}

/* Inside the gap its time may be another; when one was that only a counter shows is not known; of one that was open in
 * the gap any time may be the first that is known. */
static bool may_be(const char *status, int number, const struct truth *truth, int true_number, const struct cut *cut) {
    int64_t at_ms = execution_end_ms(status, number), true_ms = execution_end_ms(truth->status, true_number);
    int64_t from_ms = unwatched_from_ms(truth, cut) - RESOLUTION_MS, to_ms = cut->to_ms + RESOLUTION_MS;
    int64_t last_ms = is_of_counter(status, number) ? true_ms : max_of(at_ms, true_ms);
    char path[64];
    snprintf(path, sizeof path, "executions[number=%d].availableAt", true_number + 1);
    int64_t until_ms = cuts_time_of(truth->status, path);
    bool is_inside = min_of(at_ms, true_ms) >= from_ms && last_ms <= to_ms;
    bool is_partly_hidden = true_ms <= to_ms && until_ms >= from_ms;
    return is_inside || (is_partly_hidden && at_ms >= true_ms - RESOLUTION_MS && at_ms <= until_ms + RESOLUTION_MS);
}

/* The target was deleted inside the gap: when it ended is not known. */
static bool is_end_hidden(const struct truth *truth, const struct cut *cut) {
    return truth->deleted >= cut->before && truth->deleted < cut->after;
}

/* Every interruption is one of the truth's, which stands for one only. Where the end is hidden, the last one may have
 * been the end of a job that failed. */
static bool are_interruptions_true(const char *status, const struct truth *truth, const struct cut *cut) {
    bool is_used[32] = {false};
    for (int n = 1; n < 32; n++) {
        int64_t at_ms = execution_end_ms(status, n);
        int match = 0;
        for (int k = 1; k < 32 && at_ms > 0; k++) {
            int64_t true_ms = execution_end_ms(truth->status, k);
            bool is_near = at_ms >= true_ms - RESOLUTION_MS && at_ms <= true_ms + RESOLUTION_MS;
            if (true_ms > 0 && !is_used[k] && (is_near || (match == 0 && may_be(status, n, truth, k, cut))))
                match = k;
        }
        if (at_ms > 0 && match == 0 && !(is_end_hidden(truth, cut) && execution_end_ms(status, n + 1) == 0))
            return false;
        is_used[match] = true;
    }
    return true;
}

/* Upper bounds are published exactly where some time is unobserved, in parts per million of W. */
static bool is_range_right(const char *status) {
    int64_t wall_ms = status_int(status, "time.wallMilliseconds"), unobserved = cuts_unobserved_ms(status);
    int64_t scheduling_ppm = status_int(status, "goodputPPM.schedulingUpperBound");
    int64_t job_ppm = status_int(status, "goodputPPM.jobUpperBound");
    int64_t productive_ms = status_int(status, "time.productiveMilliseconds");
    if (unobserved == 0 || wall_ms <= 0)
        return scheduling_ppm < 0 && job_ppm < 0;
    int64_t sum_ms = or_zero(status_int(status, "time.availableMilliseconds")) + unobserved;
    if (llabs(scheduling_ppm - sum_ms * 1000000 / wall_ms) > 1)
        return false;
    if (productive_ms < 0)
        return job_ppm < 0;
    sum_ms = productive_ms + or_zero(status_int(status, "badput[bucket=Unattributed].milliseconds")) + unobserved;
    return llabs(job_ppm - sum_ms * 1000000 / wall_ms) <= 1;
}

/* The sum of the time that was not watched while the target lived, as far as is known. Its end is a stamp of whole
 * seconds: before an object shows it the target lives up to a second longer (end_slack_ms). */
static int64_t gap_ms(const struct truth *truth, const struct cut *cut, int64_t end_slack_ms) {
    int64_t start_ms = cuts_time_of(truth->status, "time.start"), end_ms = cuts_time_of(truth->status, "time.end");
    int64_t to_ms = is_end_hidden(truth, cut) ? cut->to_ms : min_of(end_ms + end_slack_ms, cut->to_ms);
    return max_of(0, to_ms - max_of(start_ms, unwatched_from_ms(truth, cut)));
}

/* The target was there when the controller watched. */
bool cuts_was_watched(const struct truth *truth, const struct cut *cut) {
    bool was_before = cut->mode != LATE && truth->created < cut->before;
    return was_before || truth->deleted >= cut->after;
}

static void judge_productive(const char *status, const char *truth, int64_t tolerance_ms, bool found[VIOLATION_COUNT]) {
    int64_t true_ms = status_int(truth, "time.productiveMilliseconds"),
            productive_ms = status_int(status, "time.productiveMilliseconds");
    int64_t unattributed_ms = or_zero(status_int(status, "badput[bucket=Unattributed].milliseconds"));
    if (true_ms < 0)
        return;
    found[P_LOWER] = or_zero(productive_ms) > true_ms + tolerance_ms;
    found[P_UPPER] = true_ms > or_zero(productive_ms) + unattributed_ms + cuts_unobserved_ms(status) + tolerance_ms;
}

/* left: the status at the cut, of a target that was deleted and created again after it. */
static bool is_previous_kept(const char *status, const char *left) {
    char path[160], uid[64];
    int64_t published_ms = status_int(left, "time.wallMilliseconds");
    snprintf(uid, sizeof uid, "%s", status_text(left, "target.uid"));
    if (published_ms <= 0 || strcmp(uid, status_text(status, "target.uid")) == 0)
        return true;
    snprintf(path, sizeof path, "previous[uid=%s].time.wallMilliseconds", uid);
    if (status_int(status, path) < published_ms)
        return false;
    snprintf(path, sizeof path, "previous[uid=%s].time.availableMilliseconds", uid);
    return status_int(status, path) <= published_ms + MAX_GAP_MS;
}

static void judge(const char *status, const struct truth *truth, const struct recorded_job *job, const struct cut *cut,
                  bool found[VIOLATION_COUNT]) {
    int64_t available_ms = status_int(status, "time.availableMilliseconds"), unobserved = cuts_unobserved_ms(status);
    int64_t tolerance_ms =
        RESOLUTION_MS * (count_changes(truth, unwatched_from_ms(truth, cut), cut->to_ms) + is_end_hidden(truth, cut));
    int64_t unproved_ms = cuts_unobserved_ms(truth->status);
    found[WALL] =
        !is_end_hidden(truth, cut) && llabs(status_int(status, "time.wallMilliseconds") - job->wall_ms) > RESOLUTION_MS;
    found[LOWER] = available_ms > truth->available_ms + unproved_ms + tolerance_ms;
    found[UPPER] = truth->proved_ms > available_ms + unobserved + tolerance_ms;
    judge_productive(status, truth->status, tolerance_ms, found);
    found[TWICE] = job->interruptions >= 0 &&
                   (status_int(status, "interruptions.total") > truth->interruptions + is_end_hidden(truth, cut) ||
                    !are_interruptions_true(status, truth, cut));
    found[WIDE] = unobserved > gap_ms(truth, cut, 0) + truth->silent_ms + tolerance_ms;
    found[SUM] = cuts_badput_sum(status) != status_int(status, "time.wallMilliseconds");
    found[RANGE] = !is_range_right(status);
}

static bool is_same_target(const char *status, const struct truth *truth) {
    char uid[64];
    snprintf(uid, sizeof uid, "%s", status_text(truth->status, "target.uid"));
    return strcmp(status_text(status, "target.uid"), uid) == 0;
}

/* Right after the list: against what the run without a cut knew then. Where that rests on step records, which are lost
 * with their pods, only the parts are compared. */
static bool is_right_at_list(const char *status, const struct truth *truth, const struct recording *rec,
                             const struct cut *cut, int64_t known_ms) {
    const struct known *known = &truth->known[cut->after];
    int64_t available_ms = or_zero(status_int(status, "time.availableMilliseconds")),
            unobserved = cuts_unobserved_ms(status);
    int64_t tolerance_ms = cut->to_ms - known_ms;
    if (status_int(status, "time.wallMilliseconds") < 0)
        return true;
    if (cuts_badput_sum(status) != status_int(status, "time.wallMilliseconds") || !is_range_right(status) ||
        status_int(status, "interruptions.total") >
            max_of(known->interruptions, truth->interruptions) + is_end_hidden(truth, cut))
        return false;
    tolerance_ms += RESOLUTION_MS * count_changes(truth, unwatched_from_ms(truth, cut), cut->to_ms);
    return rec->logs != NULL || (available_ms <= known->available_ms + known->unobserved_ms + tolerance_ms &&
                                 known->available_ms <= available_ms + unobserved + tolerance_ms &&
                                 unobserved <= gap_ms(truth, cut, RESOLUTION_MS) +
                                                   max_of(known->unobserved_ms, truth->silent_ms) + tolerance_ms);
}

void cuts_judge(const char *left, const char *listed, const char *status, const struct truth *truth,
                const struct recording *rec, const struct recorded_job *job, const struct cut *cut, int64_t known_ms,
                bool found[VIOLATION_COUNT]) {
    judge(status, truth, job, cut, found);
    found[AT_LIST] = is_same_target(listed, truth) && !is_right_at_list(listed, truth, rec, cut, known_ms);
    found[PREVIOUS] = cut->mode != LATE && !is_previous_kept(status, left);
}
