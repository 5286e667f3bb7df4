/* certificate_files: tls.crt and tls.key of a directory, as a mounted Secret has them (cert-manager's), looked at every
 * ten seconds: a new pair is shown to new connections, without a restart. A pair that cannot be used is logged once;
 * the one before stays. tests/export/test_certificate_files.c */
#ifndef EXPORT_CERTIFICATE_FILES_H
#define EXPORT_CERTIFICATE_FILES_H

#include "io/server.h"

struct certificate_files;

/* NULL with an error if there is nothing usable in the directory now. */
struct certificate_files *certificate_files_new(struct loop *loop, const char *directory, struct error **err);
void certificate_files_free(struct certificate_files *files); /* NULL-safe */
/* server_new() with what is there now, kept up to date until `files` is freed, which is before the server is. */
struct server *certificate_files_serve(struct certificate_files *files, struct server_options *options,
                                       struct error **err);

#endif
