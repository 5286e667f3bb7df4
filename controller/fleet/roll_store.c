#include "fleet/roll_store.h"

#include "base/base64.h"
#include "base/codec.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "fleet/groups.h"
#include "fleet/slots.h"

#include <errno.h>

#define VERSION 6
#define VERSION_WITHOUT_ARCHIVE 5 /* read, never written */
#define MAX_SLOTS 4096
#define MAX_BYTES ((size_t)1 << 20)
#define NAME_BYTES 600
#define SHORT_BYTES 15 /* of a cursor in short, but for rare ones: id 6, time 5, execution, group, flags */
#define LIST_BYTES 40  /* of a failure or a deleted job, without its name, at most */
#define MAX_AGO_MS (INT64_C(1) << 45)
#define MAX_TIME_MS INT64_C(253402300799999) /* the year 9999 */

struct visit {
    struct codec *codec;
    struct roll *roll;
    int values[SUMS_COUNT]; /* what the writer's n-th value is here */
    int value_count;
    int64_t last_id;
    uint64_t version;
    const struct cut *cut; /* NULL: all is written */
};
struct cut { /* what is written where there is no room for all */
    struct roll_cursor **cursors;
    size_t cursor_count;
    size_t list_bytes; /* for failures, and for deleted jobs: the newest, and the largest */
};

/* What ended gains nothing more. */
static bool is_written_short(const struct roll_cursor *c) {
    return c->is_short || c->is_ended;
}

static void note_used(const struct sums *s, bool *used) {
    for (int i = 0; i < SUMS_COUNT; i++)
        used[i] |= s->of[i] != 0;
}

static void find_used(const struct roll *roll, bool *used) {
    for (size_t i = 0; i < roll->cursors.count; i++) {
        const struct roll_cursor *c = map_at(&roll->cursors, i);
        if (!is_written_short(c))
            note_used(&c->life, used);
    }
    for (size_t i = 0; i < roll->slot_count; i++)
        for (size_t n = 0; n < roll->slots[i].group_count; n++)
            note_used(&roll->slots[i].groups[n].sums, used);
}

static int value_of(struct slice name, int likely) {
    char text[64];
    for (int k = 0; k < SUMS_COUNT; k++) /* most are where the writer has them */
        if (slice_is(name, sums_value_name((likely + k) % SUMS_COUNT, text)))
            return (likely + k) % SUMS_COUNT;
    return -1;
}

/* Versions may differ in the buckets that they know: values go by name. What is nowhere in use has none. */
static void visit_values(struct visit *v) {
    bool used[SUMS_COUNT] = {false};
    if (!codec_is_reading(v->codec))
        find_used(v->roll, used);
    v->value_count = (int)codec_count(v->codec, SUMS_COUNT, 512);
    if (v->value_count > SUMS_COUNT)
        v->codec->failed = true;
    for (int i = 0; i < v->value_count && !v->codec->failed; i++) {
        char text[64] = "";
        if (used[i])
            sums_value_name(i, text);
        codec_chars(v->codec, text, sizeof text);
        v->values[i] = text[0] != '\0' ? value_of(slice_of(text), i) : -1;
        v->codec->failed |= text[0] != '\0' && v->values[i] < 0;
    }
}

static void visit_sums(struct visit *v, struct sums *s) {
    size_t count = 0;
    for (int i = 0; i < SUMS_COUNT; i++)
        count += s->of[i] != 0;
    count = codec_count(v->codec, count, SUMS_COUNT);
    int last = -1;
    for (size_t n = 0; n < count && !v->codec->failed; n++) {
        int i = last + 1;
        while (!codec_is_reading(v->codec) && s->of[i] == 0)
            i++;
        int step = i - last;
        CODEC_INT(v->codec, &step, 1, SUMS_COUNT);
        last += step;
        if (codec_is_reading(v->codec) && (last >= v->value_count || v->values[last] < 0)) {
            v->codec->failed = true;
            return;
        }
        codec_i64(v->codec, &s->of[codec_is_reading(v->codec) ? v->values[last] : last]);
    }
}

static int by_group(const void *a, const void *b) {
    return ((const struct roll_group *)a)->group - ((const struct roll_group *)b)->group;
}

static int by_pool(const void *a, const void *b) {
    return ((const struct roll_pool *)a)->pool - ((const struct roll_pool *)b)->pool;
}

/* Of what no group shows, one of them keeps that of all, which takes less room. */
static void gather(struct roll_slot *s) {
    if (s->group_count > 0)
        qsort(s->groups, s->group_count, sizeof *s->groups, by_group);
    for (size_t i = 1; i < s->group_count; i++)
        for (int k = SUMS_OF_FLEETS; k < SUMS_COUNT; k++) {
            s->groups[0].sums.of[k] += s->groups[i].sums.of[k];
            s->groups[i].sums.of[k] = 0;
        }
}

