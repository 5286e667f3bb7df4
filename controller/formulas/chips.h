/* chips: the peak throughput of accelerators, dense, per chip, as data with its sources, the resources by which pods
 * ask for them, and how the labels of a node name the chip. A figure that is not known is 0, never a guess. Pure. */
#ifndef FORMULAS_CHIPS_H
#define FORMULAS_CHIPS_H

#include "base/error.h"
#include "base/slice.h"

#include <stddef.h>
#include <stdint.h>

/* What is computed in. */
enum chip_type { CHIP_BF16, CHIP_INT8, CHIP_FP8, CHIP_TYPES };
enum chip_type chip_type_find(struct slice name); /* "BF16", "INT8", "FP8"; else CHIP_TYPES */
const char *chip_type_name(enum chip_type type);

struct chip {
    const char *name;           /* as its maker writes it: "TPU v5e", "H100 SXM" */
    int64_t gflops[CHIP_TYPES]; /* 10^9 FLOP/s, or OP/s, per chip; 0: not known */
    int devices;                /* that the trainer sees per chip: a TPU7x has 2, and logs give TFLOP/s per device */
    const char *source;
};

/* By its name, in any case ("tpu v5e"); NULL if unknown. */
const struct chip *chip_find(struct slice name);
/* By a node's label, such as cloud.google.com/gke-tpu-accelerator=tpu-v5-lite-podslice; NULL if it names no chip. */
const struct chip *chip_of_label(struct slice key, struct slice value);
/* Whether nodes with accelerators have a label of that key, by which pods select them. */
bool chip_is_node_label(struct slice key);
/* The number of chips that a node's label reports, such as cloud.google.com/gke-accelerator-count=4; 0: none. */
int64_t chip_count_of_label(struct slice key, struct slice value);
/* The node's GPUs are divided into partitions, and labels count these. */
bool chip_is_partitioned(struct slice key, struct slice value);
/* Whether a container's resource counts whole chips: google.com/tpu, nvidia.com/gpu ... Shares of a chip do not count.
 */
bool chip_is_resource(struct slice resource);
/* The same of the device that a ResourceClaim was given (Dynamic Resource Allocation), by its driver and its name. */
bool chip_is_device(struct slice driver, struct slice device);
/* Of a DeviceClass, which has its driver's name by its maker's habit: before a claim is allocated, nothing else says
 * what it asks for. */
bool chip_is_device_class(struct slice class_);
/* Its peak in 10^9 FLOP/s, as `overrides` ("TPU v5e=197000,H200/FP8=1979000"; may be NULL; without a type BF16) says,
 * else the table; 0: not known. */
int64_t chip_peak(const struct chip *chip, enum chip_type type, const char *overrides);
/* -EINVAL with one line that names what cannot be used. */
int chip_overrides_check(const char *overrides, struct error **err);
/* Takes the next NAME=VALUE of a list with commas; false at its end, or where it is none. */
bool chip_list_next(struct slice *rest, struct slice *name, struct slice *value);

#endif
