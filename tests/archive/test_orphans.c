/* Objects that grow, of jobs that ended while no controller ran. */
#include "archive/orphans.h"
#include "archive/volume.h"
#include "folder.h"
#include "harness.h"

#include "base/mem.h"

#include <errno.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAY_MS INT64_C(86400000)

static struct archive_key key_of(const char *namespace_, const char *name) {
    return (struct archive_key){"c", namespace_, name, "u", "t", 1764000000};
}

static void append(const char *root, const struct archive_key *key, int64_t to_ms) {
    CLEANUP_ERROR struct error *err = NULL;
    const struct archive_part part = {DAY_MS, to_ms, false};
    int64_t end_ms;
    CHECK_INT(archive_volume_append(root, key, &part, "{\"record\":\"job\"}\n", slice_of(""), false, &end_ms, &err), 0);
}

static size_t count(const char *root, const char *pattern) {
    CLEANUP_FREE char *path = mem_format("%s/%s", root, pattern);
    glob_t paths;
    size_t n = glob(path, 0, NULL, &paths) == 0 ? paths.gl_pathc : 0;
    globfree(&paths);
    return n;
}

/* context: the number of calls. All but "lives". */
static bool is_ended(void *context, const struct archive_key *key) {
    (*(int *)context)++;
    CHECK_TEXT(key->uid, "u");
    CHECK_TEXT(key->target_uid, "t");
    return strcmp(key->name, "lives") != 0;
}

static int complete(const char *root, int *ret_count, struct error **err) {
    int calls = 0;
    return archive_complete_orphans(root, "c", 1764000000, is_ended, &calls, ret_count, err);
}

TEST(what_has_ended_is_completed_once_and_the_rest_grows_on) {
    char root[FOLDER_PATH], name[201] = "";
    int n;
    memset(name, 'x', sizeof name - 1); /* cut in the object's name */
    folder_make(root);
    const struct archive_key ended = key_of("a.b", "dotted.name"), lives = key_of("ns", "lives"),
                             empty = key_of("ns", "empty"), cut = key_of("ns", name);
    append(root, &ended, 2 * DAY_MS);
    append(root, &lives, 2 * DAY_MS);
    append(root, &empty, DAY_MS); /* no time */
    append(root, &cut, 2 * DAY_MS);
    folder_write(root, "cluster=c/.open/namespace=ns/other.txt", "");
    folder_write(root, "cluster=c/.open/other", "");
    folder_write(root, "cluster=d/.open/namespace=ns/x_u_t_1764000000.jsonl.gz", "");
    CHECK_INT(complete(root, &n, NULL), 0);
    CHECK_INT(n, 2);
    CHECK_INT(count(root, "cluster=c/date=1970-01-03/namespace=a.b/dotted.name_u_t_*.jsonl.gz"), 1);
    CHECK_INT(count(root, "cluster=c/date=1970-01-03/namespace=ns/xxx*_u_t_*.jsonl.gz"), 1);
    CHECK_INT(count(root, "cluster=c/.open/*/*.jsonl.gz"), 1);
    CHECK_INT(count(root, "cluster=c/.open/namespace=ns/lives_u_t_*.jsonl.gz"), 1);
    CHECK_INT(count(root, "cluster=d/.open/*/*.jsonl.gz"), 1);
    CHECK_INT(complete(root, &n, NULL), 0);
    CHECK_INT(n, 0);
    CHECK_INT(count(root, "cluster=c/date=*/*/*.jsonl.gz"), 2);
    folder_remove(root);
}

TEST(without_an_archive_there_are_none) {
    char root[FOLDER_PATH];
    int n;
    folder_make(root);
    CHECK_INT(complete(root, &n, NULL), 0);
    CHECK_INT(n, 0);
    folder_remove(root);
}

TEST(one_that_cannot_be_completed_stays_and_does_not_hold_up_the_others) {
    CLEANUP_ERROR struct error *err = NULL;
    char root[FOLDER_PATH];
    int n;
    folder_make(root);
    const struct archive_key a = key_of("ns", "a"), b = key_of("ns", "b");
    append(root, &a, 2 * DAY_MS);
    append(root, &b, 3 * DAY_MS);
    folder_write(root, "cluster=c/date=1970-01-03", "a file where a folder is needed");
    CHECK(complete(root, &n, &err) < 0);
    CHECK_INT(n, 1);
    CHECK(strstr(error_text(err), "date=1970-01-03") != NULL);
    CHECK_INT(count(root, "cluster=c/.open/namespace=ns/a_u_t_*.jsonl.gz"), 1);
    CHECK_INT(count(root, "cluster=c/date=1970-01-04/namespace=ns/b_u_t_*.jsonl.gz"), 1);
    folder_remove(root);
}

TEST(names_of_objects_are_read_back) {
    struct archive_names names;
    char file[ARCHIVE_OBJECT_SIZE], namespace_[ARCHIVE_OBJECT_SIZE], part[ARCHIVE_OBJECT_SIZE];
    const struct archive_key key = {"c", "a_b/c", "a_b%/\xc3\xa9.c", ".u", "t_", 0};
    archive_object_file(file, &key, 1764000000);
    REQUIRE(archive_object_parse(file, &names));
    CHECK_TEXT(names.name, key.name);
    CHECK_TEXT(names.uid, key.uid);
    CHECK_TEXT(names.target_uid, key.target_uid);
    archive_namespace_part(part, key.namespace_);
    REQUIRE(archive_namespace_parse(part, namespace_));
    CHECK_TEXT(namespace_, key.namespace_);
    static const char *const not_objects[] = {
        "", "a_b_c", "a_b_1764000000.jsonl.gz", "a_b_c_1.jsonl.gz", "a_b_c_.gz", "a_b_c_x.jsonl.gz"};
    for (size_t i = 0; i < ARRAY_SIZE(not_objects); i++)
        CHECK(!archive_object_parse(not_objects[i], &names));
}
