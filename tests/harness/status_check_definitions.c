/* status.otherDefinitions: what each name divides by what. */
#include "status_check_internal.h"

#define LISTED_CAUSES 16

static const json_t *definition_of(const struct check *c, const char *name) {
    size_t i;
    json_t *d;
    json_array_foreach(at(c->status, "otherDefinitions"), i, d) if (is_text(d, "name", name)) return d;
    return NULL;
}

static bool check_ratio(struct check *c, const json_t *d) {
    int64_t part = number(d, "numeratorMilliseconds"), whole = number(d, "denominatorMilliseconds");
    bool leaves_out = is_text(d, "name", "ExcludingSuspended") || is_text(d, "name", "ETTRMeta");
    bool is_of_steps = strncmp(text(d, "name"), "ETTR", 4) == 0 || is_text(d, "name", "ForwardProgress");
    if (part < 0 || part > whole)
        return fail(c, "%s: %" PRId64 " of %" PRId64 " ms", text(d, "name"), part, whole);
    return is_percent(c, text(d, "name"), d, "value", ppm(part, whole)) &&
           equal(c, text(d, "name"), whole, c->wall - (leaves_out ? c->suspended : 0)) &&
           (!is_text(d, "name", "ExcludingSuspended") || equal(c, "ExcludingSuspended", part, c->available)) &&
           (!is_of_steps || equal(c, text(d, "name"), part, c->productive));
}

static bool check_mean(struct check *c, const json_t *d) {
    int64_t part = number(d, "numeratorMilliseconds"), count = number(d, "denominatorCount");
    if (count <= 0 || part < 0 || at(d, "value") != NULL || at(d, "denominatorMilliseconds") != NULL)
        return fail(c, "%s is a time over %" PRId64, text(d, "name"), count);
    return equal(c, text(d, "name"), number(d, "meanSeconds"), part / count / 1000);
}

/* Failures are the causes that name one. Where one cause says nothing of it, their number is not known. */
static int64_t failures_of(const struct check *c) {
    int64_t failures = 0;
    size_t i;
    json_t *cause;
    json_array_foreach(at(c->status, "interruptions.byCause"), i, cause) {
        if (is_text(cause, "cause", "Unknown") || is_text(cause, "cause", "TrainerRestart"))
            return ABSENT;
        if (is_text(cause, "cause", "NodeFailure") || is_text(cause, "cause", "OutOfMemory") ||
            is_text(cause, "cause", "Hang") || is_text(cause, "cause", "ApplicationError"))
            failures += number(cause, "count");
    }
    return failures > 0 ? failures : ABSENT;
}

static bool check_means(struct check *c) {
    const json_t *x = at(c->status, "interruptions"), *mtbi = definition_of(c, "MTBI"),
                 *mttf = definition_of(c, "MTTF"), *mttr = definition_of(c, "MTTR");
    int64_t counted = c->total - number(x, "excluded");
    if (number(mttr, "denominatorCount") > counted)
        return fail(c, "MTTR over %" PRId64 " of %" PRId64, number(mttr, "denominatorCount"), counted);
    return equal(c, "MTBI's denominatorCount", number(mtbi, "denominatorCount"), counted > 0 ? counted : ABSENT) &&
           equal(c, "MTBI", number(mtbi, "numeratorMilliseconds"), mtbi != NULL ? c->available : ABSENT) &&
           equal(c, "MTTF", number(mttf, "numeratorMilliseconds"), mttf != NULL ? c->available : ABSENT) &&
           (json_array_size(at(x, "byCause")) >= LISTED_CAUSES ||
            equal(c, "MTTF's denominatorCount", number(mttf, "denominatorCount"), failures_of(c))) &&
           equal(c, "MTTR", number(mttr, "meanSeconds"), number(x, "meanTimeToRecoverSeconds"));
}

bool check_definitions(struct check *c) {
    static const char *const of_steps[] = {"ETTRMeta", "ETTRByteDance", "ForwardProgress"};
    size_t i;
    json_t *d;
    if (c->is_log)
        return at(c->status, "otherDefinitions") == NULL ||
               fail(c, "logs alone claim other definitions of scheduling goodput");
    if (at(c->status, "otherDefinitions") == NULL) /* a status from before, kept as it is */
        return true;
    json_array_foreach(at(c->status, "otherDefinitions"), i, d) {
        bool is_mean = at(d, "denominatorCount") != NULL || at(d, "meanSeconds") != NULL;
        if (!(is_mean ? check_mean(c, d) : check_ratio(c, d)))
            return false;
    }
    for (i = 0; i < 3; i++)
        if (c->wall > c->suspended && (definition_of(c, of_steps[i]) != NULL) != (c->productive != ABSENT))
            return fail(c, "%s with productive time %" PRId64, of_steps[i], c->productive);
    return check_means(c);
}
