/* The older days of a fleet as texts in an archive: over restarts at any step nothing is lost and nothing is twice. */
#include "base/base64.h"
#include "base/hash.h"
#include "base/mem.h"
#include "fleet/lives.h"
#include "fleet/roll_archive.h"
#include "harness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HOUR ROLL_HOUR_MS
#define DAY ROLL_DAY_MS
#define T0 (INT64_C(20000) * DAY)
#define KEY 5

enum { JOBS = 12, OBJECTS = 64 };

static const struct roll_options month = {.window = ROLL_ROLLING, .length_ms = 31 * DAY};

struct archive { /* objects as the volume has them: put once */
    struct {
        int64_t from_ms;
        char *text;
    } objects[OBJECTS];
    int count, again; /* again: those that were put a second time, the same */
};

static struct slice get(const struct archive *a, int64_t from_ms) {
    for (int i = 0; i < a->count; i++)
        if (a->objects[i].from_ms == from_ms)
            return slice_of(a->objects[i].text);
    return slice_of("");
}

static void put(struct archive *a, int64_t from_ms, char *text) {
    struct slice before = get(a, from_ms);
    if (before.size_bytes > 0) {
        CHECK(slice_is(before, text));
        a->again++;
        free(text);
        return;
    }
    REQUIRE(a->count < OBJECTS);
    a->objects[a->count].from_ms = from_ms;
    a->objects[a->count++].text = text;
}

static void archive_done(struct archive *a) {
    for (int i = 0; i < a->count; i++)
        free(a->objects[i].text);
}

static void read_all(struct roll *r, const struct archive *a) {
    const struct roll_archived *slot;
    while ((slot = roll_archive_unread(r)) != NULL)
        if (roll_archive_read(r, KEY, slot, get(a, slot->from_ms)) != 0) {
            CHECK(false);
            return;
        }
}

static void restart(struct roll *r, const char *text, const struct archive *a) {
    roll_done(r);
    roll_init(r, &month);
    CHECK_INT(roll_restore(r, KEY, slice_of(text)), 0);
    read_all(r, a);
}

struct world {
    uint64_t seed;
    struct member *members[JOBS];
    int born;
};

/* Jobs continue; some end and are deleted, and others come. Returns how many members there are. */
static size_t advance_all(struct world *w, int64_t now_ms, struct roll_member *out) {
    size_t count = 0;
    for (int i = 0; i < JOBS; i++) {
        struct member **m = &w->members[i];
        if (*m != NULL && (*m)->end_ms != TIME_UNKNOWN) {
            member_free(*m);
            *m = NULL;
        }
        if (*m == NULL && lives_below(&w->seed, 3) == 0)
            *m = lives_begin(&w->seed, w->born++, now_ms - lives_below(&w->seed, 30 * HOUR));
        if (*m == NULL)
            continue;
        lives_go_on(&w->seed, *m, now_ms);
        if (lives_below(&w->seed, 12) == 0)
            lives_end(*m);
        out[count++] = (struct roll_member){*m, (*m)->namespace_, true, (*m)->end_ms != TIME_UNKNOWN};
    }
    return count;
}

static void world_done(struct world *w) {
    for (int i = 0; i < JOBS; i++)
        member_free(w->members[i]);
}

/* A roll that archives and restarts at any step, and one that does neither. */
TEST(sums_of_a_month_survive_restarts_at_any_step) {
    int again = 0, objects = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct world w = {.seed = seed * 15485863};
        struct archive archive = {.count = 0};
        struct roll never, r;
        struct outcome *o = mem_new(struct outcome), *o2 = mem_new(struct outcome);
        struct roll_member members[JOBS], same[JOBS];
        char *status = NULL; /* as acknowledged */
        int64_t now = T0, acknowledged_ms = 0;
        bool is_coarse;
        roll_init(&never, &month);
        roll_init(&r, &month);
        for (int step = 0; step < 150; step++) {
            now += 1 + lives_below(&w.seed, 8 * HOUR);
            if (now > T0 + 24 * DAY)
                break;
            size_t n = advance_all(&w, now, members);
            memcpy(same, members, sizeof same);
            lives_roll(&never, members, n, now, o);
            if (status != NULL && lives_below(&w.seed, 3) == 0) /* killed after the last write */
                restart(&r, status, &archive);
            lives_roll(&r, same, n, now, o2);
            CHECK(memcmp(&o->all, &o2->all, sizeof o->all) == 0);
            CHECK_INT(o2->jobs, o->jobs);
            roll_archive_close(&r, now);
            free(status);
            status = roll_store(&r, KEY, (size_t)1 << 20, &is_coarse);
            acknowledged_ms = r.closed_until_ms;
            const struct roll_slot *slot = NULL;
            int64_t from_ms = 0;
            int killed_after = (int)lives_below(&w.seed, 4);
            while (killed_after-- > 0 && (slot = roll_archive_next(&r, from_ms, acknowledged_ms)) != NULL) {
                put(&archive, slot->from_ms, roll_archive_text(&r, KEY, slot));
                from_ms = slot->until_ms;
            }
            if (lives_below(&w.seed, 4) == 0) /* killed before the roll has it: the text is made again, the same */
                restart(&r, status, &archive);
            else
                roll_archive_done(&r, from_ms);
        }
        again += archive.again;
        objects += archive.count;
        free(status);
        status = roll_store(&r, KEY, (size_t)1 << 20, &is_coarse);
        CLEANUP_FREE char *whole = roll_store(&never, KEY, (size_t)1 << 20, &is_coarse);
        CHECK(strlen(status) < strlen(whole));
        free(status);
        free(o);
        free(o2);
        roll_done(&never);
        roll_done(&r);
        archive_done(&archive);
        world_done(&w);
    }
    CHECK(again > 0 && objects > 40);
}

