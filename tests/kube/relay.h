/* relay: a TCP relay on the test's loop in front of a server. Frozen connections stay open and say nothing more, as
 * through a firewall that has forgotten them; new ones work. */
#ifndef TESTS_KUBE_RELAY_H
#define TESTS_KUBE_RELAY_H

#include "io/loop.h"

struct relay;

struct relay *relay_new(struct loop *loop, int to_port);
void relay_free(struct relay *r);
int relay_port(const struct relay *r);
int relay_connections(const struct relay *r); /* accepted so far */
void relay_freeze(struct relay *r);           /* those that are open now */

#endif
