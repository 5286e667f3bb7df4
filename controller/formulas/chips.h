/* chips: the peak throughput of accelerators, dense, per chip, as data with its sources, and how the labels of a node
 * name the chip. A figure that is not known is 0, never a guess. Pure. */
#ifndef FORMULAS_CHIPS_H
#define FORMULAS_CHIPS_H

#include "base/error.h"
#include "base/slice.h"

#include <stddef.h>
#include <stdint.h>

struct chip {
    const char *name;         /* as its maker writes it: "TPU v5e", "H100 SXM" */
    int64_t bf16_gflops;      /* 10^9 FLOP/s per chip */
    int64_t quantised_gflops; /* int8 or fp8, 10^9 OP/s per chip; 0: not known */
    int devices;              /* that the trainer sees per chip: a TPU7x has 2, and logs tell TFLOP/s per device */
    const char *source;
};

/* By its name, in any case ("tpu v5e"); NULL if unknown. */
const struct chip *chip_find(struct slice name);
/* By a node's label, such as cloud.google.com/gke-tpu-accelerator=tpu-v5-lite-podslice; NULL if it names no chip. */
const struct chip *chip_of_label(struct slice key, struct slice value);
/* Its peak in 10^9 FLOP/s, as `overrides` ("TPU v5e=197000,H200=989000"; may be NULL) says, else the table. */
int64_t chip_peak(const struct chip *chip, const char *overrides);
/* -EINVAL with one line that names what cannot be used. */
int chip_overrides_check(const char *overrides, struct error **err);
/* All of them, for tables. */
const struct chip *chip_table(size_t *count);

#endif
