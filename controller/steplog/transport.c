#include "steplog/transport.h"

#include "base/rfc3339.h"
#include "steplog/envelope.h"

static bool stream_of(struct slice name, int *stream) {
    *stream = slice_is(name, "stderr");
    return *stream || slice_is(name, "stdout");
}

/* Behind the stamp: <stream> <tags> <text>; tags are "F" (full) or "P" (partial), perhaps with more behind colons. */
static bool parse_cri(struct transport *t, struct slice line) {
    struct slice name;
    if (!slice_take_char(&line, ' ') || !slice_take_until(&line, ' ', &name) || !stream_of(name, &t->stream))
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
    return true;
}

static bool parse_stamped(struct transport *t, struct slice line, struct buf *decoded) {
    struct slice rest = line;
    int64_t unix_ns;
    if (!rfc3339_take(&rest, &unix_ns, NULL))
        return envelope_parse_local(t, line, decoded);
    t->stamp_ms = unix_ns / 1000000 - (unix_ns % 1000000 < 0);
    return parse_cri(t, rest) || envelope_parse_stamped(t, rest, t->stamp_ms, decoded);
}

bool transport_parse(struct transport *t, struct slice line, struct buf *decoded) {
    *t = (struct transport){0};
    if (line.size_bytes == 0 ||
        slice_starts(line, "{\"job_name\"")) /* the recorder's own lines, of which there are many */
        return false;
    if (line.data[0] == '{' || line.data[0] == '[')
        return envelope_parse(t, line, decoded);
    if (line.data[0] >= '0' && line.data[0] <= '9')
        return parse_stamped(t, line, decoded);
    return line.data[line.size_bytes - 1] == ']' && envelope_parse_file(t, line, decoded);
}
