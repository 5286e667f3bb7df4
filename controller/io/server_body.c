/* A request with a body: its headers first, then whether it may be sent (server_admit), then the body. */
#include "base/mem.h"
#include "io/server_internal.h"

enum {
    UNADMITTED_MAX_BYTES = 65536,
    DROPPED_BODY_MAX_BYTES = 64 << 20, /* a longer one ends the connection */
};

/* A refused body is read and dropped before the answer: in a reply it would be read as the next request. */
static int refuse_body(struct incoming *in, int status, const char *text) {
    in->refusal_status = status;
    in->refusal = mem_strdup(text);
    buf_done(&in->body);
    return 0;
}

static struct server_request request_of(struct server_exchange *x, char peer[static PEER_SIZE]) {
    return (struct server_request){.exchange = x,
                                   .query = slice_of(x->incoming->query),
                                   .authorization = slice_of(x->incoming->authorization),
                                   .peer = server_peer(x->wsi, peer)};
}

static int ask_for_admission(const struct server *s, struct server_exchange *x, size_t bytes) {
    struct incoming *in = x->incoming;
    char peer[PEER_SIZE];
    const struct server_request request = request_of(x, peer);
    struct server_ticket *ticket = x->admission = mem_new(struct server_ticket);
    ticket->exchange = x;
    in->is_asking = in->is_waiting = true;
    s->admit(in->endpoint->context, &request, bytes, ticket);
    in->is_asking = false;
    return in->is_waiting ? lws_rx_flow_control(x->wsi, 0) : 0;
}

/* Negative: the connection ends. */
int server_body_expect(const struct server *s, struct server_exchange *x, const struct server_endpoint *endpoint) {
    char query[HEADER_MAX_BYTES], authorization[AUTHORIZATION_MAX_BYTES], length[32];
    struct slice length_text = server_header(x->wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, length, sizeof length);
    struct incoming *in = x->incoming = mem_new(struct incoming);
    int64_t bytes = 0;
    bool has_length = slice_take_uint(&length_text, &bytes) && length_text.size_bytes == 0;
    in->endpoint = endpoint;
    in->is_empty = !has_length || bytes == 0;
    in->left_bytes = (size_t)bytes;
    connection_enter(lws_get_opaque_user_data(x->wsi), CONNECTION_RECEIVES);
    if (!has_length)
        return refuse_body(in, 411, "Content-Length required\n");
    if ((uint64_t)bytes > DROPPED_BODY_MAX_BYTES)
        return -1;
    if (!server_is_host_served(s, x->wsi))
        return refuse_body(in, 403, "served to localhost only: open it by that name\n");
    if (endpoint == NULL)
        return refuse_body(in, 404, "not found\n");
    if ((uint64_t)bytes > s->max_body_bytes)
        return refuse_body(in, 413, "the body is too large\n");
    in->query = slice_dup(server_query(x->wsi, query, sizeof query));
    in->authorization =
        slice_dup(server_header(x->wsi, WSI_TOKEN_HTTP_AUTHORIZATION, authorization, sizeof authorization));
    buf_init(&in->body, (size_t)bytes);
    return s->admit != NULL ? ask_for_admission(s, x, (size_t)bytes) : 0;
}

static void handle_body(struct server_exchange *x, struct server_reply *reply) {
    struct incoming *in = x->incoming;
    char peer[PEER_SIZE];
    struct server_request request = request_of(x, peer);
    request.body = buf_slice(&in->body);
    request.owned_body = &in->body;
    request.admitted = in->admitted;
    in->admitted = NULL;
    x->now = reply;
    in->endpoint->handle(in->endpoint->context, &request, reply);
    x->now = NULL;
}

int server_body_end(struct lws *wsi, struct server_exchange *x) {
    const struct server *s = server_of_connection(wsi);
    struct incoming *in = x->incoming;
    struct server_reply reply = {.status = 200};
    if (in == NULL) /* lws reports the end of an empty body that on_request answered */
        return x->is_over ? -1 : 0;
    if (s == NULL || lws_rx_flow_control(wsi, 0) < 0)
        return -1;
    in->is_complete = true;
    if (in->is_waiting)
        return 0; /* server_admit continues */
    connection_enter(lws_get_opaque_user_data(wsi), CONNECTION_REPLIES);
    buf_init(&reply.body, SERVER_REPLY_MAX_BYTES);
    if (in->refusal != NULL) {
        reply.status = in->refusal_status;
        if (in->refusal[0] == '{')
            reply.content_type = "application/json";
        buf_append_text(&reply.body, in->refusal);
    } else
        handle_body(x, &reply);
    server_incoming_free(x);
    if (x->ticket == NULL)
        return server_start_reply(x, &reply);
    buf_done(&reply.body);
    return 0;
}

void server_admit(struct server_ticket *ticket, const struct server_admission *admission) {
    struct server_exchange *x = ticket->exchange;
    free(ticket);
    if (x == NULL || admission->status != 200)
        if (admission->admitted != NULL)
            admission->drop(admission->admitted);
    if (x == NULL)
        return;
    struct incoming *in = x->incoming;
    struct connection *c = lws_get_opaque_user_data(x->wsi);
    x->admission = NULL;
    in->is_waiting = false;
    c->is_admitted = admission->status == 200;
    if (admission->status == 200) {
        in->admitted = admission->admitted;
        in->drop = admission->drop;
    } else
        refuse_body(in, admission->status, admission->text);
    if (in->is_asking)
        return;
    int r = in->is_complete ? server_body_end(x->wsi, x) : lws_rx_flow_control(x->wsi, 1);
    if (r < 0)
        lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

/* With bytes after the body in the same read, lws 4.3 hands over all of them and never reports the body's end. */
int server_body_part(struct lws *wsi, struct server_exchange *x, struct slice bytes) {
    struct incoming *in = x->incoming;
    if (in == NULL)
        return x->is_over ? -1 : 0;
    bool has_more = bytes.size_bytes > in->left_bytes;
    if (has_more)
        bytes.size_bytes = in->left_bytes;
    in->left_bytes -= bytes.size_bytes;
    /* While nobody has admitted it, only what came in the same read as the headers is here. */
    if (in->is_waiting && in->body.size_bytes + bytes.size_bytes > UNADMITTED_MAX_BYTES)
        return -1;
    if (in->refusal == NULL && buf_append_slice(&in->body, bytes) < 0)
        return -1;
    return has_more ? server_body_end(wsi, x) : 0;
}
