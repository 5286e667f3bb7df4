#include "cli/report.h"

#include "base/jwrite.h"
#include "export/document.h"
#include "export/fleet.h"

#include <errno.h>

enum { JOB_MAX_BYTES = 16 << 20 };

/* job: a JobGoodput as JSON. */
static int write_report(const char *path, struct slice job, struct error **err) {
    CLEANUP_BUF struct buf trimmed, document;
    buf_init(&trimmed, JOB_MAX_BYTES);
    buf_init(&document, 6 * (size_t)JOB_MAX_BYTES + DOCUMENT_MAX_BYTES);
    if (fleet_trim(job, &trimmed) < 0)
        return error_set(err, EINVAL, "this is no JobGoodput: it cannot be read as a JSON object");
    if (document_write(buf_slice(&trimmed), &document) < 0)
        return error_set(err, EMSGSIZE, "the report is too long");
    return cli_write_to(path, &document, err);
}

int report_write_status(const char *path, const char *name, struct slice status, struct slice trace,
                        struct error **err) {
    CLEANUP_BUF struct buf job;
    struct jwrite w;
    buf_init(&job, JOB_MAX_BYTES);
    jwrite_init(&w, &job);
    jwrite_object(&w);
    jwrite_key(&w, "metadata");
    jwrite_object(&w);
    jwrite_member_text(&w, "name", name);
    jwrite_object_end(&w);
    jwrite_key(&w, "status");
    jwrite_raw(&w, status);
    jwrite_key(&w, "trace");
    jwrite_raw(&w, trace);
    jwrite_object_end(&w);
    return write_report(path, buf_slice(&job), err);
}

int cli_report(const struct cli_options *options, struct error **err) {
    json_t *job = NULL;
    int r = cli_fetch(options, options->name, &job, err);
    if (r < 0)
        return r;
    char *text = json_dumps(job, JSON_COMPACT);
    json_decref(job);
    r = write_report(options->html, slice_of(text), err);
    free(text);
    return r;
}
