/* The forecast and the advice: from the buckets, the executions and the steps of the same status, by the formulas of
 * the papers (Young 1974, Daly 2006, arXiv 2410.21680), written here a second time. */
#include "status_check_internal.h"

#define MIN_FAILURES 3    /* fewer give no rate */
#define MIN_GAIN_PPM 1000 /* of advice, and the least time that it saves */
#define MIN_SAVED_MS 60000
#define LISTED_ADVICE 5

/* In seconds. resume and reschedule are means over executions: known to half a second where some are not listed. */
struct figures {
    double interval, save, persist, mtbf, resume, reschedule, slack;
    bool has_resume, has_reschedule, is_first_start;
    int64_t failures;
};

static const json_t *bucket_named(const struct check *c, const char *name) {
    size_t i;
    json_t *b;
    json_array_foreach(at(c->status, "badput"), i, b) if (is_text(b, "bucket", name)) return b;
    return NULL;
}

/* ---- comparing ---- */

/* Rounded to `unit`; it lies between a and b, in whichever order. */
static bool between(struct check *c, const char *what, double is, double a, double b, double unit) {
    double low = fmin(a, b), high = fmax(a, b), slack = unit * 0.5001 + fabs(high) * 1e-9;
    return (is >= low - slack && is <= high + slack) ||
           fail(c, "forecast.%s is %.9g, the others make it %.9g to %.9g", what, is, low, high);
}

static bool seconds(struct check *c, const json_t *f, const char *what, double a, double b) {
    int64_t is = number(f, what);
    if (is == ABSENT)
        return !(fmin(a, b) >= 0 && fmax(a, b) < 1e11) || fail(c, "forecast.%s is absent", what);
    return between(c, what, (double)is, a, b, 1);
}

static bool share(struct check *c, const json_t *f, const char *what, double a, double b) {
    int64_t is = decimal(f, what, 2);
    if (is == ABSENT)
        return !(fmin(a, b) > -9.9 && fmax(a, b) < 9.9) || fail(c, "forecast.%s is absent", what);
    return between(c, what, (double)is / 1e4, a, b, 1e-4);
}

/* ---- formulas ---- */

static double exact(const struct figures *f, double interval, double recover) {
    double u = (recover + f->persist) / f->mtbf, s = (interval + f->save) / f->mtbf;
    return interval / (f->mtbf * exp(u) * expm1(s));
}

/* Over the half second around an interval that was rounded, and what is not known of the time to recover. */
struct range {
    double low, high;
};
static struct range around(const struct figures *f, double interval, double recover, double slack) {
    struct range r = {1, 0};
    for (int i = -20; i <= 20; i++) {
        double at = fmax(1e-9, interval + i * 0.02505);
        r.low = fmin(r.low, exact(f, at, recover + slack));
        r.high = fmax(r.high, exact(f, at, recover - slack));
    }
    return r;
}

static double first_order(const struct figures *f, double recover) {
    return (1 - (recover + f->interval / 2 + f->persist) / f->mtbf) / (1 + f->save / f->interval);
}

static double daly(double w, double m) {
    return w < 2 * m ? sqrt(2 * w * m) * (1 + sqrt(w / (2 * m)) / 3 + w / (18 * m)) - w : m;
}

/* Above 0 left of the best interval, below 0 right of it: what Lambert's W solves. */
static double left_of_best(const struct figures *f, double interval) {
    return -interval / f->mtbf - expm1(-(interval + f->save) / f->mtbf);
}

/* The standard deviation of the time that n segments take, each tried until it survives; its second moment by Simpson's
 * rule over the time at which the first try fails. */
static double deviation(const struct figures *f, double segments, double recover) {
    const int parts = 2000;
    double m = f->mtbf, s = f->interval + f->save, a = (s + recover + f->persist) / m;
    double mean_again = m * expm1(a), square_again = m * m * (expm1(2 * a) - 2 * a * exp(a)) + mean_again * mean_again;
    double mean = 0, square = 0;
    for (int i = 0; i <= parts; i++) {
        double t = s * i / parts, weight = (i == 0 || i == parts ? 1.0
                                            : i % 2              ? 4.0
                                                                 : 2.0) *
                                           s / parts / 3 * exp(-t / m) / m;
        mean += weight * (t + mean_again);
        square += weight * (t * t + 2 * t * mean_again + square_again);
    }
    mean += s * exp(-s / m);
    square += s * s * exp(-s / m);
    return sqrt(fmax(0, segments * (square - mean * mean)));
}

