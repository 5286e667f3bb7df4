/* What is kept of JobGoodputs, and the numbers read from them. */
#include "harness.h"

#include "base/mem.h"
#include "export/fleet.h"
#include "export/fleet_read.h"

#include <stdlib.h>

TEST(numbers_are_those_of_the_object) {
    CLEANUP_FREE char *text = harness_read_file("tests/data/export/training.json", NULL);
    CLEANUP_FREE struct fleet_numbers *n = mem_new(struct fleet_numbers);
    REQUIRE(fleet_read_numbers(slice_of(text), n));
    CHECK_TEXT(n->phase, "Training");
    CHECK_TEXT(n->queue, "research-tpu");
    CHECK_INT(n->values[FLEET_SCHEDULING], 936100);
    CHECK_INT(n->values[FLEET_GOODPUT], 821800);
    CHECK_INT(n->values[FLEET_PROGRAM], FLEET_NONE); /* absent is not 0 */
    CHECK_INT(n->values[FLEET_START], INT64_C(1795224600000));
    CHECK_INT(n->values[FLEET_END], FLEET_NONE);
    CHECK_INT(n->values[FLEET_STEP_DEVIATION], 12);
    CHECK_INT(n->values[FLEET_HOURS_ALLOCATED], 248300);
    CHECK_INT(n->window_count, 1);
    CHECK_INT(n->windows[0].job_ppm, 732500);
    CHECK_INT(n->windows[0].runtime_ppm, FLEET_NONE);
    CHECK_INT(n->cause_count, 2);
    CHECK_TEXT(n->causes[1].cause, "KueueEviction/Pods\"Ready");
    int64_t sum = n->values[FLEET_PRODUCTIVE];
    for (int i = 0; i < n->bucket_count; i++)
        sum += n->buckets[i].ms;
    CHECK_INT(sum, n->values[FLEET_WALL]);
}

/* Every truncation and a flip of every byte: read or refused, never a crash (ASan looks on), never a half number. */
TEST(damaged_objects_are_refused_or_read) {
    CLEANUP_FREE char *text = harness_read_file("tests/data/export/training.json", NULL);
    REQUIRE(text != NULL);
    struct fleet_numbers *n = mem_new(struct fleet_numbers);
    size_t size = strlen(text);
    REQUIRE(size > 1000);
    size_t end = size;
    while (text[end - 1] != '}')
        end--;
    for (size_t i = 0; i < end; i += 7) {
        CHECK(!fleet_read_numbers((struct slice){text, i}, n));
        CLEANUP_BUF struct buf out;
        buf_init(&out, 1 << 20);
        CHECK(fleet_trim((struct slice){text, i}, &out) < 0);
    }
    for (size_t i = 0; i < size; i += 3) {
        text[i] ^= 0x15;
        fleet_read_numbers(slice_of(text), n);
        text[i] ^= 0x15;
    }
    free(n);
}

static const char *object(char out[static 256], const char *name, const char *phase) {
    snprintf(out, 256,
             "{\"metadata\":{\"name\":\"%s\",\"managedFields\":[{\"a\":1}],\"labels\":{\"x\":\"1\"}},"
             "\"status\":{\"phase\":\"%s\",\"checkpoint\":\"AAAA\"}}",
             name, phase);
    return out;
}

TEST(what_only_machines_need_is_not_kept) {
    struct fleet f;
    char text[256];
    fleet_init(&f);
    CHECK_INT(fleet_put(&f, "n", "a", slice_of(object(text, "a", "Queued"))), 0);
    const struct fleet_job *job = fleet_find(&f, "n", "a");
    REQUIRE(job != NULL);
    CHECK(slice_is(fleet_object(job),
                   "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"1\"}},\"status\":{\"phase\":\"Queued\"}}"));
    CHECK(fleet_put(&f, "n", "a", slice_of("{\"metadata\":")) < 0);
    CHECK(fleet_put(&f, "n", "a", slice_of("[]")) < 0);
    CHECK(fleet_find(&f, "n", "a") != NULL);
    fleet_done(&f);
}

/* A reader that remembers the last change it saw gets each later one once, in order. */
TEST(changes_come_in_their_order) {
    struct fleet f;
    char text[256];
    fleet_init(&f);
    fleet_put(&f, "n", "a", slice_of(object(text, "a", "Queued")));
    fleet_put(&f, "n", "b", slice_of(object(text, "b", "Queued")));
    fleet_put(&f, "n", "a", slice_of(object(text, "a", "Queued"))); /* nothing new */
    CHECK_INT(f.change, 3);
    fleet_put(&f, "n", "a", slice_of(object(text, "a", "Training")));
    CHECK_TEXT(f.first->name, "b");
    CHECK_TEXT(f.last->name, "a");
    CHECK_INT(f.last->change, 4);
    fleet_remove(&f, "n", "b");
    fleet_remove(&f, "n", "b");
    CHECK(f.last->is_deleted && strcmp(f.last->name, "b") == 0);
    CHECK(fleet_find(&f, "n", "b") == NULL);
    CHECK_INT(f.change, 5);
    fleet_put(&f, "n", "b", slice_of(object(text, "b", "Queued")));
    CHECK(fleet_find(&f, "n", "b") != NULL);
    CHECK_INT(f.deleted_count, 0);
    for (int i = 0; i < 300; i++) {
        char name[16];
        snprintf(name, sizeof name, "g%d", i);
        fleet_put(&f, "n", name, slice_of(object(text, name, "Queued")));
        fleet_remove(&f, "n", name);
    }
    CHECK_INT(f.deleted_count, 256);
    CHECK(f.forgotten > 5 && f.forgotten < f.change);
    CHECK_INT(f.jobs.count, 258);
    fleet_done(&f);
}

/* An object of about `size` bytes whose text depends on `name` and `size`. */
static char *sized_object(char *out, size_t out_size, int name, int size) {
    int at = snprintf(out, out_size, "{\"metadata\":{\"name\":\"j%d\"},\"status\":{\"phase\":\"", name);
    for (int i = 0; i < size; i++)
        out[at++] = (char)('a' + (i % 512 * (i % 512) * (name + 3) + size) % 26);
    snprintf(out + at, out_size - (size_t)at, "\"}}");
    return out;
}

/* Objects are packed against others of the fleet: each comes back as it was, whichever came, changed or left. */
TEST(objects_come_back_as_they_were) {
    enum { OBJECTS = 40, ROUNDS = 400, BYTES = 50000 };
    struct fleet f;
    char text[BYTES + 100], name[16];
    int sizes[OBJECTS] = {0};
    fleet_init(&f);
    for (int round = 0; round < ROUNDS; round++) {
        int i = (round * 17) % OBJECTS, size = (round * 7919) % (round % 5 == 0 ? BYTES : 3000);
        snprintf(name, sizeof name, "j%d", i);
        if (round % 11 == 0) {
            fleet_remove(&f, "n", name);
            sizes[i] = 0;
        } else {
            sizes[i] = size + 1;
            CHECK_INT(fleet_put(&f, "n", name, slice_of(sized_object(text, sizeof text, i, sizes[i]))), 0);
        }
        int k = (round * 29) % OBJECTS;
        snprintf(name, sizeof name, "j%d", k);
        const struct fleet_job *job = fleet_find(&f, "n", name);
        CHECK_INT(job != NULL, sizes[k] > 0);
        if (job != NULL)
            CHECK(slice_is(fleet_object(job), sized_object(text, sizeof text, k, sizes[k])));
    }
    fleet_done(&f);
}
