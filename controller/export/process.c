#include "export/process.h"

#include "base/memory.h"
#include "base/slice.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

static struct slice read_file(const char *path, char *space, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return slice_of(NULL);
    ssize_t n = read(fd, space, size);
    close(fd);
    return (struct slice){space, n > 0 ? (size_t)n : 0};
}

/* The number after `prefix` at the start of a line. */
static int64_t number_after(struct slice text, const char *prefix) {
    struct slice line;
    int64_t number;
    while (slice_take_line(&text, &line))
        if (slice_take_prefix(&line, prefix)) {
            line = slice_trim(line);
            return slice_take_int(&line, &number) ? number : PROCESS_NONE;
        }
    return PROCESS_NONE;
}

/* Field n (from 1) of /proc/self/stat; the name, field 2, may hold spaces. */
static int64_t stat_field(struct slice text, int n) {
    const char *end = text.data;
    for (size_t i = 0; i < text.size_bytes; i++)
        if (text.data[i] == ')')
            end = text.data + i + 1;
    struct slice rest = slice_range(end, text.data + text.size_bytes), field;
    int64_t number;
    if (!slice_take_char(&rest, ' '))
        return PROCESS_NONE;
    for (int i = 3; slice_take_until(&rest, ' ', &field); i++)
        if (i == n)
            return slice_take_int(&field, &number) ? number : PROCESS_NONE;
    return PROCESS_NONE;
}

static int64_t count_fds(void) {
    DIR *folder = opendir("/proc/self/fd");
    int64_t count = -3; /* ".", ".." and this folder itself */
    if (folder == NULL)
        return PROCESS_NONE;
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

void process_read(struct process_figures *figures) {
    char stat_space[2048], boot_space[16384];
    struct rusage usage;
    struct rlimit limit;
    int64_t ticks = sysconf(_SC_CLK_TCK), resident_bytes = memory_resident_bytes();
    *figures =
        (struct process_figures){PROCESS_NONE, PROCESS_NONE, PROCESS_NONE, PROCESS_NONE, PROCESS_NONE, PROCESS_NONE};
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        figures->cpu_ms = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
                          (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
    struct slice stat = read_file("/proc/self/stat", stat_space, sizeof stat_space);
    int64_t started = stat_field(stat, 22);
    int64_t boot_s = number_after(read_file("/proc/stat", boot_space, sizeof boot_space), "btime");
    figures->virtual_bytes = stat_field(stat, 23);
    figures->resident_bytes = resident_bytes != MEMORY_UNKNOWN ? resident_bytes : PROCESS_NONE;
    if (started != PROCESS_NONE && boot_s != PROCESS_NONE && ticks > 0)
        figures->start_ms = boot_s * 1000 + started * 1000 / ticks;
    figures->open_fds = count_fds();
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        figures->max_fds = (int64_t)limit.rlim_cur;
}
