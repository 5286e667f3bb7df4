#include "kube/podlog_cursor.h"

#define NS_PER_S INT64_C(1000000000)

static int64_t second_of(int64_t ns) {
    return ns >= 0 ? ns / NS_PER_S : -((-ns + NS_PER_S - 1) / NS_PER_S);
}

void podlog_cursor_init(struct podlog_cursor *c, int64_t drop_through_ns, int64_t drop_lines) {
    *c = (struct podlog_cursor){.drop_through_ns = drop_through_ns,
                                .drop_lines = drop_lines > 0 ? drop_lines : INT64_MAX};
    podlog_cursor_next_container(c);
}

void podlog_cursor_next_container(struct podlog_cursor *c) {
    c->newest_ns = INT64_MIN;
    c->second = INT64_MIN;
    c->count = c->repeats_left = 0;
}

bool podlog_cursor_open(struct podlog_cursor *c, int64_t *since_s) {
    c->repeats_left = c->newest_ns == INT64_MIN ? 0 : c->count;
    c->repeats_through_ns = c->newest_ns;
    c->drop_lines_left = c->drop_lines;
    if (c->newest_ns == INT64_MIN && c->drop_through_ns == INT64_MIN)
        return false;
    *since_s = c->newest_ns != INT64_MIN ? c->second : second_of(c->drop_through_ns);
    return true;
}

bool podlog_cursor_take(struct podlog_cursor *c, int64_t stamp_ns) {
    if (stamp_ns < c->drop_through_ns)
        return false;
    if (stamp_ns == c->drop_through_ns && c->drop_lines_left > 0) {
        c->drop_lines_left -= c->drop_lines_left < INT64_MAX;
        return false;
    }
    if (c->repeats_left > 0 && stamp_ns <= c->repeats_through_ns) {
        if (second_of(stamp_ns) >= c->second)
            c->repeats_left--;
        return false;
    }
    int64_t second = second_of(stamp_ns);
    if (second > c->second) {
        c->second = second;
        c->count = 1;
    } else if (second == c->second)
        c->count++;
    if (stamp_ns > c->newest_ns)
        c->newest_ns = stamp_ns;
    return true;
}
