/* tls: certificates made on the spot for a test: a CA, a server certificate for 127.0.0.1 and localhost, a client
 * certificate (CN test-client, O system:masters). EC P-256, valid from yesterday for ten years. */
#ifndef TESTS_APISERVER_TLS_H
#define TESTS_APISERVER_TLS_H

#include <openssl/ssl.h>

/* Writes ca.crt, server.crt, server.key, client.crt, client.key (PEM) below directory. 0, or -1 with a line on stderr.
 */
int tls_make(const char *directory);
/* Makes all of them again, the number-th time; the server shows and trusts the new ones, and still trusts the old CA's
 * clients. The files become the new ones with tls_rotate_files. */
int tls_rotate(const char *directory, long number, SSL_CTX *server);
int tls_rotate_files(const char *directory);

#endif
