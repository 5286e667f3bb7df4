/* An archive's volume: a process that is killed at any time while it writes; a full disk; a folder that may not be
 * written. */
#include "archive/volume.h"
#include "folder.h"
#include "harness.h"
#include "random.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEP_MS 1000
#define KILLS 200

static const struct archive_key key = {"c_1/x:y", "team-a", "llama", "u-1", "t-1", 0};

static int append(const char *root, int64_t from_ms, int64_t to_ms, bool is_final, const char *before,
                  struct error **err) {
    CLEANUP_FREE char *line = mem_format("{\"record\":\"span\",\"n\":%" PRId64 "}\n", from_ms / STEP_MS);
    const struct archive_part part = {from_ms, to_ms, is_final};
    int64_t end_ms;
    return archive_volume_append(root, &key, &part, before, slice_of(line), false, &end_ms, err);
}

/* ---- what is there ---- */

struct found {
    int64_t at_ms;
    int objects, parts, starts;
    bool is_whole, has_end;
};

static void read_object(struct found *f, const char *path) {
    CLEANUP_BUF struct buf text;
    buf_init(&text, ARCHIVE_MAX_BYTES);
    size_t size;
    CLEANUP_FREE char *bytes = harness_read_file(path, &size);
    if (bytes == NULL) {
        f->is_whole = false;
        return;
    }
    struct slice in = {bytes, size};
    struct archive_part part;
    f->objects++;
    while (archive_member_take(&in, &text, &part)) {
        CLEANUP_FREE char *line = mem_format("\"n\":%" PRId64 "}", part.from_ms / STEP_MS);
        f->is_whole &=
            part.from_ms == f->at_ms && (part.to_ms == part.from_ms || strstr(buf_text(&text), line) != NULL);
        f->starts += strstr(buf_text(&text), "\"job\"") != NULL;
        f->parts += part.to_ms > part.from_ms;
        f->has_end |= part.is_final;
        f->at_ms = part.to_ms;
    }
    f->is_whole &= in.size_bytes == 0;
}

static void find(struct found *f, const char *root, const char *folder) {
    glob_t paths;
    CLEANUP_FREE char *pattern =
        mem_format("%s/cluster=c_1%%2Fx%%3Ay/%s/namespace=team-a/llama_u-1_t-1_*", root, folder);
    if (glob(pattern, 0, NULL, &paths) != 0)
        return;
    for (size_t i = 0; i < paths.gl_pathc; i++)
        read_object(f, paths.gl_pathv[i]);
    globfree(&paths);
}

static struct found read_archive(const char *root) {
    struct found f = {.is_whole = true};
    find(&f, root, "date=*"); /* in order of date and sequence */
    return f;
}

/* ---- kill -9 ---- */

/* A controller: appends a part, then writes its checkpoint, then sometimes completes the object; until it is killed. */
static void write_on(const char *root, _Atomic int64_t *checkpoint_ms, uint64_t seed) {
    const char *before = "{\"record\":\"job\"}\n";
    for (int64_t at_ms = *checkpoint_ms;; at_ms += STEP_MS, before = NULL) {
        int count;
        if (append(root, at_ms, at_ms + STEP_MS, false, before, NULL) < 0)
            _exit(1);
        *checkpoint_ms = at_ms + STEP_MS;
        if (random_below(&seed, 4) == 0 && archive_volume_publish(root, &key, false, &count, NULL, NULL) < 0)
            _exit(2);
    }
}

