/* envelope: what log collectors put around a container's line when they store or export it, a line each:
 *   Docker's json-file    {"log":"text\n","stream":"stderr","time":"2026-..."}
 *   Cloud Logging         {"textPayload":"text","timestamp":"2026-...",...}
 *   Loki, logcli -o jsonl {"labels":{...},"line":"text","timestamp":"2026-..."}
 *   Loki, a query's value ["1795223812123456789","text"]
 *   fluent-bit            {"date":1795223812.123456,"log":"text","kubernetes":{...},...}
 *   fluent-bit, stdout    [0] tag: [[1795223812.123456789, {}], {"log"=>"text", "stream"=>"stdout"}]
 *   fluent-bit, file      tag: [1795223812.123456789, {"log":"text",...}]
 *   fluentd, file         2026-11-21T02:16:52+00:00<TAB>tag<TAB>{"log":"text",...}
 *   fluentd, stdout       2026-11-21 02:16:52.123456789 +0000 tag: {"log":"text",...}
 *   Loki, logcli          2026-11-21T02:16:52Z {pod="t-0"}   text
 *   Vector                {"kubernetes":{...},"message":"text","source_type":"...","timestamp":"2026-...",...}
 * An object is one of them only if it has more than a text and a time, as loggers of programs write these, too. Not for
 * use outside steplog/. */
#ifndef STEPLOG_ENVELOPE_H
#define STEPLOG_ENVELOPE_H

#include "steplog/transport.h"

/* At a line that starts with '{' or '['. False if it is none of them. decoded is overwritten. */
bool envelope_parse(struct transport *t, struct slice line, struct buf *decoded);
/* At any other line: fluent-bit's file. */
bool envelope_parse_file(struct transport *t, struct slice line, struct buf *decoded);
/* What follows a stamp: logcli's, fluentd's file. */
bool envelope_parse_stamped(struct transport *t, struct slice rest, int64_t at_ms, struct buf *decoded);
/* At a digit: fluentd's stdout. */
bool envelope_parse_local(struct transport *t, struct slice line, struct buf *decoded);

#endif
