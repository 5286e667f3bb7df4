/* credentials: what a kube_config's files and plugins say now. Token, CA and client certificate files are read again
 * when a request is made and the last reading is a minute old, and after a 401: there is no timer, an idle process
 * reads nothing. A plugin is run when its answer has expired or was refused. */
#ifndef KUBE_CREDENTIALS_H
#define KUBE_CREDENTIALS_H

#include "io/http.h"
#include "kube/config.h"

struct kube_credentials;

/* Called once when the credentials are ready (err NULL) or cannot be had now. Embedded in who waits. */
struct kube_credentials_waiter {
    void (*ready)(void *context, const struct error *err);
    void *context;
    struct kube_credentials_waiter *next;
};

/* config is borrowed. Reads the files, so that a wrong one is known at the start. */
struct kube_credentials *kube_credentials_new(struct loop *loop, const struct kube_config *config, struct error **err);
void kube_credentials_free(struct kube_credentials *c);

/* 0: ready. -EINPROGRESS: a plugin runs; wait with kube_credentials_wait. Else the error. */
int kube_credentials_get(struct kube_credentials *c, struct error **err);
void kube_credentials_wait(struct kube_credentials *c, struct kube_credentials_waiter *waiter);
void kube_credentials_wait_cancel(struct kube_credentials *c, struct kube_credentials_waiter *waiter);

/* Borrowed until the next kube_credentials_get. */
const struct http_transport *kube_credentials_transport(const struct kube_credentials *c);
const char *kube_credentials_authorization(const struct kube_credentials *c); /* "Authorization: ..." or NULL */

/* The server answered 401 to this generation: read again, run the plugin again. Older generations change nothing. */
int kube_credentials_generation(const struct kube_credentials *c);
void kube_credentials_reject(struct kube_credentials *c, int generation);

#endif
