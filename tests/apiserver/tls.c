#include "tls.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#define NEXT "next-" /* before the names of what is to come */

static FILE *open_file(const char *directory, const char *name, const char *suffix) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.%s", directory, name, suffix);
    FILE *f = fopen(path, "w");
    if (f == NULL)
        perror(path);
    else
        chmod(path, 0600);
    return f;
}

static void extend(X509 *cert, X509 *issuer, int nid, const char *value) {
    X509V3_CTX ctx;
    X509V3_set_ctx_nodb(&ctx);
    X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
    X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    if (e != NULL)
        X509_add_ext(cert, e, -1);
    X509_EXTENSION_free(e);
}

static X509 *make(const char *cn, const char *organization, long serial, EVP_PKEY *key, X509 *issuer,
                  EVP_PKEY *issuer_key) {
    X509 *cert = X509_new();
    X509_set_version(cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), serial);
    X509_gmtime_adj(X509_getm_notBefore(cert), -86400);
    X509_gmtime_adj(X509_getm_notAfter(cert), 315360000);
    X509_set_pubkey(cert, key);
    X509_NAME *name = X509_get_subject_name(cert);
    X509_NAME_add_entry_by_txt(name, "O", MBSTRING_ASC, (const unsigned char *)organization, -1, -1, 0);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)cn, -1, -1, 0);
    X509_set_issuer_name(cert, X509_get_subject_name(issuer != NULL ? issuer : cert));
    if (issuer == NULL) {
        extend(cert, cert, NID_basic_constraints, "critical,CA:TRUE");
        extend(cert, cert, NID_key_usage, "critical,keyCertSign,cRLSign,digitalSignature");
    } else {
        extend(cert, issuer, NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost");
        extend(cert, issuer, NID_ext_key_usage, "serverAuth,clientAuth");
    }
    X509_sign(cert, issuer_key, EVP_sha256());
    return cert;
}

static int save(const char *directory, const char *prefix, const char *name, X509 *cert, EVP_PKEY *key) {
    char base[64];
    snprintf(base, sizeof base, "%s%s", prefix, name);
    FILE *f = open_file(directory, base, "crt"), *k = open_file(directory, base, "key");
    bool ok =
        f != NULL && k != NULL && PEM_write_X509(f, cert) && PEM_write_PrivateKey(k, key, NULL, NULL, 0, NULL, NULL);
    if (f != NULL)
        fclose(f);
    if (k != NULL)
        fclose(k);
    return ok ? 0 : -1;
}

/* Each time a CA of another name: one of the same name and another key would be taken for the old one. */
static int make_all(const char *directory, const char *prefix, long number) {
    EVP_PKEY *keys[3];
    char ca_name[64];
    snprintf(ca_name, sizeof ca_name, "test-apiserver-ca-%ld", number);
    for (int i = 0; i < 3; i++)
        keys[i] = EVP_EC_gen("P-256");
    X509 *ca = make(ca_name, "test", 1, keys[0], NULL, keys[0]);
    X509 *server = make("test-apiserver", "test", 2, keys[1], ca, keys[0]);
    X509 *client = make("test-client", "system:masters", 3, keys[2], ca, keys[0]);
    int result = save(directory, prefix, "ca", ca, keys[0]) | save(directory, prefix, "server", server, keys[1]) |
                 save(directory, prefix, "client", client, keys[2]);
    X509_free(ca), X509_free(server), X509_free(client);
    for (int i = 0; i < 3; i++)
        EVP_PKEY_free(keys[i]);
    if (result < 0)
        fprintf(stderr, "test-apiserver: cannot write certificates below %s\n", directory);
    return result;
}

int tls_make(const char *directory) {
    return make_all(directory, "", 1);
}

/* Earlier sessions would resume without a certificate. */
static void forget_sessions(SSL_CTX *server) {
    unsigned char keys[80];
    long size = SSL_CTX_get_tlsext_ticket_keys(server, NULL, 0);
#if OPENSSL_VERSION_NUMBER >= 0x30400000L
    SSL_CTX_flush_sessions_ex(server, 0);
#else
    SSL_CTX_flush_sessions(server, 0);
#endif
    if (size > 0 && size <= (long)sizeof keys && RAND_bytes(keys, (int)size) == 1)
        SSL_CTX_set_tlsext_ticket_keys(server, keys, size);
}

int tls_rotate(const char *directory, long number, SSL_CTX *server) {
    char ca[1024], certificate[1024], key[1024];
    snprintf(ca, sizeof ca, "%s/" NEXT "ca.crt", directory);
    snprintf(certificate, sizeof certificate, "%s/" NEXT "server.crt", directory);
    snprintf(key, sizeof key, "%s/" NEXT "server.key", directory);
    if (make_all(directory, NEXT, number) < 0 ||
        SSL_CTX_use_certificate_file(server, certificate, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_use_PrivateKey_file(server, key, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_load_verify_locations(server, ca, NULL) != 1)
        return -1;
    forget_sessions(server);
    return 0;
}

int tls_rotate_files(const char *directory) {
    static const char *const names[] = {"ca.crt", "ca.key", "server.crt", "server.key", "client.crt", "client.key"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char from[1024], to[1024];
        snprintf(from, sizeof from, "%s/" NEXT "%s", directory, names[i]);
        snprintf(to, sizeof to, "%s/%s", directory, names[i]);
        if (rename(from, to) != 0)
            return -1;
    }
    return 0;
}
