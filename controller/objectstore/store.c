#include "objectstore/store.h"

#include "aws/keys.h"
#include "aws/sigv4.h"
#include "base/mem.h"
#include "gcp/tokens.h"
#include "io/http_call.h"
#include "objectstore/gcs.h"
#include "objectstore/s3.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define TIMEOUT_US INT64_C(300000000)
#define MAX_ERROR_BYTES ((size_t)64 << 10)
#define GOOGLE "https://storage.googleapis.com"

struct object_store {
    struct loop *loop;
    struct http_client *http;
    struct object_place place;
    char *ca_file;
    struct aws_keys *keys;     /* of S3 */
    struct gcp_tokens *tokens; /* else */
};

struct object_call {
    struct object_store *store;
    char *key;
    bool is_put, was_renewed;
    struct slice body;
    char content_hash[SIGV4_HASH_SIZE];
    size_t max_bytes;
    struct aws_keys_waiter aws;
    struct gcp_token_waiter gcp;
    struct http_call *call;
    object_done *done;
    void *context;
};

/* ---- the place ---- */

bool object_store_is_url(const char *text) {
    return strstr(text, "://") != NULL;
}

static const char *first_of(const char *given, const char *variable, const char *other) {
    const char *value = given != NULL ? given : getenv(variable);
    return value != NULL && value[0] != '\0' ? value : other;
}

/* Names of buckets as both stores have them: they go into hosts and paths as they are. */
static bool is_bucket(struct slice name) {
    for (size_t i = 0; i < name.size_bytes; i++)
        if (!isalnum((unsigned char)name.data[i]) && strchr(".-_", name.data[i]) == NULL)
            return false;
    return name.size_bytes >= 3 && name.size_bytes <= 222;
}

/* HTTP clients and servers resolve "." and ".." in a path, each in its own way. */
static bool has_dot_segment(struct slice path) {
    struct slice segment;
    while (slice_take_until(&path, '/', &segment))
        if (slice_is(segment, ".") || slice_is(segment, ".."))
            return true;
    return slice_is(path, ".") || slice_is(path, "..");
}

static void set_s3_endpoint(struct object_place *place, const char *endpoint, const char *region) {
    place->region = mem_strdup(first_of(region, "AWS_REGION", first_of(NULL, "AWS_DEFAULT_REGION", "us-east-1")));
    endpoint = first_of(endpoint, "AWS_ENDPOINT_URL_S3", first_of(NULL, "AWS_ENDPOINT_URL", NULL));
    const char *suffix = slice_starts(slice_of(place->region), "cn-") ? ".cn" : "";
    /* A certificate of *.s3 does not cover the dots of a bucket's name. */
    place->has_own_host = endpoint == NULL && strchr(place->bucket, '.') == NULL;
    place->endpoint = endpoint != NULL
                          ? mem_strdup(endpoint)
                          : mem_format("https://%s%ss3.%s.amazonaws.com%s", place->has_own_host ? place->bucket : "",
                                       place->has_own_host ? "." : "", place->region, suffix);
}

static int set_place(struct object_place *place, const struct object_store_options *o, bool *is_s3,
                     struct error **err) {
    struct slice rest = slice_of(o->url), bucket;
    *is_s3 = slice_take_prefix(&rest, "s3://");
    if (!*is_s3 && !slice_take_prefix(&rest, "gs://"))
        return error_set(err, EINVAL, "%s: a store is s3://BUCKET/PREFIX or gs://BUCKET/PREFIX", o->url);
    if (!slice_take_until(&rest, '/', &bucket)) {
        bucket = rest;
        rest = (struct slice){"", 0};
    }
    if (!is_bucket(bucket))
        return error_set(err, EINVAL, "%s: \"%.*s\" is not the name of a bucket", o->url, SLICE_ARG(bucket));
    if (has_dot_segment(rest))
        return error_set(err, EINVAL, "%s: a prefix has no \".\" and no \"..\" between its slashes: write it without",
                         o->url);
    while (slice_ends(rest, "/"))
        rest.size_bytes--;
    place->url = mem_strdup(o->url);
    place->bucket = slice_dup(bucket);
    place->prefix = mem_format("%.*s%s", SLICE_ARG(rest), rest.size_bytes > 0 ? "/" : "");
    if (*is_s3)
        set_s3_endpoint(place, o->endpoint, o->region);
    else
        place->endpoint = mem_strdup(o->endpoint != NULL ? o->endpoint : GOOGLE);
    while (slice_ends(slice_of(place->endpoint), "/"))
        place->endpoint[strlen(place->endpoint) - 1] = '\0';
    struct slice host = slice_of(place->endpoint);
    if ((!slice_take_prefix(&host, "https://") && !slice_take_prefix(&host, "http://")) || host.size_bytes == 0 ||
        slice_find_char(host, '/') != NULL)
        return error_set(err, EINVAL, "the archive's endpoint \"%s\" is not https://HOST", place->endpoint);
    return 0;
}

struct object_store *object_store_new(struct loop *loop, const struct object_store_options *options,
                                      struct error **err) {
    struct object_store *s = mem_new(struct object_store);
    bool is_s3;
    *s = (struct object_store){.loop = loop, .ca_file = mem_strdup(options->ca_file)};
    if (set_place(&s->place, options, &is_s3, err) < 0) {
        object_store_free(s);
        return NULL;
    }
    s->http = http_client_new(loop);
    if (is_s3)
        s->keys = aws_keys_new(loop, s->http, s->place.region, options->ca_file);
    else
        s->tokens = gcp_tokens_new(loop, s->http, options->google_credentials);
    return s;
}

