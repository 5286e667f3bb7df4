/* srv: the embedded API server's state in one place, and the entry points between its parts. */
#ifndef TESTS_APISERVER_SRV_H
#define TESTS_APISERVER_SRV_H

#include "faults.h"
#include "logs.h"
#include "store.h"
#include "wire.h"

#include <openssl/ssl.h>

struct watch;
struct scenario;
struct life;
struct snapshot;

struct request_log {
    char *text; /* "GET list pods /api/v1/pods?limit=500" */
    char verb[24];
    char resource[64]; /* plural, with "/subresource" */
    int status;
    bool is_open; /* a stream that has not ended */
};

struct srv {
    struct lws_context *context;
    struct lws_vhost *vhost;
    long releases;            /* of requests that were held */
    SSL_CTX *tls;             /* NULL: in clear */
    const char *certificates; /* the folder where we made them; NULL: they were given */
    long certificate_number;
    struct timer certificate_timer;
    struct conn *conns;
    long connections; /* accepted so far */
    struct lws *frozen[64];
    int frozen_count;
    struct timer look, leave; /* unstick.c */
    bool is_looking;
    int port;
    bool is_stopping, is_until_end;
    int exit_code;
    struct registry registry;
    struct store store;
    struct watch *watches;
    struct faults faults;
    struct logs logs;
    int follows;                /* of logs, open now */
    struct scenario *scenarios; /* running ones */
    struct life *lives;
    struct request_log *requests;
    size_t request_count, request_capacity;
    char token[4096];    /* "" : everybody may */
    double bookmark_s;   /* between bookmarks */
    bool has_watch_list; /* sendInitialEvents is supported */
    double clock_offset_s;
    struct snapshot *snapshots; /* what continue tokens point into (read.c) */
    long snapshot_number;
    uint64_t random;
    struct control *control; /* the commands on standard input; NULL: none are read */
    json_t *printed;         /* --print-table: last row by object */
    char *print_table;
    long ledgers_seen, ledgers_bad; /* statuses of JobGoodputs that were written; those whose identities did not hold */
    char ledger_why[320];           /* of the first */
};

/* What a request is about; strings are empty where they do not apply. */
struct target {
    char group[128], version[64], ns[128], plural[128], name[256], subresource[64];
    char verb[24]; /* get list watch create update patch apply delete deletecollection log, else "" */
    struct resource *type;
};

enum format { FORMAT_JSON, FORMAT_TABLE, FORMAT_PARTIAL };

/* review.c: who bears a token. */
void review_token(struct conn *c);
void review_access(struct conn *c);

/* api.c: one request, its body complete. */
void api_handle(struct conn *c);
void api_serve(struct conn *c, struct target *t); /* after authentication and faults */
void api_status(struct conn *c, int code, const char *reason, const struct target *t, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
json_t *api_make_status(int code, const char *reason, const struct target *t, const char *message);
void api_reply_json(struct conn *c, int status, const json_t *value);
void api_reply_object(struct conn *c, const struct target *t, int status, const json_t *stored);
enum format api_format(const struct conn *c);

/* read.c */
void read_get(struct conn *c, struct target *t);
void read_list(struct conn *c, struct target *t);
void read_forget_snapshots(struct srv *s); /* continue tokens expire */
bool read_is_selected(const struct conn *c, const json_t *object);
/* write.c */
void write_create(struct conn *c, struct target *t);
void write_update(struct conn *c, struct target *t);
void write_patch(struct conn *c, struct target *t);
void write_delete(struct conn *c, struct target *t);
void write_delete_collection(struct conn *c, struct target *t);
/* discovery.c and openapi.c; false if the path is not theirs */
bool discovery_serve(struct conn *c);
bool openapi_serve(struct conn *c);
/* watch.c */
void watch_start(struct conn *c, struct target *t);
void watch_change(void *srv, const struct change *change);
void watch_bookmark_all(struct srv *s);
void watch_error_all(struct srv *s, const char *plural, int code, const char *reason);
/* podlog.c */
void podlog_serve(struct conn *c, struct target *t);
/* table.c */
json_t *table_begin(const struct resource *t, const char *version, const char *rv);
void table_row(json_t *table, const struct resource *t, const json_t *object, const char *include, int64_t now_ms);
json_t *table_partial(const json_t *object);
/* print.c */
void print_change(struct srv *s, const struct change *change);
/* ledger.c: the identities of a JobGoodput's status; -1 and the one that does not hold */
int ledger_check(const json_t *object, char why[static 200]);
void ledger_look(struct srv *s, const json_t *object); /* one that is being written */
/* convert.c: between the stored form and other versions and groups of a kind; in place. */
bool convert_is_identity(const struct resource *t, const char *group, const char *version);
void convert_out(const struct resource *t, const char *group, const char *version, json_t *object);
void convert_in(const struct resource *t, json_t *object);
/* objects.c: what the server itself fills in. */
int64_t srv_now_us(const struct srv *s);
const char *srv_now_text(const struct srv *s, char out[static 40], int digits);
void srv_uid(struct srv *s, char out[static 37]);
void srv_suffix(struct srv *s, char *out, int length); /* random characters as generateName uses them */
/* Creates or replaces from the scenario: no validation, status and spec alike, namespaces made as needed. */
struct object *srv_apply(struct srv *s, json_t *object, char why[static 200]);
/* Stores a change of an existing object: managedFields by `manager`, generation if the spec changed. NULL: no change.
 */
struct object *srv_change(struct srv *s, struct object *o, json_t *after, const char *manager, const char *subresource);
void srv_delete(struct srv *s, struct object *o);

#endif
