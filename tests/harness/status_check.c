#include "status_check_internal.h"

#define LISTED_EXECUTIONS 16
#define LISTED_CAUSES 16 /* a long job adds up the causes beyond that number as one */

/* ---- times and buckets ---- */

static bool check_times(struct check *c) {
    const json_t *t = at(c->status, "time");
    int64_t start = time_ms(t, "start"), through = time_ms(t, "observedThrough");
    int64_t productive = c->productive == ABSENT ? 0 : c->productive,
            provisional = number(t, "provisionalMilliseconds");
    if (!(0 <= productive && productive <= c->available && c->available <= c->wall))
        return fail(c, "not 0 <= productive %" PRId64 " <= available %" PRId64 " <= wall %" PRId64, productive,
                    c->available, c->wall);
    if ((provisional == ABSENT) != (c->productive == ABSENT) || (provisional != ABSENT && provisional < 0) ||
        provisional > productive)
        return fail(c, "provisionalMilliseconds %" PRId64 " of productiveMilliseconds %" PRId64, provisional,
                    productive);
    if (at(t, "end") != NULL && !is_text(t, "end", text(t, "observedThrough")))
        return fail(c, "end %s is not observedThrough %s", text(t, "end"), text(t, "observedThrough"));
    return start == ABSENT || through == ABSENT || at(c->status, "dataQuality.excludedMilliseconds") != NULL ||
           equal(c, "time.wallMilliseconds", c->wall, through > start ? through - start : 0);
}

static bool is_of_scheduling(const char *bucket) {
    static const char *const names[] = {"NotSubmitted", "Suspended",    "PreemptedWait", "QueueWait", "DependencyWait",
                                        "Provisioning", "Rescheduling", "Binding",       "Unobserved"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], bucket) == 0)
            return true;
    return false;
}

struct sums { /* of a list of buckets */
    int64_t all_ms, scheduling_ms, top_ms, chip_s;
    size_t count;
};

static bool add_bucket(struct check *c, const json_t *list, const json_t *b, size_t i, struct sums *to) {
    const char *name = text(b, "bucket"), *family = text(b, "family");
    int64_t ms = number(b, "milliseconds");
    bool is_either = strcmp(name, "FailureDetection") == 0, is_scheduling = strcmp(family, "Scheduling") == 0;
    if (ms < 0 || (ms == 0 && strcmp(name, "ElasticSliceDown") != 0) || strcmp(name, "Productive") == 0)
        return fail(c, "badput has %s with %" PRId64 " ms", name, ms);
    if ((!is_scheduling && strcmp(family, "Runtime") != 0) || (!is_either && is_scheduling != is_of_scheduling(name)))
        return fail(c, "bucket %s is of the family %s", name, family);
    if (c->is_log && is_scheduling && strcmp(name, "Unobserved") != 0)
        return fail(c, "logs alone claim %s", name);
    for (size_t k = 0; k < i; k++)
        if (is_text(json_array_get(list, k), "bucket", name) && is_text(json_array_get(list, k), "family", family))
            return fail(c, "bucket %s/%s is there twice", family, name);
    to->all_ms += ms;
    to->scheduling_ms += is_scheduling ? ms : 0;
    to->chip_s += number_or_0(b, "chipSeconds");
    to->count++;
    if (strcmp(name, "Unobserved") != 0 && ms > to->top_ms)
        to->top_ms = ms;
    return true;
}

static bool check_top(struct check *c, const json_t *value, const char *what, const struct sums *sums) {
    const char *top = text(value, "topBadput");
    size_t i;
    json_t *b;
    if (*top == '\0')
        return sums->top_ms == 0 || fail(c, "%s is absent, and %" PRId64 " ms are lost", what, sums->top_ms);
    json_array_foreach(at(value, "badput"), i, b) {
        /* in a window a custom bucket goes by its kind alone */
        size_t n = strcspn(text(b, "bucket"), strchr(top, '/') == NULL ? "/" : "");
        if (strlen(top) == n && strncmp(text(b, "bucket"), top, n) == 0 && number(b, "milliseconds") == sums->top_ms)
            return strcmp(top, "Unobserved") != 0 || fail(c, "%s is Unobserved", what);
    }
    return fail(c, "%s is %s, which is not the largest bucket, of %" PRId64 " ms", what, top, sums->top_ms);
}

