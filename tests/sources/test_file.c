#include "base/mem.h"
#include "harness.h"
#include "rig.h"
#include "sources/file.h"
#include "sources/look.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct follow {
    struct rig *rig;
    struct work_pool *pool;
    struct source *source;
};

static void open_source(struct follow *f, const char *path, const char *cursor) {
    struct source_file_options options = {
        .root = f->rig->root, .folder = "ns", .path = path, .cursor = slice_of(cursor), .poll_us = 5000};
    f->source = source_file_new(f->rig->loop, f->pool, &options, &f->rig->handler);
}

static struct follow follow(const char *path) {
    struct follow f = {.rig = rig_new()};
    f.pool = work_pool_new(f.rig->loop, 2);
    open_source(&f, path, NULL);
    return f;
}

/* As another controller, which has only the cursor. */
static void go_on(struct follow *f, const char *path) {
    source_free(f->source);
    open_source(f, path, f->rig->cursor);
}

static void end(struct follow *f) {
    source_free(f->source);
    work_pool_free(f->pool);
    rig_free(f->rig);
}

static void set_written(struct rig *rig, const char *path, int64_t unix_s) {
    CLEANUP_FREE char *whole = mem_format("%s/%s", rig->root, path);
    struct timespec times[2] = {{.tv_sec = unix_s}, {.tv_sec = unix_s}};
    CHECK_INT(utimensat(AT_FDCWD, whole, times, 0), 0);
}

TEST(a_file_is_followed_as_it_grows_and_resumed_without_a_line_twice) {
    struct follow f = follow("a/log.jsonl");
    rig_write(f.rig, "ns/a/log.jsonl", "one\ntwo\r\nthr");
    CHECK(rig_until(f.rig, rig_has_lines, "one\ntwo\n"));
    CHECK(rig_read_again(f.rig)); /* half a line is none */
    CHECK(rig_has_lines(f.rig, "one\ntwo\n"));
    rig_append(f.rig, "ns/a/log.jsonl", "ee\n");
    CHECK(rig_until(f.rig, rig_has_lines, "one\ntwo\nthree\n"));
    go_on(&f, "a/log.jsonl");
    CHECK(rig_read_again(f.rig));
    rig_append(f.rig, "ns/a/log.jsonl", "four\n");
    CHECK(rig_until(f.rig, rig_has_lines, "one\ntwo\nthree\nfour\n"));
    CHECK(rig_read_again(f.rig));
    CHECK(rig_has_lines(f.rig, "one\ntwo\nthree\nfour\n"));
    end(&f);
}

TEST(a_rotated_file_is_read_to_its_end_under_its_new_name) {
    struct follow f = follow("log");
    rig_write(f.rig, "ns/log", "one\n");
    CHECK(rig_until(f.rig, rig_has_lines, "one\n"));
    source_free(f.source); /* while nobody looks */
    rig_append(f.rig, "ns/log", "two\n");
    rig_rename(f.rig, "ns/log", "ns/log.1");
    set_written(f.rig, "ns/log.1", 1000);
    rig_write(f.rig, "ns/log", "three\n");
    rig_write(f.rig, "ns/log-of-another", "no\n");
    rig_write(f.rig, "ns/log.1.gz", "no\n");
    open_source(&f, "log", f.rig->cursor);
    CHECK(rig_until(f.rig, rig_has_lines, "one\ntwo\nthree\n"));
    CHECK(rig_read_again(f.rig));
    CHECK(rig_has_lines(f.rig, "one\ntwo\nthree\n"));
    end(&f);
}

