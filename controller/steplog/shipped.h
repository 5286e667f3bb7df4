/* shipped: the StepLogFormats of helm/goodput-controller/files/formats, which the build embeds: named formats that Auto
 * recognizes by a step's line. They are parsed once and never change. */
#ifndef STEPLOG_SHIPPED_H
#define STEPLOG_SHIPPED_H

#include "steplog/userformat.h"

/* The files, in the order in which they are tried. */
#define SHIPPED_FORMATS(X)                                                                                             \
    X(nanogpt, "nanogpt")                                                                                              \
    X(llmc, "llmc")                                                                                                    \
    X(nanochat, "nanochat")                                                                                            \
    X(modded_nanogpt, "modded-nanogpt")                                                                                \
    X(litgpt, "litgpt")                                                                                                \
    X(torchtune, "torchtune")                                                                                          \
    X(composer, "composer")                                                                                            \
    X(olmo, "olmo")                                                                                                    \
    X(nanotron, "nanotron")                                                                                            \
    X(ms_swift, "ms-swift")                                                                                            \
    X(verl, "verl")                                                                                                    \
    X(openrlhf, "openrlhf")                                                                                            \
    X(nemo_rl, "nemo-rl")                                                                                              \
    X(axlearn, "axlearn")                                                                                              \
    X(levanter, "levanter")                                                                                            \
    X(big_vision, "big-vision")                                                                                        \
    X(dinov2, "dinov2")                                                                                                \
    X(clu, "clu")                                                                                                      \
    X(sockeye, "sockeye")

enum {
#define X(id, name) SHIPPED_##id,
    SHIPPED_FORMATS(X)
#undef X
        SHIPPED_COUNT
};

struct shipped {
    char *name, *trainer; /* metadata.name; what it reads, for people */
    struct userformat *format;
    /* A text that every line of the pattern holds, so that most lines need no regular expression. */
    char literals[USERFORMAT_PATTERNS][USERFORMAT_NAME_SIZE];
};

/* 0 to SHIPPED_COUNT - 1. Borrowed. */
const struct shipped *shipped_get(int number);
/* NULL: none has that name. Borrowed. */
const struct shipped *shipped_find(struct slice name);
/* The StepLogFormat as the file has it: YAML. Borrowed. */
struct slice shipped_yaml(int number);

/* The longest text outside groups, classes and repeats that every match of the pattern holds; "" if there is none, or
 * the pattern has alternatives or options outside of groups. */
void shipped_literal(const char *pattern, char ret[static USERFORMAT_NAME_SIZE]);

#endif
