/* reflector_take: the reflector's lower half: what comes in, and what is reported. The way from one request to the next
 * is in reflector.c. */
#ifndef KUBE_REFLECTOR_TAKE_H
#define KUBE_REFLECTOR_TAKE_H

#include "kube/reflector_internal.h"

int kube_reflector_take_item(void *reflector, struct slice object);
int kube_reflector_take_line(void *reflector, struct slice line, bool is_cut);
void kube_reflector_left_out(struct kube_reflector *r); /* an object that is too large */
void kube_reflector_progress(struct kube_reflector *r); /* the server spoke sense: troubles are over */
void kube_reflector_trouble(struct kube_reflector *r, const char *text);
void kube_reflector_absent(struct kube_reflector *r, bool is_absent);
bool kube_reflector_sweep(struct kube_reflector *r, bool is_all); /* false: it was freed meanwhile */
void kube_reflector_synced(struct kube_reflector *r);

/* Something went wrong with the stream that is open: for the metrics. NULL: nothing. */
void kube_reflector_notify(struct kube_reflector *r, const char *reason);

#endif