TEST(a_file_that_is_copied_and_truncated_is_not_read_twice) {
    struct follow f = follow("log");
    rig_write(f.rig, "ns/log", "one\ntwo\n");
    CHECK(rig_until(f.rig, rig_has_lines, "one\ntwo\n"));
    rig_write(f.rig, "ns/log.1", "one\ntwo\n"); /* the copy is there first */
    CHECK(rig_read_again(f.rig));
    rig_write(f.rig, "ns/log", "three\n");
    CHECK(rig_until(f.rig, rig_has_lines, "one\ntwo\nthree\n"));
    CHECK(rig_read_again(f.rig));
    CHECK(rig_has_lines(f.rig, "one\ntwo\nthree\n"));
    end(&f);
}

TEST(the_files_of_a_folder_are_read_in_the_order_in_which_they_were_written) {
    struct follow f = follow("metrics");
    rig_write(f.rig, "ns/metrics/b.txt", "1\n2\n");
    rig_write(f.rig, "ns/metrics/a.txt", "3\n");
    rig_write(f.rig, "ns/metrics/.hidden", "no\n");
    set_written(f.rig, "ns/metrics/b.txt", 1000);
    set_written(f.rig, "ns/metrics/a.txt", 2000);
    CHECK(rig_until(f.rig, rig_has_lines, "1\n2\n3\n"));
    go_on(&f, "metrics");
    CHECK(rig_read_again(f.rig));
    rig_append(f.rig, "ns/metrics/b.txt", "4\n"); /* two that grow in turns */
    CHECK(rig_until(f.rig, rig_has_lines, "1\n2\n3\n4\n"));
    rig_append(f.rig, "ns/metrics/a.txt", "5\n");
    CHECK(rig_until(f.rig, rig_has_lines, "1\n2\n3\n4\n5\n"));
    end(&f);
}

TEST(more_files_than_are_remembered_are_each_read_once) {
    enum { FILES = 3 * LOOK_FILES };
    struct follow f = follow("metrics");
    CLEANUP_BUF struct buf all;
    buf_init(&all, 1 << 16);
    source_free(f.source);
    for (int i = 0; i < FILES; i++) {
        char name[64], text[32];
        snprintf(name, sizeof name, "ns/metrics/%03d", i);
        snprintf(text, sizeof text, "step %d\n", i);
        rig_write(f.rig, name, text);
        set_written(f.rig, name, 1000 + i);
        buf_append_text(&all, text);
    }
    open_source(&f, "metrics", NULL);
    CHECK(rig_until(f.rig, rig_has_lines, buf_text(&all)));
    go_on(&f, "metrics");
    CHECK(rig_read_again(f.rig));
    CHECK(rig_has_lines(f.rig, buf_text(&all)));
    end(&f);
}

/* 40 files that grow in turns, of which 32 are remembered: none is read from its begin again, and it is said. */
TEST(more_growing_files_than_are_remembered_are_reported) {
    enum { FILES = LOOK_FILES + 8 };
    struct follow f = follow("ranks");
    CLEANUP_BUF struct buf all;
    buf_init(&all, 1 << 16);
    source_free(f.source);
    for (int i = 0; i < FILES; i++) {
        char name[64], text[32];
        snprintf(name, sizeof name, "ns/ranks/%03d", i);
        snprintf(text, sizeof text, "rank %d\n", i);
        rig_write(f.rig, name, text);
        set_written(f.rig, name, 1000 + i);
        buf_append_text(&all, text);
    }
    open_source(&f, "ranks", NULL);
    CHECK(rig_until(f.rig, rig_has_lines, buf_text(&all)));
    CHECK_TEXT(f.rig->last_trouble, "");
    rig_append(f.rig, "ns/ranks/000", "more\n");
    CHECK(rig_until(f.rig, rig_has_trouble, "what 000 of ns/ranks grew by since 32 other files were read is left out"));
    rig_append(f.rig, "ns/ranks/039", "last\n"); /* one that is remembered continues */
    buf_append_text(&all, "last\n");
    CHECK(rig_until(f.rig, rig_has_lines, buf_text(&all)));
    f.rig->last_trouble[0] = '\0';
    go_on(&f, "ranks"); /* another controller knows it, too */
    CHECK(rig_until(f.rig, rig_has_trouble, "what 000 of ns/ranks grew by"));
    CHECK(rig_has_lines(f.rig, buf_text(&all)));
    end(&f);
}

