#include "preload.h"

#include "base/clock.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char file[64];

struct preload_clock *preload_clock(int64_t speed) {
    snprintf(file, sizeof file, "/tmp/preload-clock-%d", (int)getpid());
    int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(struct preload_clock)) != 0)
        return NULL;
    struct preload_clock *c = mmap(NULL, sizeof *c, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (c == MAP_FAILED)
        return NULL;
    *c = (struct preload_clock){.speed = speed, .started_us = clock_mono().us, .wall_us = clock_wall().us};
    return c;
}

void preload_begin(void) {
    char self[PATH_MAX - 64], library[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    snprintf(library, sizeof library, "%s/../preload/clock.so", self);
    setenv("LD_PRELOAD", library, 1);
    setenv("PRELOAD_CLOCK", file, 1);
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
}

void preload_end(void) {
    unsetenv("LD_PRELOAD");
}

void preload_done(struct preload_clock *clock) {
    if (clock == NULL)
        return;
    unlink(file);
    munmap(clock, sizeof *clock);
}

int64_t preload_now_us(const struct preload_clock *c) {
    if (c->speed == 1)
        return clock_wall().us + c->step_us;
    return c->wall_us + (clock_mono().us - c->started_us) * c->speed + c->step_us;
}
