/* messages: what the readers of this folder read of the kinds that the API server sends in protobuf: a field that one
 * of them comes to read in JSON needs its row here. tests/protobuf compares both encodings. */
#ifndef OPERATOR_OBJECTS_MESSAGES_H
#define OPERATOR_OBJECTS_MESSAGES_H

#include "base/protobuf.h"
#include "operator/objects/resource.h"

extern const struct protobuf_message object_known_pod_message; /* by object_pod_parse where is_known */
extern const struct protobuf_message object_pod_message, object_job_message, object_node_message, object_event_message;
/* What is read of that kind where it comes in protobuf; NULL: it comes in JSON, as all custom resources do. */
const struct protobuf_message *object_message(enum resource resource);

#endif
