#include "disk.h"

#include "base/buf.h"
#include "base/mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#define BALLAST ".ballast" /* no namespace of the store's */
#define PATIENCE_S 60

static bool write_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool is_written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return is_written;
}

/* Root makes a mount namespace; others one in a user namespace, in which they are who they are. */
static const char *enter_namespace(void) {
    char uids[64], gids[64];
    snprintf(uids, sizeof uids, "%d %d 1", (int)geteuid(), (int)geteuid());
    snprintf(gids, sizeof gids, "%d %d 1", (int)getegid(), (int)getegid());
    if (unshare(CLONE_NEWNS) == 0)
        return NULL;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return "a mount namespace";
    bool is_mapped = write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/uid_map", uids) &&
                     write_file("/proc/self/gid_map", gids);
    return is_mapped ? NULL : "a user namespace's map";
}

char *disk_make(const char *folder, size_t bytes) {
    CLEANUP_FREE char *options = mem_format("size=%zu,mode=0755", bytes);
    const char *what = enter_namespace();
    if (what == NULL && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        what = "private mounts";
    if (what == NULL && mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, options) != 0)
        what = "a tmpfs";
    return what == NULL ? NULL : mem_format("this machine gives it no %s: %s", what, strerror(errno));
}

void disk_drop(const char *folder) {
    umount2(folder, MNT_DETACH);
}

bool disk_fill(const char *folder) {
    CLEANUP_FREE char *path = mem_format("%s/" BALLAST, folder);
    static const char page[4096];
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    while (write(fd, page, sizeof page) > 0) {
    }
    int code = errno;
    close(fd);
    errno = code;
    return code == ENOSPC;
}

bool disk_free(const char *folder) {
    CLEANUP_FREE char *path = mem_format("%s/" BALLAST, folder);
    return unlink(path) == 0;
}

/* {"sub":"system:serviceaccount:research:trainer","aud":"goodput-controller"} */
#define TOKEN                                                                                                          \
    "e30.eyJzdWIiOiJzeXN0ZW06c2VydmljZWFjY291bnQ6cmVzZWFyY2g6dHJhaW5lciIsImF1ZCI6Imdvb2RwdXQtY29udHJvbGxlciJ9.signed"

static char *request(const char *job, int first, int last) {
    CLEANUP_BUF struct buf body, out;
    buf_init(&body, 1 << 20);
    buf_init(&out, 1 << 20);
    buf_format(&body, "2026-01-01T00:01:%02d.000Z %8192s\n", 50 + first / 2, "nothing that anybody reads");
    for (int step = first; step <= last; step++)
        buf_format(&body,
                   "2026-01-01T00:%02d:%02d.500Z completed step: %d, seconds: 1.000, TFLOP/s/device: 40.000, "
                   "Tokens/s/device: 800.000, total_weights: 65536, loss: 7.000\n",
                   (115 + step) / 60, (115 + step) % 60, step);
    buf_format(&out,
               "POST /v1/push?job=%s HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer " TOKEN
               "\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n",
               job, body.size_bytes);
    buf_append_slice(&out, buf_slice(&body));
    return buf_take(&out);
}

int disk_push(int port, const char *job, int first, int last) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct timeval patience = {.tv_sec = PATIENCE_S};
    CLEANUP_FREE char *text = request(job, first, last);
    char answer[4096] = "";
    size_t size = strlen(text), sent = 0, got = 0;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), status = -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    bool is_open = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    for (ssize_t n; is_open && sent < size && (n = write(fd, text + sent, size - sent)) > 0; sent += (size_t)n) {
    }
    for (ssize_t n;
         sent == size && got < sizeof answer - 1 && (n = read(fd, answer + got, sizeof answer - 1 - got)) > 0;)
        got += (size_t)n;
    close(fd);
    return sscanf(answer, "HTTP/1.%*d %d", &status) == 1 ? status : -1;
}