TEST(the_last_unterminated_line_counts_once_the_file_rests) {
    struct follow f = follow("log");
    rig_write(f.rig, "ns/log", "one\nlast");
    CHECK(rig_until(f.rig, rig_has_lines, "one\n"));
    CHECK(rig_read_again(f.rig));
    CHECK(rig_has_lines(f.rig, "one\n"));
    f.rig->refusals = 2; /* its run is not known yet: it is offered again */
    f.rig->is_over = true;
    CHECK(rig_until(f.rig, rig_has_lines, "one\nlast\n"));
    go_on(&f, "log");
    CHECK(rig_read_again(f.rig));
    CHECK(rig_has_lines(f.rig, "one\nlast\n"));
    rig_append(f.rig, "ns/log", "next\n"); /* of the next process */
    CHECK(rig_until(f.rig, rig_has_lines, "one\nlast\nnext\n"));
    end(&f);
}

TEST(each_of_several_files_may_end_without_an_end) {
    struct follow f = follow("logs");
    rig_write(f.rig, "ns/logs/a", "one\ntwo");
    rig_write(f.rig, "ns/logs/b", "three\nfour\r");
    set_written(f.rig, "ns/logs/a", 1000);
    set_written(f.rig, "ns/logs/b", 2000);
    CHECK(rig_until(f.rig, rig_has_lines, "one\nthree\n"));
    f.rig->is_over = true;
    CHECK(rig_until(f.rig, rig_has_lines, "one\nthree\ntwo\nfour\n"));
    CHECK(rig_read_again(f.rig));
    CHECK(rig_has_lines(f.rig, "one\nthree\ntwo\nfour\n"));
    end(&f);
}

/* As GCS FUSE and rsync do: another inode under the same name, with what was there and more. */
TEST(a_replaced_file_with_more_continues) {
    struct follow f = follow("log");
    rig_write(f.rig, "ns/log", "one\ntwo\n");
    CHECK(rig_until(f.rig, rig_has_lines, "one\ntwo\n"));
    rig_write(f.rig, "other/new", "one\ntwo\nthree\n");
    rig_rename(f.rig, "other/new", "ns/log");
    CHECK(rig_until(f.rig, rig_has_lines, "one\ntwo\nthree\n"));
    CHECK(rig_read_again(f.rig));
    CHECK(rig_has_lines(f.rig, "one\ntwo\nthree\n"));
    end(&f);
}

/* NFS shows an older size for a while. */
TEST(a_size_that_goes_back_and_comes_again_gives_no_line_twice) {
    struct follow f = follow("log");
    rig_write(f.rig, "ns/log", "one\ntwo\nthree\n");
    CHECK(rig_until(f.rig, rig_has_lines, "one\ntwo\nthree\n"));
    rig_write(f.rig, "other/whole", "one\ntwo\nthree\nfour\n");
    CLEANUP_FREE char *path = mem_format("%s/ns/log", f.rig->root);
    CHECK_INT(truncate(path, 0), 0);
    CHECK(rig_read_again(f.rig));
    rig_rename(f.rig, "other/whole", "ns/log");
    CHECK(rig_until(f.rig, rig_has_lines, "one\ntwo\nthree\nfour\n"));
    CHECK(rig_read_again(f.rig));
    CHECK(rig_has_lines(f.rig, "one\ntwo\nthree\nfour\n"));
    end(&f);
}

/* A disk that was full: the file is truncated to make room, and its writer, which does not append, continues where it
 * was: what is before that are zeros. */
