/* Which certificate a handshake is shown, over memory instead of sockets; and replies over TLS, over sockets. That the
 * whole controller renews its own is tested in tests/export/certificates.py. */
#include "base/buf.h"
#include "base/mem.h"
#include "harness.h"
#include "io/server.h"
#include "io/server_tls.h"
#include "rawserver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct pair {
    struct buf certificate, key;
};

static void take(BIO *from, struct buf *to) {
    char *data;
    long size = BIO_get_mem_data(from, &data);
    buf_append(to, data, (size_t)size);
    BIO_free(from);
}

/* Self-signed, named `name`; cipher: for the key's pass phrase. */
static void make(struct pair *p, EVP_PKEY *key, const char *name, const EVP_CIPHER *cipher) {
    *p = (struct pair){0};
    X509 *x = X509_new();
    BIO *certificate = BIO_new(BIO_s_mem()), *private = BIO_new(BIO_s_mem());
    REQUIRE(x != NULL && certificate != NULL && private != NULL);
    X509_set_version(x, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
    X509_gmtime_adj(X509_getm_notBefore(x), -60);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
    X509_set_issuer_name(x, X509_get_subject_name(x));
    REQUIRE(X509_sign(x, key, EVP_sha256()) > 0);
    REQUIRE(PEM_write_bio_X509(certificate, x) == 1);
    REQUIRE(PEM_write_bio_PrivateKey(private, key, cipher, NULL, 0, NULL, cipher != NULL ? "secret" : NULL) == 1);
    buf_init(&p->certificate, 1 << 16);
    buf_init(&p->key, 1 << 16);
    take(certificate, &p->certificate);
    take(private, &p->key);
    X509_free(x);
    EVP_PKEY_free(key);
}

static void pair_done(struct pair *p) {
    buf_done(&p->certificate);
    buf_done(&p->key);
}

#define CLEANUP_PAIR __attribute__((cleanup(pair_done)))

/* A client and a server whose bytes go straight to each other. */
struct talk {
    SSL *server, *client;
};

static struct talk begin(SSL_CTX *server, SSL_CTX *client) {
    struct talk t = {SSL_new(server), SSL_new(client)};
    BIO *a, *b;
    CHECK(BIO_new_bio_pair(&a, 0, &b, 0) == 1);
    SSL_set_bio(t.server, a, a);
    SSL_set_bio(t.client, b, b);
    SSL_set_accept_state(t.server);
    SSL_set_connect_state(t.client);
    for (int i = 0; i < 20 && !(SSL_is_init_finished(t.server) && SSL_is_init_finished(t.client)); i++) {
        SSL_do_handshake(t.client);
        SSL_do_handshake(t.server);
    }
    CHECK(SSL_is_init_finished(t.server) && SSL_is_init_finished(t.client));
    return t;
}

static void end(struct talk *t) {
    SSL_free(t->server);
    SSL_free(t->client);
}

/* The name in the certificate that the client was shown. */
static const char *shown(const struct talk *t, char *space, int size) {
    X509 *x = SSL_get1_peer_certificate(t->client);
    CHECK(x != NULL);
    X509_NAME_get_text_by_NID(X509_get_subject_name(x), NID_commonName, space, size);
    X509_free(x);
    return space;
}

static void check_passes(struct talk *t) {
    char got[8] = "";
    CHECK_INT(SSL_write(t->server, "hello", 6), 6);
    CHECK_INT(SSL_read(t->client, got, sizeof got), 6);
    CHECK_TEXT(got, "hello");
}

static int replace(struct server_tls *tls, const struct pair *p, struct error **err) {
    return server_tls_replace(tls, buf_slice(&p->certificate), buf_slice(&p->key), err);
}

TEST(a_new_certificate_is_shown_while_old_connections_continue) {
    CLEANUP_PAIR struct pair elliptic = {0}, rsa = {0};
    char name[32];
    make(&elliptic, EVP_EC_gen("P-256"), "elliptic", NULL);
    make(&rsa, EVP_RSA_gen(2048), "rsa", NULL);
    struct server_tls *tls = server_tls_new(buf_slice(&elliptic.certificate), buf_slice(&elliptic.key), NULL);
    REQUIRE(tls != NULL);
    SSL_CTX *server = SSL_CTX_new(TLS_server_method()), *client = SSL_CTX_new(TLS_client_method());
    server_tls_attach(tls, server);
    struct talk before = begin(server, client);
    CHECK_TEXT(shown(&before, name, sizeof name), "elliptic");
    CHECK_INT(replace(tls, &rsa, NULL), 0);
    struct talk after = begin(server, client);
    CHECK_TEXT(shown(&after, name, sizeof name), "rsa"); /* though the client would take both kinds */
    check_passes(&before);
    check_passes(&after);
    end(&before);
    end(&after);
    CHECK_INT(SSL_CTX_get_min_proto_version(server), TLS1_2_VERSION);
    SSL_CTX_free(server);
    SSL_CTX_free(client);
    server_tls_free(tls);
}

TEST(the_chain_is_shown_with_the_certificate) {
    CLEANUP_PAIR struct pair leaf = {0}, issuer = {0};
    make(&leaf, EVP_EC_gen("P-256"), "leaf", NULL);
    make(&issuer, EVP_EC_gen("P-256"), "issuer", NULL);
    buf_append_slice(&leaf.certificate, buf_slice(&issuer.certificate));
    struct server_tls *tls = server_tls_new(buf_slice(&leaf.certificate), buf_slice(&leaf.key), NULL);
    REQUIRE(tls != NULL);
    SSL_CTX *server = SSL_CTX_new(TLS_server_method()), *client = SSL_CTX_new(TLS_client_method());
    server_tls_attach(tls, server);
    struct talk t = begin(server, client);
    CHECK_INT(sk_X509_num(SSL_get_peer_cert_chain(t.client)), 2);
    end(&t);
    SSL_CTX_free(server);
    SSL_CTX_free(client);
    server_tls_free(tls);
}

TEST(what_does_not_fit_is_refused_and_the_old_pair_stays) {
    CLEANUP_PAIR struct pair good = {0}, other = {0}, locked = {0}, cut = {0};
    char name[32];
    make(&good, EVP_EC_gen("P-256"), "good", NULL);
    make(&other, EVP_EC_gen("P-256"), "other", NULL);
    make(&locked, EVP_EC_gen("P-256"), "locked", EVP_aes_128_cbc());
    make(&cut, EVP_EC_gen("P-256"), "cut", NULL);
    struct server_tls *tls = server_tls_new(buf_slice(&good.certificate), buf_slice(&good.key), NULL);
    REQUIRE(tls != NULL);
    const struct {
        struct slice certificate, key;
        const char *complaint;
    } cases[] = {
        {buf_slice(&other.certificate), buf_slice(&good.key), "the private key is not that of the certificate"},
        {buf_slice(&locked.certificate), buf_slice(&locked.key), "the private key is not PEM without a pass phrase"},
        {slice_of(""), buf_slice(&good.key), "the certificate is not PEM (\"-----BEGIN CERTIFICATE-----\")"},
        {buf_slice(&good.certificate), slice_of("x"), "the private key is not PEM without a pass phrase"},
        {{cut.certificate.data, cut.certificate.size_bytes / 2},
         buf_slice(&cut.key),
         "the certificate is not PEM (\"-----BEGIN CERTIFICATE-----\")"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error *err CLEANUP_ERROR = NULL;
        CHECK_INT(server_tls_replace(tls, cases[i].certificate, cases[i].key, &err), -EINVAL);
        CHECK_TEXT(error_text(err), cases[i].complaint);
    }
    SSL_CTX *server = SSL_CTX_new(TLS_server_method()), *client = SSL_CTX_new(TLS_client_method());
    server_tls_attach(tls, server);
    struct talk t = begin(server, client);
    CHECK_TEXT(shown(&t, name, sizeof name), "good");
    end(&t);
    SSL_CTX_free(server);
    SSL_CTX_free(client);
    server_tls_free(tls);
}

static void large(void *context, const struct server_request *request, struct server_reply *reply) {
    (void)context;
    for (int i = 0; i < 300000; i++)
        buf_append_slice(&reply->body, request->query);
}

/* Requests sent together over TLS, by a client with a small window: all replies, then a close_notify. */
TEST(replies_come_whole_over_tls) {
    static const char requests[] = "GET /large?a HTTP/1.1\r\nHost: x\r\n\r\nGET /large?b HTTP/1.1\r\nHost: x\r\n\r\n"
                                   "GET /large?c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    CLEANUP_PAIR struct pair pair = {0};
    CLEANUP_BUF struct buf all;
    make(&pair, EVP_EC_gen("P-256"), "x", NULL);
    buf_init(&all, 2 << 20);
    struct loop *loop = loop_new(NULL);
    const struct server_endpoint endpoint = {"/large", large, NULL};
    struct server_options options = {.address = "127.0.0.1:0",
                                     .endpoints = &endpoint,
                                     .endpoint_count = 1,
                                     .certificate_pem = buf_slice(&pair.certificate),
                                     .private_key_pem = buf_slice(&pair.key)};
    struct server *s = server_new(loop, &options, NULL);
    REQUIRE(s != NULL);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), window_bytes = 4096, end = SSL_ERROR_WANT_READ;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &window_bytes, sizeof window_bytes);
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)server_port(s)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    REQUIRE(connect(fd, (struct sockaddr *)&to, sizeof to) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(context);
    SSL_set_fd(ssl, fd);
    SSL_set_connect_state(ssl);
    bool is_sent = false;
    for (int i = 0; i < 60000 && (end == SSL_ERROR_WANT_READ || end == SSL_ERROR_WANT_WRITE); i++) {
        char piece[3000];
        loop_for(loop, 1000);
        if (!is_sent)
            is_sent = SSL_write(ssl, requests, sizeof requests - 1) > 0;
        int got;
        while ((got = SSL_read(ssl, piece, sizeof piece)) > 0)
            buf_append(&all, piece, (size_t)got);
        end = SSL_get_error(ssl, got);
    }
    CHECK_INT(end, SSL_ERROR_ZERO_RETURN);
    const char *at = buf_text(&all);
    for (const char *letter = "abc"; *letter != '\0'; letter++) {
        const char only[] = {*letter, '\0'}, *body = strstr(at, "\r\n\r\n");
        REQUIRE(strncmp(at, "HTTP/1.1 200 ", 13) == 0 && body != NULL);
        CHECK_INT(strspn(body + 4, only), 300000);
        at = body + 4 + strspn(body + 4, only);
    }
    CHECK_TEXT(at, "");
    SSL_free(ssl);
    SSL_CTX_free(context);
    close(fd);
    server_free(s);
    loop_free(loop);
}
