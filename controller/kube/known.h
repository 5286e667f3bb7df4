/* known: the identities that a reflector has shown its user: enough to say what vanished while nobody looked, and
 * which items of a repeated page were shown already. About 200 bytes an object. */
#ifndef KUBE_KNOWN_H
#define KUBE_KNOWN_H

#include "base/map.h"

struct kube_known_entry {
    uint32_t generation;   /* of the list that showed it last */
    uint64_t version_hash; /* of the resourceVersion shown last */
    char uid[];            /* after it, the key */
};

struct kube_known {
    struct map by_name; /* "namespace/name" */
    uint32_t generation;
};

void kube_known_init(struct kube_known *k);
void kube_known_done(struct kube_known *k);
/* Borrowed; NULL if unknown. */
struct kube_known_entry *kube_known_get(const struct kube_known *k, struct slice namespace_, struct slice name);
/* One that is known is shown again. */
void kube_known_again(const struct kube_known *k, struct kube_known_entry *entry, struct slice resource_version);
/* One that is not known. */
void kube_known_put(struct kube_known *k, struct slice namespace_, struct slice name, struct slice uid,
                    struct slice resource_version);
void kube_known_remove(struct kube_known *k, struct slice namespace_, struct slice name);
/* Takes out one that the list of this generation did not show (any one, if is_all): its key and entry, the caller's. */
bool kube_known_take_stale(struct kube_known *k, bool is_all, size_t *cursor, char **key,
                           struct kube_known_entry **entry);

#endif