TEST(a_hole_in_a_file_is_not_a_line) {
    struct follow f = follow("log");
    rig_write(f.rig, "ns/log", "one\ntwo\nthr");
    CHECK(rig_until(f.rig, rig_has_lines, "one\ntwo\n"));
    CLEANUP_FREE char *path = mem_format("%s/ns/log", f.rig->root);
    CHECK_INT(truncate(path, 0), 0);
    CHECK(rig_read_again(f.rig));
    const off_t at[] = {(3 << 20) + 17, (3 << 20) + 100, (8 << 20)}; /* longer than what is read at once, and shorter */
    const char *const texts[] = {"four\n", "five\n", "six\nseven\n"};
    int fd = open(path, O_WRONLY);
    for (size_t i = 0; i < ARRAY_SIZE(at); i++)
        CHECK(pwrite(fd, texts[i], strlen(texts[i]), at[i]) == (ssize_t)strlen(texts[i]));
    close(fd);
    CHECK(rig_until(f.rig, rig_has_lines, "one\ntwo\nfour\nfive\nsix\nseven\n"));
    go_on(&f, "log");
    CHECK(rig_read_again(f.rig));
    CHECK(rig_has_lines(f.rig, "one\ntwo\nfour\nfive\nsix\nseven\n"));
    end(&f);
}

TEST(a_line_that_is_refused_is_offered_again_before_those_behind_it) {
    struct follow f = follow("log");
    f.rig->refusals = 3;
    rig_write(f.rig, "ns/log", "one\ntwo\n");
    CHECK(rig_until(f.rig, rig_has_lines, "one\ntwo\n"));
    CHECK_INT(f.rig->refusals, 0);
    end(&f);
}

TEST(a_line_of_megabytes_gives_its_head_and_holds_up_nothing) {
    struct follow f = follow("log");
    size_t size = 3 << 20;
    CLEANUP_FREE char *line = mem_alloc(size + 8);
    memset(line, 'x', size);
    memcpy(line + size, "\nnext\n", 7);
    rig_write(f.rig, "ns/log", line);
    line[65536] = '\0';
    CLEANUP_FREE char *both = mem_format("%s\nnext\n", line);
    CHECK(rig_until(f.rig, rig_has_lines, both));
    end(&f);
}

static const char metrics_line[] =
    "{\"learning/loss\": 10.4, \"perf/step_time_seconds\": %d.5, \"step\": %d.0, \"run_name\": \"demo\"}\n";

TEST(steps_of_a_metrics_file_are_placed_by_how_long_they_took) {
    struct follow f = follow("metrics.jsonl");
    CLEANUP_BUF struct buf text;
    buf_init(&text, 1 << 16);
    for (int i = 0; i < 3; i++)
        buf_format(&text, metrics_line, i + 1, i);
    rig_write(f.rig, "ns/metrics.jsonl.part", buf_text(&text));
    set_written(f.rig, "ns/metrics.jsonl.part", 1700000000);
    rig_rename(f.rig, "ns/metrics.jsonl.part", "ns/metrics.jsonl");
    CHECK(rig_until(f.rig, rig_has_lines, buf_text(&text)));
    CHECK_INT(f.rig->stamps_ms[2], 1700000000000);
    CHECK_INT(f.rig->stamps_ms[1], 1700000000000 - 3500);
    CHECK_INT(f.rig->stamps_ms[0], 1700000000000 - 3500 - 2500);
    end(&f);
}

TEST(lines_are_stamped_by_what_they_say_themselves) {
    static const char text[] = "{\"job_name\": \"j\", \"step_count\": 1, \"step_start_time\": 1700000001.25}\n"
                               "2023-11-14T22:13:22.5Z stderr F completed step: 1, seconds: 1.0\n"
                               "[2023-11-14 22:13:23.500] iteration 1/ 2 |\n"
                               "no time\n";
    struct follow f = follow("log");
    rig_write(f.rig, "ns/log.part", text);
    set_written(f.rig, "ns/log.part", 1700000009);
    rig_rename(f.rig, "ns/log.part", "ns/log");
    CHECK(rig_until(f.rig, rig_has_lines, text));
    CHECK_INT(f.rig->stamps_ms[0], 1700000001250);
    CHECK_INT(f.rig->stamps_ms[1], 1700000002500);
    CHECK_INT(f.rig->stamps_ms[2], 1700000003500);
    CHECK_INT(f.rig->stamps_ms[3], 1700000009000);
    end(&f);
}

