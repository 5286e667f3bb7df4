/* fail: preloaded (LD_PRELOAD) into a program, fails its n-th allocation, or its n-th call that reads, writes or opens.
 *     FAIL_PROGRAM=NAME   the program's file name; its children of other names go unharmed
 *     FAIL_ALLOC=N        the N-th of malloc, calloc, realloc, ... returns NULL (once)
 *     FAIL_IO=N           the N-th of open, read, write, fsync, rename, ... fails: EIO, ENOSPC, EMFILE by turns
 *     FAIL_COUNT=FILE     at the end both counts are written there: "ALLOCATIONS CALLS"
 * It replaces a sanitizer's allocator and calls it, so that leaks and bad accesses after a failure are found.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long allocations, calls;
static long fail_allocation, fail_call;
static bool is_on;

/* What dlsym itself allocates before the real functions are known. */
static char early[65536];
static size_t early_size;

static bool is_early(const void *p) {
    return (const char *)p >= early && (const char *)p < early + sizeof early;
}

static void *take_early(size_t size) {
    void *p = early + early_size;
    early_size += (size + 15) & ~(size_t)15;
    return early_size <= sizeof early ? p : NULL;
}

static void *find(const char *name, void **to) {
    /* "initial-exec": a sanitizer's runtime puts its own __tls_get_addr in between, and allocates before that is ready.
     * "volatile": dlsym, which does come back here, is declared to be one that does not ("leaf"). */
    static _Thread_local volatile bool is_finding __attribute__((tls_model("initial-exec")));
    if (*to == NULL && !is_finding) {
        is_finding = true;
        *to = dlsym(RTLD_NEXT, name);
        is_finding = false;
    }
    return *to;
}

static bool is_this_one(void) {
    long n = atomic_fetch_add(&allocations, is_on ? 1 : 0) + 1;
    if (!is_on || fail_allocation == 0 || n != fail_allocation)
        return false;
    errno = ENOMEM;
    return true;
}

static void *real[8];

void *malloc(size_t size) {
    if (find("malloc", &real[0]) == NULL)
        return take_early(size);
    return is_this_one() ? NULL : ((void *(*)(size_t))real[0])(size);
}

void *calloc(size_t count, size_t size) {
    if (find("calloc", &real[1]) == NULL)
        return take_early(count * size);
    return is_this_one() ? NULL : ((void *(*)(size_t, size_t))real[1])(count, size);
}

void *realloc(void *old, size_t size) {
    find("realloc", &real[2]);
    if (is_early(old)) {
        void *p = malloc(size);
        size_t left = (size_t)(early + sizeof early - (char *)old);
        return p != NULL ? memcpy(p, old, size < left ? size : left) : NULL;
    }
    return is_this_one() ? NULL : ((void *(*)(void *, size_t))real[2])(old, size);
}

void free(void *p) {
    find("free", &real[3]);
    if (!is_early(p) && real[3] != NULL)
        ((void (*)(void *))real[3])(p);
}

int posix_memalign(void **to, size_t alignment, size_t size) {
    find("posix_memalign", &real[4]);
    return is_this_one() ? ENOMEM : ((int (*)(void **, size_t, size_t))real[4])(to, alignment, size);
}

/* ---- I/O: raw system calls beneath ---- */

static bool does_fail(void) {
    static const int reasons[] = {EIO, ENOSPC, EMFILE, ECONNRESET, EINTR};
    long n = atomic_fetch_add(&calls, is_on ? 1 : 0) + 1;
    if (!is_on || fail_call == 0 || n != fail_call)
        return false;
    errno = reasons[n % 5];
    return true;
}

ssize_t read(int fd, void *to, size_t size) {
    return does_fail() ? -1 : syscall(SYS_read, fd, to, size);
}

ssize_t write(int fd, const void *from, size_t size) {
    return does_fail() ? -1 : syscall(SYS_write, fd, from, size);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    return does_fail() ? -1 : syscall(SYS_writev, fd, parts, count);
}

ssize_t recv(int fd, void *to, size_t size, int flags) {
    return does_fail() ? -1 : syscall(SYS_recvfrom, fd, to, size, flags, NULL, NULL);
}

ssize_t send(int fd, const void *from, size_t size, int flags) {
    return does_fail() ? -1 : syscall(SYS_sendto, fd, from, size, flags, NULL, 0);
}

int socket(int domain, int type, int protocol) {
    return does_fail() ? -1 : (int)syscall(SYS_socket, domain, type, protocol);
}

int fsync(int fd) {
    return does_fail() ? -1 : (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to) {
    return does_fail() ? -1 : (int)syscall(SYS_rename, from, to);
}

static int open_at(const char *path, int flags, va_list args) {
    int mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(args, int) : 0;
    return does_fail() ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    int fd = open_at(path, flags, args);
    va_end(args);
    return fd;
}

int open64(const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    int fd = open_at(path, flags, args);
    va_end(args);
    return fd;
}

/* Of libc's own files, whose reads and writes pass none of the above. */
FILE *fopen(const char *path, const char *mode) {
    static void *next;
    find("fopen", &next);
    return does_fail() ? NULL : ((FILE * (*)(const char *, const char *)) next)(path, mode);
}

size_t fread(void *to, size_t size, size_t count, FILE *file) {
    static void *next;
    find("fread", &next);
    return does_fail() ? 0 : ((size_t(*)(void *, size_t, size_t, FILE *))next)(to, size, count, file);
}

size_t fwrite(const void *from, size_t size, size_t count, FILE *file) {
    static void *next;
    find("fwrite", &next);
    return does_fail() ? 0 : ((size_t(*)(const void *, size_t, size_t, FILE *))next)(from, size, count, file);
}

int fflush(FILE *file) {
    static void *next;
    find("fflush", &next);
    return does_fail() ? EOF : ((int (*)(FILE *))next)(file);
}

int fclose(FILE *file) {
    static void *next;
    find("fclose", &next);
    int r = ((int (*)(FILE *))next)(file);
    return does_fail() ? EOF : r;
}

/* ---- from beginning to end ---- */

static long number(const char *name) {
    const char *text = getenv(name);
    return text != NULL ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void) {
    char path[4096];
    ssize_t n = syscall(SYS_readlink, "/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    const char *slash = strrchr(path, '/'), *program = getenv("FAIL_PROGRAM");
    fail_allocation = number("FAIL_ALLOC");
    fail_call = number("FAIL_IO");
    is_on = program == NULL || strcmp(slash != NULL ? slash + 1 : path, program) == 0;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAIL_COUNT");
    char text[64];
    if (!is_on || path == NULL)
        return;
    is_on = false;
    int size = snprintf(text, sizeof text, "%ld %ld\n", atomic_load(&allocations), atomic_load(&calls));
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    syscall(SYS_write, fd, text, size);
    syscall(SYS_close, fd);
}
