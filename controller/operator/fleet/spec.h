/* spec: what a FleetGoodput asks for: which jobs, grouped by what, over which time, with which nodes. The API server
 * refuses most of what is wrong; what gets by it is said in one sentence. */
#ifndef OPERATOR_FLEET_SPEC_H
#define OPERATOR_FLEET_SPEC_H

#include "base/error.h"
#include "fleet/roll.h"

enum { FLEETS_NAMES = 64, FLEETS_REQUIREMENTS = 64, FLEETS_KEYS = 3 };

struct fleets_names {
    char *items[FLEETS_NAMES];
    int count;
};
enum fleets_operator { FLEETS_IN, FLEETS_NOT_IN, FLEETS_EXISTS, FLEETS_DOES_NOT_EXIST };
struct fleets_requirement {
    char *key;
    enum fleets_operator operator_;
    struct fleets_names values;
};

struct fleets_spec {
    struct fleets_names namespaces, queues, cluster_queues, priorities, accelerators, keys;
    struct fleets_requirement requirements[FLEETS_REQUIREMENTS];
    int requirement_count;
    bool has_capacity;
    char *node_selector; /* "k=v,k=v"; "": all */
    struct roll_options window;
    char window_name[16];
};

/* spec: JSON; empty: all defaults. -EINVAL and a sentence: what is there is to be freed nevertheless. */
int fleets_spec_read(struct fleets_spec *spec, struct slice json, struct error **err);
void fleets_spec_done(struct fleets_spec *spec);
bool fleets_spec_selects(const struct fleets_spec *spec, const struct member *member);
/* "research / TPU v5e"; "-" where a job has none; "all" without groupBy. */
void fleets_spec_group(const struct fleets_spec *spec, const struct member *member, struct buf *group);

#endif