/* ---- confinement ---- */

static void expect_trouble(const char *path, const char *trouble, void (*set_up)(struct rig *rig)) {
    struct follow f = {.rig = rig_new()};
    f.pool = work_pool_new(f.rig->loop, 2);
    rig_write(f.rig, "other/secret", "secret\n");
    rig_write(f.rig, "ns/mine", "mine\n");
    set_up(f.rig);
    open_source(&f, path, NULL);
    CHECK(rig_until(f.rig, rig_has_trouble, trouble));
    CHECK_INT(f.rig->count, 0);
    end(&f);
}

static void link_to(struct rig *rig, const char *target, const char *path) {
    CLEANUP_FREE char *whole = mem_format("%s/%s", rig->root, path);
    CHECK_INT(symlink(target, whole), 0);
}

static void link_file(struct rig *rig) {
    link_to(rig, "../other/secret", "ns/log");
}
static void link_folder(struct rig *rig) {
    link_to(rig, "../other", "ns/up");
}
static void link_namespace(struct rig *rig) {
    rig_rename(rig, "ns", "moved");
    link_to(rig, "other", "ns");
}
static void make_pipe(struct rig *rig) {
    CLEANUP_FREE char *whole = mem_format("%s/ns/pipe", rig->root);
    CHECK_INT(mkfifo(whole, 0600), 0);
}
static void nothing(struct rig *rig) {
    (void)rig;
}

TEST(nothing_outside_the_folder_of_the_namespace_is_read) {
    expect_trouble("log", "ns/log, below the log root, is a symbolic link", link_file);
    expect_trouble("up/secret", "ns/up, below the log root, is a symbolic link", link_folder);
    expect_trouble("up", "is a symbolic link", link_folder);
    expect_trouble("secret", "ns, below the log root, is a symbolic link", link_namespace);
    expect_trouble("pipe", "ns/pipe, below the log root, is not a file", make_pipe);
    expect_trouble("none", "ns/none, below the log root, does not exist (yet)", nothing);
    expect_trouble("none/none", "ns/none, below the log root, does not exist (yet)", nothing);
    expect_trouble("mine/none", "ns/mine, below the log root: Not a directory", nothing);
    expect_trouble("../other/secret", "Invalid argument", nothing); /* which nobody lets get so far: below */
}

TEST(paths_that_leave_the_folder_are_refused) {
    static const char *const bad[] = {"/etc/passwd", "..",  "../other/x", "a/../b", "a//b", "a/", "",
                                      ".",           "./a", "a/.",        "a\nb",   "a\\b"};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        CHECK(source_file_path_error(bad[i]) != NULL);
    CHECK(source_file_path_error("a") == NULL);
    CHECK(source_file_path_error("runs/llama3-70b/metrics.jsonl") == NULL);
    CHECK(source_file_path_error("a/..b/c..") == NULL);
}

TEST(a_link_that_is_put_in_the_way_of_a_followed_file_is_not_followed) {
    struct follow f = follow("log");
    rig_write(f.rig, "other/secret", "one\nsecret\n");
    rig_write(f.rig, "ns/log", "one\n");
    CHECK(rig_until(f.rig, rig_has_lines, "one\n"));
    CLEANUP_FREE char *path = mem_format("%s/ns/log", f.rig->root);
    CHECK_INT(unlink(path), 0);
    CHECK_INT(symlink("../other/secret", path), 0);
    CHECK(rig_until(f.rig, rig_has_trouble, "is a symbolic link"));
    CHECK(rig_has_lines(f.rig, "one\n"));
    end(&f);
}