static bool check_buckets(struct check *c) {
    const json_t *list = at(c->status, "badput");
    struct sums sums = {0};
    size_t i;
    json_t *b;
    json_array_foreach(list, i, b) {
        char what[128];
        snprintf(what, sizeof what, "share of %s", text(b, "bucket"));
        if (!add_bucket(c, list, b, i, &sums) ||
            !is_percent(c, what, b, "share", ppm(number(b, "milliseconds"), c->wall)))
            return false;
        int64_t ms = number(b, "milliseconds");
        c->unattributed += is_text(b, "bucket", "Unattributed") ? ms : 0;
        c->unobserved += is_text(b, "bucket", "Unobserved") ? ms : 0;
        c->suspended += is_text(b, "bucket", "Suspended") ? ms : 0;
    }
    int64_t productive = c->productive == ABSENT ? 0 : c->productive;
    return equal(c, "the sum of all buckets and productiveMilliseconds", sums.all_ms + productive, c->wall) &&
           equal(c, "the sum of the scheduling buckets", sums.scheduling_ms, c->wall - c->available) &&
           check_top(c, c->status, "topBadput", &sums);
}

/* ---- scores ---- */

static bool check_score(struct check *c, const char *name, int64_t expected) {
    char what[64], path[64];
    snprintf(what, sizeof what, "goodput.%s", name);
    snprintf(path, sizeof path, "goodputPPM.%s", name);
    return equal(c, path, number(c->status, path), expected) && is_percent(c, what, c->status, what, expected);
}

static bool check_scores(struct check *c) {
    const int64_t p = c->productive, a = c->available, w = c->wall, u = c->unattributed, o = c->unobserved;
    const bool has_steps = p != ABSENT;
    int64_t program = number(c->status, "goodputPPM.program"), job = ppm(p, w);
    int64_t productivity = program != ABSENT && job != ABSENT ? (job * program + 500000) / 1000000 : ABSENT;
    if (program != ABSENT && !has_steps)
        return fail(c, "program goodput without steps");
    return check_score(c, "scheduling", c->is_log ? ABSENT : ppm(a, w)) && check_score(c, "runtime", ppm(p, a)) &&
           check_score(c, "job", job) && check_score(c, "runtimeUpperBound", has_steps ? ppm(p + u, a) : ABSENT) &&
           check_score(c, "evidence", has_steps ? ppm(a - u, a) : ABSENT) && check_score(c, "program", program) &&
           check_score(c, "productivity", productivity) &&
           check_score(c, "schedulingUpperBound", o > 0 && !c->is_log ? ppm(a + o, w) : ABSENT) &&
           check_score(c, "jobUpperBound", o > 0 && has_steps ? ppm(p + u + o, w) : ABSENT);
}

/* True is said only where enough of the available time is explained. */
static bool check_evidence(struct check *c) {
    size_t i;
    json_t *condition;
    int64_t explained = ppm(c->available - c->unattributed, c->available);
    json_array_foreach(
        at(c->status, "conditions"), i,
        condition) if (is_text(condition, "type", "EvidenceComplete") && is_text(condition, "status", "True") &&
                       explained != ABSENT &&
                       explained < 950000) return fail(c, "EvidenceComplete is True with %" PRId64 " ppm", explained);
    return true;
}

/* ---- interruptions and executions ---- */

static bool is_excluded_cause(const char *cause) {
    return strcmp(cause, "UserSuspend") == 0 || strcmp(cause, "KueuePreemption") == 0 ||
           strncmp(cause, "KueueEviction", strlen("KueueEviction")) == 0;
}

