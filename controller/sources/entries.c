#include "sources/entries.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/jmembers.h"
#include "base/rfc3339.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- what was handed on ---- */

int64_t entries_from_ns(const struct entries_seen *seen) {
    if (seen->count == 0)
        return INT64_MIN;
    int64_t from_ns = seen->items[seen->count - 1].at_ns - ENTRIES_OVERLAP_NS, oldest_ns = seen->items[0].at_ns;
    return seen->count == ENTRIES_REMEMBERED && oldest_ns > from_ns ? oldest_ns : from_ns;
}

bool entries_is_seen(const struct entries_seen *seen, int64_t at_ns, uint64_t id) {
    for (int i = seen->count; i > 0 && seen->items[i - 1].at_ns >= at_ns; i--)
        if (seen->items[i - 1].at_ns == at_ns && seen->items[i - 1].id == id)
            return true;
    return false;
}

void entries_note(struct entries_seen *seen, int64_t at_ns, uint64_t id) {
    int at = seen->count;
    while (at > 0 && seen->items[at - 1].at_ns > at_ns)
        at--;
    if (seen->count == ENTRIES_REMEMBERED) {
        if (at == 0)
            return;
        memmove(&seen->items[0], &seen->items[1], (size_t)(seen->count - 1) * sizeof seen->items[0]);
        seen->count--;
        at--;
    }
    memmove(&seen->items[at + 1], &seen->items[at], (size_t)(seen->count - at) * sizeof seen->items[0]);
    seen->items[at].at_ns = at_ns;
    seen->items[at].id = id;
    seen->count++;
}

/* "1 NANOSECONDS:ID DIFFERENCE:ID ..." in time order; the first number from 1970, the others from the one before. */
void entries_seen_write(const struct entries_seen *seen, struct buf *cursor) {
    int64_t before_ns = 0;
    buf_append_char(cursor, '1');
    for (int i = 0; i < seen->count; i++) {
        buf_format(cursor, " %lld:%08llx", (long long)(seen->items[i].at_ns - before_ns),
                   (unsigned long long)seen->items[i].id);
        before_ns = seen->items[i].at_ns;
    }
}

static bool take_id(struct slice *s, uint64_t *id) {
    *id = 0;
    for (int i = 0; i < 8; i++) {
        const char *digit = s->size_bytes > 0 ? memchr("0123456789abcdef", s->data[0], 16) : NULL;
        if (digit == NULL)
            return false;
        *id = *id << 4 | (uint64_t)(digit - "0123456789abcdef");
        *s = slice_skip(*s, 1);
    }
    return true;
}

bool entries_seen_parse(struct entries_seen *seen, struct slice cursor) {
    struct entries_seen read = {.count = 0};
    int64_t at_ns = 0, difference_ns;
    uint64_t id;
    if (!slice_take_char(&cursor, '1'))
        return false;
    while (cursor.size_bytes > 0) {
        if (read.count == ENTRIES_REMEMBERED || !slice_take_char(&cursor, ' ') ||
            !slice_take_uint(&cursor, &difference_ns) || __builtin_add_overflow(at_ns, difference_ns, &at_ns) ||
            !slice_take_char(&cursor, ':') || !take_id(&cursor, &id))
            return false;
        read.items[read.count].at_ns = at_ns;
        read.items[read.count++].id = id;
    }
    *seen = read;
    return true;
}

/* ---- replies ---- */

struct texts {
    struct slice time, insert_id;
};

static bool read_entry(struct slice json, struct entry *e) {
    static const struct jmember rows[] = {JMEMBER_REQUIRED(struct texts, time, "timestamp"),
                                          JMEMBER(struct texts, insert_id, "insertId")};
    struct texts t = {0};
    int64_t ns = 0;
    if (!jmembers_parse(json, JMEMBERS(rows), &t) || !rfc3339_take(&t.time, &ns, NULL) || t.time.size_bytes > 0 ||
        ns < 0)
        return false;
    *e = (struct entry){.at_ns = ns, .id = hash_stable(0, t.insert_id) & UINT32_MAX, .json = json};
    return true;
}

int entries_read_page(struct slice reply, bool (*on_entry)(void *context, const struct entry *e), void *context,
                      char next_token[static ENTRIES_TOKEN_BYTES]) {
    struct jscan j;
    struct slice key, token = {0}, raw;
    struct entry e;
    bool goes_on = true;
    /* The whole first: of a reply that was cut off nothing is taken. */
    jscan_init(&j, reply);
    if (!jscan_raw(&j, &raw) || !jscan_at_end(&j) || raw.size_bytes == 0 || raw.data[0] != '{')
        return -EBADMSG;
    jscan_init(&j, reply);
    jscan_object(&j);
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "nextPageToken")) {
            jscan_string_raw(&j, &token);
        } else if (slice_is(key, "entries") && jscan_array(&j)) {
            while (jscan_element(&j))
                if (jscan_raw(&j, &raw) && goes_on && read_entry(raw, &e))
                    goes_on = on_entry(context, &e);
        } else {
            jscan_skip(&j);
        }
    }
    next_token[0] = '\0';
    return slice_copy(next_token, ENTRIES_TOKEN_BYTES, token) ? 0 : -EBADMSG;
}

void entries_error(struct slice reply, char *text, size_t size) {
    struct reply {
        char message[512];
    } r = {""};
    static const struct jmember error[] = {JMEMBER(struct reply, message, "message")};
    static const struct jmember rows[] = {JMEMBER_OBJECT("error", error)};
    jmembers_parse(reply, JMEMBERS(rows), &r);
    slice_copy(text, size, slice_of(r.message));
}
