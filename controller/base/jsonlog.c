#include "base/jsonlog.h"

#include "base/clock.h"
#include "base/jwrite.h"
#include "base/rfc3339.h"

#include <poll.h>
#include <stdarg.h>
#include <unistd.h>

/* A pipe that poll() calls writable takes at least PIPE_BUF (4096) bytes without blocking. */
#define LINE_MAX_BYTES 4096

static enum jsonlog_level maximum_level = JSONLOG_INFO;
static int64_t dropped;

void jsonlog_init(enum jsonlog_level level) {
    maximum_level = level;
}

int64_t jsonlog_dropped(void) {
    return dropped;
}

static void write_fields(struct jwrite *w, va_list args) {
    const char *key;
    while ((key = va_arg(args, const char *)) != NULL) {
        int type = va_arg(args, int);
        if (type == 's')
            jwrite_member_text(w, key, va_arg(args, const char *));
        else if (type == 'i')
            jwrite_member_int(w, key, va_arg(args, int64_t));
        else
            jwrite_member_bool(w, key, va_arg(args, int));
    }
}

static void write_line(struct slice line) {
    struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&p, 1, 0) != 1 || (p.revents & POLLOUT) == 0)
        dropped++;
    else if (write(STDERR_FILENO, line.data, line.size_bytes) != (ssize_t)line.size_bytes)
        dropped++;
}

void jsonlog(enum jsonlog_level level, const char *msg, ...) {
    static const char *const names[] = {"error", "warning", "info", "debug"};
    if (level > maximum_level)
        return;
    CLEANUP_BUF struct buf line;
    buf_init(&line, LINE_MAX_BYTES - 1);
    char ts[RFC3339_SIZE];
    struct jwrite w;
    jwrite_init(&w, &line);
    jwrite_object(&w);
    jwrite_member_text(&w, "ts", rfc3339_format_ms(ts, wall_ms(clock_wall())));
    jwrite_member_text(&w, "level", names[level]);
    jwrite_member_text(&w, "msg", msg);
    va_list args;
    va_start(args, msg);
    write_fields(&w, args);
    va_end(args);
    jwrite_object_end(&w);
    if (line.truncated) {
        /* Half a line of JSON helps nobody; msg is short, constant text and says where to look. */
        buf_clear(&line);
        buf_format(&line, "{\"ts\":\"%s\",\"level\":\"%s\",\"msg\":\"%s\",\"fieldsTooLong\":true}", ts, names[level],
                   msg);
    }
    buf_append_char(&line, '\n');
    write_line(buf_slice(&line));
}
