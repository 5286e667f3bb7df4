#include "cli/render/output.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int output_write(const struct buf *out, struct error **err) {
    fwrite(buf_text(out), 1, out->size_bytes, stdout);
    if (fflush(stdout) != 0 || ferror(stdout))
        return error_set(err, errno == EPIPE ? EPIPE : EIO, "standard output: %s", strerror(errno));
    return out->truncated ? error_set(err, EMSGSIZE, "the output is too long") : 0;
}

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

int output_write_to(const char *path, const struct buf *out, struct error **err) {
    return strcmp(path, "-") == 0 ? output_write(out, err) : write_file(path, buf_slice(out), err);
}
