/* checkpoint_internal: what the two files of the checkpoint share. */
#ifndef OPERATOR_CHECKPOINT_INTERNAL_H
#define OPERATOR_CHECKPOINT_INTERNAL_H

#include "base/codec.h"
#include "operator/model/checkpoint.h"

/* Less and less: all; of ordinary pods that exist only numbers; the same, without Jobs that exist; of all pods only
 * numbers; none of it, so that all time until then is unobserved. */
enum checkpoint_extent { EXTENT_ALL, EXTENT_ORDINARY, EXTENT_FEW_JOBS, EXTENT_NUMBERS, EXTENT_BARE };

struct visitor {
    struct codec *codec;
    struct model *model;
    const struct model_job *job; /* writing */
    enum checkpoint_extent extent;
    int64_t written_ms;
    struct target *numbers; /* writing: its pasts, and its settled slots */
};

char *checkpoint_pack(struct slice raw);               /* heap; NULL if it does not fit */
void visit_name(struct visitor *v, const char **name); /* interned */
void visit_target(struct visitor *v, struct target *t);
/* checkpoint_past.c */
void visit_pasts(struct visitor *v, struct target *t);
void visit_settled(struct visitor *v, struct target *t);

#endif