static bool check_interruptions(struct check *c) {
    const json_t *x = at(c->status, "interruptions"), *by = at(x, "byCause"), *list = at(c->status, "executions");
    int64_t sum = 0, excluded = 0, only_counted = 0;
    size_t i, k;
    json_t *cause, *e;
    json_array_foreach(by, i, cause) {
        int64_t count = number(cause, "count"), listed = 0;
        if (count <= 0)
            return fail(c, "cause %s counts %" PRId64, text(cause, "cause"), count);
        sum += count;
        excluded += is_excluded_cause(text(cause, "cause")) ? count : 0;
        json_array_foreach(list, k, e) listed += is_text(e, "cause", text(cause, "cause"));
        only_counted += c->lists_all ? count - listed : 0;
        if (listed > count)
            return fail(c, "cause %s counts %" PRId64 ", in executions %" PRId64, text(cause, "cause"), count, listed);
    }
    int64_t only = number_or_0(x, "onlyCounted"), listed = number(x, "excluded");
    if (c->lists_all && !equal(c, "interruptions.onlyCounted", only, only_counted))
        return false;
    if (json_array_size(by) < LISTED_CAUSES && !equal(c, "the sum of byCause", sum, c->total + only))
        return false;
    if (json_array_size(by) < LISTED_CAUSES && (listed > excluded || listed < excluded - only))
        return fail(c, "interruptions.excluded is %" PRId64 ", by cause %" PRId64, listed, excluded);
    int64_t counted = c->total - listed;
    return equal(c, "meanTimeBetweenSeconds", number(x, "meanTimeBetweenSeconds"),
                 counted > 0 ? c->available / counted / 1000 : ABSENT);
}

/* What all executions took of a bucket is no more than it has, and all of it if none is left out. */
static bool check_of_bucket(struct check *c, const char *field, const char *bucket, bool is_all) {
    int64_t sum = 0, ms = 0;
    size_t i;
    json_t *e;
    json_array_foreach(at(c->status, "executions"), i, e) sum += number_or_0(e, field);
    json_array_foreach(at(c->status, "badput"), i, e) ms +=
        is_text(e, "bucket", bucket) ? number(e, "milliseconds") : 0;
    if (is_all && c->lists_all ? sum != ms : sum > ms)
        return fail(c, "%s of all executions is %" PRId64 ", %s has %" PRId64 " ms", field, sum, bucket, ms);
    return true;
}

static bool check_recovery(struct check *c) {
    int64_t recovered = 0, sum = 0, away = 0, lost = 0;
    size_t i;
    json_t *e;
    json_array_foreach(at(c->status, "executions"), i, e) {
        int64_t tre = number(e, "rescheduleMilliseconds"), trm = number(e, "resumeMilliseconds");
        away += number_or_0(e, "rescheduleMilliseconds") + number_or_0(e, "waitMilliseconds");
        lost += number_or_0(e, "lostSteps");
        if (is_excluded_cause(text(e, "cause")) || tre == ABSENT || trm == ABSENT)
            continue;
        recovered++;
        sum += tre + trm;
    }
    if (!c->is_interval && away > c->wall - c->available)
        return fail(c, "rescheduleMilliseconds and waitMilliseconds of all executions are %" PRId64 " ms of %" PRId64,
                    away, c->wall - c->available);
    if (!c->is_interval && lost > number_or_0(c->status, "steps.repeated"))
        return fail(c, "lostSteps of all executions are %" PRId64 " of %" PRId64, lost,
                    number_or_0(c->status, "steps.repeated"));
    int64_t mean = number(c->status, "interruptions.meanTimeToRecoverSeconds");
    return !c->lists_all || equal(c, "meanTimeToRecoverSeconds", mean, recovered > 0 ? sum / recovered / 1000 : ABSENT);
}