TEST(a_process_that_is_killed_200_times_loses_nothing_and_writes_nothing_twice) {
    char root[FOLDER_PATH];
    uint64_t seed = random_setting("GOODPUT_SEED", 1);
    folder_make(root);
    _Atomic int64_t *checkpoint_ms =
        mmap(NULL, sizeof *checkpoint_ms, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(checkpoint_ms != MAP_FAILED);
    *checkpoint_ms = 0;
    for (int i = 0; i < KILLS; i++) {
        uint64_t child_seed = random_next(&seed);
        pid_t pid = fork();
        if (pid == 0)
            write_on(root, checkpoint_ms, child_seed);
        int64_t before_ms = *checkpoint_ms;
        do /* on a busy machine, too, every second process gets to write a part */
            usleep((useconds_t)(500 + random_below(&seed, 20000)));
        while (i % 2 == 0 && *checkpoint_ms == before_ms && waitpid(pid, NULL, WNOHANG) == 0);
        kill(pid, SIGKILL);
        int status;
        REQUIRE(waitpid(pid, &status, 0) == pid);
        CHECK(WIFSIGNALED(status)); /* it did not fail by itself */
    }
    CLEANUP_ERROR struct error *err = NULL;
    int count;
    int64_t at_ms = *checkpoint_ms;
    CHECK_INT(append(root, at_ms, at_ms + STEP_MS, true, "{\"record\":\"job\"}\n", &err), 0);
    CHECK_INT(archive_volume_publish(root, &key, false, &count, NULL, &err), 0);
    struct found f = read_archive(root);
    CHECK(f.is_whole);
    CHECK(f.has_end);
    CHECK_INT(f.at_ms, at_ms + STEP_MS);
    CHECK_INT(f.parts, f.at_ms / STEP_MS);
    CHECK_INT(f.starts, 1);
    CHECK(f.parts >= KILLS / 2);
    CHECK(f.objects > 10);
    munmap((void *)checkpoint_ms, sizeof *checkpoint_ms);
    folder_remove(root);
}

/* ---- what comes next ---- */

TEST(an_object_continues_where_the_checkpoint_ends_and_not_behind_it) {
    char root[FOLDER_PATH];
    CLEANUP_ERROR struct error *err = NULL;
    int count;
    folder_make(root);
    CHECK_INT(append(root, 0, 1000, false, "{\"record\":\"job\"}\n", &err), 0);
    CHECK_INT(append(root, 1000, 2000, false, NULL, &err), 0);
    CHECK_INT(append(root, 2000, 3000, false, NULL, &err), 0);
    CHECK_INT(append(root, 1000, 3000, false, "{\"record\":\"job\"}\n", &err), 0); /* of the checkpoint before */
    CHECK_INT(append(root, 3000, 4000, true, NULL, &err), 0);
    CHECK_INT(append(root, 3000, 4500, true, NULL, &err), 0); /* another final status */
    CHECK_INT(archive_volume_publish(root, &key, false, &count, NULL, &err), 0);
    CHECK_INT(count, 1);
    CHECK_INT(archive_volume_publish(root, &key, false, &count, NULL, &err), 0);
    CHECK_INT(count, 0);
    struct found f = read_archive(root);
    CHECK(f.is_whole);
    CHECK_INT(f.parts, 3);
    CHECK_INT(f.at_ms, 4500);
    folder_remove(root);
}

TEST(without_the_part_before_an_archive_begins_again_or_says_what_is_missing) {
    char root[FOLDER_PATH];
    CLEANUP_ERROR struct error *err = NULL;
    int count;
    int64_t end_ms;
    folder_make(root);
    CHECK_INT(append(root, 0, 1000, false, "{\"record\":\"job\"}\n", &err), 0);
    CHECK_INT(append(root, 5000, 6000, false, NULL, &err), -ESTALE);
    const struct archive_part part = {5000, 6000, false};
    CHECK_INT(archive_volume_append(root, &key, &part, "{\"record\":\"job\"}\n", slice_of("x\n"), false, &end_ms, NULL),
              0);
    CHECK_INT(end_ms, 1000);
    CHECK_INT(archive_volume_publish(root, &key, true, &count, NULL, NULL), 0);
    struct found f = read_archive(root);
    CHECK_INT(f.objects, 2);
    CHECK_INT(f.starts, 2);
    struct found open = {0};
    find(&open, root, ".open");
    CHECK_INT(open.objects, 0);
    folder_remove(root);
}

TEST(an_object_of_the_same_name_and_content_is_done_and_one_with_other_content_is_kept) {
    char root[FOLDER_PATH], file[ARCHIVE_OBJECT_SIZE];
    CLEANUP_ERROR struct error *err = NULL;
    int count;
    folder_make(root);
    CLEANUP_FREE char *dated = archive_date_folder(root, &key, "1970-01-01"), *open = archive_open_folder(root, &key);
    archive_object_file(file, &key, 0);
    CHECK_INT(append(root, 0, 1000, true, "{\"record\":\"job\"}\n", &err), 0);
    CLEANUP_FREE char *copy = mem_format("mkdir -p '%s' && cp '%s/%s' '%s/%s'", dated, open, file, dated, file);
    CHECK_INT(system(copy), 0);
    CHECK_INT(archive_volume_publish(root, &key, false, &count, NULL, &err), 0);
    CHECK_INT(count, 1);
    CLEANUP_FREE char *other = mem_format("mv '%s/%s' '%s/%s' && echo x >> '%s/%s' && cp '%s/%s' /dev/null", dated,
                                          file, open, file, open, file, open, file);
    CHECK_INT(system(other), 0);
    CLEANUP_FREE char *differs = mem_format("echo y > '%s/%s'", dated, file);
    CHECK_INT(system(differs), 0);
    CHECK_INT(archive_volume_publish(root, &key, false, &count, NULL, &err), -EEXIST);
    CHECK(strstr(error_text(err), "it has other content than the job's spans: move it away") != NULL);
    folder_remove(root);
}

/* An uploader moves complete objects away, and a folder may be lost with its node. */
TEST(no_name_comes_twice_where_the_objects_before_are_not_there_any_more) {
    char root[FOLDER_PATH], first[ARCHIVE_OBJECT_SIZE], second[ARCHIVE_OBJECT_SIZE];
    CLEANUP_ERROR struct error *err = NULL;
    int count;
    int64_t end_ms;
    struct archive_key at = key;
    const struct archive_part part = {0, 1000, false}, next = {1000, 2000, false};
    CLEANUP_FREE char *dated = archive_date_folder("", &key, "1970-01-01");
    at.now_s = 1764000000;
    archive_object_file(first, &key, 1764000000);
    archive_object_file(second, &key, 1764000001);
    for (int life = 0; life < 2; life++) {
        folder_make(root);
        CLEANUP_FREE char *a = mem_format("%s%s/%s", root, dated, first),
                          *b = mem_format("%s%s/%s", root, dated, second);
        CHECK_INT(archive_volume_append(root, &at, &part, "{}\n", slice_of("x\n"), false, &end_ms, &err), 0);
        CHECK_INT(archive_volume_publish(root, &at, false, &count, NULL, &err), 0);
        CHECK_INT(access(a, F_OK), life == 0 ? 0 : -1);
        unlink(a);
        CHECK_INT(archive_volume_append(root, &at, &next, NULL, slice_of("y\n"), false, &end_ms, &err), 0);
        CHECK_INT(archive_volume_publish(root, &at, true, &count, NULL, &err), 0);
        CHECK_INT(access(b, F_OK), life == 0 ? 0 : -1);
        at.now_s += 2;
        folder_remove(root);
    }
}

/* ---- bad volumes ---- */

TEST(a_volume_that_is_not_mounted_is_not_replaced_by_a_folder) {
    char root[FOLDER_PATH];
    CLEANUP_ERROR struct error *err = NULL;
    folder_make(root);
    CLEANUP_FREE char *missing = mem_format("%s/archive", root);
    CHECK_INT(append(missing, 0, 1000, false, "{}\n", &err), -ENOENT);
    CLEANUP_FREE char *words = mem_format("%s: it does not exist: mount the archive's volume there", missing);
    CHECK_TEXT(error_text(err), words);
    folder_remove(root);
}

TEST(another_object_is_put_once_and_stays_as_it_is) {
    char root[FOLDER_PATH];
    CLEANUP_ERROR struct error *err = NULL;
    size_t size;
    folder_make(root);
    CLEANUP_FREE char *object = archive_fleet_key("c_1/x:y", "all", 0xabc, 1793491200000, 1793577600000);
    CHECK_TEXT(object, "cluster=c_1%2Fx%3Ay/date=2026-11-01/fleet=all/0000000000000abc_1793491200.sums");
    CHECK_INT(archive_volume_put(root, object, SLICE("first"), &err), 0);
    CHECK_INT(archive_volume_put(root, object, SLICE("second"), &err), 0);
    CLEANUP_FREE char *path = mem_format("%s/%s", root, object);
    CLEANUP_FREE char *text = harness_read_file(path, &size);
    CHECK_TEXT(text, "first");
    CLEANUP_FREE char *part = mem_format("%s.part", path);
    CHECK(access(part, F_OK) != 0);
    folder_remove(root);
    CHECK_INT(archive_volume_put(root, object, SLICE("third"), &err), -ENOENT);
    CHECK(err != NULL && strstr(error_text(err), "mount the archive's volume there") != NULL);
}

TEST(a_volume_that_may_not_be_written_is_reported_with_what_to_do) {
    char root[FOLDER_PATH];
    CLEANUP_ERROR struct error *err = NULL;
    folder_make(root);
    REQUIRE(chmod(root, 0500) == 0);
    if (geteuid() != 0) {
        CHECK_INT(append(root, 0, 1000, false, "{}\n", &err), -EACCES);
        CHECK(strstr(error_text(err), "make the volume writable for its user or group (fsGroup)") != NULL);
    }
    REQUIRE(chmod(root, 0700) == 0);
    folder_remove(root);
}

/* A bound of a file's size is as full as a disk: the write is cut, and the next one fails. */
TEST(what_a_full_volume_cut_is_not_in_the_object) {
    char root[FOLDER_PATH];
    CLEANUP_ERROR struct error *err = NULL;
    int count;
    folder_make(root);
    CHECK_INT(append(root, 0, 1000, false, "{\"record\":\"job\"}\n", &err), 0);
    struct rlimit before, small = {220, RLIM_INFINITY};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    int r = append(root, 1000, 2000, false, NULL, &err);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
    signal(SIGXFSZ, SIG_DFL);
    CHECK_INT(r, -EFBIG);
    CHECK_INT(append(root, 1000, 2000, false, NULL, NULL), 0);
    CHECK_INT(archive_volume_publish(root, &key, true, &count, NULL, NULL), 0);
    struct found f = read_archive(root);
    CHECK(f.is_whole);
    CHECK_INT(f.parts, 2);
    folder_remove(root);
}

/* In a separate mount namespace: a file system of 64 KiB. Returns the exit code of `run`, -1 where there is none. */
static int on_small_disk(const char *root, int (*run)(const char *root)) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int flags = CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER);
        if (unshare(flags) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("goodput-test", root, "tmpfs", 0, "size=64k,mode=0777") != 0)
            _exit(99);
        _exit(run(root));
    }
    int status;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Exit code: the line that failed; 0: none did. */
