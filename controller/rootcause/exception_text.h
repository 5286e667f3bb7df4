/* exception_text: "Name: message" in a line, as Python, Java and libraries print it, and what precedes it. It knows
 * nothing of the lines around. */
#ifndef ROOTCAUSE_EXCEPTION_TEXT_H
#define ROOTCAUSE_EXCEPTION_TEXT_H

#include "rootcause/signatures.h"

/* The exception that a text starts with, without the modules of its name. is_certain: a traceback ends here, so that
 * any name will do. */
bool exception_text_find(struct slice text, bool is_certain, struct slice *exception);
/* The same outside a traceback, behind the head of a logger, of pytest or of Java. *is_caused: of Java, it caused those
 * above it. */
bool exception_text_bare(const struct matcher *m, struct slice text, struct slice *exception, bool *is_caused);
/* The name that source or an exception starts with, without its modules. */
struct slice exception_text_name(struct slice text);
/* "botocore.exceptions.": the modules before an exception's name. */
struct slice exception_text_modules(struct slice text, struct slice exception);
/* Whether a name ends as those of exceptions do. */
bool exception_text_has_ending(struct slice name);

#endif
