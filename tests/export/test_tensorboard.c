/* TensorBoard's event files: the bytes that tensorboardX 2.6.5 writes for the same events, what damaged ones are, and
 * what a file holds after restarts, a disk that is full, and folders that are none. That TensorBoard itself reads them
 * is tests/recorder/tensorboard.py. */
#include "harness.h"

#include "base/mem.h"
#include "export/push/tensorboard_file.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char version_record[] =
    "\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7f\x4b\x22\x09\x00\x00\x20\x06\x3d\xc0\xda\x41\x1a\x0d\x62\x72\x61\x69\x6e"
    "\x2e\x45\x76\x65\x6e\x74\x3a\x32\x7b\xed\x16\x96";
static const char scalars_record[] =
    "\x3b\x00\x00\x00\x00\x00\x00\x00\x1a\x23\xac\x5c\x09\x00\x00\xd0\x09\x3d\xc0\xda\x41\x10\xac\x02\x2a\x2d\x0a\x16"
    "\x0a\x0f\x67\x6f\x6f\x64\x70\x75\x74\x2f\x67\x6f\x6f\x64\x70\x75\x74\x15\x00\x80\xa4\x42\x0a\x13\x0a\x0c\x62\x61"
    "\x64\x70\x75\x74\x2f\x6f\x74\x68\x65\x72\x15\x00\x00\x00\x3f\x72\x0a\xe5\x65";

static void write_both(struct buf *out) {
    const struct tensorboard_value values[] = {{"goodput/goodput", 82.25f}, {"badput/other", 0.5f}};
    tensorboard_write_version(out, 1795224600.5);
    tensorboard_write_scalars(out, 1795224615.25, 300, values, 2);
}

TEST(events_are_the_bytes_that_the_library_writes) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, 4096);
    write_both(&out);
    REQUIRE(out.size_bytes == sizeof version_record - 1 + sizeof scalars_record - 1);
    CHECK(memcmp(out.data, version_record, sizeof version_record - 1) == 0);
    CHECK(memcmp(out.data + sizeof version_record - 1, scalars_record, sizeof scalars_record - 1) == 0);
}

TEST(events_are_read_again) {
    CLEANUP_BUF struct buf out;
    struct tensorboard_event e;
    struct slice event;
    buf_init(&out, 4096);
    write_both(&out);
    struct slice file = buf_slice(&out);
    REQUIRE(tensorboard_take(&file, &event) == 1 && tensorboard_read(event, &e) == 0);
    CHECK(e.is_version && !e.has_summary && e.wall_s == 1795224600.5);
    REQUIRE(tensorboard_take(&file, &event) == 1 && tensorboard_read(event, &e) == 0);
    CHECK(!e.is_version && e.has_summary && e.wall_s == 1795224615.25);
    CHECK_INT(e.step, 300);
    CHECK_INT(tensorboard_take(&file, &event), 0);
}

/* Every truncation and a flip of every bit: no frame is ever taken that was not written. */
TEST(damage_is_detected) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, 4096);
    write_both(&out);
    const size_t first = sizeof version_record - 1;
    for (size_t n = 1; n < out.size_bytes; n++) {
        struct slice file = {out.data, n}, event;
        int taken = 0, r;
        while ((r = tensorboard_take(&file, &event)) > 0)
            taken++;
        CHECK_INT(taken, n >= first);
        CHECK_INT(r, n == first ? 0 : -EBADMSG);
    }
    for (size_t bit = 0; bit < first * 8; bit++) {
        struct slice file = buf_slice(&out), event;
        out.data[bit / 8] ^= (char)(1 << bit % 8);
        CHECK_INT(tensorboard_take(&file, &event), -EBADMSG);
        CHECK(file.data == out.data);
        out.data[bit / 8] ^= (char)(1 << bit % 8);
    }
}

/* ---- what a JobGoodput says ---- */

static const struct tensorboard_value *find(const struct tensorboard_point *p, const char *tag) {
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->values[i].tag, tag) == 0)
            return &p->values[i];
    return NULL;
}