/* The chance of at most k events where x are expected. */
static double poisson(int64_t k, double x) {
    double sum = 0;
    for (int64_t i = 0; i <= k; i++)
        sum += exp((double)i * log(x) - x - lgamma((double)i + 1));
    return sum;
}

/* ---- figures ---- */

static bool is_excluded(const char *cause) {
    return strcmp(cause, "UserSuspend") == 0 || strncmp(cause, "Kueue", strlen("Kueue")) == 0;
}

static void measure_recovery(const struct check *c, const json_t *forecast, struct figures *f) {
    const json_t *list = at(c->status, "executions"), *first = json_array_get(list, 0);
    double sums[2] = {0, 0};
    int counts[2] = {0, 0};
    size_t i;
    json_t *e;
    json_array_foreach(list, i, e) {
        static const char *const names[] = {"resumeMilliseconds", "rescheduleMilliseconds"};
        for (int k = 0; k < 2; k++)
            if (*text(e, "cause") != '\0' && !is_excluded(text(e, "cause")) && number(e, names[k]) != ABSENT) {
                sums[k] += (double)number(e, names[k]) / 1e3;
                counts[k]++;
            }
    }
    int64_t available = time_ms(first, "availableAt"), step = time_ms(first, "firstStepAt");
    f->has_reschedule = counts[1] > 0;
    f->reschedule = counts[1] > 0 ? sums[1] / counts[1] : 0;
    f->is_first_start = counts[0] == 0;
    f->has_resume = counts[0] > 0 || (available != ABSENT && step != ABSENT && step >= available);
    f->resume = counts[0] > 0 ? sums[0] / counts[0] : (double)(step - available) / 1e3;
    if (c->lists_all)
        return;
    f->has_reschedule = at(forecast, "rescheduleSeconds") != NULL;
    f->reschedule = (double)number_or_0(forecast, "rescheduleSeconds");
    f->has_resume = at(forecast, "resumeSeconds") != NULL;
    f->resume = (double)number_or_0(forecast, "resumeSeconds");
    f->slack = 0.5;
}

/* False: there is nothing to forecast from. */
static bool measure(const struct check *c, const json_t *forecast, struct figures *f) {
    const json_t *saves = bucket_named(c, "CheckpointSave");
    double count = (double)number_or_0(saves, "count"),
           nodes = c->is_log ? 1 : (double)number_or_0(c->status, "availability.required");
    if (c->productive == ABSENT || c->productive == 0 || !(count > 0) || !(nodes > 0))
        return false;
    f->failures = c->total - number_or_0(c->status, "interruptions.excluded");
    f->interval = (double)c->productive / 1e3 / count;
    f->save = (double)number(saves, "milliseconds") / 1e3 / count;
    f->persist = (double)number_or_0(forecast, "persistMilliseconds") / 1e3;
    f->mtbf = f->failures < MIN_FAILURES ? INFINITY : (double)c->available / 1e3 / (double)f->failures;
    f->slack = 0.0005; /* persistMilliseconds is rounded */
    measure_recovery(c, forecast, f);
    return f->save > 0 && f->mtbf > 0 && f->has_resume;
}

/* ---- forecast ---- */

static bool check_failures(struct check *c, const json_t *f, const struct figures *g) {
    double up = (double)c->available / 1e3, low = (double)number(f, "meanTimeLowSeconds");
    double high = (double)number(f, "meanTimeHighSeconds");
    if (!seconds(c, f, "meanTimeBetweenFailuresSeconds", g->mtbf, g->mtbf))
        return false;
    if (poisson(g->failures, up / (low + 0.501)) < 0.05 - 1e-9 ||
        (low > 1 && poisson(g->failures, up / (low - 0.501)) > 0.05 + 1e-9))
        return fail(c, "forecast.meanTimeLowSeconds %.0f is not the 5 %% bound", low);
    if ((at(f, "meanTimeHighSeconds") != NULL) != (g->failures > 0))
        return fail(c, "forecast.meanTimeHighSeconds with %" PRId64 " failures", g->failures);
    if (g->failures > 0 && (poisson(g->failures - 1, up / (high + 0.501)) < 0.95 - 1e-9 ||
                            (high > 1 && poisson(g->failures - 1, up / (high - 0.501)) > 0.95 + 1e-9)))
        return fail(c, "forecast.meanTimeHighSeconds %.0f is not the 95 %% bound", high);
    return true;
}

