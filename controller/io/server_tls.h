/* server_tls: the certificate that a server shows, which may change while connections are open: those continue
 * unchanged, later ones are shown the new one. Only io/server.c uses it. */
#ifndef IO_SERVER_TLS_H
#define IO_SERVER_TLS_H

#include "base/error.h"
#include "base/slice.h"

struct ssl_ctx_st;
struct server_tls;

/* PEM; the server's own certificate first, then the chain. -EINVAL: they do not fit together. */
struct server_tls *server_tls_new(struct slice certificate_pem, struct slice private_key_pem, struct error **err);
void server_tls_free(struct server_tls *tls);
/* The same for a new pair; what was there stays if it is refused. */
int server_tls_replace(struct server_tls *tls, struct slice certificate_pem, struct slice private_key_pem,
                       struct error **err);
/* Every handshake of ctx asks tls from now on, which outlives it. TLS 1.2 at least. */
void server_tls_attach(struct server_tls *tls, struct ssl_ctx_st *ctx);

#endif