static int fill_and_clear(const char *root) {
    CLEANUP_ERROR struct error *err = NULL, *none = NULL;
    CLEANUP_FREE char *other = mem_format("%s/other", root);
    char bytes[4096];
    int64_t at_ms = 0;
    int count;
    memset(bytes, 'x', sizeof bytes);
    if (append(root, 0, STEP_MS, false, "{\"record\":\"job\"}\n", &none) < 0)
        return 1;
    int fd = open(other, O_WRONLY | O_CREAT, 0600);
    while (write(fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes)
        continue;
    close(fd);
    int r;
    do { /* what is left of the object's last page is used first */
        at_ms += STEP_MS;
        r = append(root, at_ms, at_ms + STEP_MS, false, NULL, &err);
    } while (r == 0 && at_ms < 1000 * STEP_MS);
    if (r != -ENOSPC || strstr(error_text(err), "the archive's volume is full: enlarge it, or delete objects") == NULL)
        return 2;
    unlink(other);
    if (append(root, at_ms, at_ms + STEP_MS, true, NULL, &none) < 0 ||
        archive_volume_publish(root, &key, false, &count, NULL, &none) < 0)
        return 3;
    struct found f = read_archive(root);
    return f.is_whole && f.has_end && f.parts == at_ms / STEP_MS + 1 ? 0 : 4;
}

TEST(a_full_disk_is_reported_and_once_there_is_room_the_object_continues) {
    char root[FOLDER_PATH];
    folder_make(root);
    CHECK_INT(on_small_disk(root, fill_and_clear), 0);
    folder_remove(root);
}

TEST(a_member_that_is_torn_anywhere_is_not_taken) {
    CLEANUP_BUF struct buf bytes, text;
    buf_init(&bytes, 1 << 16);
    buf_init(&text, 1 << 16);
    CHECK(archive_member_write(&(struct archive_part){1, 2, true}, slice_of("{\"record\":\"span\"}\n"), &bytes));
    struct archive_part part;
    for (size_t n = 0; n <= bytes.size_bytes; n++) {
        struct slice in = {bytes.data, n};
        CHECK_INT(archive_member_take(&in, &text, &part), n == bytes.size_bytes);
        CHECK_INT(in.size_bytes, n == bytes.size_bytes ? 0 : n);
    }
    CLEANUP_FREE char *lines = mem_strdup(buf_text(&text));
    CHECK_INT(part.from_ms, 1);
    CHECK_INT(part.to_ms, 2);
    CHECK(part.is_final);
    for (size_t i = 0; i < bytes.size_bytes; i++) { /* a byte that differs */
        bytes.data[i] ^= 0x10;
        struct slice in = buf_slice(&bytes);
        if (archive_member_take(&in, &text, &part)) /* of the header, or a bit that nothing uses */
            CHECK_TEXT(buf_text(&text), lines);
        bytes.data[i] ^= 0x10;
    }
}

TEST(names_of_objects_hold_any_name_and_are_found_by_their_prefix) {
    char file[ARCHIVE_OBJECT_SIZE], prefix[ARCHIVE_OBJECT_SIZE], name[300];
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    const struct archive_key odd = {"", "ns", "../etc_x", "u/1", "t", 0}, longest = {"", "ns", name, name, name, 0};
    archive_object_file(file, &odd, 7);
    CHECK_TEXT(file, "%2E.%2Fetc%5Fx_u%2F1_t_000007.jsonl.gz");
    archive_object_prefix(prefix, &odd);
    CHECK_INT(archive_object_sequence(file, prefix), 7);
    CHECK_INT(archive_object_sequence("%2E.%2Fetc%5Fx_u%2F1_t_1764000000.jsonl.gz", prefix), 1764000000);
    CHECK_INT(archive_object_sequence("%2E.%2Fetc%5Fx_u%2F1_t_00007.jsonl.gz", prefix), -1);
    CHECK_INT(archive_object_sequence("%2E.%2Fetc%5Fx_u%2F1_t_10000000000.jsonl.gz", prefix), -1);
    CHECK_INT(archive_object_sequence("%2E._000007.jsonl", prefix), -1);
    archive_object_file(file, &longest, ARCHIVE_MAX_SEQUENCE);
    CHECK(strlen(file) < 255);
    CLEANUP_FREE char *folder = archive_cluster_folder("/a", "");
    CHECK_TEXT(folder, "/a/cluster=__HIVE_DEFAULT_PARTITION__");
}
