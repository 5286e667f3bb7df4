#include "rootcause/ranks.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdio.h>

int64_t ranks_after(struct slice text, const char *words) {
    const char *at = slice_find(text, words);
    int64_t rank;
    if (at == NULL)
        return RANK_UNKNOWN;
    struct slice rest = slice_range(at + strlen(words), text.data + text.size_bytes);
    return slice_take_uint(&rest, &rank) ? rank : RANK_UNKNOWN;
}

int64_t ranks_in(struct slice text) {
    if (!slice_contains(text, "ank"))
        return RANK_UNKNOWN;
    int64_t rank = ranks_after(text, "[Rank ");
    if (rank == RANK_UNKNOWN)
        rank = ranks_after(text, "[rank");
    return rank == RANK_UNKNOWN ? ranks_after(text, " Rank ") : rank;
}

/* NCCL's HOST<PORT>, gloo's [HOST]:PORT. Other connections of the process have other ports. */
static struct slice host_of(struct slice text) {
    size_t n = 0;
    if (slice_take_char(&text, '[')) {
        struct slice host = {0};
        return slice_take_until(&text, ']', &host) ? host : (struct slice){0};
    }
    while (n < text.size_bytes && (isalnum((unsigned char)text.data[n]) || strchr(".:-%", text.data[n]) != NULL))
        n++;
    bool has_port = n < text.size_bytes && text.data[n] == '<';
    struct slice host = {text.data, n};
    bool is_address = slice_find_char(host, '.') != NULL || slice_find_char(host, ':') != NULL;
    return has_port || is_address ? host : (struct slice){0};
}

/* What follows those words; all of the text if it does not hold them. */
static struct slice slice_after(struct slice text, const char *words) {
    const char *at = slice_find(text, words);
    return at != NULL ? slice_range(at + strlen(words), text.data + text.size_bytes) : text;
}

/* JAX "/task:3", gloo "rank 3" or "peer [HOST]:PORT", NCCL's "peer HOST<PORT>". A rank whose watchdog was first to
 * report, and a task that reached a barrier, wait as well. */
void ranks_find_peer(struct slice text, char waits_for[static RANKS_PEER_BYTES]) {
    static const char *const words[] = {"/task:",   "from rank ", "send/recv from rank ", ": Ranks ",
                                        "to rank ", "]: Rank ",   "[missing ranks: "};
    text = slice_after(text, "timed out task names:");
    if (slice_contains(text, "signal from ") || slice_contains(text, "signal due to") ||
        slice_contains(text, "first task at the barrier"))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        int64_t rank = ranks_after(text, words[i]);
        if (rank != RANK_UNKNOWN) {
            snprintf(waits_for, RANKS_PEER_BYTES, "%s %lld", i == 0 ? "task" : "rank", (long long)rank);
            return;
        }
    }
    const char *at = slice_find(text, "peer ");
    if (at == NULL)
        return;
    struct slice host = host_of(slice_range(at + 5, text.data + text.size_bytes));
    if (host.size_bytes >= 3 && host.size_bytes < RANKS_PEER_BYTES - 8)
        snprintf(waits_for, RANKS_PEER_BYTES, "peer %.*s", SLICE_ARG(host));
}

/* XLA coordination_service.cc */
bool ranks_starts_list(struct slice text) {
    return slice_ends(text, "(stopped sending heartbeats):") || slice_ends(text, "timed out task names:");
}

bool ranks_take_listed(struct slice text, bool is_in_list, char waits_for[static RANKS_PEER_BYTES]) {
    struct slice rest = slice_trim(slice_after(text, "timed out task names:"));
    int64_t task = slice_starts(rest, "/job:") ? ranks_after(rest, "/task:") : RANK_UNKNOWN;
    if (is_in_list && slice_take_uint(&rest, &task) && rest.size_bytes > 0)
        task = RANK_UNKNOWN;
    if (task != RANK_UNKNOWN)
        snprintf(waits_for, RANKS_PEER_BYTES, "task %lld", (long long)task);
    return task != RANK_UNKNOWN;
}
