/* tally: what client.h reports for metrics: answers by method and status, and what became of streams (lists, watches,
 * log follows). A request that was answered with 200 and broke later is a good answer; its stream counts as broken. Few
 * kinds of stream, few resources, few reasons: bounded. */
#ifndef KUBE_TALLY_H
#define KUBE_TALLY_H

#include "kube/client.h"

/* One more answer; status 0 if none came. sent_us: when it was asked for; 0: it never was. */
void kube_tally_answer(struct kube_client *client, const char *method, int status, int64_t sent_us);
/* What has just come in proves that the server was at work then. */
void kube_tally_hear(struct kube_client *client, int64_t at_us);
/* One more. stream: "list", "watch", "log" or "call"; reason: constant text, NULL: a list or watch was started.
 * resource: "pods", or the path that it ends, as in "/api/v1/pods"; of a call: its method. */
void kube_tally_add(struct kube_client *client, const char *stream, const char *resource, const char *reason);
/* Of what broke off so; NULL: nothing, it ended. is_partial: in the middle of a line. */
const char *kube_tally_reason(const struct error *err, bool is_partial);

/* A line that takes longer than a second from its first byte to its last one. All-zero is valid. */
struct kube_drip {
    int64_t since_us; /* the unfinished line; 0: there is none */
    bool is_reported;
};
/* After each piece; true once for each such line. has_new: a line ended within the piece. */
bool kube_drip_feed(struct kube_drip *drip, bool has_new, bool is_partial, int64_t now_us);

#endif
