/* A busy request over TLS: what OpenSSL has taken from the socket causes no wake-up, and has to be read all the same.
 */
#include "harness.h"
#include "io/http.h"
#include "rawserver.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { RECORDS = 300, RECORD_BYTES = 10 };

static SSL_CTX *make_context(void) {
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *x = X509_new();
    CHECK(tls != NULL && key != NULL && x != NULL);
    X509_gmtime_adj(X509_getm_notBefore(x), -60);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, key);
    CHECK(X509_sign(x, key, EVP_sha256()) > 0);
    CHECK(SSL_CTX_use_certificate(tls, x) == 1 && SSL_CTX_use_PrivateKey(tls, key) == 1);
    X509_free(x);
    EVP_PKEY_free(key);
    return tls;
}

/* Answers the one request with a reply without an end, of many records in few segments; then it waits. */
static void *serve(void *context) {
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n";
    char request[4096];
    int listener = *(int *)context, cork = 1, fd = accept(listener, NULL, NULL);
    SSL_CTX *tls = make_context();
    SSL *s = SSL_new(tls);
    CHECK(fd >= 0 && s != NULL);
    SSL_set_fd(s, fd);
    CHECK(SSL_accept(s) == 1 && SSL_read(s, request, sizeof request) > 0);
    setsockopt(fd, IPPROTO_TCP, TCP_CORK, &cork, sizeof cork);
    SSL_write(s, head, sizeof head - 1);
    for (int i = 0; i < RECORDS; i++)
        SSL_write(s, "0123456789", RECORD_BYTES);
    cork = 0;
    setsockopt(fd, IPPROTO_TCP, TCP_CORK, &cork, sizeof cork);
    SSL_read(s, request, sizeof request); /* until the client is freed */
    SSL_free(s);
    SSL_CTX_free(tls);
    close(fd);
    return NULL;
}

struct progress {
    size_t bytes;
    bool is_whole;
};

static int on_data(void *context, struct slice bytes) {
    struct progress *p = context;
    p->bytes += bytes.size_bytes;
    p->is_whole = p->bytes == (size_t)RECORDS * RECORD_BYTES;
    return 0;
}

static void on_done(void *context, const struct http_reply *reply, const struct error *err) {
    (void)context, (void)reply;
    CHECK_TEXT(error_text(err), "");
}

TEST(records_that_came_together_are_all_read) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    REQUIRE(bind(listener, (struct sockaddr *)&at, size) == 0 && listen(listener, 1) == 0);
    REQUIRE(getsockname(listener, (struct sockaddr *)&at, &size) == 0);
    pthread_t server;
    REQUIRE(pthread_create(&server, NULL, serve, &listener) == 0);
    char url[64];
    snprintf(url, sizeof url, "https://127.0.0.1:%d/", ntohs(at.sin_port));
    struct loop *loop = loop_new(NULL);
    struct http_client *client = http_client_new(loop);
    struct http_transport transport = {.is_insecure = true};
    struct http_options options = {.url = url, .transport = &transport, .is_busy = true};
    struct progress p = {0};
    http_start(client, &options, &(struct http_handler){NULL, on_data, on_done, &p});
    CHECK(loop_until(loop, &p.is_whole));
    CHECK_INT(p.bytes, RECORDS * RECORD_BYTES);
    http_client_free(client);
    loop_free(loop);
    pthread_join(server, NULL);
    close(listener);
}
