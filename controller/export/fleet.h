/* fleet: the JobGoodputs of the API server's last events, for metrics and the page. Every number that is shown comes
 * from the objects themselves, so that no two places can disagree. Objects are kept as JSON text without what only the
 * controller needs (managedFields, the status' checkpoint or settled sums), packed: one is much like another. Keeps the
 * order of changes, so that a reader that has everything up to a change can get the later ones. */
#ifndef EXPORT_FLEET_H
#define EXPORT_FLEET_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/pack.h"
#include "export/fleet_brief.h"

struct fleet_job {
    struct fleet *fleet;
    char *namespace_, *name;
    char *packed; /* the object; NULL: deleted */
    struct pack_sample *sample;
    uint32_t packed_bytes, size_bytes;
    struct fleet_brief *brief; /* owned; NULL: no numbers */
    int64_t change;            /* number of its last change, from 2 (1: the empty fleet) */
    bool is_deleted;           /* only its name is left, for readers that have not read its deletion */
    struct fleet_job *earlier, *later;
};

struct fleet {
    const char *cluster_name;       /* of --cluster-name; borrowed; "": not known */
    struct map jobs;                /* "namespace/name"; deleted ones too */
    struct fleet_job *first, *last; /* in the order of changes */
    int64_t change, forgotten;      /* number of the last change; deletions up to `forgotten` are forgotten */
    size_t deleted_count;
    struct packer *packer;
    struct pack_sample *sample;       /* of objects that are put now */
    const struct fleet_job *unpacked; /* whose object `text` is; NULL: none */
    char *text;
};

void fleet_init(struct fleet *f);
void fleet_done(struct fleet *f);
/* object: the JobGoodput as JSON. -EINVAL if it is not JSON: it is left out. */
int fleet_put(struct fleet *f, const char *namespace_, const char *name, struct slice object);
void fleet_remove(struct fleet *f, const char *namespace_, const char *name);
const struct fleet_job *fleet_find(const struct fleet *f, const char *namespace_,
                                   const char *name); /* NULL if deleted */
/* As JSON; valid until another one is asked for or put. Empty if deleted. */
struct slice fleet_object(const struct fleet_job *job);

/* Writes the object without metadata.managedFields and status.checkpoint; -EINVAL if it is not a JSON object. */
int fleet_trim(struct slice object, struct buf *out);

#endif
