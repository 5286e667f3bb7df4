/* The last words of a process: the first byte chooses the way (1: stamped, 2: two logs, split in the middle), the rest
 * is the log. A verdict must hold what its header promises. */
#include "reach.h"
#include "rootcause/line.h"
#include "rootcause/log.h"
#include "rootcause/traceback.h"
#include "rootcause/verdict.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As rootcause_line_is_notable() without the pass that spares nearly all lines the rest. */
static bool is_notable(const struct matcher *m, struct slice raw) {
    CLEANUP_BUF struct buf plain;
    struct line line;
    struct traceback outside = {0};
    struct slice exception;
    buf_init(&plain, raw.size_bytes + 1);
    line_read_text(&line, raw, &plain);
    const struct signature *row = matcher_find(m, line.text, NULL);
    return (row != NULL && row->role < ROLE_ADVICE) ||
           traceback_take(&outside, m, line.text, line.indentation, &exception) != TRACEBACK_OUTSIDE;
}

static struct rootcause_log *read_log(const struct matcher *m, struct slice text, bool is_stamped) {
    struct rootcause_log *log = rootcause_log_new(m, is_stamped);
    struct slice line;
    for (int64_t number = 1; slice_take_line(&text, &line); number++) {
        if (slice_contains(line, "completed step")) {
            rootcause_log_progress(log);
            REACHED("progress");
        }
        rootcause_log_line(log, line, number);
        assert(rootcause_line_is_notable(m, line) == is_notable(m, line));
    }
    rootcause_log_end(log);
    return log;
}

static void reach(const struct rootcause_verdict *v) {
    if (v->finding.is_exception)
        REACHED("an exception");
    if (v->is_symptom_only)
        REACHED("a symptom");
    if (v->waits_for[0] != '\0')
        REACHED("whom a symptom waits for");
    if (v->finding.frame[0] != '\0')
        REACHED("a frame");
    if (v->finding.at_ns != INT64_MIN)
        REACHED("a stamp");
    if (v->finding.rank != RANK_UNKNOWN)
        REACHED("a rank");
    if (v->log == 1)
        REACHED("the second log");
    if (v->log == VERDICT_NO_LOG)
        REACHED("no finding");
    if (strstr(v->finding.text, "***") != NULL)
        REACHED("a secret");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct matcher *m;
    if (m == NULL)
        m = matcher_new();
    if (size == 0)
        return 0;
    struct slice text = {(const char *)data + 1, size - 1}, first = text;
    bool is_stamped = data[0] & 1, has_two = data[0] & 2;
    if (has_two)
        first.size_bytes /= 2;
    struct rootcause_log *logs[2] = {read_log(m, first, is_stamped)};
    if (has_two)
        logs[1] = read_log(m, slice_skip(text, first.size_bytes), is_stamped);
    struct rootcause_verdict v;
    rootcause_verdict(&v, m, logs, has_two ? 2 : 1, data[0] >> 2);
    assert(!v.is_symptom_only || v.finding.role == ROLE_SYMPTOM);
    assert((unsigned)v.finding.class_ < CLASS_COUNT && (unsigned)v.finding.owner < OWNER_COUNT);
    assert(v.finding.role < ROLE_ADVICE || v.log == VERDICT_NO_LOG);
    assert(memchr(v.finding.text, '\0', QUOTE_BYTES) != NULL && v.basis[0] != '\0');
    for (const char *c = v.finding.text; *c != '\0'; c++)
        assert((unsigned char)*c >= 0x20);
    reach(&v);
    rootcause_log_free(logs[0]);
    rootcause_log_free(logs[1]);
    return 0;
}
