#include "tls.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

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

static X509 *make(const char *cn, const char *organisation, long serial, EVP_PKEY *key, X509 *issuer, EVP_PKEY *issuer_key) {
    X509 *cert = X509_new();
    X509_set_version(cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), serial);
    X509_gmtime_adj(X509_getm_notBefore(cert), -86400);
    X509_gmtime_adj(X509_getm_notAfter(cert), 315360000);
    X509_set_pubkey(cert, key);
    X509_NAME *name = X509_get_subject_name(cert);
    X509_NAME_add_entry_by_txt(name, "O", MBSTRING_ASC, (const unsigned char *)organisation, -1, -1, 0);
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

static int save(const char *directory, const char *name, X509 *cert, EVP_PKEY *key) {
    FILE *f = open_file(directory, name, "crt"), *k = open_file(directory, name, "key");
    bool ok = f != NULL && k != NULL && PEM_write_X509(f, cert) && PEM_write_PrivateKey(k, key, NULL, NULL, 0, NULL, NULL);
    if (f != NULL)
        fclose(f);
    if (k != NULL)
        fclose(k);
    return ok ? 0 : -1;
}

int tls_make(const char *directory) {
    EVP_PKEY *keys[3];
    for (int i = 0; i < 3; i++)
        keys[i] = EVP_EC_gen("P-256");
    X509 *ca = make("test-apiserver-ca", "test", 1, keys[0], NULL, keys[0]);
    X509 *server = make("test-apiserver", "test", 2, keys[1], ca, keys[0]);
    X509 *client = make("test-client", "system:masters", 3, keys[2], ca, keys[0]);
    int result = save(directory, "ca", ca, keys[0]) | save(directory, "server", server, keys[1]) |
                 save(directory, "client", client, keys[2]);
    X509_free(ca), X509_free(server), X509_free(client);
    for (int i = 0; i < 3; i++)
        EVP_PKEY_free(keys[i]);
    if (result < 0)
        fprintf(stderr, "test-apiserver: cannot write certificates below %s\n", directory);
    return result;
}
