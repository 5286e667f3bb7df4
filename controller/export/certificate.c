#include "export/certificate.h"

#include "base/mem.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#define YEAR_S INT64_C(31536000)

static bool add_extension(X509 *x, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, x, x, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    bool is_added = extension != NULL && X509_add_ext(x, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return is_added;
}

static bool fill(X509 *x, EVP_PKEY *key, const char *name, int64_t now_s) {
    CLEANUP_FREE char *names = mem_format("DNS:%s,DNS:localhost,IP:127.0.0.1", name);
    X509_NAME *subject = X509_get_subject_name(x);
    uint32_t serial = 0;
    return RAND_bytes((unsigned char *)&serial, sizeof serial) == 1 && X509_set_version(x, 2) == 1 &&
           ASN1_INTEGER_set(X509_get_serialNumber(x), (long)(serial >> 1) + 1) == 1 &&
           ASN1_TIME_set(X509_getm_notBefore(x), (time_t)(now_s - 3600)) != NULL &&
           ASN1_TIME_set(X509_getm_notAfter(x), (time_t)(now_s + 10 * YEAR_S)) != NULL &&
           X509_set_pubkey(x, key) == 1 &&
           X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, (const unsigned char *)"goodput-controller", -1, -1,
                                      0) == 1 &&
           X509_set_issuer_name(x, subject) == 1 && add_extension(x, NID_subject_alt_name, names) &&
           add_extension(x, NID_ext_key_usage, "serverAuth") && X509_sign(x, key, EVP_sha256()) > 0;
}

static void take(BIO *from, struct buf *to) {
    char *data;
    long size = BIO_get_mem_data(from, &data);
    buf_init(to, 16384);
    buf_append(to, data, size > 0 ? (size_t)size : 0);
}

int certificate_make(const char *name, int64_t now_s, struct buf *certificate_pem, struct buf *private_key_pem,
                     struct error **err) {
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *x = X509_new();
    BIO *public = BIO_new(BIO_s_mem()), *private = BIO_new(BIO_s_mem());
    bool is_made = key != NULL && x != NULL && public != NULL && private != NULL && fill(x, key, name, now_s) &&
                   PEM_write_bio_X509(public, x) == 1 &&
                   PEM_write_bio_PrivateKey(private, key, NULL, NULL, 0, NULL, NULL) == 1;
    if (is_made) {
        take(public, certificate_pem);
        take(private, private_key_pem);
    }
    BIO_free(public);
    BIO_free(private);
    X509_free(x);
    EVP_PKEY_free(key);
    return is_made ? 0 : error_set(err, EIO, "cannot make a self-signed certificate");
}
