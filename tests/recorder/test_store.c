/* The store: what was appended is there again, in order, after whatever happened to its files; and its limits. */
#include "base/mem.h"
#include "base/rfc3339.h"
#include "folder.h"
#include "harness.h"
#include "recorder/entries_write.h"
#include "recorder/store_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NOW_S INT64_C(1700000000)

static char root[FOLDER_PATH];

static struct store *open_store(const struct store_limits *limits) {
    folder_make(root);
    return store_new(root, limits);
}

static void close_store(struct store *s) {
    store_free(s);
    folder_remove(root);
}

/* Step n, at at_s seconds. */
static int add(struct store *s, const char *job, int n, int at_s, struct error **err) {
    CLEANUP_BUF struct buf line;
    char stamp[RFC3339_SIZE];
    buf_init(&line, 4096);
    rfc3339_format(stamp, (NOW_S + at_s) * 1000000000, 9);
    buf_format(&line,
               "{\"insertId\":\"%06d\",\"logName\":\"l\",\"severity\":\"INFO\",\"timestamp\":\"%s\",\"jsonPayload\":{"
               "\"job_name\":\"%s\",\"n\":%d}}\n",
               n, stamp, job, n);
    return store_append(s, "ns", slice_of(job), buf_slice(&line), time(NULL), err);
}

/* The numbers of a page, "1 2 3 "; has_more: "+" behind it. */
static char *list(struct store *s, const char *job, struct store_place *after, int max) {
    static struct filter all;
    CLEANUP_BUF struct buf page = {0};
    CLEANUP_BUF struct buf found = {0};
    struct store_query q = {.namespace_ = "ns",
                            .job = slice_of(job),
                            .filter = &all,
                            .after = *after,
                            .max_entries = max,
                            .max_bytes = 1 << 20};
    buf_init(&page, 1 << 20);
    buf_init(&found, 1 << 16);
    int r = store_list(s, &q, &page, after, NULL);
    for (const char *at = buf_text(&page); (at = strstr(at, "\"n\":")) != NULL;)
        buf_format(&found, "%ld ", strtol(at += 4, NULL, 10));
    if (r != 0)
        buf_append_char(&found, r > 0 ? '+' : '!');
    return buf_take(&found);
}

static void holds(struct store *s, const char *job, const char *numbers) {
    struct store_place from = {.at_ns = INT64_MIN};
    CLEANUP_FREE char *found = list(s, job, &from, 1000);
    CHECK_TEXT(found, numbers);
}

TEST(entries_come_back_in_the_order_of_their_times) {
    struct store *s = open_store(&store_default_limits);
    holds(s, "j", "");
    const int at_s[] = {5, 3, 3, 9, 1};
    for (int i = 0; i < 5; i++)
        CHECK_INT(add(s, "j", i, at_s[i], NULL), 0);
    CHECK_INT(add(s, "other", 7, 0, NULL), 0);
    holds(s, "j", "4 1 2 0 3 ");
    struct store_place at = {.at_ns = INT64_MIN};
    CLEANUP_FREE char *first = list(s, "j", &at, 2), *second = list(s, "j", &at, 2), *third = list(s, "j", &at, 2);
    CHECK_TEXT(first, "4 1 +");
    CHECK_TEXT(second, "2 0 +");
    CHECK_TEXT(third, "3 ");
    close_store(s);
}

TEST(a_line_that_a_crash_left_unfinished_is_removed) {
    struct store *s = open_store(&store_default_limits);
    CHECK_INT(add(s, "j", 1, 1, NULL), 0);
    CLEANUP_FREE char *path = mem_format("%s/ns/j/00000001.jsonl", root);
    int fd = open(path, O_WRONLY | O_APPEND);
    CHECK(write(fd, "{\"insertId\":\"half", 17) == 17);
    close(fd);
    store_free(s);
    s = store_new(root, &store_default_limits); /* as after a crash */
    CHECK_INT(add(s, "j", 2, 2, NULL), 0);
    holds(s, "j", "1 2 ");
    close_store(s);
}

TEST(a_job_keeps_its_newest_files) {
    const struct store_limits limits = {
        .file_bytes = 1000, .job_bytes = 3000, .namespace_bytes = 1 << 20, .max_jobs = 10, .keep_s = 86400};
    struct store *s = open_store(&limits);
    for (int i = 0; i < 60; i++) {
        CHECK_INT(add(s, "j", i, i, NULL), 0);
        if (i == 30) { /* another process resumes where this one was */
            store_free(s);
            s = store_new(root, &limits);
        }
    }
    struct store_place from = {.at_ns = INT64_MIN};
    CLEANUP_FREE char *found = list(s, "j", &from, 1000);
    CHECK(strstr(found, "58 59 ") != NULL && strncmp(found, "0 ", 2) != 0);
    int count = 0;
    for (const char *c = found; (c = strchr(c, ' ')) != NULL; c++)
        count++;
    CHECK(count >= 14 && count <= 21); /* two full files and the present one, seven lines each */
    close_store(s);
}