TEST(a_point_has_the_tags_of_the_library_and_ours) {
    CLEANUP_FREE char *text = harness_read_file("tests/data/export/training.json", NULL);
    CLEANUP_FREE struct fleet_numbers *n = mem_new(struct fleet_numbers);
    CLEANUP_FREE struct tensorboard_point *p = mem_new(struct tensorboard_point);
    REQUIRE(fleet_read_numbers(slice_of(text), n) && tensorboard_point_read(n, false, p));
    CHECK_INT(p->step, n->values[FLEET_LAST_STEP]);
    CHECK_INT(p->at_ms, n->values[FLEET_OBSERVED_THROUGH]);
    REQUIRE(find(p, "goodput/goodput") != NULL && find(p, "goodput/job") != NULL && find(p, "step_deviation") != NULL);
    CHECK(fabsf(find(p, "goodput/job")->value - 82.18f) < 1e-4f);
    CHECK(find(p, "goodput/goodput")->value > find(p, "goodput/job")->value); /* the library's clock starts later */
    CHECK(fabsf(find(p, "step_deviation")->value - 0.012f) < 1e-6f);
    CHECK(find(p, "goodput/program") == NULL); /* not known: absent, not 0 */
    CHECK(find(p, "badput/data_loading_async") == NULL);
    double sum = find(p, "goodput/goodput")->value;
    double ours = 100.0 * (double)n->values[FLEET_PRODUCTIVE] / (double)n->values[FLEET_WALL];
    for (int i = 0; i < p->count; i++) {
        sum += strncmp(p->values[i].tag, "badput/", 7) == 0 ? p->values[i].value : 0;
        ours += strncmp(p->values[i].tag, "ledger/", 7) == 0 ? p->values[i].value : 0;
    }
    CHECK(fabs(sum - 100) < 1e-3); /* goodput and the library's types; goodput and our buckets: each make the whole */
    CHECK(fabs(ours - 100) < 1e-3);
    CHECK(find(p, "ledger/Scheduling/QueueWait") != NULL || find(p, "ledger/Scheduling/Provisioning") != NULL);
    n->values[FLEET_LAST_STEP] = FLEET_NONE;
    CHECK(!tensorboard_point_read(n, false, p));
}

/* ---- files ---- */

#define START INT64_C(1795224600000) /* 2026-11-21T01:30:00Z */
#define RUN "ns/job/20261121T013000Z"
static char root[64];

static struct tensorboard_write *begin(void) {
    struct tensorboard_write *w = mem_new(struct tensorboard_write);
    strcpy(root, "/tmp/goodput-tensorboard-XXXXXX");
    CHECK(mkdtemp(root) != NULL);
    w->root = mem_strdup(root);
    w->namespace_ = mem_strdup("ns");
    w->name = mem_strdup("job");
    w->file_bytes = TENSORBOARD_FILE_BYTES;
    w->point = (struct tensorboard_point){.start_ms = START, .count = 1, .values = {{"goodput/goodput", 50}}};
    return w;
}

static void end(struct tensorboard_write *w) {
    CLEANUP_FREE char *command = mem_format("rm -rf '%s'", root);
    tensorboard_write_free(w);
    CHECK_INT(system(command), 0);
}

static bool put(struct tensorboard_write *w, int64_t step, int64_t at_s) {
    w->point.step = step;
    w->point.at_ms = START + at_s * 1000;
    tensorboard_file_run(w);
    return w->was_written;
}

/* Another process: it knows nothing of what was written. */
static void restart(struct tensorboard_write *w) {
    w->place = (struct tensorboard_place){0};
}

static char *path_of(int64_t at_s) {
    return mem_format("%s/" RUN "/events.out.tfevents.%010lld.goodput-controller", root,
                      (long long)(START / 1000 + at_s));
}

/* "v" for a version, the steps, "!" for a record that is not whole; "-": there is no such file. */
static char *contents(int64_t at_s) {
    CLEANUP_FREE char *path = path_of(at_s);
    CLEANUP_BUF struct buf out;
    struct slice event, file;
    struct tensorboard_event e;
    size_t size;
    int r;
    buf_init(&out, 65536);
    if (access(path, F_OK) < 0)
        return mem_strdup("-");
    CLEANUP_FREE char *bytes = harness_read_file(path, &size);
    file = (struct slice){bytes, size};
    while ((r = tensorboard_take(&file, &event)) > 0)
        if (tensorboard_read(event, &e) == 0 && e.is_version)
            buf_append_text(&out, "v ");
        else
            buf_format(&out, "%lld ", (long long)e.step);
    buf_append_text(&out, r < 0 ? "!" : "");
    return mem_strndup(out.data, out.size_bytes);
}

#define HOLDS(at_s, expected)                                                                                          \
    do {                                                                                                               \
        CLEANUP_FREE char *now_ = contents(at_s);                                                                      \
        CHECK_TEXT(now_, expected);                                                                                    \
    } while (0)

TEST(after_a_restart_a_run_continues_in_its_file_without_double_points) {
    struct tensorboard_write *w = begin();
    CHECK(put(w, 1, 10));
    CHECK(put(w, 2, 40));
    HOLDS(10, "v 1 2 ");
    restart(w);
    CHECK(!put(w, 2, 40)); /* the very same */
    CHECK(!put(w, 2, 55)); /* the same step, reported later */
    CHECK_TEXT(w->error, "");
    restart(w);
    CHECK(put(w, 3, 70));
    CHECK(!put(w, 1, 60)); /* from a controller that was deposed */
    CHECK(put(w, 2, 100)); /* done again after a rollback */
    HOLDS(10, "v 1 2 3 2 ");
    end(w);
}