/* An archive of three days, which is not read yet. */
static void begin_unread(struct roll *r, struct archive *a, struct world *w, int64_t *now_ms) {
    struct roll_member members[JOBS];
    struct outcome *o = mem_new(struct outcome);
    bool is_coarse;
    roll_init(r, &month);
    for (*now_ms = T0; *now_ms < T0 + 10 * DAY; *now_ms += 6 * HOUR)
        lives_roll(r, members, advance_all(w, *now_ms, members), *now_ms, o);
    *now_ms -= 6 * HOUR;
    roll_archive_close(r, T0 + 10 * DAY);
    const struct roll_slot *slot;
    for (int64_t from_ms = 0; (slot = roll_archive_next(r, from_ms, T0 + 3 * DAY)) != NULL; from_ms = slot->until_ms)
        put(a, slot->from_ms, roll_archive_text(r, KEY, slot));
    roll_archive_done(r, T0 + 3 * DAY);
    CLEANUP_FREE char *status = roll_store(r, KEY, (size_t)1 << 20, &is_coarse);
    roll_done(r);
    roll_init(r, &month);
    CHECK_INT(roll_restore(r, KEY, slice_of(status)), 0);
    free(o);
}

static char *with_version(struct slice text, uint64_t version) {
    size_t size;
    char *bytes = base64_decode(text, &size);
    memcpy(bytes, &version, sizeof version);
    uint64_t sum = hash_stable(0, (struct slice){bytes, size - sizeof sum});
    memcpy(bytes + size - sizeof sum, &sum, sizeof sum);
    char *other = base64_encode((struct slice){bytes, size});
    free(bytes);
    return other;
}

static int64_t window_from(struct roll *r, int64_t now_ms, struct sums *all) {
    struct outcome *o = mem_new(struct outcome);
    struct roll_input in = {.now_ms = now_ms};
    outcome_make(r, &in, o);
    int64_t from_ms = o->from_ms;
    *all = o->all;
    free(o);
    return from_ms;
}

TEST(a_window_begins_after_what_cannot_be_read) {
    struct world w = {.seed = 77};
    struct archive archive = {.count = 0};
    struct roll r;
    struct sums all, before;
    int64_t now_ms;
    begin_unread(&r, &archive, &w, &now_ms);
    const struct roll_archived *slot = roll_archive_unread(&r);
    REQUIRE(slot != NULL && archive.count >= 3);
    int64_t newest_ms = slot->until_ms;
    CHECK_INT(newest_ms, T0 + 3 * DAY);
    CHECK_INT(window_from(&r, now_ms, &before), newest_ms);
    CLEANUP_FREE char *newer = with_version(get(&archive, slot->from_ms), 99);
    CHECK_INT(roll_archive_read(&r, KEY, slot, slice_of(newer)), -ESTALE);
    CHECK_INT(roll_archive_read(&r, KEY + 1, slot, get(&archive, slot->from_ms)), -ESTALE);
    CHECK_INT(roll_archive_read(&r, KEY, slot, slice_of("")), -EBADMSG);
    CHECK_INT(roll_archive_read(&r, KEY, slot, slice_of("AAAA")), -EBADMSG);
    CHECK_INT(roll_archive_read(&r, KEY, slot, get(&archive, slot->from_ms - DAY)), -EBADMSG); /* of another day */
    CHECK_INT(window_from(&r, now_ms, &all), newest_ms);
    CHECK(memcmp(&all, &before, sizeof all) == 0);
    CHECK_INT(roll_archive_read(&r, KEY, slot, get(&archive, slot->from_ms)), 0);
    CHECK_INT(window_from(&r, now_ms, &all), newest_ms - DAY);
    CHECK(all.of[SUMS_WALL] > before.of[SUMS_WALL]);
    read_all(&r, &archive);
    CHECK(window_from(&r, now_ms, &all) < newest_ms - DAY);
    roll_done(&r);
    archive_done(&archive);
    world_done(&w);
}

/* Jobs that are known late: of time that is closed nothing changes, and nothing is lost. */
TEST(what_becomes_known_of_a_closed_day_counts_after_it) {
    struct world w = {.seed = 5};
    struct archive archive = {.count = 0};
    struct roll r;
    struct sums before, all;
    struct outcome *o = mem_new(struct outcome);
    int64_t now_ms;
    uint64_t seed = 3;
    begin_unread(&r, &archive, &w, &now_ms);
    read_all(&r, &archive);
    struct roll_member members[JOBS + 1];
    size_t n = advance_all(&w, now_ms, members);
    for (size_t i = 0; i < n; i++)
        members[i].is_deleted = false;
    struct roll_member again[JOBS + 1];
    memcpy(again, members, sizeof again);
    lives_roll(&r, members, n, now_ms, o);
    window_from(&r, now_ms, &before);
    struct member *late = lives_begin(&seed, 1000, T0);
    lives_go_on(&seed, late, now_ms);
    again[n++] = (struct roll_member){late, late->namespace_, true, false};
    lives_roll(&r, again, n, now_ms, o);
    window_from(&r, now_ms, &all);
    CHECK_INT(all.of[SUMS_WALL] - before.of[SUMS_WALL], (now_ms - T0) * late->weight.chips);
    CHECK(roll_archive_next(&r, 0, INT64_MAX) == NULL); /* no slot was made in closed time */
    member_free(late);
    free(o);
    roll_done(&r);
    archive_done(&archive);
    world_done(&w);
}