TEST(a_full_namespace_is_refused_and_old_jobs_go) {
    const struct store_limits limits = {
        .file_bytes = 1000, .job_bytes = 3000, .namespace_bytes = 1000, .max_jobs = 2, .keep_s = 86400};
    struct error *err CLEANUP_ERROR = NULL;
    struct store *s = open_store(&limits);
    int r = 0, taken = 0;
    for (; r == 0 && taken < 100; taken += r == 0)
        r = add(s, "a", taken, taken, &err);
    CHECK_INT(r, -EDQUOT);
    CHECK(strstr(error_text(err), "namespace ns holds") != NULL);
    CHECK(taken > 3 && taken < 10);
    /* Nobody wrote to it for two days. */
    CLEANUP_FREE char *path = mem_format("%s/ns/a/00000001.jsonl", root);
    const struct timespec old[2] = {{time(NULL) - 2 * 86400, 0}, {time(NULL) - 2 * 86400, 0}};
    CHECK_INT(utimensat(AT_FDCWD, path, old, 0), 0);
    store_free(s);
    s = store_new(root, &limits);
    CHECK_INT(add(s, "b", 1, 1, NULL), 0);
    CHECK(access(path, F_OK) != 0);
    CHECK_INT(add(s, "c", 1, 1, NULL), 0);
    CHECK_INT(add(s, "d", 1, 1, NULL), -EDQUOT); /* a third job */
    CHECK_INT(add(s, "c", 2, 2, NULL), 0);
    close_store(s);
}

TEST(names_of_jobs_are_one_folder_each) {
    char folder[STORE_NAME_SIZE];
    const struct {
        const char *job, *folder;
    } cases[] = {{"run-1_a.b", "run-1_a.b"},
                 {"..", "%2E."},
                 {"a/../b", "a%2F..%2Fb"},
                 {".hidden", "%2Ehidden"},
                 {"ä", "%C3%A4"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CHECK(store_folder(folder, slice_of(cases[i].job)));
        CHECK_TEXT(folder, cases[i].folder);
    }
    CLEANUP_FREE char *longest = mem_alloc(400);
    memset(longest, 'a', 300);
    CHECK(!store_folder(folder, slice_of(longest)));
    CHECK(!store_folder(folder, slice_of("")));
    /* Nothing outside the namespace's folder comes of it. */
    struct store *s = open_store(&store_default_limits);
    CHECK_INT(add(s, "../../x", 1, 1, NULL), 0);
    holds(s, "../../x", "1 ");
    close_store(s);
}

TEST(a_disk_that_is_full_leaves_nothing_half) {
    struct error *err CLEANUP_ERROR = NULL;
    struct store *s = open_store(&store_default_limits);
    CHECK_INT(add(s, "j", 1, 1, NULL), 0);
    CLEANUP_FREE char *path = mem_format("%s/ns/j/00000001.jsonl", root);
    CHECK_INT(unlink(path), 0);
    CHECK_INT(mkdir(path, 0700), 0); /* what cannot be written to, whoever runs the test */
    CHECK(add(s, "j", 2, 2, &err) < 0);
    CHECK(strstr(error_text(err), "the store cannot write to j") != NULL);
    CHECK_INT(rmdir(path), 0);
    CHECK_INT(add(s, "j", 3, 3, NULL), 0);
    holds(s, "j", "3 ");
    close_store(s);
}

/* More than can be stored of one request is refused as a whole: a line that was counted is there. */
TEST(lines_that_grow_too_much_are_refused_not_cut) {
    const size_t size = (size_t)10 << 20;
    CLEANUP_FREE char *body = mem_alloc(size);
    CLEANUP_ERROR struct error *err = NULL;
    struct entries_lines lines;
    uint64_t next_id = 0;
    const struct entries_received received = {NOW_S * 1000000000, &next_id, "ns"};
    for (size_t i = 0; i < size; i++)
        body[i] = i % 2 ? '\n' : 'x';
    CHECK_INT(entries_push_read(&lines, (struct slice){body, size}, "j", &received, &err), -EMSGSIZE);
    CHECK(strstr(error_text(err), "too many lines") != NULL);
    entries_lines_done(&lines);
    CHECK_INT(entries_push_read(&lines, (struct slice){body, size / 16}, "j", &received, NULL), 0);
    CHECK_INT(lines.taken, (int64_t)(size / 32));
    entries_lines_done(&lines);
}

/* Python's clients escape what is not ASCII; a filter names the job as it is. */
TEST(a_name_that_json_escapes_is_the_same_name) {
    struct filter_entry e;
    CHECK(store_read_line(SLICE("{\"timestamp\":\"2023-11-14T22:13:20Z\",\"jsonPayload\":{\"job_name\":"
                                "\"\\u00fcb \\\"1\\\"\",\"step_count\":1}}"),
                          &e));
    CHECK(slice_is(e.fields[FILTER_JOB_NAME], "\xc3\xbc"
                                              "b \"1\""));
    CHECK(store_read_line(SLICE("{\"timestamp\":\"2023-11-14T22:13:20Z\",\"jsonPayload\":{\"job_name\":\"plain\"}}"),
                          &e));
    CHECK(slice_is(e.fields[FILTER_JOB_NAME], "plain"));
}
