/* What comes from outside to the sources: cursors, pages of Cloud Logging, credentials. A cursor that is read is
 * written and read again the same; a page gives only entries that lie within it. */
#include "gcp/credentials.h"
#include "reach.h"
#include "sources/entries.h"
#include "sources/look.h"
#include "steplog/steplog.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool on_entry(void *context, const struct entry *e) {
    const struct slice *whole = context;
    REACHED("an entry of a page");
    assert(e->json.data >= whole->data && e->json.data + e->json.size_bytes <= whole->data + whole->size_bytes);
    assert(e->at_ns >= 0);
    return true;
}

static void read_cursors(struct slice in) {
    struct look_table table, table_again;
    struct entries_seen seen, seen_again;
    CLEANUP_BUF struct buf text = {0};
    buf_init(&text, 1 << 16);
    memset(&seen, 0, sizeof seen);
    if (look_table_parse(&table, in)) {
        REACHED("a cursor of files");
        look_table_write(&table, &text);
        assert(look_table_parse(&table_again, buf_slice(&text)));
        assert(table.count == table_again.count && table.floor_ns == table_again.floor_ns);
    }
    buf_clear(&text);
    if (entries_seen_parse(&seen, in)) {
        REACHED("a cursor of entries");
        entries_seen_write(&seen, &text);
        assert(entries_seen_parse(&seen_again, buf_slice(&text)));
        assert(seen.count == seen_again.count && memcmp(seen.items, seen_again.items, sizeof seen.items) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice in = {(const char *)data, size};
    char token[ENTRIES_TOKEN_BYTES], text[256];
    struct gcp_credentials c;
    char *access = NULL;
    int64_t expires_s;
    read_cursors(in);
    entries_read_page(in, on_entry, &in, token);
    entries_error(in, text, sizeof text);
    if (size > 0 && gcp_credentials_parse(&c, in, NULL) == 0) {
        REACHED("credentials");
        gcp_credentials_done(&c);
    }
    if (gcp_credentials_reply(in, 200, &access, &expires_s, NULL) == 0) {
        REACHED("a token");
        assert(access[0] != '\0' && expires_s > 0);
    }
    free(access);
    look_step_ms(in);
    steplog_stored_ms(in, INT64_C(1700000000000));
    return 0;
}
