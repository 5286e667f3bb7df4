/* cost: what the sums of a fleet cost, in units of the currency, by the jobs' own prices or by one price for all. NAN:
 * not known, which is not 0. Pure. */
#ifndef FLEET_COST_H
#define FLEET_COST_H

#include "fleet/sums.h"

/* price: per chip-hour; NAN: the jobs' own. */
double cost_allocated(const struct sums *sums, double price); /* of all chips bound to nodes */
double cost_lost(const struct sums *sums, double price);      /* of those not productive, of jobs with steps */
double cost_lost_to(const struct sums *sums, int bucket, double price);
double cost_caused(const struct sums *sums, enum cause cause, double price);
double cost_owned(const struct sums *sums, enum rootcause_owner owner, double price);

#endif