static void visit_groups(struct visit *v, struct roll_slot *s) {
    gather(s);
    size_t count = codec_count(v->codec, s->group_count, ROLL_GROUPS);
    for (size_t i = 0; i < count && !v->codec->failed; i++) {
        int group = codec_is_reading(v->codec) ? 0 : s->groups[i].group;
        CODEC_INT(v->codec, &group, 0, ROLL_GROUPS - 1);
        visit_sums(v, codec_is_reading(v->codec) ? slots_sums(s, group) : &s->groups[i].sums);
    }
}

static void visit_pools(struct visit *v, struct roll_slot *s) {
    if (s->pool_count > 0)
        qsort(s->pools, s->pool_count, sizeof *s->pools, by_pool);
    size_t count = codec_count(v->codec, s->pool_count, ROLL_POOLS);
    for (size_t i = 0; i < count && !v->codec->failed; i++) {
        struct roll_pool pool = {0};
        if (!codec_is_reading(v->codec))
            pool = s->pools[i];
        CODEC_INT(v->codec, &pool.pool, 0, ROLL_POOLS - 1);
        codec_i64(v->codec, &pool.node_ms);
        codec_i64(v->codec, &pool.failures);
        if (codec_is_reading(v->codec))
            *slots_pool(s, pool.pool) = pool;
    }
}

static void visit_slots(struct visit *v) {
    struct roll *roll = v->roll;
    int64_t last_ms = INT64_MIN;
    size_t first = codec_is_reading(v->codec) ? 0 : slots_ended(roll, slots_archived_until(roll));
    size_t count = codec_count(v->codec, roll->slot_count - first, MAX_SLOTS);
    for (size_t i = 0; i < count && !v->codec->failed; i++) {
        if (codec_is_reading(v->codec)) {
            MEM_GROW(roll->slots, roll->slot_count, roll->slot_capacity);
            roll->slots[roll->slot_count++] = (struct roll_slot){0};
        }
        struct roll_slot *s = &roll->slots[first + i];
        codec_time(v->codec, &s->from_ms);
        codec_time(v->codec, &s->until_ms);
        codec_i64(v->codec, &s->capacity_chip_ms);
        codec_i64(v->codec, &s->capacity_ms);
        visit_groups(v, s);
        visit_pools(v, s);
        v->codec->failed |= s->from_ms < last_ms || s->until_ms <= s->from_ms;
        last_ms = s->until_ms;
    }
}

static void visit_names(struct visit *v, char **names, int *count, int max) {
    *count = (int)codec_count(v->codec, (size_t)*count, (size_t)max);
    for (int i = 0; i < *count; i++) {
        codec_text(v->codec, &names[i], NAME_BYTES);
        if (names[i] == NULL)
            names[i] = mem_strdup("");
    }
}

enum { IS_ENDED = 1, IS_SPREAD = 2, HAS_STEPS = 4, IS_SHORT = 8 };

/* Ids as what they differ from the one before, in order; times as how long before the roll-up. */
static void visit_cursor(struct visit *v, struct roll_cursor *c) {
    bool is_short = is_written_short(c);
    int flags = (c->is_ended ? IS_ENDED : 0) | (c->is_spread ? IS_SPREAD : 0) | (c->has_steps ? HAS_STEPS : 0) |
                (is_short ? IS_SHORT : 0);
    int64_t rolled_ms = v->roll->rolled_ms, step = (int64_t)c->id - v->last_id, ago_ms = rolled_ms - c->through_ms;
    step = codec_within(v->codec, step, 0, (int64_t)MEMBER_ID_MASK);
    if (!codec_is_reading(v->codec)) /* of a job with times in another millennium */
        ago_ms = max_of(-MAX_AGO_MS, min_of(ago_ms, MAX_AGO_MS));
    ago_ms = codec_within(v->codec, ago_ms, -MAX_AGO_MS, MAX_AGO_MS);
    codec_i64(v->codec, &c->execution);
    CODEC_INT(v->codec, &c->group, 0, ROLL_GROUPS - 1);
    CODEC_INT(v->codec, &flags, 0, 15);
    v->last_id += step;
    if (codec_is_reading(v->codec)) {
        c->id = (uint64_t)v->last_id & MEMBER_ID_MASK;
        c->through_ms = rolled_ms - ago_ms;
        c->is_ended = flags & IS_ENDED;
        c->is_spread = flags & IS_SPREAD;
        c->has_steps = flags & HAS_STEPS;
        c->is_short = flags & IS_SHORT;
    }
    if (!(flags & IS_SHORT))
        visit_sums(v, &c->life);
}

