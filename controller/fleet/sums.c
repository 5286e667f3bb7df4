#include "fleet/sums.h"

#include "base/mem.h"
#include "base/minmax.h"

#include <stdio.h>

enum weight { CHIPS, SLOTS, ONE };
static const enum weight weights[SUMS_FIELD_COUNT] = {
#define X(name, weight) weight,
    SUMS_FIELDS(X)
#undef X
};
static const char *const field_names[SUMS_FIELD_COUNT] = {
#define X(name, weight) #name,
    SUMS_FIELDS(X)
#undef X
};

const char *sums_bucket_name(int bucket) {
    if (bucket < SUMS_ELASTIC)
        return bucket_name((enum bucket)bucket);
    return bucket == SUMS_ELASTIC ? bucket_name(BUCKET_ELASTIC_SLICE_DOWN) : "Other";
}

bool sums_is_loss(int bucket) {
    return bucket != BUCKET_UNOBSERVED;
}

const char *sums_bucket_family(int bucket) {
    if (bucket < SUMS_ELASTIC)
        return family_name(bucket_family((enum bucket)bucket));
    return family_name(bucket == SUMS_OTHER_SCHEDULING ? FAMILY_SCHEDULING : FAMILY_RUNTIME);
}

int sums_bucket(struct slice name, struct slice family) {
    if (slice_starts(name, "Custom/"))
        return BUCKET_CUSTOM;
    int found = -1;
    for (int b = SUMS_OTHER_SCHEDULING - 1; b >= 0; b--)
        if (slice_is(name, sums_bucket_name(b)) && (found < 0 || slice_is(family, sums_bucket_family(b))))
            found = b; /* one name is in both families */
    if (found >= 0)
        return found;
    return slice_is(family, family_name(FAMILY_SCHEDULING)) ? SUMS_OTHER_SCHEDULING : SUMS_OTHER_RUNTIME;
}

enum cause sums_cause(struct slice name) {
    for (int c = 0; c < CAUSE_COUNT; c++) {
        struct slice rest = name;
        if (slice_take_prefix(&rest, cause_name((enum cause)c)) && (rest.size_bytes == 0 || rest.data[0] == '/'))
            return (enum cause)c;
    }
    return CAUSE_UNKNOWN;
}

enum rootcause_owner sums_owner(struct slice name) {
    int found = rootcause_owner_find(name);
    return found >= 0 ? (enum rootcause_owner)found : OWNER_UNKNOWN;
}

enum rootcause_class sums_class(struct slice name) {
    int found = rootcause_class_find(name);
    return found >= 0 ? (enum rootcause_class)found : CLASS_UNKNOWN;
}

const char *sums_value_name(int value, char out[static 64]) {
    static const char *const of_buckets[] = {"Lost", "PaidLost", "CostLost"};
    static const char *const of_causes[] = {"Caused", "PaidCaused", "CostCaused"};
    static const char *const of_owners[] = {"PaidOwned", "CostOwned", "Owned"};
    int bucket = value - SUMS_FIELD_COUNT, cause = value - SUMS_CAUSED(0), owner = value - SUMS_PAID_OWNED(0);
    if (value < SUMS_FIELD_COUNT)
        snprintf(out, 64, "%s", field_names[value]);
    else if (cause < 0)
        snprintf(out, 64, "%s/%s/%s", of_buckets[bucket / SUMS_BUCKETS], sums_bucket_family(bucket % SUMS_BUCKETS),
                 sums_bucket_name(bucket % SUMS_BUCKETS));
    else if (value >= SUMS_PAID_OF_CLASS(0, 0))
        snprintf(out, 64, "%s/%s",
                 rootcause_owner_name((enum rootcause_owner)((value - SUMS_PAID_OF_CLASS(0, 0)) / CLASS_COUNT)),
                 rootcause_class_name((enum rootcause_class)((value - SUMS_PAID_OF_CLASS(0, 0)) % CLASS_COUNT)));
    else if (value >= SUMS_OF_CLASS(0))
        snprintf(out, 64, "OfClass/%s", rootcause_class_name((enum rootcause_class)(value - SUMS_OF_CLASS(0))));
    else if (owner >= 0)
        snprintf(out, 64, "%s/%s", of_owners[owner / OWNER_COUNT],
                 rootcause_owner_name((enum rootcause_owner)(owner % OWNER_COUNT)));
    else
        snprintf(out, 64, "%s/%s", of_causes[cause / CAUSE_COUNT], cause_name((enum cause)(cause % CAUSE_COUNT)));
    return out;
}

static int64_t clamped(__int128 value) {
    return value > INT64_MAX ? INT64_MAX : value < -INT64_MAX ? -INT64_MAX : (int64_t)value;
}

static int64_t weight_of(int value, struct sums_weight weight) {
    bool is_plain = value >= SUMS_PAID_LOST(0) || (value < SUMS_FIELD_COUNT && weights[value] == ONE);
    if (is_plain)
        return 1;
    return value < SUMS_FIELD_COUNT && weights[value] == SLOTS ? weight.slots : weight.chips;
}

