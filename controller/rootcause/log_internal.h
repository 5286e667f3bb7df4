/* log_internal: what a log keeps while its lines come, for the files that read them. */
#ifndef ROOTCAUSE_LOG_INTERNAL_H
#define ROOTCAUSE_LOG_INTERNAL_H

#include "rootcause/line.h"
#include "rootcause/log.h"
#include "rootcause/wrap.h"

enum {
    MAX_WRITERS = 32,
    MAX_WAITING = 1024,
    MAX_MESSAGE_LINES = 12,
    MAX_RANKS = 4096,
    PLAIN_BYTES = 1 << 20,
    MAX_NESTING = 4,
    MAX_NAMES_LINES = 6,
    MESSAGE_BYTES = 512,
    WRAPPED_BYTES = 60,
    JOINED_BYTES = 96, /* of each of two lines */
    MAX_CHAT_LINES = 40
};

/* One process of a stream: its traceback, and the exception whose message may continue in the next lines. */
struct writer {
    uint64_t prefix;
    int64_t rank;
    struct traceback traceback;
    int64_t named_line;     /* of its last frame that the table names, by IN_FRAME */
    int64_t raised_line;    /* by IN_RAISED */
    int64_t source_line;    /* its last line of source that the table names */
    struct finding pending; /* role ROLE_COUNT: none */
    int message_lines;
    int names_lines;               /* that may still name whom a symptom waits for; 0: none */
    int64_t symptom_line;          /* which symptom */
    int chat_lines;                /* that may still be a conversation which the program shows */
    bool is_in_list;               /* the next line may be the number of a task */
    bool is_decided;               /* the first exception of a chain was the cause */
    int64_t decided_line;          /* its line */
    int64_t outer_line;            /* of the last exception; of Java, one that the next lines may explain */
    bool in_report;                /* of torchelastic, below "Root Cause" */
    bool in_failures;              /* of torchelastic, above it: what failed later */
    int64_t raised_number;         /* line of the last finding that is what a line of source raises */
    char exception[MESSAGE_BYTES]; /* "Name: message", with the lines that continue it */
    char end[JOINED_BYTES];        /* of the last line, if a terminal may have wrapped it there */
    size_t end_size;
};

struct rootcause_log {
    const struct matcher *matcher;
    bool is_stamped;
    struct finding *found, *survived; /* by role, in one allocation; NULL after the end */
    struct finding *best;             /* after the end; NULL: none */
    struct writer *writers;           /* until the end */
    size_t writer_count, writer_capacity, last_writer;
    size_t recent;       /* writer of the last line */
    bool is_recent_long; /* a terminal may have wrapped that line */
    struct waiting *waiting;
    size_t waiting_count, waiting_capacity;
    struct stack stack;
    bool is_finished; /* the program said that it reached its end */
    uint64_t symptom_ranks[MAX_RANKS / 64], cause_ranks[MAX_RANKS / 64];
    int steps_with_hardware; /* since a line showed that hardware failed */
    int steps_survived;      /* since any line showed a failure */
    struct buf plain[MAX_NESTING];
    char joined[2 * JOINED_BYTES + 1]; /* the ends of two lines that a terminal wrapped */
    struct wrap wrap;
};

#endif
