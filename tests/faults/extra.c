#include "extra.h"

#include "base/buf.h"
#include "base/mem.h"

#include <arpa/inet.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char *replace(const char *text, const char *from, const char *to) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, 64 << 20);
    for (const char *at; (at = strstr(text, from)) != NULL; text = at + strlen(from)) {
        buf_append(&out, text, (size_t)(at - text));
        buf_append_text(&out, to);
    }
    buf_append_text(&out, text);
    return buf_take(&out);
}

static const char *const names[][2] = {
    {"research", "twin"}, {"job-1", "job-2"}, {"workload-1", "workload-2"}, {"uid: pod-", "uid: twin-"}};

char *extra_second(const char *text, const char *pod_path) {
    char *out = replace(text, "tests/faults/pod.yaml", pod_path);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *next = replace(out, names[i][0], names[i][1]);
        free(out);
        out = next;
    }
    return out;
}

char *extra_first(const char *numbers) {
    char *out = mem_strdup(numbers);
    for (size_t i = 0; out != NULL && i < 3; i++) {
        char *next = replace(out, names[i][1], names[i][0]);
        free(out);
        out = next;
    }
    return out;
}

char *extra_pods(int count) {
    CLEANUP_BUF struct buf text;
    buf_init(&text, 16 << 20);
    buf_append_text(&text, "apply <<END\n");
    for (int i = 0; i < count; i++)
        buf_format(&text,
                   "---\napiVersion: v1\nkind: Pod\nmetadata: {name: other-%d, namespace: other, labels: "
                   "{batch.kubernetes.io/job-name: x}}\n",
                   i);
    buf_append_text(&text, "END");
    return buf_take(&text);
}

char *extra_noise(const char *pod, size_t bytes, size_t line_bytes) {
    static const char stamp[] = "2026-01-01T00:02:02.800Z ", words[] = "nothing that anybody reads, ";
    CLEANUP_BUF struct buf out;
    buf_init(&out, bytes * 2 + 4096);
    buf_format(&out, "log %s <<END\n", pod);
    for (size_t done = 0; done < bytes; done += line_bytes) {
        buf_append_text(&out, stamp);
        for (size_t n = sizeof stamp; n + sizeof words < line_bytes; n += sizeof words - 1)
            buf_append_text(&out, words);
        buf_append_text(&out, "\n");
    }
    buf_append_text(&out, "END");
    return buf_take(&out);
}

static char *read_metrics(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    static const char request[] = "GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n";
    struct timeval patience = {.tv_sec = 20};
    CLEANUP_BUF struct buf reply;
    buf_init(&reply, 8 << 20);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char piece[65536];
    ssize_t n = -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        write(fd, request, sizeof request - 1) == (ssize_t)sizeof request - 1)
        while ((n = read(fd, piece, sizeof piece)) > 0)
            buf_append(&reply, piece, (size_t)n);
    close(fd);
    return n == 0 ? buf_take(&reply) : NULL;
}

int64_t extra_metric(int port, const char *begins) {
    CLEANUP_FREE char *text = read_metrics(port);
    int64_t sum = -1;
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, begins, strlen(begins)) != 0)
            continue;
        const char *value = strpbrk(line + strlen(begins), " \n");
        if (value != NULL && *value == ' ')
            sum = (sum < 0 ? 0 : sum) + (int64_t)strtod(value, NULL);
    }
    return sum;
}

char *extra_troubles(int port) {
    CLEANUP_FREE char *text = read_metrics(port);
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1 << 20);
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "rest_client_requests", 20) == 0 || strncmp(line, "goodput_stream", 14) == 0)
            buf_format(&out, "  %.*s\n", (int)strcspn(line, "\n"), line);
    }
    return buf_take(&out);
}

int extra_free_port(void) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bind(fd, (struct sockaddr *)&address, sizeof address);
    getsockname(fd, (struct sockaddr *)&address, &size);
    close(fd);
    return ntohs(address.sin_port);
}

/* ---- event files: records of length (8 bytes), checksum (4), data, checksum (4); the first one is not a point ---- */

static struct {
    long points;
    char *bad; /* the first file with half a record */
} events;

static int count_points(const char *path, const struct stat *st, int type, struct FTW *where) {
    (void)st, (void)where;
    unsigned char head[12];
    FILE *file = type == FTW_F ? fopen(path, "rb") : NULL;
    long count = -1;
    bool is_whole = true;
    if (file == NULL)
        return 0;
    for (size_t n; is_whole && (n = fread(head, 1, sizeof head, file)) > 0; count++) {
        uint64_t size = 4;
        for (int i = 0; i < 8; i++)
            size += (uint64_t)head[i] << 8 * i;
        for (; size > 0 && fgetc(file) != EOF; size--) {
        }
        is_whole = n == sizeof head && size == 0;
    }
    fclose(file);
    if (!is_whole && events.bad == NULL)
        events.bad = mem_strdup(path);
    events.points += count > 0 ? count : 0;
    return 0;
}

char *extra_bad_events(const char *folder, long points) {
    char *why = NULL;
    events.points = 0;
    nftw(folder, count_points, 8, FTW_PHYS);
    if (events.bad != NULL)
        why = mem_format("%s does not end with a whole record", events.bad);
    else if (events.points < points)
        why = mem_format("%ld points below %s, not %ld", events.points, folder, points);
    free(events.bad);
    events.bad = NULL;
    return why;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where) {
    (void)st, (void)type, (void)where;
    return remove(path);
}

void extra_remove(const char *folder) {
    if (folder[0] != '\0')
        nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
