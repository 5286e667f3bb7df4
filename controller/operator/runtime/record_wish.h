/* record_wish: whether a job gets a JobGoodput by itself. "annotated": if it says so. "all": also every JobSet, and
 * every Job, RayJob and PyTorchJob whose pods ask for chips, unless it says no. A group of pods says so by its
 * Workload, to which Kueue copies the labels of its pods that integrations.labelKeysToCopy of its configuration names.
 * None: what is over, and what another job that is measured controls. */
#ifndef OPERATOR_RUNTIME_RECORD_WISH_H
#define OPERATOR_RUNTIME_RECORD_WISH_H

#include "operator/store/kinds.h"

enum records_mode { RECORDS_OFF, RECORDS_ANNOTATED, RECORDS_ALL };

/* Annotation or label: "true"; "false" leaves a job out even with "all". */
#define RECORDS_ENABLED "goodput.dev/enabled"
#define RECORDS_FORMAT_ANNOTATION "goodput.dev/log-format" /* spec.stepLog.format of the JobGoodput */

#define RECORDS_RUN_LABEL "goodput.dev/run" /* the JobGoodput gets it too */

struct record_wish {
    bool is_enabled, is_disabled, is_finished;
    bool is_part;     /* another job controls it */
    bool is_training; /* as far as its kind and its pods' chips say */
    char log_format[32];
    char run[64]; /* a label has at most 63 bytes */
};

/* False: not an object, or of a kind that gets none: a RayCluster is part of a RayJob. */
bool record_wish_read(enum target_kind kind, struct slice object, struct record_wish *wish);
/* Whether the object has all these labels: "KEY=VALUE,KEY=VALUE"; "": every object has. */
bool record_wish_has_labels(struct slice object, const char *labels);
bool record_wish_is_granted(const struct record_wish *wish, enum records_mode mode);

#endif
