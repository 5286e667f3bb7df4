/* endpoint: what the goodput library's unmodified clients need of Cloud Logging, served to the cluster's own pods:
 * entries:write and entries:list over REST, the token exchange that their credentials file names, and /v1/push for
 * lines as they are. Who writes is known by its ServiceAccount's token, and reads and writes its own namespace's
 * "project", or by a job's own token (tokens.h), for that job. An entry is on the disk before it is acknowledged. The
 * ledger reads the store's files (source Push). */
#ifndef RECORDER_ENDPOINT_H
#define RECORDER_ENDPOINT_H

#include "io/server.h"
#include "kube/client.h"

struct endpoint;

#define ENDPOINT_BODY_BYTES ((size_t)10 << 20) /* Cloud Logging's own limit of a request */

/* root: an existing folder, which is written to. tokens_folder: of tokens of jobs; NULL: there are none. */
struct endpoint *endpoint_new(struct kube_client *client, const char *root, const char *tokens_folder);
/* While it says false, requests are refused with 503, which clients try again: the store has one writer. */
void endpoint_serve_while(struct endpoint *endpoint, bool (*is_leading)(const void *context), const void *context);
void endpoint_free(struct endpoint *endpoint); /* after the server was freed */
/* For server_new: the paths and the limit of bodies. */
void endpoint_serve(struct endpoint *endpoint, struct server_options *options);

struct endpoint_figures {                                 /* since the start */
    int64_t entries, bytes, refused_entries, requests[6]; /* 2xx, 400, 401 and 403, 413, 429, 5xx */
};
#define ENDPOINT_FIGURE_CODES                                                                                          \
    { "2xx", "400", "401", "413", "429", "5xx" }
const struct endpoint_figures *endpoint_figures(const struct endpoint *endpoint);

#endif
