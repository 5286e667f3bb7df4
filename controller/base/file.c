#include "base/file.h"

#include "base/buf.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_all(int fd, const char *path, size_t max_bytes, struct buf *out, struct error **err) {
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
        return error_set(err, EISDIR, "%s is a directory", path);
    char part[8192];
    ssize_t n;
    while ((n = read(fd, part, sizeof part)) > 0)
        if (buf_append(out, part, (size_t)n) < 0)
            return error_set(err, EFBIG, "%s is larger than %zu bytes", path, max_bytes);
    return n == 0 ? 0 : error_set(err, errno, "%s cannot be read: %s", path, strerror(errno));
}

int file_read(const char *path, size_t max_bytes, char **ret_text, struct error **err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_set(err, errno, "%s cannot be opened: %s", path, strerror(errno));
    struct buf text CLEANUP_BUF = {0};
    buf_init(&text, max_bytes);
    int r = read_all(fd, path, max_bytes, &text, err);
    close(fd);
    if (r == 0)
        *ret_text = buf_take(&text);
    return r;
}
