/* lease: leader election by client-go's rules (tools/leaderelection, jitter 1.2): expiry is judged by the locally
 * observed time of the record's last change, never by its stamps. A leader renews every 5 s of 25, client-go every 2 of
 * 15: a standby loses nothing while it waits, and an idle leader sleeps. A standby tries every 2 s, as client-go does.
 */
#ifndef KUBE_LEASE_H
#define KUBE_LEASE_H

#include "kube/client.h"

struct kube_lease;

#define KUBE_LEASE_DURATION_US INT64_C(25000000) /* by default */

struct kube_lease_options {
    const char *namespace_, *name;
    const char *identity;                                       /* "<host>_<random>" */
    int64_t duration_us, renew_deadline_us, renew_us, retry_us; /* 0: 25 s, 20 s, 5 s, 2 s */
};

struct kube_lease_handler {
    void (*on_leading)(void *context);
    void (*on_lost)(void *context, const char *why);        /* stop all writes and exit */
    void (*on_leader)(void *context, const char *identity); /* somebody (else) leads now; may be NULL */
    void *context;
};

struct kube_lease *kube_lease_new(struct kube_client *client, const struct kube_lease_options *options,
                                  const struct kube_lease_handler *handler);
/* Gives the lease up (holderIdentity "") if held, then calls done; then kube_lease_free. */
void kube_lease_release(struct kube_lease *lease, loop_callback *done, void *context);
void kube_lease_free(struct kube_lease *lease);
/* Who held it last before this process; "": nobody, or it was given up. */
const char *kube_lease_predecessor(const struct kube_lease *lease);
/* Leading, and by the clock of this very moment (not of the loop's turn) so that nobody else can: a process that was
 * stopped beyond its lease may come back to anything but a timer first. What was read from the server before this
 * was asked is from before any successor's first write. */
bool kube_lease_is_held(const struct kube_lease *lease);
/* Time since the last renewal that is known to have succeeded, for /healthz; 0 when not leading. In ordinary life up to
 * two renewals' time: a renewal's reply is read when the next one is due. */
int64_t kube_lease_age_us(const struct kube_lease *lease);

#endif
