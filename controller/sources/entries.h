/* entries: what Cloud Logging says: a page of entries, an error; and which entries were handed on already, which is
 * what the cursor holds. Not for use outside sources/. */
#ifndef SOURCES_ENTRIES_H
#define SOURCES_ENTRIES_H

#include "base/buf.h"

#define ENTRIES_REMEMBERED 128
#define ENTRIES_OVERLAP_NS INT64_C(60000000000)
#define ENTRIES_TOKEN_BYTES 4096

struct entries_seen {
    struct {
        int64_t at_ns;
        uint64_t id;
    } items[ENTRIES_REMEMBERED]; /* the newest handed on, by time */
    int count;
};

/* From where on to ask, so that nothing is missed: at most the overlap before the newest, and never from before what is
 * remembered. INT64_MIN: nothing was handed on. */
int64_t entries_from_ns(const struct entries_seen *seen);
bool entries_is_seen(const struct entries_seen *seen, int64_t at_ns, uint64_t id);
void entries_note(struct entries_seen *seen, int64_t at_ns, uint64_t id);
bool entries_seen_parse(struct entries_seen *seen, struct slice cursor); /* false: it is none */
void entries_seen_write(const struct entries_seen *seen, struct buf *cursor);

struct entry {
    int64_t at_ns;
    uint64_t id;       /* hash of its insertId and time */
    struct slice json; /* the whole of it */
};

/* Calls on_entry for each, until it returns false. -EBADMSG: the reply is none. next_token: where the next page is, ""
 * if there is none; raw JSON text. */
int entries_read_page(struct slice reply, bool (*on_entry)(void *context, const struct entry *e), void *context,
                      char next_token[static ENTRIES_TOKEN_BYTES]);
/* What the service says is wrong, or "". */
void entries_error(struct slice reply, char *text, size_t size);

#endif
