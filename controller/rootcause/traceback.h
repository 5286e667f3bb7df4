/* traceback: a Python traceback, line by line: plain, of rich (in a box), of IPython, of an exception group, of
 * faulthandler, and one whose start was cut off. Its frames and source lines are no evidence; its last frame outside
 * installed packages is where the program was. */
#ifndef ROOTCAUSE_TRACEBACK_H
#define ROOTCAUSE_TRACEBACK_H

#include "rootcause/signatures.h"

#define TRACEBACK_FRAME_BYTES 128

enum traceback_line {
    TRACEBACK_OUTSIDE,
    TRACEBACK_INSIDE,    /* a part that names no cause */
    TRACEBACK_RAISES,    /* a part that names an exception, whose own line comes later unless the text ends before */
    TRACEBACK_HEADED,    /* the same, above the frames: of the exception that ends the traceback */
    TRACEBACK_EXCEPTION, /* its last line */
    TRACEBACK_BARE       /* looks like an exception, outside a traceback */
};

/* The last of the frames that a place of the table names. */
struct named_frame {
    const struct signature *row; /* NULL: none */
    int count;                   /* of such frames */
    char text[TRACEBACK_FRAME_BYTES];
};

struct traceback {                                          /* all-zero: outside */
    bool is_open, is_ignored, has_source_next, is_indented; /* the last frame */
    bool has_frame;                                         /* until then no exception ends it: others print too */
    bool is_reversed;                                       /* of faulthandler: the innermost frame comes first */
    bool is_chained;                                        /* another exception came before in its chain */
    bool is_handling;                                       /* the other one was being handled */
    bool is_thread;                                         /* of a thread whose end leaves the process alive */
    bool is_loading;                                        /* a frame reads the data of training */
    bool is_of_data_set;                                    /* the last frame: code of a data set */
    bool is_of_settings;                                    /* a line of source reads a configuration */
    bool is_caused;                                         /* of Java: what caused the exceptions above it */
    bool is_carried;                                        /* a data loader reports what its worker raised */
    int lines;
    size_t column; /* of a logger whose prefix every line has: its size */
    bool has_column;
    char boxed[2 * TRACEBACK_FRAME_BYTES]; /* the start of a frame that rich wraps; "" if none */
    char frame[TRACEBACK_FRAME_BYTES];     /* the last one outside installed packages: "train.py:12 in step" */
    struct named_frame named;              /* by IN_FRAME */
    struct named_frame raised;             /* by IN_RAISED: the last frame, or none */
    const struct signature *module;        /* of the last exception's name; NULL: none */
    struct named_frame source;             /* the last frame's line of source: what it called */
    bool is_starting;                      /* a frame sets up the processes' first connection */
    bool is_of_spawn;                      /* the last frame: a new process reads what its parent sends */
};

/* text: without indentation. After TRACEBACK_EXCEPTION and TRACEBACK_BARE *exception is "Name: message" without the
 * modules of the name, after TRACEBACK_HEADED its name, after TRACEBACK_RAISES the source that raises it. */
enum traceback_line traceback_take(struct traceback *t, const struct matcher *m, struct slice text, size_t indentation,
                                   struct slice *exception);

/* Where the exception was raised says what it is about: the row of the last frame, then of the deepest that the table
 * names, then of the last line of source. NULL: none. */
const struct signature *traceback_row(const struct traceback *t);
/* The frame that says what a traceback is about whose end is cut off; NULL: none does, or too much follows. */
const struct named_frame *traceback_cut(const struct traceback *t);
/* A frame or the last line of source sets up the processes' first connection. */
bool traceback_is_of_start(const struct traceback *t);

#endif