static bool is_span(int value) {
    return value == SUMS_PRODUCTIVE || (value >= SUMS_LOST(0) && value < SUMS_PAID_LOST(0));
}

void sums_change_make(struct sums_change *c, const struct sums *later, const struct sums *before,
                      struct sums_weight weight) {
    int64_t behind = 0;
    c->count = 0;
    for (int i = 0; i < SUMS_COUNT; i++) {
        if (later->of[i] == before->of[i])
            continue;
        int n = c->count++;
        c->items[n].value = i;
        c->items[n].is_span = is_span(i);
        c->items[n].reach = clamped((__int128)later->of[i] - before->of[i]);
        if (c->items[n].is_span)
            c->items[n].reach = behind = clamped((__int128)behind + c->items[n].reach);
        c->items[n].reaching = (double)c->items[n].reach;
        c->items[n].weight = weight_of(i, weight);
        c->items[n].placed = 0;
    }
}

static void add_weighed(int64_t *sum, int64_t change, int64_t weight) {
    int64_t product, result;
    bool is_beyond = __builtin_mul_overflow(change, weight, &product) || __builtin_add_overflow(*sum, product, &result);
    *sum = is_beyond ? clamped(*sum + (__int128)change * weight) : result;
}

/* Multiplied, not divided: the same on every machine (one IEEE product, cut off). What partitions the wall time is
 * rounded as one: the sum so far, not each span, so that the parts of all spans add up to the part of the wall time. */
void sums_change_place(struct sums_change *c, double fraction, struct sums *to) {
    bool is_whole = fraction >= 1;
    int64_t behind = 0;
    for (int n = 0; n < c->count; n++) {
        int64_t until = is_whole ? c->items[n].reach : (int64_t)(c->items[n].reaching * fraction);
        if (c->items[n].is_span) {
            int64_t part = until;
            until -= behind;
            behind = part;
        }
        if (until == c->items[n].placed)
            continue;
        add_weighed(&to->of[c->items[n].value], until - c->items[n].placed, c->items[n].weight);
        c->items[n].placed = until;
    }
}

#define MAX_IN_EACH 0x1p49 /* 12,000 members stay below 2^63 */

bool sums_change_is_ordinary(const struct sums_change *c, double each) {
    for (int n = 0; n < c->count; n++) {
        double max = c->items[n].reaching * each * (double)c->items[n].weight;
        if (!(max < MAX_IN_EACH && max > -MAX_IN_EACH))
            return false;
    }
    return true;
}

/* Few units (failures, cents): as they come. What is cut off would all come at the end. */
static void level_few(struct sums_change *c, int n, double placed, double each, size_t parts, struct sums *rows) {
    int value = c->items[n].value;
    for (size_t k = 0; k < parts; k++) {
        int64_t until = (int64_t)(c->items[n].reaching * (placed + (double)(k + 1) * each));
        int64_t part = (until - c->items[n].placed) * c->items[n].weight;
        rows[k].of[value] += part;
        rows[k + 1].of[value] -= part;
        c->items[n].placed = until;
    }
}

void sums_change_level(struct sums_change *c, double placed, double each, size_t parts, struct sums *rows) {
    int64_t behind = 0;
    for (int n = 0; n < c->count; n++) {
        int64_t part = (int64_t)(c->items[n].reaching * each);
        if (c->items[n].is_span) {
            int64_t reached = part;
            part -= behind;
            behind = reached;
        } else if (part < 64 && part > -64) {
            level_few(c, n, placed, each, parts, rows);
            continue;
        }
        rows[0].of[c->items[n].value] += part * c->items[n].weight;
        rows[parts].of[c->items[n].value] -= part * c->items[n].weight;
        c->items[n].placed += part * (int64_t)parts;
    }
}

static int64_t lost(const struct sums *s) {
    return s->of[SUMS_WALL] - s->of[SUMS_PRODUCTIVE] - s->of[SUMS_LOST(BUCKET_UNOBSERVED)];
}

int sums_compare_lost(const struct sums *x, const struct sums *y) {
    int64_t lost_x = lost(x), lost_y = lost(y);
    return (lost_x < lost_y) - (lost_x > lost_y);
}

void sums_leave_out_costs(struct sums *s) {
    s->of[SUMS_PRICED] = s->of[SUMS_KNOWN_PRICED] = s->of[SUMS_COST] = s->of[SUMS_COST_LOST] = 0;
    for (int b = 0; b < SUMS_BUCKETS; b++)
        s->of[SUMS_COST_LOST_TO(b)] = 0;
    for (int c = 0; c < CAUSE_COUNT; c++)
        s->of[SUMS_COST_CAUSED(c)] = 0;
    for (int o = 0; o < OWNER_COUNT; o++)
        s->of[SUMS_COST_OWNED(o)] = 0;
}

