#include "export/push/identity.h"

#include "base/jmembers.h"

#include <string.h>

bool push_identity_read(struct slice object, struct push_identity *d) {
    typedef struct push_identity identity;
    static const struct jmember metadata[] = {JMEMBER(identity, uid, "uid")};
    static const struct jmember target_ref[] = {JMEMBER(identity, target, "name"),
                                                JMEMBER(identity, target_kind, "kind")};
    static const struct jmember run[] = {JMEMBER(identity, run, "jobName")};
    static const struct jmember step_log[] = {JMEMBER_OBJECT("cloudLogging", run), JMEMBER_OBJECT("push", run)};
    static const struct jmember spec[] = {JMEMBER_OBJECT("targetRef", target_ref), JMEMBER_OBJECT("stepLog", step_log)};
    static const struct jmember target[] = {JMEMBER(identity, target_uid, "uid"),
                                            JMEMBER(identity, accelerator, "accelerator")};
    static const struct jmember status[] = {JMEMBER_OBJECT("target", target)};
    static const struct jmember rows[] = {JMEMBER_OBJECT("metadata", metadata), JMEMBER_OBJECT("spec", spec),
                                          JMEMBER_OBJECT("status", status)};
    struct jscan j;
    memset(d, 0, sizeof *d);
    jscan_init(&j, object);
    if (!jmembers_read(&j, JMEMBERS(rows), d))
        return false;
    if (d->run[0] == '\0')
        memcpy(d->run, d->target, sizeof d->run);
    return jscan_error(&j, NULL) == NULL;
}
