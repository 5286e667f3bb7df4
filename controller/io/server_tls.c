#include "io/server_tls.h"

#include "base/mem.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

/* Certificates are given to each handshake, not to the context: a context keeps one for every kind of key, so that an
 * RSA certificate would not replace one on P-256. */
struct server_tls {
    X509 *leaf;
    STACK_OF(X509) * chain;
    EVP_PKEY *key;
};

static void clear(struct server_tls *tls) {
    X509_free(tls->leaf);
    sk_X509_pop_free(tls->chain, X509_free);
    EVP_PKEY_free(tls->key);
    *tls = (struct server_tls){0};
}

/* OpenSSL would ask for a pass phrase at the terminal. */
static int no_passphrase(char *space, int size, int is_writing, void *context) {
    (void)space, (void)size, (void)is_writing, (void)context;
    return -1;
}

static int read_certificates(struct server_tls *to, struct slice pem, struct error **err) {
    BIO *in = BIO_new_mem_buf(pem.data, (int)pem.size_bytes);
    to->chain = sk_X509_new_null();
    to->leaf = PEM_read_bio_X509(in, NULL, no_passphrase, NULL);
    for (X509 *x; to->leaf != NULL && (x = PEM_read_bio_X509(in, NULL, no_passphrase, NULL)) != NULL;)
        sk_X509_push(to->chain, x);
    bool is_whole = to->leaf != NULL && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    BIO_free(in);
    ERR_clear_error();
    return is_whole ? 0 : error_set(err, EINVAL, "the certificate is not PEM (\"-----BEGIN CERTIFICATE-----\")");
}

static int load(struct server_tls *to, struct slice certificate_pem, struct slice private_key_pem, struct error **err) {
    if (certificate_pem.size_bytes > 1 << 20 || private_key_pem.size_bytes > 1 << 20)
        return error_set(err, EINVAL, "a certificate or key of more than 1 MiB");
    int r = read_certificates(to, certificate_pem, err);
    if (r < 0)
        return r;
    BIO *in = BIO_new_mem_buf(private_key_pem.data, (int)private_key_pem.size_bytes);
    to->key = PEM_read_bio_PrivateKey(in, NULL, no_passphrase, NULL);
    BIO_free(in);
    bool fits = to->key != NULL && X509_check_private_key(to->leaf, to->key) == 1;
    ERR_clear_error();
    if (to->key == NULL)
        return error_set(err, EINVAL, "the private key is not PEM without a pass phrase");
    return fits ? 0 : error_set(err, EINVAL, "the private key is not that of the certificate");
}

int server_tls_replace(struct server_tls *tls, struct slice certificate_pem, struct slice private_key_pem,
                       struct error **err) {
    struct server_tls fresh = {0};
    int r = load(&fresh, certificate_pem, private_key_pem, err);
    if (r < 0) {
        clear(&fresh);
        return r;
    }
    clear(tls);
    *tls = fresh;
    return 0;
}

struct server_tls *server_tls_new(struct slice certificate_pem, struct slice private_key_pem, struct error **err) {
    struct server_tls *tls = mem_new(struct server_tls);
    if (server_tls_replace(tls, certificate_pem, private_key_pem, err) < 0) {
        server_tls_free(tls);
        return NULL;
    }
    return tls;
}

void server_tls_free(struct server_tls *tls) {
    if (tls == NULL)
        return;
    clear(tls);
    free(tls);
}

static int choose(SSL *ssl, void *context) {
    const struct server_tls *tls = context;
    SSL_certs_clear(ssl);
    return SSL_use_cert_and_key(ssl, tls->leaf, tls->key, tls->chain, 1);
}

void server_tls_attach(struct server_tls *tls, struct ssl_ctx_st *ctx) {
    SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
    SSL_CTX_set_cert_cb(ctx, choose, tls);
}
