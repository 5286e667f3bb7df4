/* server_listen: the socket that a server listens on. Only io/server.c uses it. */
#ifndef IO_SERVER_LISTEN_H
#define IO_SERVER_LISTEN_H

#include "base/error.h"

/* address: HOST:PORT, :PORT or [IPV6]:PORT; *port gets the port, also where 0 is asked. The descriptor, the caller's;
 * or negative: -EINVAL: not an address; -EADDRINUSE and others of bind. */
int server_listen(const char *address, int *port, struct error **err);

#endif
