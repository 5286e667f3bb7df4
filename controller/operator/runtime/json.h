/* json: the few things that the runtime itself reads from objects; all else is the model's. */
#ifndef OPERATOR_RUNTIME_JSON_H
#define OPERATOR_RUNTIME_JSON_H

#include "base/buf.h"
#include "operator/model/model.h"

/* A hash of a JSON value that does not depend on white space, the order of keys, or how strings are escaped: the API
 * server sorts keys, we do not. 0 if the bytes are not JSON. */
uint64_t runtime_json_hash(struct slice json);

/* The same of a status, its checkpoint left out: that says nothing that the rest does not, and differs each time.
 * *ret_printed (may be NULL): of the scores and the largest losses that `kubectl get` prints. */
uint64_t runtime_json_hash_of_status(struct slice status, uint64_t *ret_printed);

/* object.status: its hash; false if there is none, or an empty one. */
bool runtime_json_status_hash(struct slice object, uint64_t *hash);

/* object.status.checkpoint is there: whoever wrote that status did not take it for final. */
bool runtime_json_has_checkpoint(struct slice object);

/* object.metadata.resourceVersion into out ("" if absent). */
void runtime_json_resource_version(struct slice object, char *out, size_t out_size);
/* After a write that was sent by the version `sent`: the reply's. If the watch reported a later change before the
 * reply was read, its version, which is then in `version`, stays. */
void runtime_json_written_version(struct slice reply, const char *sent, char *version, size_t version_size);

/* node.status.conditions: Ready is there and not True. */
bool runtime_json_node_is_not_ready(struct slice node);

/* The server-side apply of status, with the resource version as the precondition. */
void runtime_json_apply(struct buf *out, const struct model_job *job, const char *resource_version,
                        struct slice status);

#endif