static bool check_best(struct check *c, const json_t *f, const struct figures *g) {
    double best = (double)number(f, "bestIntervalSeconds"), low = (double)number(f, "bestFromSeconds");
    bool is_open = number(f, "bestToSeconds") == ABSENT; /* any longer interval is as good */
    double high = is_open ? 1e12 : (double)number(f, "bestToSeconds"), u = g->resume, s = g->slack, lag = g->persist;
    if (left_of_best(g, best + 0.501) > 1e-12 || (best - 0.501 > lag && left_of_best(g, best - 0.501) < -1e-12))
        return fail(c, "forecast.bestIntervalSeconds %.0f is not the best", best);
    if (low > best || best > high || best < lag - 0.501)
        return fail(c, "forecast: not from %.0f <= best %.0f <= to %.0f", low, best, high);
    double best_runtime = (double)decimal(f, "bestRuntime", 2) / 1e4 - 0.001, slack = 6e-5;
    struct range at_low = around(g, low, u, s), at_high = around(g, high, u, s);
    if (low < best && (at_low.high < best_runtime - slack || (low > lag + 0.501 && at_low.low > best_runtime + slack)))
        return fail(c, "forecast.bestFromSeconds %.0f is not where 0.1 point is lost", low);
    if ((!is_open && at_high.low > best_runtime + slack) || at_high.high < best_runtime - slack)
        return fail(c, "forecast.bestToSeconds %.0f is not where 0.1 point is lost", high);
    int64_t retained = number_or_0(c->status, "steps.retained"), steps = number(f, "bestIntervalSteps");
    double step = retained > 0 ? (double)c->productive / 1e3 / (double)retained : 0;
    if (step > 0 && !between(c, "bestIntervalSteps", (double)steps, fmax(1, (best - 0.501) / step),
                             fmax(1, (best + 0.501) / step), 1))
        return false;
    struct range at_best = around(g, best, u, s);
    return share(c, f, "bestRuntime", at_best.high, fmax(at_best.low, at_best.high - slack));
}

static bool check_rest(struct check *c, const json_t *f, const struct figures *g) {
    int64_t left = number(f, "remainingSteps"), total = number(c->spec, "totalSteps"), retained, last;
    int64_t finish = time_ms(f, "finishAt"), through = time_ms(c->status, "time.observedThrough");
    if (left == ABSENT)
        return true;
    last = number(c->status, "steps.last"), retained = number_or_0(c->status, "steps.retained");
    if (total != ABSENT && !equal(c, "forecast.remainingSteps", left, total > last + 1 ? total - last - 1 : 0))
        return false;
    double work = (double)left * (double)c->productive / 1e3 / (double)retained, u = g->resume + g->reschedule;
    double s = 2 * g->slack, segments = work / g->interval, r = (double)number(f, "remainingSeconds");
    if (finish == ABSENT || fabs((double)(finish - through) / 1e3 - r) > 1.51)
        return fail(c, "forecast.finishAt is %s, %.0f s after %s", text(f, "finishAt"), r,
                    text(c->status, "time.observedThrough"));
    if (isinf(g->mtbf)) /* no rate: as if nothing failed, with no spread */
        return (at(f, "remainingDeviationSeconds") == NULL || fail(c, "a spread without a rate")) &&
               seconds(c, f, "remainingSeconds", work + segments * g->save, work + segments * g->save);
    return seconds(c, f, "remainingSeconds", work / exact(g, g->interval, u - s),
                   work / exact(g, g->interval, u + s)) &&
           between(c, "remainingDeviationSeconds", (double)number(f, "remainingDeviationSeconds"),
                   deviation(g, segments, u - s), deviation(g, segments, u + s), 1.1);
}

