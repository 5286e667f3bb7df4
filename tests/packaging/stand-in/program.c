/* Calls into every library of the controller, and looks up a name: what an image without files could lack. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <curl/curl.h>
#include <jansson.h>
#include <libwebsockets.h>
#include <netdb.h>
#include <openssl/ssl.h>
#include <pcre2.h>
#include <stdio.h>
#include <yaml.h>
#include <zlib.h>

int main(void) {
    char pcre[64];
    int major, minor, patch;
    pcre2_config(PCRE2_CONFIG_VERSION, pcre);
    yaml_get_version(&major, &minor, &patch);
    printf("%s, libwebsockets %s, jansson %s, yaml %d.%d, pcre2 %s, zlib %s, %s\n", curl_version(),
           lws_get_library_version(), jansson_version_str(), major, minor, pcre, zlibVersion(),
           OpenSSL_version(OPENSSL_VERSION));

    struct addrinfo *found = NULL;
    int rc = getaddrinfo("127.0.0.1", "443", NULL, &found);
    if (rc != 0) {
        fprintf(stderr, "getaddrinfo: %s\n", gai_strerror(rc));
        return 1;
    }
    freeaddrinfo(found);

    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!context || SSL_CTX_load_verify_locations(context, "/etc/ssl/certs/ca-certificates.crt", NULL) != 1) {
        fprintf(stderr, "no CA certificates\n");
        return 1;
    }
    SSL_CTX_free(context);
    return 0;
}
