/* checkpoint_internal: what the two files of the checkpoint share. */
#ifndef OPERATOR_CHECKPOINT_INTERNAL_H
#define OPERATOR_CHECKPOINT_INTERNAL_H

#include "base/codec.h"
#include "operator/job/checkpoint.h"

enum checkpoint_extent { EXTENT_ALL, EXTENT_GONE, EXTENT_TARGET, EXTENT_BARE /* not even its past */ };

struct visitor {
    struct codec *codec;
    struct model *model;
    const struct model_job *job; /* writing */
    enum checkpoint_extent extent;
    int64_t written_ms;
};

char *checkpoint_pack(struct slice raw); /* heap; NULL if it does not fit */
bool checkpoint_has_pod(const struct visitor *v, const struct pod *p);
void visit_name(struct visitor *v, const char **name); /* interned */
void visit_target(struct visitor *v, struct target *t);
void visit_pasts(struct visitor *v, struct target *t); /* checkpoint_past.c */

#endif
