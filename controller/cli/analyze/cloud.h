/* analyze_cloud: the entries of one job in Cloud Logging, fetched once into an unnamed file, one line per entry, which
 * analyze reads like any other file. */
#ifndef CLI_ANALYZE_CLOUD_H
#define CLI_ANALYZE_CLOUD_H

#include "base/error.h"

struct analyze_cloud {
    const char *log;         /* "project/logger/job"; only the logger may contain slashes */
    const char *credentials; /* NULL: the application-default ones */
    const char *endpoint;    /* NULL: Google's */
};

/* Whether log names all three. */
int analyze_cloud_check(const char *log, struct error **err);
/* The file's descriptor at its start; the caller closes it. Errors: no token, no permission, no such project, no
 * entry. */
int analyze_cloud_fetch(const struct analyze_cloud *cloud, struct error **err);

#endif
