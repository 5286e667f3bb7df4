/* look: one look at the files of a source, on a thread of io/work: which file comes next, and its next whole lines. Not
 * for use outside sources/. */
#ifndef SOURCES_LOOK_H
#define SOURCES_LOOK_H

#include "sources/look_table.h"

#define LOOK_PRINT_BYTES 256 /* a file is recognized by this many bytes before the place up to which it was read */
#define LOOK_CHUNK_BYTES ((size_t)1 << 20) /* read at once, at most */

struct look {
    /* from the source; the texts belong to the look */
    char *root, *folder, *path;
    struct look_table table;
    /* found */
    char name[256];                /* of the file whose lines they are */
    struct look_file file;         /* where they begin */
    struct buf lines;              /* whole ones; without any: the head of one that is too long */
    bool has_rest;                 /* there may be more behind them, or in other files */
    bool is_tail;                  /* they are what a file ends with, without an end */
    int64_t rest_ms;               /* how long the steps of a metrics file behind these lines took */
    char before[LOOK_PRINT_BYTES]; /* of the file, up to its offset */
    size_t before_bytes;
    uint64_t skip_name;  /* the file ... */
    int64_t skip_offset; /* ... in which a line that was too long continues here; 0: none */
    char error[640];     /* "": none */
    bool is_absent;      /* the error: it does not exist */
    char warning[640];   /* what is left out, while the rest is read; "": nothing */
};

struct look *look_new(const char *root, const char *folder, const char *path);
void look_free(void *look);
void look_run(void *look);
/* How many bytes of the lines were taken. is_cut: they end in the middle of a line that is too long. */
void look_take(struct look *look, size_t bytes, bool is_cut);

/* How long the step of a line of MaxText's metrics file took; 0 if it is none. */
int64_t look_step_ms(struct slice line);

#endif
