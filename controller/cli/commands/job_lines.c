#include "cli/commands/job_lines.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/slice.h"
#include "cli/commands/analyze.h"
#include "cli/commands/ledger.h"
#include "cli/render/pick.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_TRACE_BYTES = 64 << 20, MAX_STEPS = 1 << 18 };

static const char first_record[] = "{\"record\":\"";

static bool is_file(const char *name) {
    return access(name, F_OK) == 0 || (strchr(name, '/') != NULL && !slice_starts(slice_of(name), "jobgoodput"));
}

static bool has_records(const char *path) {
    char head[sizeof first_record - 1];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : 0;
    if (fd >= 0)
        close(fd);
    return n == (ssize_t)sizeof head && memcmp(head, first_record, sizeof head) == 0;
}

static int read_records(const char *path, struct buf *out, struct error **err) {
    CLEANUP_FREE char *text = NULL;
    int r = file_read(path, JOB_LINES_MAX_BYTES, &text, err);
    if (r >= 0)
        buf_append_text(out, text);
    return r < 0 ? r : 0;
}

static int parse_records(struct slice text, json_t *records, struct error **err) {
    struct slice line;
    json_error_t why;
    for (int number = 1; slice_take_line(&text, &line); number++) {
        if (slice_trim(line).size_bytes == 0)
            continue;
        json_t *x = json_loadb(line.data, line.size_bytes, 0, &why);
        if (!json_is_object(x)) {
            json_decref(x);
            return error_set(err, EINVAL, "line %d is not a line of a ledger", number);
        }
        if (pick_int(x, "schema", 1) > 1) {
            json_decref(x);
            return error_set(err, EINVAL, "a newer version wrote it: use the kubectl-goodput of that version");
        }
        json_array_append_new(records, x);
    }
    return 0;
}

static int read_log(const char *path, bool wants_steps, struct buf *text, json_t **ret_steps, struct error **err) {
    CLEANUP_BUF struct buf trace;
    buf_init(&trace, MAX_TRACE_BYTES);
    int r = analyze_lines(path, wants_steps ? MAX_STEPS : 0, text, &trace, err);
    json_t *points = r == 0 && wants_steps ? json_loadb(trace.data, trace.size_bytes, 0, NULL) : NULL;
    *ret_steps = json_incref(json_object_get(points, "steps"));
    json_decref(points);
    return r;
}

int job_lines_parse(struct slice text, struct job_lines *ret, struct error **err) {
    if (ret->records == NULL)
        ret->records = json_array();
    ret->text = slice_dup(text);
    int r = parse_records(text, ret->records, err);
    return r == 0 && job_lines_find(ret, "job") == NULL ? error_set(err, EINVAL, "it has no ledger") : r;
}

int job_lines_read(const struct cli_options *options, const char *name, bool wants_steps, struct job_lines *ret,
                   struct error **err) {
    CLEANUP_BUF struct buf text;
    struct cli_options one = *options;
    const char *slash = strchr(name, '/');
    int r;
    buf_init(&text, JOB_LINES_MAX_BYTES);
    *ret = (struct job_lines){.records = json_array()};
    one.name = slash != NULL ? slash + 1 : name;
    if (!is_file(name))
        r = ledger_read(&one, &text, err);
    else if (has_records(name)) {
        ret->is_ledger_file = true;
        r = read_records(name, &text, err);
    } else
        r = read_log(name, wants_steps, &text, &ret->steps, err);
    if (r == 0 && text.truncated)
        r = error_set(err, EMSGSIZE, "its ledger has more than %d MiB", JOB_LINES_MAX_BYTES >> 20);
    bool is_named = r < 0; /* by who read it */
    if (r == 0)
        r = job_lines_parse(buf_slice(&text), ret, err);
    if (r < 0 && !is_named)
        error_wrap(err, -r, "%s", name);
    if (r < 0)
        job_lines_done(ret);
    return r;
}

void job_lines_done(struct job_lines *lines) {
    json_decref(lines->records);
    json_decref(lines->steps);
    free(lines->text);
    *lines = (struct job_lines){0};
}

const json_t *job_lines_find(const struct job_lines *lines, const char *record) {
    const json_t *found = NULL;
    json_t *x;
    size_t i;
    json_array_foreach(lines->records, i, x) if (strcmp(pick_text(x, "record"), record) == 0) found = x;
    return found;
}

int64_t job_lines_complete_from_ms(const struct job_lines *lines) {
    return pick_time_ms(job_lines_find(lines, "job"), "completeFrom");
}
