/* exceptions: what the exception that ends a traceback proves, by its message, its frames and the chain that it is of.
 */
#ifndef ROOTCAUSE_EXCEPTIONS_H
#define ROOTCAUSE_EXCEPTIONS_H

#include "rootcause/log_internal.h"

/* row: of the line, NULL: none. exception: "Name: message". is_bare: outside a traceback. */
void exceptions_take(struct rootcause_log *log, struct writer *w, const struct line *line, const struct signature *row,
                     size_t at, struct slice exception, bool is_bare, int64_t number);
/* Java names the cause of an exception after it: the log drops the exception that the line's own one caused. */
bool exceptions_take_caused(struct rootcause_log *log, const struct writer *w);
/* The traceback may be cut off before the line of its exception: what raises it in the source, or its name above the
 * frames (is_head), is all there is then. */
void exceptions_take_raised(struct rootcause_log *log, struct writer *w, const struct line *line, struct slice source,
                            bool is_head, int64_t number);
/* The text ended before the line of its exception: its frames are all there is. */
void exceptions_take_cut(struct rootcause_log *log, const struct writer *w);
/* A line after an exception, which may be a part of its message: a cause in it names the exception better. */
bool exceptions_take_message(struct rootcause_log *log, struct writer *w, const struct line *line,
                             const struct signature *row, size_t at, int64_t number);

#endif