static bool check_execution(struct check *c, const json_t *list, size_t i, int64_t first) {
    const json_t *e = json_array_get(list, i), *next = json_array_get(list, i + 1);
    int64_t number_is = number(e, "number"), start = time_ms(e, "start"), available = time_ms(e, "availableAt");
    static const char *const spans[] = {"lostWorkMilliseconds", "waitMilliseconds",    "rescheduleMilliseconds",
                                        "resumeMilliseconds",   "catchUpMilliseconds", "detectMilliseconds",
                                        "imagePullMilliseconds"};
    if (!equal(c, "executions.number", number_is, first + (int64_t)i) || !check_node_evidence(c, e) ||
        !check_root_cause(c, e))
        return false;
    if ((next != NULL) != (*text(e, "cause") != '\0'))
        return fail(c, "execution %" PRId64 ": cause \"%s\"", number_is, text(e, "cause"));
    if (next != NULL &&
        !(c->is_log ? time_ms(next, "start") >= time_ms(e, "end") : is_text(next, "start", text(e, "end"))))
        return fail(c, "execution %" PRId64 " ends at %s, the next starts at %s", number_is, text(e, "end"),
                    text(next, "start"));
    int64_t end = time_ms(e, "end"),
            all_end = time_ms(c->status, "time.end"); /* it may have failed before the job did */
    if (next == NULL && !c->is_interval && ((end == ABSENT) != (all_end == ABSENT) || end > all_end))
        return fail(c, "the last execution ends at \"%s\", the time at \"%s\"", text(e, "end"),
                    text(c->status, "time.end"));
    if ((available != ABSENT && available < start) ||
        (time_ms(e, "firstStepAt") != ABSENT && time_ms(e, "firstStepAt") < start))
        return fail(c, "execution %" PRId64 ": start %s, availableAt %s, firstStepAt %s", number_is, text(e, "start"),
                    text(e, "availableAt"), text(e, "firstStepAt"));
    if (c->is_log && (at(e, "waitMilliseconds") != NULL || at(e, "rescheduleMilliseconds") != NULL))
        return fail(c, "execution %" PRId64 ": logs alone claim a wait", number_is);
    for (size_t k = 0; k < sizeof spans / sizeof *spans; k++)
        if (number(e, spans[k]) != ABSENT && number(e, spans[k]) < 0)
            return fail(c, "execution %" PRId64 ": %s is negative", number_is, spans[k]);
    return true;
}

static bool check_executions(struct check *c) {
    const json_t *list = at(c->status, "executions");
    size_t count = json_array_size(list);
    int64_t expected = c->total + 1 > LISTED_EXECUTIONS ? LISTED_EXECUTIONS : c->total + 1;
    if (!equal(c, "the number of executions", (int64_t)count, expected))
        return false;
    if (c->lists_all && !c->is_interval && !is_text(json_array_get(list, 0), "start", text(c->status, "time.start")))
        return fail(c, "the first execution starts at \"%s\"", text(json_array_get(list, 0), "start"));
    int64_t first = c->is_interval ? number(json_array_get(list, 0), "number") : c->total + 1 - (int64_t)count + 1;
    for (size_t i = 0; i < count; i++)
        if (!check_execution(c, list, i, first))
            return false;
    if (c->is_interval)
        return check_recovery(c);
    return check_classes(c) && check_of_bucket(c, "imagePullMilliseconds", "ImagePull", true) &&
           check_of_bucket(c, "containerStartMilliseconds", "ContainerStart", true) &&
           check_of_bucket(c, "programStartupMilliseconds", "ProgramStartup", true) &&
           check_of_bucket(c, "lostWorkMilliseconds", "WastedProgress", false) && check_recovery(c);
}

/* ---- steps and windows ---- */

