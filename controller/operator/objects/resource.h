/* resource: the kinds of objects that are watched, and what a watch shows of one. */
#ifndef OPERATOR_OBJECTS_RESOURCE_H
#define OPERATOR_OBJECTS_RESOURCE_H

enum resource {
    RESOURCE_JOBGOODPUT,
    RESOURCE_JOBSET,
    RESOURCE_JOB,
    RESOURCE_POD,
    RESOURCE_NODE,
    RESOURCE_WORKLOAD, /* either version */
    RESOURCE_EVENT,    /* core/v1 shape */
    RESOURCE_NODE_LEASE,
    RESOURCE_STEPLOGFORMAT,
    RESOURCE_NODE_EVENT,    /* as RESOURCE_EVENT, of Nodes */
    RESOURCE_RESOURCESLICE, /* either version */
    RESOURCE_RAYJOB,
    RESOURCE_RAYCLUSTER,
    RESOURCE_LEADERWORKERSET,
    RESOURCE_PYTORCHJOB,
    RESOURCE_RESOURCECLAIM, /* any version */
    RESOURCE_RESOURCECLAIMTEMPLATE,
    RESOURCE_COUNT
};

enum observed { OBSERVED_PRESENT /* added or modified */, OBSERVED_DELETED, OBSERVED_VANISHED };

#endif
