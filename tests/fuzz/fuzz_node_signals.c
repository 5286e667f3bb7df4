/* What nodes show, and a site's table: the first byte chooses the kind; then key, value and text, separated by 0x1f; a
 * fourth part is a site's table. A name fits its bound; a bad table
 * gives an error. */
#include "reach.h"

#include "base/clock.h"
#include "rootcause/node_signals.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(const struct node_signals *signals, const struct node_signal_shown *shown) {
    struct node_signal_meaning m;
    if (!node_signals_find(signals, shown, &m))
        return;
    assert((unsigned)m.class_ < CLASS_COUNT && (unsigned)m.owner < OWNER_COUNT && m.name[0] != '\0');
    assert(memchr(m.name, '\0', sizeof m.name) != NULL && strchr(m.name, '#') == NULL);
    if (m.is_primary)
        REACHED("a primary signal");
    else
        REACHED("a weak signal");
    if (strncmp(m.name, "Xid", 3) == 0)
        REACHED("an Xid");
}

static void add(struct node_signals *signals, struct slice table) {
    CLEANUP_ERROR struct error *err = NULL;
    int r = node_signals_add(signals, table, &err);
    if (r == 0)
        REACHED("a table");
    else
        REACHED("a bad table");
    assert((r == 0) == (err == NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    struct node_signals *signals = node_signals_new();
    struct slice rest = {(const char *)data + 1, size - 1}, parts[3] = {{0}};
    bool is_whole = true;
    for (int i = 0; i < 3 && is_whole; i++) {
        is_whole = slice_take_until(&rest, 0x1f, &parts[i]);
        if (!is_whole)
            parts[i] = rest;
    }
    if (is_whole)
        add(signals, rest);
    look_up(signals, &(struct node_signal_shown){data[0] % NODE_SIGNAL_KIND_COUNT, parts[0], parts[1], parts[2]});
    if (node_signal_named_ms(parts[2]) != TIME_UNKNOWN)
        REACHED("a time");
    node_signals_free(signals);
    return 0;
}
