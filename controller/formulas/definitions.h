/* definitions: a job's reliability by the names that papers use, each with its numerator and denominator. Pure.
 *
 * A ratio divides times; a mean time divides a time by a count. A definition that needs an unknown number is absent:
 * the ratios without step evidence, a mean without anything to divide by, MTTF where a cause is not known. */
#ifndef FORMULAS_DEFINITIONS_H
#define FORMULAS_DEFINITIONS_H

#include "ledger/evaluate.h"

#define DEFINITIONS_MAX 6

struct definition {
    const char *name; /* as in status.otherDefinitions */
    int64_t numerator_ms;
    int64_t denominator; /* ms; of a mean time the count */
    bool is_mean;
};

/* Returns how many. only_counted: interruptions that only counters report, so that their cause is not known.
 *
 * P, W, A: productive, wall and available time (deploy/docs/concepts/ledger.md).
 *   ETTRMeta         P / (W - Suspended): "available wallclock time" is scheduled, or eligible and queued
 *                    (Kokolis et al. 2024, arXiv 2410.21680)
 *   ETTRByteDance    P / W: productive / wall-clock time (Wan et al. 2025, arXiv 2509.16293)
 *   ForwardProgress  P / W, as in high-performance computing: the job is up and computes what it had not computed
 * before MTBI             A / interruptions, without suspends by people and Kueue's decisions MTTF             A /
 * those of them in which a node, a container or the program failed MTTR             (tre + trm) / interruptions after
 * which training resumed test_definitions.c has the published numbers. */
int definitions_list(const struct ledger_result *result, int64_t only_counted,
                     struct definition out[static DEFINITIONS_MAX]);

#endif
