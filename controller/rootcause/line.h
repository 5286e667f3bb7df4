/* line: what a process wrote, without what was put around it: a timestamp of the transport, the prefix of the process
 * that a launcher adds, escapes of a terminal. */
#ifndef ROOTCAUSE_LINE_H
#define ROOTCAUSE_LINE_H

#include "base/buf.h"
#include "rootcause/ranks.h"

struct line {
    struct slice text;  /* without indentation */
    size_t indentation; /* bytes of white space before it */
    int64_t at_ns;      /* INT64_MIN: without a stamp */
    int64_t rank;       /* RANK_UNKNOWN */
    uint64_t writer;    /* of lines with the same prefix; 0: without one */
};

/* is_stamped: lines start with an RFC 3339 time, as `kubectl logs --timestamps` writes. plain: holds the text where it
 * differs from raw. */
void line_read(struct line *line, struct slice raw, bool is_stamped, struct buf *plain);
/* Without escapes and other control characters. */
struct slice line_plain(struct slice raw, struct buf *plain);
/* The same for a text without a transport: a message inside another format. */
void line_read_text(struct line *line, struct slice raw, struct buf *plain);
/* Whether the byte at `at` belongs to data that the line quotes. Data is the value of a key that does not name a
 * message
 * ("prompt": "..."), a request of HTTP, or a command that a shell traces. Such text is not evidence. */
bool line_quotes(struct slice text, size_t at);

/* Whether the line is of a person, or source: it asks, speaks of "I" or "my", refers, or has an article or a
 * parenthesis before the byte at `at`. A program's report has none of these. */
bool line_is_prose(struct slice text, size_t at);

/* Whether a key names a message of the program: a message, an error, a stack trace. */
bool line_is_message_key(struct slice key);

/* "[W socket.cpp:401]", "W0822 16:10:35 ", "I0822 16:10:35 ", "- WARNING -", "DEBUG:": what goes wrong there was not
 * the end. NCCL says WARN of errors; "NCCL_DEBUG=" is not a level. */
bool line_is_warning(struct slice text);
/* "- INFO -", "[INFO|a.py]": so is what goes wrong there, unless a launcher logs what its process prints. NCCL says
 * INFO of errors; "NCCL_DEBUG=INFO" is not a level. */
bool line_is_information(struct slice text);
/* "F0105 10:00:00": glog's FATAL, after which the process aborts. */
bool line_is_fatal(struct slice text);
/* "a.py:52: UserWarning: ": Python's warnings, after which the program continues. */
bool line_is_python_warning(struct slice text);
/* Whether the writer says that it tries again: what it reports is not yet the end. */
bool line_says_retry(struct slice text);
/* Whether the writer says that it leaves out what failed: it survived. */
bool line_says_skipped(struct slice text);

/* Whether the text starts with the head of a logger: a date, or glog's level and date. It continues no other line. */
bool line_starts_record(struct slice text);

#endif
