/* managed: metadata.managedFields and server-side apply. Small but real: who owns a field is tracked per manager,
 * operation and subresource; lists are merged by the schema's list types; a conflicting apply is refused unless forced;
 * fields that an applier no longer names and nobody else owns are removed.
 * Source: kubernetes website, "Server-Side Apply"; sigs.k8s.io/structured-merge-diff for the FieldsV1 format. */
#ifndef TESTS_APISERVER_MANAGED_H
#define TESTS_APISERVER_MANAGED_H

#include "jx.h"

struct manager {
    const char *name, *api_version, *subresource; /* subresource: "" or "status" */
    const char *now;                              /* RFC 3339, whole seconds */
};

/* Books the difference from `before` (NULL: created) to `after` on the manager, in after's managedFields. */
void managed_update(const json_t *schema, const json_t *before, json_t *after, const struct manager *manager);

/* Applies `config` to `live` (NULL: nothing yet). Returns the new object, or NULL with the conflicts as a Status's
 * details.causes in *conflicts (array of {"reason", "message", "field"}), if any and not is_forced. */
json_t *managed_apply(const json_t *schema, const json_t *live, const json_t *config, const struct manager *manager,
                      bool is_forced, json_t **conflicts);

#endif