void object_store_free(struct object_store *s) {
    if (s == NULL)
        return;
    aws_keys_free(s->keys);
    gcp_tokens_free(s->tokens);
    http_client_free(s->http);
    free(s->place.url);
    free(s->place.bucket);
    free(s->place.prefix);
    free(s->place.endpoint);
    free(s->place.region);
    free(s->ca_file);
    free(s);
}

const char *object_store_url(const struct object_store *store) {
    return store->place.url;
}

/* ---- a call ---- */

static void begin(struct object_call *c);

static void call_free(struct object_call *c) {
    free(c->key);
    free(c);
}

static void finish(struct object_call *c, enum object_outcome outcome, struct slice body, int64_t retry_after_us,
                   const struct error *err) {
    c->done(c->context, outcome, body, retry_after_us, err);
    call_free(c);
}

static bool explain(const struct object_call *c, const struct http_reply *reply, struct slice body,
                    struct error **err) {
    const struct object_store *s = c->store;
    return s->keys != NULL
               ? s3_explain(&s->place, reply->status, body, loop_wall(s->loop).us / 1000000, reply->date_s, err)
               : gcs_explain(&s->place, reply->status, body, err);
}

static void on_reply(void *context, const struct http_reply *reply, struct slice body, const struct error *err) {
    struct object_call *c = context;
    struct object_store *s = c->store;
    CLEANUP_ERROR struct error *mine = NULL;
    const int status = reply->status;
    const int64_t retry_after_us = reply->retry_after_us;
    c->call = NULL;
    if (err != NULL) {
        error_set(&mine, err->code, "%s: %s%s", s->place.url, error_text(err),
                  err->code == EPROTO
                      ? ": give the CA of the store's certificate by --archive-ca, and the name that is "
                        "in the certificate by --archive-endpoint"
                      : "");
        finish(c, OBJECT_FAILED, (struct slice){"", 0}, retry_after_us, mine);
    } else if (status >= 200 && status < 300) {
        finish(c, OBJECT_DONE, body, retry_after_us, NULL);
    } else if (status == 412 && c->is_put) {
        finish(c, OBJECT_EXISTS, (struct slice){"", 0}, retry_after_us, NULL);
    } else if (explain(c, reply, body, &mine) && !c->was_renewed) {
        c->was_renewed = true;
        if (s->keys != NULL)
            aws_keys_refused(s->keys);
        else
            gcp_tokens_refused(s->tokens);
        begin(c);
    } else {
        finish(c, OBJECT_FAILED, (struct slice){"", 0}, retry_after_us, mine);
    }
}

static void send(struct object_call *c, struct object_request *made) {
    struct http_call_request request = {.method = made->method,
                                        .url = made->url,
                                        .headers = (const char *const *)made->headers,
                                        .body = c->body,
                                        .ca_file = c->store->ca_file,
                                        .max_bytes = c->max_bytes,
                                        .timeout_us = TIMEOUT_US};
    c->call = http_call_start(c->store->http, &request, on_reply, c);
    object_request_done(made);
}

static void on_keys(void *context, const struct aws_credentials *credentials, const struct error *err) {
    struct object_call *c = context;
    struct object_request made;
    if (credentials == NULL) {
        finish(c, OBJECT_FAILED, (struct slice){"", 0}, -1, err);
        return;
    }
    s3_request(&c->store->place, c->key, c->is_put ? c->content_hash : NULL, credentials,
               loop_wall(c->store->loop).us / 1000000, &made);
    send(c, &made);
}

static void on_token(void *context, const char *token, const struct error *err) {
    struct object_call *c = context;
    struct object_request made;
    if (token == NULL) {
        finish(c, OBJECT_FAILED, (struct slice){"", 0}, -1, err);
        return;
    }
    gcs_request(&c->store->place, c->key, c->is_put, token, &made);
    send(c, &made);
}

static void begin(struct object_call *c) {
    c->aws = (struct aws_keys_waiter){.done = on_keys, .context = c};
    c->gcp = (struct gcp_token_waiter){.done = on_token, .context = c};
    if (c->store->keys != NULL)
        aws_keys_get(c->store->keys, &c->aws);
    else
        gcp_tokens_get(c->store->tokens, &c->gcp);
}

static void begin_later(void *context) {
    begin(context);
}

static struct object_call *call_new(struct object_store *store, const char *key, object_done *done, void *context) {
    struct object_call *c = mem_new(struct object_call);
    *c = (struct object_call){
        .store = store, .key = mem_format("%s%s", store->place.prefix, key), .done = done, .context = context};
    loop_defer(store->loop, begin_later, c); /* done is never called from within object_put and object_get */
    return c;
}

struct object_call *object_put(struct object_store *store, const char *key, struct slice body, const char *content_hash,
                               object_done *done, void *context) {
    struct object_call *c = call_new(store, key, done, context);
    c->is_put = true;
    c->body = body;
    c->max_bytes = MAX_ERROR_BYTES;
    slice_copy(c->content_hash, sizeof c->content_hash, slice_of(content_hash));
    return c;
}

struct object_call *object_get(struct object_store *store, const char *key, size_t max_bytes, object_done *done,
                               void *context) {
    struct object_call *c = call_new(store, key, done, context);
    c->max_bytes = max_bytes > MAX_ERROR_BYTES ? max_bytes : MAX_ERROR_BYTES;
    return c;
}

void object_call_cancel(struct object_call *c) {
    if (c == NULL)
        return;
    loop_defer_cancel(c->store->loop, begin_later, c);
    if (c->store->keys != NULL)
        aws_keys_forget(c->store->keys, &c->aws);
    else
        gcp_tokens_forget(c->store->tokens, &c->gcp);
    http_call_cancel(c->call);
    call_free(c);
}
