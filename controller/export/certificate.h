/* certificate: a key and a self-signed certificate for this process' lifetime, as controller-runtime makes for its
 * metrics: it hides the scraper's token from the network; who the server is, it cannot prove. */
#ifndef EXPORT_CERTIFICATE_H
#define EXPORT_CERTIFICATE_H

#include "base/buf.h"
#include "base/error.h"

/* ECDSA on P-256, for `name` and localhost, valid from an hour before now_s (Unix seconds) for ten years; PEM. */
int certificate_make(const char *name, int64_t now_s, struct buf *certificate_pem, struct buf *private_key_pem,
                     struct error **err);

#endif