/* What follows from the rate of failures; nothing does without one. */
static bool check_expected(struct check *c, const json_t *f, const struct figures *g) {
    static const char *const names[] = {
        "runtime",           "runtimeFirstOrder", "firstOrderIsValid", "job",          "bestIntervalSeconds",
        "bestIntervalSteps", "bestFromSeconds",   "bestToSeconds",     "youngSeconds", "dalySeconds",
        "bestRuntime"};
    double u = g->resume, s = g->slack, tre = g->reschedule;
    for (size_t i = 0; i < sizeof names / sizeof *names && isinf(g->mtbf); i++)
        if (at(f, names[i]) != NULL)
            return fail(c, "forecast.%s with %" PRId64 " failures", names[i], g->failures);
    if (isinf(g->mtbf))
        return true;
    if (g->has_reschedule != (at(f, "job") != NULL))
        return fail(c, "forecast.job and rescheduleSeconds are not both there");
    double reach = u + g->persist + g->interval, fifth = 0.2 * g->mtbf;
    bool is_valid = json_is_true(at(f, "firstOrderIsValid"));
    if ((reach + s < fifth - 1e-3 && !is_valid) || (reach - s > fifth + 1e-3 && is_valid))
        return fail(c, "forecast.firstOrderIsValid is %d with %.3f s of %.3f", is_valid, reach, fifth);
    return share(c, f, "runtime", exact(g, g->interval, u - s), exact(g, g->interval, u + s)) &&
           share(c, f, "runtimeFirstOrder", first_order(g, u - s), first_order(g, u + s)) &&
           (!g->has_reschedule ||
            share(c, f, "job", exact(g, g->interval, u + tre - 2 * s), exact(g, g->interval, u + tre + 2 * s))) &&
           seconds(c, f, "youngSeconds", sqrt(2 * g->save * g->mtbf), sqrt(2 * g->save * g->mtbf)) &&
           seconds(c, f, "dalySeconds", daly(g->save, g->mtbf), daly(g->save, g->mtbf)) && check_best(c, f, g);
}

bool check_forecast(struct check *c) {
    const json_t *f = at(c->status, "forecast");
    struct figures g = {0};
    bool is_known = measure(c, f, &g);
    if (f == NULL || !is_known)
        return (f != NULL) == is_known || fail(c, "the forecast is %s", f != NULL ? "of nothing" : "absent");
    int assumed = (at(f, "persistMilliseconds") == NULL) + isinf(g.mtbf) + g.is_first_start + !g.has_reschedule;
    if (c->lists_all && !equal(c, "the number of assumptions", (int64_t)json_array_size(at(f, "assumptions")), assumed))
        return false;
    return seconds(c, f, "intervalSeconds", g.interval, g.interval) &&
           between(c, "saveMilliseconds", (double)number(f, "saveMilliseconds"), g.save * 1e3, g.save * 1e3, 1) &&
           (!g.has_reschedule || seconds(c, f, "rescheduleSeconds", g.reschedule, g.reschedule)) &&
           seconds(c, f, "resumeSeconds", g.resume, g.resume) && check_failures(c, f, &g) && check_expected(c, f, &g) &&
           check_rest(c, f, &g);
}

/* ---- advice ---- */

/* The time that a kind saves, and the chip seconds; false if this status does not determine it. */
static bool saved_by(const struct check *c, const char *kind, double *ms, double *chip_s) {
    static const struct {
        const char *kind, *bucket;
        double part; /* 0: that of all starts but the first */
    } parts[] = {{"AsynchronousCheckpoint", "CheckpointSave", 1},
                 {"CompilationCache", "ProgramStartup", 0},
                 {"NearerRestore", "CheckpointRestore", 1},
                 {"InputPipeline", "DataLoading", 1}};
    int64_t ideal = number(c->status, "steps.idealMilliseconds"), retained = number_or_0(c->status, "steps.retained");
    *ms = *chip_s = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const json_t *b = bucket_named(c, parts[i].bucket);
        double part = parts[i].part > 0 ? parts[i].part : (double)c->total / (double)(c->total + 1);
        if (strcmp(parts[i].kind, kind) != 0)
            continue;
        *ms = (double)number_or_0(b, "milliseconds") * part;
        *chip_s = (double)number_or_0(b, "chipSeconds") * part;
        return true;
    }
    if (strcmp(kind, "Queue") == 0) {
        *ms = (double)(number_or_0(bucket_named(c, "QueueWait"), "milliseconds") +
                       number_or_0(bucket_named(c, "PreemptedWait"), "milliseconds"));
        return true;
    }
    if (strcmp(kind, "Stragglers") != 0 || ideal == ABSENT || ideal <= 0 || retained < 100)
        return strcmp(kind, "Stragglers") == 0;
    double again = (double)number_or_0(bucket_named(c, "WastedProgress"), "milliseconds") / (double)c->productive;
    *ms = (double)(c->productive - retained * ideal) * (1 + again);
    *chip_s = *ms / (double)c->available * strtod(text(c->status, "acceleratorHours.allocated"), NULL) * 3600;
    return true;
}

