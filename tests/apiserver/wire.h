/* wire: HTTP/1.1 and HTTP/2 on libwebsockets: requests in, replies and endless streams out, and the faults that need
 * the raw connection. A conn is one request and its reply; it is freed by this module when the reply has been written
 * or the peer has left, after on_closed of its user. Nothing here knows Kubernetes. */
#ifndef TESTS_APISERVER_WIRE_H
#define TESTS_APISERVER_WIRE_H

#include "base/buf.h"

#include <libwebsockets.h>

struct srv;

enum fault_kind {
    FAULT_NONE,
    FAULT_STATUS,      /* answer with a status code at once */
    FAULT_EXPIRED,     /* 410: a Status, in a watch an ERROR event */
    FAULT_ERROR,       /* an ERROR event with a code */
    FAULT_RESET,       /* RST, in the middle of a line */
    FAULT_CUT,         /* FIN in the middle of a line, without the end of the message */
    FAULT_TRUNCATE,    /* the message ends properly in the middle of a line */
    FAULT_CLOSE,       /* the message ends properly */
    FAULT_MALFORMED,   /* a line that is not JSON; the stream continues */
    FAULT_SILENT,      /* nothing more is sent or read on this connection */
    FAULT_DRIP,        /* N bytes per second from here on, or for N bytes */
    FAULT_GOAWAY,      /* HTTP/2 GOAWAY, the streams continue; over HTTP/1.1 the connection closes after the reply */
    FAULT_GOAWAY_HARD, /* GOAWAY, then the connection closes */
    FAULT_DELAY,       /* the answer comes later */
    FAULT_HOLD,        /* the request is served at `release` */
};

struct fault {
    enum fault_kind kind;
    int code;         /* status */
    double amount;    /* seconds or bytes a second; retry-after for FAULT_STATUS, -1: none */
    bool is_in_bytes; /* `after` counts bytes of the body, else events */
    long after;
    long bytes; /* that drip; 0: all */
};

struct timer {
    lws_sorted_usec_list_t sul;
    void (*run)(void *context);
    void *context;
    struct srv *srv;
};
void timer_start(struct srv *srv, struct timer *t, double seconds, void (*run)(void *context), void *context);
void timer_stop(struct timer *t);

struct conn {
    struct srv *srv;
    struct lws *wsi;
    char method[16];
    char *path;  /* decoded, without the query */
    char *query; /* arguments decoded, joined by '\n': key=value */
    char accept[1024], content_type[128], authorization[4096], user_agent[256];
    bool is_h2, has_client_cert;
    struct buf body;
    long log_index; /* of this request in the server's log */
    /* reply */
    int status;
    struct buf out;
    size_t out_at;
    uint64_t body_total, body_sent; /* enqueued, written */
    bool is_started, is_stream, is_ended, has_headers, is_dispatched, is_struck;
    /* a fault that strikes when body_sent reaches fault_at */
    struct fault fault;
    uint64_t fault_at;
    long events;
    struct timer timer; /* drip, delay, hold */
    long held;          /* how often was released when it came */
    double drip_rate;
    long drip_left;   /* bytes; 0: all that come */
    bool was_waiting; /* unstick.c: at the last look, when so much was sent */
    uint64_t sent_before;
    /* the user's */
    void *stream;
    void (*on_closed)(void *stream);
    struct conn *next, *previous;
};

/* The value of a query argument, or "" ; borrowed until the next call. */
const char *conn_argument(const struct conn *c, const char *name);
bool conn_flag(const struct conn *c, const char *name); /* "true" or "1" */
/* A whole reply. retry_after < 0: no such header. */
void conn_reply(struct conn *c, int status, const char *content_type, double retry_after, const char *body,
                size_t size);
/* An endless one: begin, send..., end. */
void conn_begin(struct conn *c, int status, const char *content_type);
void conn_send(struct conn *c, const char *data, size_t size);
/* A line of a watch or log: counts as an event for faults. */
void conn_event(struct conn *c, const char *line, size_t size);
void conn_end(struct conn *c);
/* Lets c->fault strike at the present end of what is enqueued. */
void conn_strike(struct conn *c);
void conn_arm(struct conn *c, const struct fault *fault); /* at the start of a request */

struct wire_options {
    int port;
    bool is_http1_only, is_h2_only, is_tls;
    const char *certificate_file, *key_file, *client_ca_file;
};

/* 0 or -1 with a line on stderr. *port gets the port. */
int wire_open(struct srv *srv, const struct wire_options *options, int *port);
void wire_close(struct srv *srv);
/* unstick.c: something is to be written. */
void wire_waits(struct srv *srv);
/* unstick.c: from here on, streams whose client has left are closed. */
void wire_close_left(struct srv *srv);
/* unstick.c: from here on, also sets what of lws's log is shown. */
void wire_hear_resets(struct srv *srv);
/* Calls run(context) whenever fd is readable; the fd is closed by wire_close. */
int wire_watch_fd(struct srv *srv, int fd, void (*run)(void *context), void *context);
void wire_freeze_all(struct srv *srv); /* every connection open now falls silent */
void wire_reset_all(struct srv *srv);  /* RST on every connection open now */

#endif