TEST(half_a_record_stays_and_another_file_begins) {
    struct tensorboard_write *w = begin();
    CHECK(put(w, 1, 10) && put(w, 2, 40));
    struct stat st;
    for (int cut = 1; cut <= 3; cut++) { /* of each newest file in turn */
        int64_t at_s = cut == 1 ? 10 : 70 + 30 * (cut - 2);
        CLEANUP_FREE char *newest = path_of(at_s);
        REQUIRE(stat(newest, &st) == 0);
        CHECK_INT(truncate(newest, st.st_size - 7 * cut), 0);
        restart(w);
        CHECK(put(w, 2 + cut, 40 + 30 * cut));
        CHECK_TEXT(w->error, "");
    }
    HOLDS(10, "v 1 !");
    HOLDS(70, "v !");
    HOLDS(100, "v !");
    HOLDS(130, "v 5 ");
    restart(w);
    CHECK(!put(w, 5, 130)); /* known from the newest file that has a point */
    end(w);
}

TEST(other_files_are_left_as_they_are) {
    struct tensorboard_write *w = begin();
    CHECK(put(w, 1, 10));
    CLEANUP_FREE char *path = path_of(10);
    CHECK_INT(truncate(path, 0), 0);
    restart(w);
    CHECK(put(w, 1, 5)); /* an empty file has no version; and its name counts whatever the clock says */
    HOLDS(10, "");
    HOLDS(11, "v 1 ");
    CLEANUP_FREE char *link = path_of(50);
    CHECK_INT(symlink("/etc/hostname", link), 0);
    restart(w);
    CHECK(put(w, 2, 40));
    HOLDS(51, "v 2 ");
    end(w);
}

TEST(a_full_file_is_followed_by_the_next) {
    struct tensorboard_write *w = begin();
    w->file_bytes = 120;
    for (int i = 1; i <= 5; i++)
        CHECK(put(w, i, 10 * i));
    HOLDS(10, "v 1 2 ");
    HOLDS(30, "v 3 4 ");
    restart(w);
    CHECK(put(w, 6, 60));
    HOLDS(50, "v 5 6 ");
    end(w);
}

/* A write that ends in the middle of a record, as on a disk that is full: the limit of a file's size does the same. */
TEST(a_disk_that_is_full_leaves_nothing_half) {
    struct tensorboard_write *w = begin();
    struct rlimit before, limit;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    CHECK(put(w, 1, 10));
    int64_t size = w->place.size_bytes;
    sigaction(SIGXFSZ, &ignore, &old);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = (rlim_t)size + 5;
    setrlimit(RLIMIT_FSIZE, &limit);
    bool was_written = put(w, 2, 40), was_again = put(w, 2, 40);
    char *full = contents(10);
    limit.rlim_cur = 20;
    setrlimit(RLIMIT_FSIZE, &limit);
    w->point.start_ms += 1000; /* another run: not even its first file can be made whole */
    restart(w);
    bool was_new = put(w, 1, 40);
    setrlimit(RLIMIT_FSIZE, &before);
    sigaction(SIGXFSZ, &old, NULL);
    CHECK(!was_written && !was_again && !was_new);
    CHECK_TEXT(full, "v 1 ");
    free(full);
    CHECK(strstr(w->error, "cannot write the events of ns/job below /tmp/goodput-tensorboard-") != NULL);
    CHECK(put(w, 1, 40));
    w->point.start_ms -= 1000;
    restart(w);
    CHECK(put(w, 2, 40));
    HOLDS(10, "v 1 2 ");
    end(w);
}

TEST(wrong_folders_are_reported_and_do_no_harm) {
    struct tensorboard_write *w = begin();
    CLEANUP_FREE char *place = mem_format("%s/ns", root);
    CHECK_INT(symlink("/tmp", place), 0);
    CHECK(!put(w, 1, 10));
    CHECK(strstr(w->error, "a file or link is in the folder's place") != NULL);
    CHECK(access("/tmp/job", F_OK) < 0);
    CHECK_INT(unlink(place), 0);
    CHECK(put(w, 1, 10));
    CHECK_TEXT(w->error, "");
    free(w->root);
    w->root = mem_strdup("/nonexistent/goodput");
    restart(w);
    CHECK(!put(w, 2, 40));
    CHECK(strstr(w->error, "below /nonexistent/goodput: No such file or directory") != NULL);
    end(w);
}

#define LLVMFuzzerTestOneInput fuzz_tensorboard
#include "../fuzz/fuzz_tensorboard.c"
#undef LLVMFuzzerTestOneInput

TEST(the_corpus_of_event_files_is_read) {
    harness_replay("fuzz_tensorboard", 4, fuzz_tensorboard);
}
