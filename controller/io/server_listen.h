/* server_listen: the address and the socket that a server listens on. */
#ifndef IO_SERVER_LISTEN_H
#define IO_SERVER_LISTEN_H

#include "base/error.h"

#include <stdbool.h>

/* address: HOST:PORT, :PORT or [IPV6]:PORT; *port gets the port, also where 0 is asked. The descriptor, the caller's;
 * or negative: -EINVAL: not an address; -EADDRINUSE and others of bind. */
int server_listen(const char *address, int *port, struct error **err);
/* "127.0.0.1:8082", "localhost:0", "[::1]:0": reached from this machine only. */
bool server_address_is_loopback(const char *address);

#endif
