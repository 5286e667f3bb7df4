#include "base/buf.h"
#include "base/mem.h"
#include "harness.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ITS_OWN_ALLOCATOR 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ITS_OWN_ALLOCATOR 1
#endif
#endif
#ifndef HAS_ITS_OWN_ALLOCATOR
#define HAS_ITS_OWN_ALLOCATOR 0
#endif

/* How a child ends that runs out of memory, and what it says on stderr. */
static int end_of(void (*greedy)(void), char printed[static 256]) {
    int fds[2];
    if (pipe(fds) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        struct rlimit none = {0, 0}, little = {256 << 20, 256 << 20};
        setrlimit(RLIMIT_CORE, &none);
        setrlimit(RLIMIT_AS, &little);
        dup2(fds[1], STDERR_FILENO);
        greedy();
        _exit(0);
    }
    close(fds[1]);
    size_t size = 0;
    ssize_t n;
    while (size < 255 && (n = read(fds[0], printed + size, 255 - size)) > 0)
        size += (size_t)n;
    printed[size] = '\0';
    close(fds[0]);
    int status = 0;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void at_once(void) {
    mem_alloc((size_t)1 << 40);
}

static void more_than_can_be_counted(void) {
    mem_resize(NULL, SIZE_MAX / 4, 8);
}

static void by_and_by(void) {
    for (;;)
        memset(mem_alloc(1 << 20), 1, 1 << 20);
}

static void in_a_text(void) {
    char *text = mem_strdup("x");
    for (;;)
        text = mem_format("%s%s", text, text);
}

static void in_a_buffer(void) {
    struct buf b;
    buf_init(&b, (size_t)1 << 40);
    for (;;)
        buf_append(&b, (char[4096]){0}, 4096);
}

/* The truth is in the cluster: the next controller continues from there, and nothing incomplete is written. */
TEST(out_of_memory_ends_it_at_once_and_says_so) {
    static void (*const greedy[])(void) = {at_once, more_than_can_be_counted, by_and_by, in_a_text, in_a_buffer};
    bool has_its_own = HAS_ITS_OWN_ALLOCATOR || getenv("GOODPUT_VALGRIND") != NULL;
    for (size_t i = 0; i < sizeof greedy / sizeof greedy[0] && !has_its_own; i++) {
        char printed[256];
        CHECK_INT(end_of(greedy[i], printed), 1);
        CHECK_TEXT(printed, "{\"level\":\"error\",\"msg\":\"out of memory\"}\n");
    }
}
