#include "fleet/cost.h"

#include <math.h>

#define MS_PER_HOUR 3.6e6

static double at_price(int64_t chip_ms, double price) {
    return (double)chip_ms / MS_PER_HOUR * price;
}

double cost_allocated(const struct sums *s, double price) {
    if (!isnan(price))
        return s->of[SUMS_PAID_WALL] > 0 ? at_price(s->of[SUMS_PAID], price) : NAN;
    return s->of[SUMS_PRICED] > 0 ? (double)s->of[SUMS_COST] / 100 : NAN;
}

double cost_lost(const struct sums *s, double price) {
    if (!isnan(price))
        return s->of[SUMS_KNOWN_PAID] > 0 ? at_price(s->of[SUMS_KNOWN_PAID] - s->of[SUMS_PAID_PRODUCTIVE], price) : NAN;
    return s->of[SUMS_KNOWN_PRICED] > 0 ? (double)s->of[SUMS_COST_LOST] / 100 : NAN;
}

/* Chip time without any cost in it has no price; no chip time costs nothing. */
static double own(const struct sums *s, int64_t paid_ms, int64_t cost) {
    bool is_known = cost > 0 || (paid_ms <= 0 && s->of[SUMS_PRICED] > 0);
    return is_known ? (double)cost / 100 : NAN;
}

double cost_lost_to(const struct sums *s, int bucket, double price) {
    int64_t paid_ms = s->of[SUMS_PAID_LOST(bucket)];
    return isnan(price) ? own(s, paid_ms, s->of[SUMS_COST_LOST_TO(bucket)]) : at_price(paid_ms, price);
}

double cost_caused(const struct sums *s, enum cause cause, double price) {
    int64_t paid_ms = s->of[SUMS_PAID_CAUSED(cause)];
    if (paid_ms <= 0) /* no job knows what it lost */
        return NAN;
    return isnan(price) ? own(s, paid_ms, s->of[SUMS_COST_CAUSED(cause)]) : at_price(paid_ms, price);
}

double cost_owned(const struct sums *s, enum rootcause_owner owner, double price) {
    int64_t paid_ms = s->of[SUMS_PAID_OWNED(owner)];
    return isnan(price) ? own(s, paid_ms, s->of[SUMS_COST_OWNED(owner)]) : at_price(paid_ms, price);
}
