/* The limit on memory as containers see it: both hierarchies of cgroups, below a folder that stands for /. */
#include "base/mem.h"
#include "base/memory.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[] = "/tmp/goodput-memory-XXXXXX";

/* Makes the file with all folders above it. */
static void put(const char *path, const char *text) {
    CLEANUP_FREE char *whole = mem_format("%s/%s", root, path);
    for (char *slash = strchr(whole + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *out = fopen(whole, "w");
    REQUIRE(out != NULL);
    fputs(text, out);
    fclose(out);
}

static void begin(const char *cgroup) {
    memcpy(root + sizeof root - 7, "XXXXXX", 6);
    REQUIRE(mkdtemp(root) != NULL);
    put("proc/self/cgroup", cgroup);
}

static void end(int64_t expected) {
    CLEANUP_FREE char *remove = mem_format("rm -r %s", root);
    CHECK_INT(memory_limit_bytes(root), expected);
    CHECK_INT(system(remove), 0);
}

TEST(the_limit_of_a_container_with_cgroup_v2) {
    begin("0::/\n");
    put("sys/fs/cgroup/memory.max", "268435456\n");
    end(268435456);
}

TEST(the_lowest_limit_of_a_cgroup_and_its_parents) {
    begin("0::/kubepods/pod1/c\n");
    put("sys/fs/cgroup/kubepods/pod1/c/memory.max", "max\n");
    put("sys/fs/cgroup/kubepods/pod1/memory.max", "134217728\n");
    put("sys/fs/cgroup/kubepods/memory.max", "8589934592\n");
    end(134217728);
}

/* The path is the host's, the mount the container's. */
TEST(the_limit_of_a_container_with_cgroup_v1) {
    begin("11:cpu,cpuacct:/kubepods/pod1/c\n4:memory:/kubepods/pod1/c\n0::/\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "67108864\n");
    end(67108864);
}

TEST(no_limit_is_not_a_number) {
    begin("0::/\n");
    put("sys/fs/cgroup/memory.max", "max\n");
    end(MEMORY_UNKNOWN);
    begin("4:memory:/\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"); /* what v1 says for none */
    end(MEMORY_UNKNOWN);
    begin("what is this\n0::/\n");
    end(MEMORY_UNKNOWN);
    CHECK_INT(memory_limit_bytes("/does/not/exist"), MEMORY_UNKNOWN);
}

TEST(resident_memory_is_what_was_touched) {
    enum { BYTES = 64 << 20 };
    int64_t before = memory_resident_bytes();
    char *block = malloc(BYTES);
    REQUIRE(block != NULL);
    for (int i = 0; i < BYTES; i += 1024)
        ((volatile char *)block)[i] = 1;
    int64_t with = memory_resident_bytes();
    free(block);
    CHECK(before > 0);
    CHECK(with - before > BYTES * 9 / 10 && with - before < BYTES * 2);
}
