#include "cli/render/report.h"

#include "base/jwrite.h"
#include "cli/render/output.h"
#include "export/document.h"
#include "export/fleet.h"

#include <errno.h>

enum { JOB_MAX_BYTES = 16 << 20 };

static int write_document(const char *path, struct slice data, struct error **err) {
    CLEANUP_BUF struct buf document;
    buf_init(&document, 6 * (size_t)JOB_MAX_BYTES + DOCUMENT_MAX_BYTES);
    if (document_write(data, &document) < 0)
        return error_set(err, EMSGSIZE, "the report is longer than 4 MiB");
    return output_write_to(path, &document, err);
}

int report_write(const char *path, struct slice job, struct error **err) {
    CLEANUP_BUF struct buf trimmed;
    buf_init(&trimmed, JOB_MAX_BYTES);
    if (fleet_trim(job, &trimmed) < 0)
        return error_set(err, EINVAL, "the input is not a JobGoodput: it is not a JSON object");
    return write_document(path, buf_slice(&trimmed), err);
}

int report_write_comparison(const char *path, struct slice comparison, struct error **err) {
    CLEANUP_BUF struct buf data;
    buf_init(&data, JOB_MAX_BYTES);
    buf_append_text(&data, "{\"comparison\":");
    buf_append_slice(&data, comparison);
    buf_append_char(&data, '}');
    return write_document(path, buf_slice(&data), err);
}

int report_write_status(const char *path, const char *name, struct slice status, struct slice trace,
                        struct error **err) {
    CLEANUP_BUF struct buf job;
    struct jwrite w;
    buf_init(&job, JOB_MAX_BYTES);
    jwrite_init(&w, &job);
    jwrite_object(&w);
    jwrite_member_object(&w, "metadata");
    jwrite_member_text(&w, "name", name);
    jwrite_object_end(&w);
    jwrite_key(&w, "status");
    jwrite_raw(&w, status);
    jwrite_key(&w, "trace");
    jwrite_raw(&w, trace);
    jwrite_object_end(&w);
    return report_write(path, buf_slice(&job), err);
}
