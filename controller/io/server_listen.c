#include "io/server_listen.h"

#include "io/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024 }; /* no burst of connections, nor a slow turn of the loop, drops the packet that opens one */

/* "host:port" into its halves; the host of "[::1]:0" without brackets. */
static bool split_address(const char *address, char *host, size_t host_size, const char **port) {
    struct slice s = slice_of(address), h;
    if (slice_take_char(&s, '[')) {
        if (!slice_take_until(&s, ']', &h) || !slice_take_char(&s, ':'))
            return false;
    } else if (!slice_take_until(&s, ':', &h))
        return false;
    *port = s.data;
    int64_t number;
    return slice_take_uint(&s, &number) && s.size_bytes == 0 && number <= 65535 && slice_copy(host, host_size, h);
}

static int port_of(int fd) {
    struct sockaddr_storage bound = {0};
    socklen_t size = sizeof bound;
    getsockname(fd, (struct sockaddr *)&bound, &size);
    return ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                             : ((struct sockaddr_in *)&bound)->sin_port);
}

int server_listen(const char *address, int *port_found, struct error **err) {
    char host[256];
    const char *port;
    if (!split_address(address, host, sizeof host, &port))
        return error_set(err, EINVAL, "\"%s\" is not an address; write HOST:PORT, :PORT or [IPV6]:PORT", address);
    struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const char *name = host[0] == '\0' ? NULL : strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;
    int r = getaddrinfo(name, port, &hints, &found);
    if (r != 0)
        return error_set(err, EINVAL, "\"%s\" is not an address: %s (host names are not looked up)", address,
                         gai_strerror(r));
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    bool is_bound = fd >= 0 && bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0;
    int code = errno;
    freeaddrinfo(found);
    if (!is_bound) {
        if (fd >= 0)
            close(fd);
        return error_set(err, code, "cannot listen on %s: %s", address, strerror(code));
    }
    *port_found = port_of(fd);
    return fd;
}

bool server_address_is_loopback(const char *address) {
    char host[256];
    const char *port;
    struct in_addr v4;
    if (!split_address(address, host, sizeof host, &port))
        return false;
    return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 ||
           (inet_pton(AF_INET, host, &v4) == 1 && ntohl(v4.s_addr) >> 24 == 127);
}
