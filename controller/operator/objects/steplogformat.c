/* Reads a StepLogFormat (crds/goodput.dev_steplogformats.yaml) up to its spec, which steplog/userformat.h reads. */
#include "operator/objects/steplogformat.h"

#include <string.h>

static void metadata_scan(struct jscan *j, void *at) {
    typedef struct object_steplogformat format;
    static const struct jmember labels[] = {JMEMBER(format, managed_by, "app.kubernetes.io/managed-by")};
    static const struct jmember rows[] = {JMEMBER_OBJECT("labels", labels)};
    struct object_steplogformat *f = at;
    struct jscan ahead = *j;
    jmembers_read(&ahead, JMEMBERS(rows), f);
    object_meta_scan(j, &f->meta);
}

int object_steplogformat_parse(struct slice json, struct object_steplogformat *f) {
    typedef struct object_steplogformat format;
    static const struct jmember status[] = {JMEMBER_FIELD(format, conditions, "conditions", object_conditions_scan),
                                            JMEMBER(format, observed_generation, "observedGeneration")};
    static const struct jmember rows[] = {JMEMBER_SELF("metadata", metadata_scan), JMEMBER_RAW(format, spec, "spec"),
                                          JMEMBER_OBJECT("status", status)};
    memset(f, 0, sizeof *f);
    object_meta_init(&f->meta);
    return object_read(json, JMEMBERS(rows), f);
}
