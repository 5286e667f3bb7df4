/* analyze_cloud: the entries of one job in Cloud Logging, fetched once into a file without a name, a line each, for
 * analyze to read as it reads any other. */
#ifndef CLI_ANALYZE_CLOUD_H
#define CLI_ANALYZE_CLOUD_H

#include "base/error.h"

struct analyze_cloud {
    const char *log;         /* "project/logger/job"; a logger may hold slashes, the others hold none */
    const char *credentials; /* NULL: the application-default ones */
    const char *endpoint;    /* NULL: Google's */
};

/* Whether log names all three. */
int analyze_cloud_check(const char *log, struct error **err);
/* The file's descriptor, at its begin; the caller closes it. Errors: no token, no permission, no such project, no
 * entry.
 */
int analyze_cloud_fetch(const struct analyze_cloud *cloud, struct error **err);

#endif
