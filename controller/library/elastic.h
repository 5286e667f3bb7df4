/* elastic: waits for slices, re-initializations and slice counts of elastic jobs, next to the main pass
 * (goodput_elastic.py of ml-goodput-measurement 0.2.3). None of it lowers the productive time. */
#ifndef LIBRARY_ELASTIC_H
#define LIBRARY_ELASTIC_H

#include "library/library.h"

/* What ElasticGoodputCalculator adds to what the pass found. False: *a holds the library's error. */
bool elastic_add(const struct library_log *log, struct library_answer *a);
/* The share of the slices that stepped and that were there, weighed by time; nothing where none were recorded. */
void elastic_efficiency(const struct library_log *log, double from_s, double to_s, struct library_answer *a);

#endif