/* A tenant who swaps a folder for a link while it is looked at: as often as it may, nothing of the other's comes. */
struct swapping {
    char *folder, *link;
    atomic_bool is_over;
};

static void *swap(void *context) {
    struct swapping *s = context;
    while (!atomic_load(&s->is_over))
        CHECK_INT(renameat2(AT_FDCWD, s->folder, AT_FDCWD, s->link, RENAME_EXCHANGE), 0);
    return NULL;
}

TEST(a_folder_that_is_swapped_for_a_link_all_the_time_leads_nowhere) {
    struct rig *rig = rig_new();
    struct swapping s = {mem_format("%s/ns/d", rig->root), mem_format("%s/ns/link", rig->root), false};
    pthread_t thread;
    int read = 0, refused = 0;
    rig_write(rig, "ns/d/log", "mine\n");
    rig_write(rig, "other/log", "secret\n");
    link_to(rig, "../other", "ns/link");
    REQUIRE(pthread_create(&thread, NULL, swap, &s) == 0);
    for (int i = 0; i < 200000 && (i < 2000 || read == 0 || refused == 0); i++) {
        struct look *l = look_new(rig->root, "ns", "d/log");
        look_run(l);
        if (l->error[0] != '\0')
            refused++;
        else if (l->lines.size_bytes > 0) {
            read++;
            CHECK(slice_is(buf_slice(&l->lines), "mine\n"));
        }
        look_free(l);
    }
    atomic_store(&s.is_over, true);
    pthread_join(thread, NULL);
    CHECK(read > 0 && refused > 0);
    free(s.folder);
    free(s.link);
    rig_free(rig);
}

/* ---- the cursor ---- */

TEST(a_cursor_is_read_back_and_nothing_else_is_one) {
    struct look_table t = {.floor_ns = -5, .count = 2}, back;
    t.files[0] = (struct look_file){0xfedcba9876543210, 1, 17, INT64_MAX};
    t.files[1] = (struct look_file){2, 3, INT64_MAX, -1};
    CLEANUP_BUF struct buf text;
    buf_init(&text, 4096);
    look_table_write(&t, &text);
    CHECK(look_table_parse(&back, buf_slice(&text)));
    CHECK(back.old_count == 0);
    CHECK(back.count == 2 && back.floor_ns == -5 && memcmp(back.files, t.files, 2 * sizeof t.files[0]) == 0);
    static const char *const bad[] = {"",
                                      "1",
                                      "1 ",
                                      "2 0",
                                      "1 0 ",
                                      "1 0 1:2:3",
                                      "1 0 1:2:0:4",
                                      "1 0 1:2:3:4x",
                                      "1 11111111111111111",
                                      "1 0 1:2:8000000000000000:4",
                                      "1 0 -1:2",
                                      "1 0 -1:2:0",
                                      "1 0 -100000000:2:3",
                                      "1 0 -1:2:3 1:2:3:4"};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        CHECK(!look_table_parse(&back, slice_of(bad[i])));
    buf_clear(&text);
    t.count = LOOK_FILES;
    for (int i = 0; i < LOOK_FILES; i++)
        t.files[i] = (struct look_file){UINT64_MAX, UINT64_MAX, INT64_MAX, -1};
    for (int i = 0; i <= LOOK_OLD; i++)
        look_table_add_old(&t, &(struct look_file){UINT64_MAX, UINT64_MAX, (INT64_C(1) << 40) - 1 - i, -1});
    look_table_write(&t, &text);
    CHECK(text.size_bytes < SOURCE_CURSOR_BYTES);
    CHECK(look_table_parse(&back, buf_slice(&text)));
    CHECK(back.old_count == LOOK_OLD && back.old[0].offset == (INT64_C(1) << 40) - 2); /* the first went for the last */
}