static int by_id(const void *a, const void *b) {
    const struct roll_cursor *x = *(struct roll_cursor *const *)a, *y = *(struct roll_cursor *const *)b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static struct roll_cursor **sorted_cursors(const struct roll *roll) {
    struct roll_cursor **sorted = mem_alloc((roll->cursors.count + 1) * sizeof(struct roll_cursor *));
    for (size_t i = 0; i < roll->cursors.count; i++)
        sorted[i] = map_at(&roll->cursors, i);
    qsort(sorted, roll->cursors.count, sizeof *sorted, by_id);
    return sorted;
}

static void visit_cursors(struct visit *v) {
    struct roll *roll = v->roll;
    CLEANUP_FREE struct roll_cursor **sorted = sorted_cursors(roll);
    size_t count = roll->cursors.count;
    if (v->cut != NULL) {
        count = v->cut->cursor_count;
        memcpy(sorted, v->cut->cursors, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, by_id);
    }
    count = codec_count(v->codec, count, ROLL_JOBS);
    for (size_t i = 0; i < count && !v->codec->failed; i++) {
        struct roll_cursor read = {0};
        visit_cursor(v, codec_is_reading(v->codec) ? &read : sorted[i]);
        if (!codec_is_reading(v->codec))
            continue;
        struct roll_cursor *c = mem_new(struct roll_cursor);
        *c = read;
        map_put(&roll->cursors, (struct slice){(const char *)&c->id, sizeof c->id}, c);
    }
}

static int by_loser(const void *a, const void *b) {
    const struct roll_loser *x = a, *y = b;
    if (x->chip_ms != y->chip_ms)
        return x->chip_ms > y->chip_ms ? -1 : 1;
    int r = x->bucket - y->bucket;
    return r != 0 ? r : strcmp(x->name, y->name);
}

static bool takes_room(size_t *room, const char *name) {
    size_t size = strlen(name) + LIST_BYTES;
    if (size > *room)
        return false;
    *room -= size;
    return true;
}

static void visit_losers(struct visit *v) {
    struct roll *roll = v->roll;
    if (roll->loser_count > 0)
        qsort(roll->losers, roll->loser_count, sizeof *roll->losers, by_loser);
    size_t count = roll->loser_count;
    if (v->cut != NULL) {
        size_t room = v->cut->list_bytes;
        for (count = 0; count < roll->loser_count && takes_room(&room, roll->losers[count].name);)
            count++;
    }
    count = codec_count(v->codec, count, (size_t)ROLL_LOSERS * SUMS_BUCKETS);
    for (size_t i = 0; i < count && !v->codec->failed; i++) {
        struct roll_loser l = {0};
        if (!codec_is_reading(v->codec))
            l = roll->losers[i];
        CODEC_INT(v->codec, &l.bucket, 0, SUMS_BUCKETS - 1);
        codec_text(v->codec, &l.name, NAME_BYTES);
        codec_i64(v->codec, &l.chip_ms);
        codec_time(v->codec, &l.start_ms);
        codec_time(v->codec, &l.end_ms);
        if (!codec_is_reading(v->codec))
            continue;
        if (l.name == NULL)
            l.name = mem_strdup("");
        MEM_GROW(roll->losers, roll->loser_count, roll->loser_capacity);
        roll->losers[roll->loser_count++] = l;
    }
}

/* The newest first: of time that is not in the archive, and as there is room. */
static size_t failures_to_write(const struct visit *v, const struct roll_failure **out) {
    size_t count = 0, room = v->cut != NULL ? v->cut->list_bytes : SIZE_MAX;
    for (size_t i = v->roll->failure_count; i-- > 0;) {
        const struct roll_failure *f = &v->roll->failures[i];
        if (f->at_ms < slots_archived_until(v->roll))
            continue;
        if (!takes_room(&room, f->node))
            break;
        out[count++] = f;
    }
    return count;
}

static void visit_failures(struct visit *v) {
    struct roll *roll = v->roll;
    CLEANUP_FREE const struct roll_failure **written = mem_alloc((roll->failure_count + 1) * sizeof *written);
    size_t count = codec_is_reading(v->codec) ? 0 : failures_to_write(v, written);
    count = codec_count(v->codec, count, ROLL_FAILURES);
    for (size_t i = 0; i < count && !v->codec->failed; i++) {
        struct roll_failure f = {0};
        if (!codec_is_reading(v->codec))
            f = *written[count - 1 - i];
        codec_text(v->codec, &f.node, NAME_BYTES);
        codec_u64(v->codec, &f.id);
        codec_i64(v->codec, &f.execution);
        codec_time(v->codec, &f.at_ms);
        codec_i64(v->codec, &f.chip_ms);
        CODEC_INT(v->codec, &f.pool, -1, ROLL_POOLS - 1);
        CODEC_INT(v->codec, &f.class_, 0, CLASS_COUNT - 1);
        CODEC_INT(v->codec, &f.owner, 0, OWNER_COUNT - 1);
        if (!codec_is_reading(v->codec))
            continue;
        if (f.node == NULL)
            f.node = mem_strdup("");
        f.pool = f.pool < roll->pool_count ? f.pool : -1;
        MEM_GROW(roll->failures, roll->failure_count, roll->failure_capacity);
        roll->failures[roll->failure_count++] = f;
    }
}

static void visit_archived(struct visit *v) {
    struct roll *roll = v->roll;
    int64_t last_ms = 0;
    codec_i64(v->codec, &roll->closed_until_ms);
    v->codec->failed |= roll->closed_until_ms < 0 || roll->closed_until_ms > MAX_TIME_MS;
    size_t count = codec_count(v->codec, roll->archived_count, MAX_SLOTS);
    for (size_t i = 0; i < count && !v->codec->failed; i++) {
        if (codec_is_reading(v->codec)) {
            MEM_GROW(roll->archived, roll->archived_count, roll->archived_capacity);
            roll->archived[roll->archived_count++] = (struct roll_archived){0};
        }
        struct roll_archived *a = &roll->archived[i];
        codec_time(v->codec, &a->from_ms);
        codec_time(v->codec, &a->until_ms);
        v->codec->failed |= a->from_ms < last_ms || a->until_ms <= a->from_ms || a->until_ms > roll->closed_until_ms;
        last_ms = a->until_ms;
    }
    v->codec->failed |= codec_is_reading(v->codec) && roll->slot_count > 0 && roll->slots[0].from_ms < last_ms;
}

static void visit_roll(struct visit *v) {
    bool is_cut = v->cut != NULL && v->cut->cursor_count < v->roll->cursors.count;
    visit_values(v);
    codec_time(v->codec, &v->roll->since_ms);
    codec_time(v->codec, &v->roll->rolled_ms);
    codec_bool(v->codec, &v->roll->has_folded);
    codec_chars(v->codec, v->roll->currency, sizeof v->roll->currency);
    visit_names(v, v->roll->groups, &v->roll->group_count, ROLL_GROUPS);
    visit_names(v, v->roll->pools, &v->roll->pool_count, ROLL_POOLS);
    visit_slots(v);
    v->codec->failed |= codec_is_reading(v->codec) && (v->roll->rolled_ms < 0 || v->roll->rolled_ms > MAX_TIME_MS);
    visit_cursors(v);
    visit_losers(v);
    visit_failures(v);
    if (v->version != VERSION_WITHOUT_ARCHIVE) {
        codec_bool(v->codec, &is_cut);
        visit_archived(v);
    }
    if (codec_is_reading(v->codec) && is_cut)
        v->roll->cursors_cut_ms = v->roll->rolled_ms;
}

/* ---- writing, within bounds ---- */

static bool write_all(struct roll *roll, uint64_t key, const struct cut *cut, struct buf *out) {
    struct codec codec = codec_writing(out);
    struct visit v = {.codec = &codec, .roll = roll, .version = VERSION, .cut = cut};
    buf_clear(out);
    for (size_t i = 0; i < roll->slot_count; i++) /* before it is known which values are in use */
        gather(&roll->slots[i]);
    codec_u64(&codec, &v.version);
    codec_u64(&codec, &key);
    visit_roll(&v);
    uint64_t sum = hash_stable(0, buf_slice(out));
    codec_u64(&codec, &sum);
    return !codec.failed;
}

static int by_wall(const void *a, const void *b) { /* jobs that ended are the last */
    const struct roll_cursor *x = *(struct roll_cursor *const *)a, *y = *(struct roll_cursor *const *)b;
    int64_t wall_x = x->life.of[SUMS_WALL], wall_y = y->life.of[SUMS_WALL];
    if (x->is_ended != y->is_ended)
        return x->is_ended - y->is_ended;
    return wall_x != wall_y ? (wall_x > wall_y ? -1 : 1) : by_id(a, b);
}

static size_t size_of(struct roll *roll, struct roll_cursor *c, struct buf *scratch) {
    struct codec codec = codec_writing(scratch);
    struct visit v = {.codec = &codec, .roll = roll};
    buf_clear(scratch);
    v.last_id = (int64_t)c->id; /* what the id itself takes is in SHORT_BYTES */
    visit_cursor(&v, c);
    return scratch->size_bytes;
}

/* Cursors of the longest lives are kept whole as long as there is room for the others in short; where there is none for
 * these, the shortest are left out, those of jobs that ended first. In what is written alone: here all is kept. */
static bool write_cut(struct roll *roll, uint64_t key, struct cut *cut, size_t room, struct buf *out) {
    CLEANUP_FREE struct roll_cursor **sorted = sorted_cursors(roll);
    size_t fitting = room / SHORT_BYTES, count = roll->cursors.count < fitting ? roll->cursors.count : fitting;
    size_t used = count * SHORT_BYTES;
    CLEANUP_FREE bool *was_short = mem_alloc((count + 1) * sizeof *was_short);
    CLEANUP_BUF struct buf scratch;
    buf_init(&scratch, 65536);
    qsort(sorted, roll->cursors.count, sizeof *sorted, by_wall);
    for (size_t i = 0; i < count; i++) {
        size_t whole = size_of(roll, sorted[i], &scratch);
        was_short[i] = sorted[i]->is_short;
        sorted[i]->is_short |= used + whole > room;
        used += sorted[i]->is_short ? 0 : whole;
    }
    cut->cursors = sorted;
    cut->cursor_count = count;
    bool is_written = write_all(roll, key, cut, out);
    for (size_t i = 0; i < count; i++)
        sorted[i]->is_short = was_short[i];
    return is_written;
}

/* All but the cursors. */
static size_t size_of_sums(struct roll *roll, const struct cut *cut, struct buf *scratch) {
    struct codec codec = codec_writing(scratch);
    struct visit v = {.codec = &codec, .roll = roll, .cut = cut};
    buf_clear(scratch);
    visit_values(&v);
    visit_names(&v, roll->groups, &roll->group_count, ROLL_GROUPS);
    visit_names(&v, roll->pools, &roll->pool_count, ROLL_POOLS);
    visit_slots(&v);
    visit_losers(&v);
    visit_failures(&v);
    return scratch->size_bytes + 64;
}

static bool shorten(struct roll *roll) {
    return slots_coarsen(roll) || roll_fold_group(roll) || slots_coarsen_more(roll);
}

/* Two thirds are for the sums. */
char *roll_store(struct roll *roll, uint64_t key, size_t max, bool *ret_coarse) {
    size_t max_bytes = max / 4 * 3;
    struct cut cut = {.list_bytes = max_bytes / 9};
    CLEANUP_BUF struct buf out, scratch;
    buf_init(&out, max_bytes);
    buf_init(&scratch, (size_t)64 << 20);
    bool fits = write_all(roll, key, NULL, &out);
    *ret_coarse = !fits;
    if (!fits) {
        size_t size = size_of_sums(roll, &cut, &scratch);
        while (size > max_bytes / 3 * 2 && shorten(roll))
            size = size_of_sums(roll, &cut, &scratch);
        fits = size <= max_bytes && write_cut(roll, key, &cut, max_bytes - size, &out);
    }
    return fits ? base64_encode(buf_slice(&out)) : NULL;
}

/* ---- reading ---- */

static int restore(struct roll *roll, uint64_t key, struct slice bytes) {
    if (bytes.size_bytes < 3 * sizeof key)
        return -EBADMSG;
    struct slice body = {bytes.data, bytes.size_bytes - sizeof key};
    struct codec tail = codec_reading(slice_skip(bytes, body.size_bytes)), codec = codec_reading(body);
    struct visit v = {.codec = &codec, .roll = roll};
    uint64_t sum = 0, its_key = 0;
    codec_u64(&tail, &sum);
    codec_u64(&codec, &v.version);
    codec_u64(&codec, &its_key);
    if (sum != hash_stable(0, body))
        return -EBADMSG;
    if ((v.version != VERSION && v.version != VERSION_WITHOUT_ARCHIVE) || its_key != key)
        return -ESTALE;
    visit_roll(&v);
    return codec_is_done(&codec) ? 0 : -EBADMSG;
}

int roll_restore(struct roll *roll, uint64_t key, struct slice text) {
    size_t size = 0;
    CLEANUP_FREE char *bytes = text.size_bytes <= MAX_BYTES ? base64_decode(text, &size) : NULL;
    int r = bytes == NULL ? -EBADMSG : restore(roll, key, (struct slice){bytes, size});
    if (r < 0) {
        struct roll_options options = roll->options;
        roll_done(roll);
        roll_init(roll, &options);
    }
    return r;
}