static bool check_steps(struct check *c) {
    const json_t *s = at(c->status, "steps");
    int64_t retained = number(s, "retained"), repeated = number(s, "repeated"), ideal = number(s, "idealMilliseconds");
    if ((s != NULL) != (c->productive != ABSENT))
        return fail(c, "steps are %s, productiveMilliseconds is %s", s ? "there" : "absent", s ? "absent" : "there");
    if (s == NULL)
        return true;
    bool is_cut = c->is_interval || at(c->status, "dataQuality.excludedMilliseconds") != NULL; /* maybe within a step */
    if (retained < 0 || repeated < 0 || (retained == 0 && c->productive > 0 && !is_cut))
        return fail(c, "%" PRId64 " steps retained, %" PRId64 " repeated, in productiveMilliseconds %" PRId64, retained,
                    repeated, c->productive);
    int64_t mean = retained > 0 ? c->productive / retained : ABSENT;
    if (number(s, "p50Milliseconds") > number(s, "p99Milliseconds"))
        return fail(c, "p50Milliseconds %" PRId64 " is more than p99Milliseconds %" PRId64,
                    number(s, "p50Milliseconds"), number(s, "p99Milliseconds"));
    if (number(s, "hangAfterMilliseconds") == 0)
        return fail(c, "hangAfterMilliseconds is 0: the shortest silence would be a hang");
    return equal(c, "steps.meanMilliseconds", number(s, "meanMilliseconds"), mean) &&
           equal(c, "steps.deviationMilliseconds", number(s, "deviationMilliseconds"),
                 ideal != ABSENT && mean != ABSENT ? mean - ideal : ABSENT);
}

static bool check_window(struct check *c, const json_t *w) {
    int64_t ms = number(w, "milliseconds"), length = number(w, "windowSeconds") * 1000;
    struct sums sums = {0};
    size_t i;
    json_t *b;
    json_array_foreach(at(w, "badput"), i, b) if (!add_bucket(c, at(w, "badput"), b, i, &sums)) return false;
    int64_t available = ms - sums.scheduling_ms, productive = ms - sums.all_ms;
    bool has_steps = c->productive != ABSENT;
    if (productive < 0 || (!has_steps && productive > 0) || (has_steps && productive > c->productive))
        return fail(c, "productive %" PRId64 " ms in a window, %" PRId64 " in all", productive, c->productive);
    if (length >= c->wall && (available != c->available || (has_steps && productive != c->productive)))
        return fail(c, "a window of all the time has %" PRId64 " ms available, %" PRId64 " productive", available,
                    productive);
    int64_t interruptions = number(w, "interruptions");
    if (interruptions < 0 || (length >= c->wall ? interruptions != c->total : interruptions > c->total))
        return fail(c, "a window of %" PRId64 " ms has %" PRId64 " interruptions of %" PRId64, length, interruptions,
                    c->total);
    return equal(c, "a window's ms", ms, length < c->wall ? length : c->wall) &&
           is_percent(c, "a window's scheduling", w, "scheduling", c->is_log ? ABSENT : ppm(available, ms)) &&
           is_percent(c, "a window's runtime", w, "runtime", has_steps ? ppm(productive, available) : ABSENT) &&
           is_percent(c, "a window's job", w, "job", has_steps ? ppm(productive, ms) : ABSENT) &&
           check_top(c, w, "a window's topBadput", &sums);
}

static bool check_windows(struct check *c) {
    size_t i;
    json_t *w;
    json_array_foreach(at(c->status, "windows"), i, w) if (!check_window(c, w)) return false;
    return true;
}

static bool check_previous(struct check *c) {
    size_t i;
    json_t *p;
    json_array_foreach(at(c->status, "previous"), i, p) {
        int64_t wall = number(p, "time.wallMilliseconds"), available = number(p, "time.availableMilliseconds");
        int64_t productive = number(p, "time.productiveMilliseconds");
        if (!(0 <= available && available <= wall && productive <= available))
            return fail(c, "previous: not productive %" PRId64 " <= available %" PRId64 " <= wall %" PRId64, productive,
                        available, wall);
        if (!is_percent(c, "previous: scheduling", p, "goodput.scheduling", ppm(available, wall)) ||
            !is_percent(c, "previous: runtime", p, "goodput.runtime", ppm(productive, available)) ||
            !is_percent(c, "previous: job", p, "goodput.job", ppm(productive, wall)))
            return false;
    }
    return true;
}

