/* recorder: writes Kubernetes Events about an object. Each Event has a name made of the object's and an id, and is
 * applied (server-side apply, core/v1: there an Event may be changed), so that a repeated record under the same id
 * updates the one Event, whichever replica wrote it first, and the same text again changes nothing. Writes are paced
 * (20 a second over all objects; of one id only the newest waits), and one that fails is dropped: an Event is never
 * worth more. */
#ifndef KUBE_RECORDER_H
#define KUBE_RECORDER_H

#include "kube/client.h"

struct kube_recorder;

struct kube_object_reference {
    const char *api_version, *kind, *namespace_, *name, *uid;
};

struct kube_happening {
    const char *id;            /* what happened, within the object: lower case, digits, '.' and '-' */
    const char *type;          /* "Normal" or "Warning" */
    const char *reason, *note; /* the note is cut to 1 KiB */
    int64_t first_ms, last_ms; /* Unix time */
};

/* component: who says so, as kubectl describe shows it. */
struct kube_recorder *kube_recorder_new(struct kube_client *client, const char *component);
void kube_recorder_free(struct kube_recorder *recorder); /* what waits is dropped */
void kube_recorder_record(struct kube_recorder *recorder, const struct kube_object_reference *regarding,
                          const struct kube_happening *happening);

#endif
