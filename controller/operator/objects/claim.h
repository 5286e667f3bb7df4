/* claim: reads a ResourceClaim (Dynamic Resource Allocation): which pod it is for, and how many chips it asks for, or
 * was given. Either version: v1 and v1beta2 write a request's fields into its member "exactly", v1beta1 into itself. */
#ifndef OPERATOR_OBJECTS_CLAIM_H
#define OPERATOR_OBJECTS_CLAIM_H

#include "operator/objects/objects.h"

struct object_claim {
    struct object_meta meta;
    /* Of whom it is: the pod it was made for from a template, else the first that it is reserved for; empty: none. */
    struct slice pod_uid;
    int64_t chips; /* whole ones; of all devices of a node (allocationMode All) 0 until they are allocated */
};
int object_claim_parse(struct slice json, struct object_claim *claim);
/* A ResourceClaimTemplate: what each claim made from it will ask for. */
int object_claim_template_parse(struct slice json, struct object_claim *claim);
/* The next of a pod template's resourceClaims that names a ResourceClaimTemplate; false: there are no more. */
bool object_claim_template_next(struct slice *resource_claims, struct slice *name);

#endif
