#include "cli/report.h"

#include "base/jwrite.h"
#include "base/mem.h"
#include "export/document.h"
#include "export/fleet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { JOB_MAX_BYTES = 16 << 20 };

static int write_all(int fd, struct slice bytes) {
    while (bytes.size_bytes > 0) {
        ssize_t n = write(fd, bytes.data, bytes.size_bytes);
        if (n < 0 && errno != EINTR)
            return -errno;
        bytes = slice_skip(bytes, n > 0 ? (size_t)n : 0);
    }
    return 0;
}

static int write_file(const char *path, struct slice bytes, struct error **err) {
    CLEANUP_FREE char *fresh = mem_format("%s.%d.new", path, (int)getpid());
    int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return error_set(err, errno, "%s: %s", path, strerror(errno));
    int r = write_all(fd, bytes);
    if (close(fd) != 0 && r == 0)
        r = -errno;
    if (r == 0 && rename(fresh, path) != 0)
        r = -errno;
    if (r < 0)
        unlink(fresh);
    return r < 0 ? error_set(err, -r, "%s: %s", path, strerror(-r)) : 0;
}

int report_write(const char *path, struct slice job, struct error **err) {
    CLEANUP_BUF struct buf trimmed, document;
    buf_init(&trimmed, JOB_MAX_BYTES);
    buf_init(&document, 6 * (size_t)JOB_MAX_BYTES + DOCUMENT_MAX_BYTES);
    if (fleet_trim(job, &trimmed) < 0)
        return error_set(err, EINVAL, "this is no JobGoodput: it cannot be read as a JSON object");
    if (document_write(buf_slice(&trimmed), &document) < 0)
        return error_set(err, EMSGSIZE, "the report is too long");
    return strcmp(path, "-") == 0 ? cli_write(&document, err) : write_file(path, buf_slice(&document), err);
}

int report_write_status(const char *path, const char *name, struct slice status, struct error **err) {
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
    jwrite_object_end(&w);
    return report_write(path, buf_slice(&job), err);
}

int cli_report(const struct cli_options *options, struct error **err) {
    json_t *job = NULL;
    int r = cli_fetch(options, options->name, &job, err);
    if (r < 0)
        return r;
    char *text = json_dumps(job, JSON_COMPACT);
    json_decref(job);
    r = report_write(options->html, slice_of(text), err);
    free(text);
    return r;
}
