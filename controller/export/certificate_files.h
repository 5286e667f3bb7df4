/* certificate_files: tls.crt and tls.key of a directory, as a mounted Secret has them (cert-manager's), read every ten
 * seconds: new connections get a new pair without a restart. A pair that cannot be used is logged once, and the old one
 * stays in use. tests/export/test_certificate_files.c */
#ifndef EXPORT_CERTIFICATE_FILES_H
#define EXPORT_CERTIFICATE_FILES_H

#include "io/server.h"

struct certificate_files;

/* NULL with *err if the directory holds no usable pair now. */
struct certificate_files *certificate_files_new(struct loop *loop, const char *directory, struct error **err);
void certificate_files_free(struct certificate_files *files); /* NULL-safe */
/* server_new() with the present pair, which stays up to date until `files` is freed. Free `files` before the server. */
struct server *certificate_files_serve(struct certificate_files *files, struct server_options *options,
                                       struct error **err);

#endif