static bool check_availability(struct check *c) {
    int64_t required = number(c->status, "availability.required"),
            available = number(c->status, "availability.available");
    return available <= required || fail(c, "%" PRId64 " slots of %" PRId64 " are available", available, required);
}

static bool check_part(const json_t *value, const json_t *spec, bool is_interval, char *why);

static int64_t bucket_ms(const json_t *status, const json_t *like) {
    size_t i;
    json_t *b;
    json_array_foreach(at(status, "badput"), i,
                       b) if (is_text(b, "bucket", text(like, "bucket")) &&
                              is_text(b, "family", text(like, "family"))) return number(b, "milliseconds");
    return 0;
}

/* Each is a complete status, of a part of the time: nothing in it is more than in all of it. */
static bool check_intervals(struct check *c) {
    size_t i, k;
    json_t *part, *b;
    json_array_foreach(at(c->status, "intervals"), i, part) {
        static const char *const sums[] = {"time.wallMilliseconds", "time.availableMilliseconds",
                                           "time.productiveMilliseconds", "interruptions.total"};
        if (!check_part(part, c->spec, true, c->why))
            return false;
        for (k = 0; k < sizeof sums / sizeof *sums; k++)
            if (number(part, sums[k]) != ABSENT && number(part, sums[k]) > number_or_0(c->status, sums[k]))
                return fail(c, "%s of an interval is %" PRId64 ", of all the time %" PRId64, sums[k],
                            number(part, sums[k]), number(c->status, sums[k]));
        json_array_foreach(at(part, "badput"), k,
                           b) if (number(b, "milliseconds") >
                                  bucket_ms(c->status, b)) return fail(c,
                                                                       "%s of an interval is %" PRId64
                                                                       " ms, of all the time %" PRId64,
                                                                       text(b, "bucket"), number(b, "milliseconds"),
                                                                       bucket_ms(c->status, b));
    }
    return true;
}

static bool check_part(const json_t *value, const json_t *spec, bool is_interval, char *why) {
    static bool (*const checks[])(struct check *) = {
        check_times,      check_buckets,  check_scores,       check_definitions, check_evidence, check_interruptions,
        check_executions, check_steps,    check_windows,      check_chips,       check_cost,     check_program,
        check_owners,     check_previous, check_availability, check_forecast,    check_advice,   check_intervals,
    };
    struct check c = {.status = value, .spec = spec, .why = why, .is_interval = is_interval};
    c.wall = number(c.status, "time.wallMilliseconds");
    c.available = number(c.status, "time.availableMilliseconds");
    c.productive = number(c.status, "time.productiveMilliseconds");
    c.total = number(c.status, "interruptions.total") - number_or_0(at(c.status, "interruptions"), "onlyCounted");
    c.lists_all = c.total + 1 <= LISTED_EXECUTIONS;
    c.is_log = at(c.status, "availability") == NULL && at(c.status, "goodputPPM.scheduling") == NULL;
    if (c.wall == ABSENT)
        return check_previous(&c);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (!checks[i](&c))
            return false;
    return true;
}

bool status_check(const json_t *value, char why[static STATUS_WHY]) {
    const json_t *spec = at(value, "spec");
    return check_part(spec != NULL ? at(value, "status") : value, spec, false, why);
}

bool status_check_text(const char *bytes, size_t size_bytes, char why[static STATUS_WHY]) {
    json_error_t error;
    json_t *value = json_loadb(bytes, size_bytes, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (value == NULL) {
        snprintf(why, STATUS_WHY, "byte %d of the status: %s", error.position, error.text);
        return false;
    }
    bool is_right = status_check(value, why);
    json_decref(value);
    return is_right;
}