/* P/(W-x) - P/W in parts per million. */
static double gain_ppm(const struct check *c, double saved_ms) {
    double p = (double)c->productive, w = (double)c->wall;
    return (p / fmax(p, w - saved_ms) - p / w) * 1e6;
}

static const json_t *advice_of(const json_t *list, const char *kind) {
    size_t i;
    json_t *a;
    json_array_foreach(list, i, a) if (is_text(a, "kind", kind)) return a;
    return NULL;
}

static bool check_piece(struct check *c, const json_t *a) {
    double gain = strtod(text(a, "gainPoints"), NULL) * 1e4, hours = strtod(text(a, "acceleratorHours"), NULL);
    double p = (double)c->productive, w = (double)c->wall, ms, chip_s;
    double allocated = strtod(text(c->status, "acceleratorHours.allocated"), NULL);
    const char *kind = text(a, "kind");
    if (!(gain >= MIN_GAIN_PPM - 51) || gain > 1e6 * (1 - p / w) + 51)
        return fail(c, "advice %s: a gain of %s points", kind, text(a, "gainPoints"));
    bool is_all = gain > 1e6 * (1 - p / w) - 51; /* that could be saved: at most all but P */
    if (!is_all && w - p / (gain / 1e6 + p / w) < MIN_SAVED_MS - 1 - w * w / p * 51e-6)
        return fail(c, "advice %s: %s points are less than a minute", kind, text(a, "gainPoints"));
    if (hours < 0 || hours > allocated + 0.001)
        return fail(c, "advice %s: %.3f of %.3f accelerator hours", kind, hours, allocated);
    if (!saved_by(c, kind, &ms, &chip_s))
        return true;
    if (fabs(gain - gain_ppm(c, ms)) > 53)
        return fail(c, "advice %s: gainPoints is %s, the others make it %.2f", kind, text(a, "gainPoints"),
                    gain_ppm(c, ms) / 1e4);
    return fabs(hours * 3600 - chip_s) <= 4 + chip_s * 0.002 ||
           fail(c, "advice %s: acceleratorHours is %.3f, the others make it %.3f", kind, hours, chip_s / 3600);
}

bool check_advice(struct check *c) {
    static const char *const kinds[] = {
        "AsynchronousCheckpoint", "CompilationCache", "NearerRestore", "InputPipeline", "Queue", "Stragglers"};
    const json_t *list = at(c->status, "advice");
    size_t i, count = json_array_size(list);
    double above = 1e9, ms, chip_s;
    json_t *a;
    if (count > LISTED_ADVICE || (count > 0 && (c->productive == ABSENT || c->productive <= 0)))
        return fail(c, "%zu pieces of advice", count);
    json_array_foreach(list, i, a) {
        double gain = strtod(text(a, "gainPoints"), NULL) * 1e4;
        if (gain > above + 1)
            return fail(c, "advice %s brings more than the one before it", text(a, "kind"));
        above = gain;
        if (advice_of(list, text(a, "kind")) != a)
            return fail(c, "advice %s is there twice", text(a, "kind"));
        if (!check_piece(c, a))
            return false;
    }
    for (i = 0; i < sizeof kinds / sizeof *kinds && c->productive != ABSENT && c->productive > 0; i++) {
        saved_by(c, kinds[i], &ms, &chip_s);
        bool is_due = ms >= MIN_SAVED_MS + 1 && ms < (double)c->wall && gain_ppm(c, ms) > MIN_GAIN_PPM + 2;
        if (is_due && advice_of(list, kinds[i]) == NULL && (count < LISTED_ADVICE || gain_ppm(c, ms) > above + 101))
            return fail(c, "advice %s is absent, which brings %.2f points", kinds[i], gain_ppm(c, ms) / 1e4);
    }
    return true;
}
