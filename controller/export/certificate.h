/* certificate: a key and a self-signed certificate for the lifetime of this process, as controller-runtime makes for
 * its metrics. It hides the scraper's token from the network, but does not prove who the server is. */
#ifndef EXPORT_CERTIFICATE_H
#define EXPORT_CERTIFICATE_H

#include "base/buf.h"
#include "base/error.h"

/* ECDSA on P-256, for `name` and localhost, valid from an hour before now_s (Unix seconds) for ten years; PEM. */
int certificate_make(const char *name, int64_t now_s, struct buf *certificate_pem, struct buf *private_key_pem,
                     struct error **err);

#endif
