#include "steplog/transport.h"

#include "base/rfc3339.h"
#include "steplog/envelope.h"

static bool stream_of(struct slice name, int *stream) {
    *stream = slice_is(name, "stderr");
    return *stream || slice_is(name, "stdout");
}

/* <time> <stream> <tags> <text>; tags are "F" (full) or "P" (partial), perhaps with more behind colons. */
static bool parse_cri(struct transport *t, struct slice line) {
    int64_t unix_ns;
    struct slice name;
    if (!rfc3339_take(&line, &unix_ns, NULL) || !slice_take_char(&line, ' ') || !slice_take_until(&line, ' ', &name) ||
        !stream_of(name, &t->stream))
        return false;
    t->is_partial = slice_take_char(&line, 'P');
    if (!t->is_partial && !slice_take_char(&line, 'F'))
        return false;
    if (line.size_bytes > 0 && line.data[0] != ' ' && line.data[0] != ':')
        return false;
    struct slice more;
    if (!slice_take_until(&line, ' ', &more))
        line.size_bytes = 0;
    t->text = line;
    t->stamp_ms = unix_ns / 1000000 - (unix_ns % 1000000 < 0);
    return true;
}

bool transport_parse(struct transport *t, struct slice line, struct buf *decoded) {
    *t = (struct transport){0};
    if (line.size_bytes == 0 ||
        slice_starts(line, "{\"job_name\"")) /* the recorder's own lines, of which there are many */
        return false;
    if (line.data[0] == '{' || line.data[0] == '[')
        return envelope_parse(t, line, decoded);
    return line.data[0] >= '0' && line.data[0] <= '9' && parse_cri(t, line);
}
