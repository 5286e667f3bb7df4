/* cloud_logging_allow: which namespaces may have the controller read which loggers of Cloud Logging. The controller
 * reads with its own Google identity, so a JobGoodput alone gives no authority; nothing is allowed unless a rule says
 * so.
 *
 * A list of rules, separated by commas: NAMESPACE=PROJECT/LOGGER. Each part is a name, or what a name begins with and
 * a star, as in "research=my-project/goodput_*". */
#ifndef SOURCES_CLOUD_LOGGING_ALLOW_H
#define SOURCES_CLOUD_LOGGING_ALLOW_H

#include "base/error.h"

#include <stdbool.h>

/* 0, or -EINVAL with *err that names the rule which is not one. "" is a list without rules. */
int cloud_logging_allow_check(const char *rules, struct error **err);

/* rules: checked; NULL: none. */
bool cloud_logging_allows(const char *rules, const char *namespace_, const char *project, const char *logger);

#endif
