/* steplogformat: reads a StepLogFormat. */
#ifndef OPERATOR_OBJECTS_STEPLOGFORMAT_H
#define OPERATOR_OBJECTS_STEPLOGFORMAT_H

#include "operator/objects/objects.h"

#define OBJECT_FORMAT_MANAGER "goodput-controller"

struct object_steplogformat {
    struct object_meta meta;
    struct slice managed_by; /* by label: OBJECT_FORMAT_MANAGER if a controller made it */
    struct slice spec;       /* JSON: steplog/userformat.h */
    int64_t observed_generation;
    struct object_conditions conditions; /* as written before */
};
int object_steplogformat_parse(struct slice json, struct object_steplogformat *format);

#endif
