/* check: goodput-controller --check: whether the account can read what the controller watches, asked once. */
#ifndef OPERATOR_RUNTIME_CHECK_H
#define OPERATOR_RUNTIME_CHECK_H

#include "operator/runtime/flags.h"

/* Lists one object of everything that is watched and prints a line for each to out: "readable", "not served" (and what
 * that means) or "not readable" (and the server's words). 0; 1 and one line on stderr if the JobGoodputs of some
 * namespace cannot be read: then nothing is measured there. */
int runtime_check(const struct runtime_flags *flags, FILE *out);

#endif
