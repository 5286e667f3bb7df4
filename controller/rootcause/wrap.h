/* wrap: lines that a terminal or a pager cut at its width. They become one line again before anything reads them. */
#ifndef ROOTCAUSE_WRAP_H
#define ROOTCAUSE_WRAP_H

#include "base/buf.h"
#include "rootcause/signatures.h"

struct wrap { /* all-zero and wrap_init(): no line is held */
    struct buf held, plain;
    int64_t number; /* of the held line */
    size_t columns; /* of its last part */
    size_t widest;  /* of all lines so far */
    bool is_held;
};

void wrap_init(struct wrap *w);
void wrap_done(struct wrap *w);

/* Whether the line continues the held one, and is now a part of it. *is_whole: the held line is complete. */
bool wrap_take_rest(struct wrap *w, const struct matcher *m, struct slice raw, bool *is_whole);
/* Whether the line ends where a terminal cuts: it is now held until the next one shows whether it continues. */
bool wrap_hold(struct wrap *w, struct slice raw, int64_t number);
/* The held line, which is held no more; false: none is. It is valid until the next line is held. */
bool wrap_release(struct wrap *w, struct slice *raw, int64_t *number);

#endif
