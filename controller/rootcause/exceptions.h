/* exceptions: what the exception that ends a traceback proves, by its message, its frames and the chain that it is of.
 */
#ifndef ROOTCAUSE_EXCEPTIONS_H
#define ROOTCAUSE_EXCEPTIONS_H

#include "rootcause/log_internal.h"

/* row: of the line, NULL: none. exception: "Name: message". is_bare: outside a traceback. */
void exceptions_take(struct rootcause_log *log, struct writer *w, const struct line *line, const struct signature *row,
                     size_t at, struct slice exception, bool is_bare, int64_t number);
/* A line after an exception, which may be a part of its message: a cause in it names the exception better. */
bool exceptions_take_message(struct rootcause_log *log, struct writer *w, const struct line *line,
                             const struct signature *row, size_t at, int64_t number);

#endif