void sums_add(struct sums *to, const struct sums *more) {
    for (int i = 0; i < SUMS_COUNT; i++)
        to->of[i] = clamped((__int128)to->of[i] + more->of[i]);
}

/* Rounded to nearest. A part that later corrections took below 0 in this window is none. */
static int64_t ppm(int64_t numerator, int64_t denominator) {
    if (denominator <= 0)
        return -1;
    if (numerator <= 0)
        return 0;
    return clamped(((__int128)numerator * 1000000 + denominator / 2) / denominator);
}

static int64_t upper(int64_t available, int64_t unobserved, int64_t wall) {
    return unobserved > 0 ? ppm(clamped((__int128)available + unobserved), wall) : -1;
}

struct sums_scores sums_scores(const struct sums *s) {
    const int64_t *of = s->of;
    struct sums_scores scores = {
        .scheduling = ppm(of[SUMS_KNOWN_AVAILABLE], of[SUMS_KNOWN_WALL]),
        .runtime = ppm(of[SUMS_PRODUCTIVE], of[SUMS_KNOWN_AVAILABLE]),
        .job = ppm(of[SUMS_PRODUCTIVE], of[SUMS_KNOWN_WALL]),
        .program = ppm(of[SUMS_IDEAL], of[SUMS_PROGRAMMED]),
        .productivity = -1,
        .all_scheduling = ppm(of[SUMS_AVAILABLE], of[SUMS_WALL]),
        .scheduling_upper = upper(of[SUMS_KNOWN_AVAILABLE], of[SUMS_KNOWN_UNOBSERVED], of[SUMS_KNOWN_WALL]),
        .job_upper = upper(clamped((__int128)of[SUMS_PRODUCTIVE] + of[SUMS_KNOWN_UNATTRIBUTED]),
                           of[SUMS_KNOWN_UNOBSERVED], of[SUMS_KNOWN_WALL]),
        .all_scheduling_upper = upper(of[SUMS_AVAILABLE], of[SUMS_LOST(BUCKET_UNOBSERVED)], of[SUMS_WALL]),
        .evidence = ppm(of[SUMS_KNOWN_WALL], of[SUMS_WALL]),
    };
    if (scores.job < 0) {
        scores.scheduling = scores.all_scheduling;
        scores.scheduling_upper = scores.all_scheduling_upper;
    }
    if (of[SUMS_PROGRAMMED_WALL] == of[SUMS_KNOWN_WALL])
        scores.productivity = ppm(of[SUMS_IDEAL], of[SUMS_PROGRAMMED_WALL]);
    if (scores.evidence > 1000000) /* steps that came late count for the time before the window as well */
        scores.evidence = 1000000;
    return scores;
}

int64_t sums_failures_per_1000_node_days(const struct sums *s) {
    if (s->of[SUMS_SLOT_TIME] <= 0)
        return -1;
    return clamped((__int128)s->of[SUMS_FAILURES] * 1000000 * 86400000 / s->of[SUMS_SLOT_TIME]);
}

bool sums_owned_by_class(const struct sums *s, enum rootcause_owner owner, int64_t chip_s[static SUMS_CLASSES]) {
    int64_t all_ms = max_of(0, s->of[SUMS_PAID_OWNED(owner)]), before_ms = 0;
    for (int c = 0; c < CLASS_COUNT; c++) {
        int64_t after_ms = before_ms + min_of(max_of(0, s->of[SUMS_PAID_OF_CLASS(owner, c)]), all_ms - before_ms);
        chip_s[c] = after_ms / 1000 - before_ms / 1000;
        before_ms = after_ms;
    }
    chip_s[SUMS_CLASS_NONE] = all_ms / 1000 - before_ms / 1000;
    return before_ms > 0;
}

const char *sums_class_name(int class_) {
    return class_ == SUMS_CLASS_NONE ? LOST_WITHOUT_INTERRUPTION : rootcause_class_name((enum rootcause_class)class_);
}

/* Behind the values, which of the sums each is. */
struct sums_folded {
    size_t count;
    int64_t values[];
};

struct sums_folded *sums_fold(const struct sums *s) {
    size_t count = 0;
    for (int i = 0; i < SUMS_COUNT; i++)
        count += s->of[i] != 0;
    struct sums_folded *folded = mem_alloc(sizeof *folded + count * (sizeof(int64_t) + sizeof(uint16_t)));
    uint16_t *which = (uint16_t *)(folded->values + count);
    folded->count = 0;
    for (int i = 0; i < SUMS_COUNT; i++)
        if (s->of[i] != 0) {
            which[folded->count] = (uint16_t)i;
            folded->values[folded->count++] = s->of[i];
        }
    return folded;
}

void sums_unfold(const struct sums_folded *folded, struct sums *to) {
    const uint16_t *which = (const uint16_t *)(folded->values + folded->count);
    *to = (struct sums){0};
    for (size_t i = 0; i < folded->count; i++)
        to->of[which[i]] = folded->values[i];
}
