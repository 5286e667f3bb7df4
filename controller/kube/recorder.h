/* recorder: writes Kubernetes Events (events.k8s.io/v1) about an object: repeats become a series, a token bucket per
 * object limits them (burst 25, then one in 5 minutes, as client-go's tools/record), and a failed write is dropped: an
 * Event is never worth more. */
#ifndef KUBE_RECORDER_H
#define KUBE_RECORDER_H

#include "kube/client.h"

struct kube_recorder;

struct kube_object_reference {
    const char *api_version, *kind, *namespace_, *name, *uid, *resource_version;
};

struct kube_recorder *kube_recorder_new(struct kube_client *client, const char *controller, const char *instance);
void kube_recorder_free(struct kube_recorder *recorder);
/* type: "Normal" or "Warning"; note is cut to 1 KiB. */
void kube_recorder_event(struct kube_recorder *recorder, const struct kube_object_reference *regarding, const char *type,
                         const char *reason, const char *action, const char *note);

#endif
