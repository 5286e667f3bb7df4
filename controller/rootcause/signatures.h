/* signatures: the texts that name a cause. They are the rows of signatures.tsv, which says what its fields mean; the
 * matcher is made of them once, and finds a line's row in time linear in the size of the line. */
#ifndef ROOTCAUSE_SIGNATURES_H
#define ROOTCAUSE_SIGNATURES_H

#include "base/slice.h"
#include "rootcause/classes.h"

/* X(IDENTIFIER, name in the table), strongest first. Of several lines the strongest role counts, then the earliest. */
#define ROOTCAUSE_ROLES(X)                                                                                             \
    X(PRIMARY, "primary")                                                                                              \
    X(STOP, "stop")                                                                                                    \
    X(WEAK, "weak")                                                                                                    \
    X(SYMPTOM, "symptom")                                                                                              \
    X(LAST, "last")                                                                                                    \
    X(WRAPPER, "wrapper")                                                                                              \
    X(ADVICE, "advice")                                                                                                \
    X(FINISH, "finish")

enum rootcause_role {
#define X(id, name) ROLE_##id,
    ROOTCAUSE_ROLES(X)
#undef X
        ROLE_COUNT
};

enum signature_place {
    IN_LINE,
    IN_EXCEPTION,
    IN_VALUE,
    IN_MESSAGE,
    IN_NAME,
    IN_PATH,
    IN_MODULE,
    IN_FRAME,
    IN_RAISED,
    PLACE_COUNT
};

struct signature { /* borrows from the table */
    enum rootcause_class class_;
    enum rootcause_role role;
    enum rootcause_owner owner;
    enum signature_place place;
    struct slice reason, pattern, source;
    struct slice head; /* the pattern up to its first gap */
};

/* The text after a pattern's first bytes must follow within this many bytes. */
#define SIGNATURE_REACH 1024

struct matcher;

struct matcher *matcher_new(void);
void matcher_free(struct matcher *m);

/* The row that a line fits; NULL: none. *at (may be NULL): where in the line its text starts. */
/* False: the text is of no row for lines, and outside a traceback it is neither a part of one nor names an exception.
 */
bool matcher_may_find(const struct matcher *m, struct slice text);
const struct signature *matcher_find(const struct matcher *m, struct slice line, size_t *at);
/* The row of an exception, by "Name: message" without its modules: by both, by the message where the name says nothing,
 * or by a word of the name; NULL: none. */
const struct signature *matcher_exception(const struct matcher *m, struct slice text);
/* The row of the message of a library's own exception, if neither its name nor its modules say what was wrong. */
const struct signature *matcher_library(const struct matcher *m, struct slice text);
/* Whether a row of the table is an exception of that name. */
bool matcher_names_exception(const struct matcher *m, struct slice name);
/* The first row whose text is within a frame, "/path/file.py, in function", or a name; NULL: none. place: IN_FRAME, or
 * IN_RAISED for the last frame, or IN_NAME. */
const struct signature *matcher_within(const struct matcher *m, enum signature_place place, struct slice text);
/* The first row that the modules of an exception's name start with, "botocore.exceptions."; NULL: none. */
const struct signature *matcher_module(const struct matcher *m, struct slice modules);
/* Whether an exception's name says nothing of what was wrong. */
bool signature_is_general(struct slice name);
/* All rows, in the order of the table. */
const struct signature *matcher_rows(const struct matcher *m, size_t *count);

#endif
