/* relay: a TCP relay on the test's loop in front of a server. Frozen connections stay open and say nothing more, as
 * through a firewall that has forgotten them; new ones work. */
#ifndef TESTS_KUBE_RELAY_H
#define TESTS_KUBE_RELAY_H

#include "io/loop.h"

struct relay;

struct relay *relay_new(struct loop *loop, int to_port);
void relay_free(struct relay *r);
int relay_port(const struct relay *r);
int relay_connections(const struct relay *r);  /* accepted so far */
void relay_freeze(struct relay *r);            /* those that are open now */
void relay_move(struct relay *r, int to_port); /* ends those that are open; new ones go there */
/* An HTTP proxy that knows CONNECT, to ports of this machine. refusal: NULL, or the status line's end ("403 No"). */
struct relay *proxy_new(struct loop *loop, const char *refusal);

#endif
