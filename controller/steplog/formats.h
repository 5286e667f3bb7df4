/* formats: the table of the formats. A new one is a file that ends with its struct format, and a row here. */
#ifndef STEPLOG_FORMATS_H
#define STEPLOG_FORMATS_H

#include "steplog/parser.h"

/* In the order in which they are tried. The recorder's is first: it reads the structure in which a text may be. */
#define STEPLOG_TABLE(X)                                                                                               \
    X(recorder)                                                                                                        \
    X(maxtext)                                                                                                         \
    X(maxtext_metrics)                                                                                                 \
    X(megatron)                                                                                                        \
    X(nemo)                                                                                                            \
    X(torchtitan)                                                                                                      \
    X(deepspeed)                                                                                                       \
    X(shipped)                                                                                                         \
    X(lightning)                                                                                                       \
    X(keras)                                                                                                           \
    X(huggingface)                                                                                                     \
    X(accelerate)                                                                                                      \
    X(orbax)                                                                                                           \
    X(jax)                                                                                                             \
    X(generic)

/* By rows; ended by NULL. */
extern const struct format *const steplog_formats[];

extern const struct format steplog_shipped;

#endif
