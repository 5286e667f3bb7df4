/* protobuf_reply: a list or a watch that the API server answers in protobuf, as the JSON that list.h and lines.h read,
 * with the fields that a table names. Bytes come in any pieces; at most one object is held. Sources: kubernetes.io
 * "Kubernetes API Concepts", section "Protobuf encoding"; k8s.io/apimachinery runtime and meta/v1 generated.proto. */
#ifndef KUBE_PROTOBUF_REPLY_H
#define KUBE_PROTOBUF_REPLY_H

#include "base/protobuf.h"

enum kube_protobuf_level { KUBE_PROTOBUF_MAGIC, KUBE_PROTOBUF_ENVELOPE, KUBE_PROTOBUF_LIST };

/* What is read of the object of that UID. */
typedef const struct protobuf_message *kube_protobuf_choice(void *context, struct slice uid);

struct kube_protobuf {
    const struct protobuf_message *object; /* of what kind the resource is */
    kube_protobuf_choice *choose;          /* set after kube_protobuf_init; NULL: `object` of each */
    void *choice_context;
    struct buf part; /* of a message that has not ended, from earlier bytes */
    struct buf json; /* of one message */
    uint64_t skip_bytes;
    int left_out; /* messages larger than KUBE_OBJECT_MAX_BYTES */
    /* Of a list. */
    enum kube_protobuf_level level;
    uint64_t list_bytes; /* what is left of the list, without the field that is being read */
    uint32_t number;     /* of that field, if it is kept: of field_bytes in all */
    size_t field_bytes;
    bool has_items; /* the array of items is open */
};

/* JSON as it would have come, in pieces; a negative return ends it and is returned. */
typedef int kube_protobuf_sink(void *context, struct slice json);

/* The header Accept by which the server may choose; whether it chose this, by its Content-Type. */
#define KUBE_PROTOBUF_ACCEPT "application/vnd.kubernetes.protobuf, application/json"
bool kube_protobuf_is(const char *content_type);

void kube_protobuf_init(struct kube_protobuf *p, const struct protobuf_message *object);
void kube_protobuf_done(struct kube_protobuf *p);
void kube_protobuf_clear(struct kube_protobuf *p); /* for the next reply */
/* 0, -EBADMSG, or what the sink returned. */
int kube_protobuf_feed_watch(struct kube_protobuf *p, struct slice bytes, kube_protobuf_sink *sink, void *context);
int kube_protobuf_feed_list(struct kube_protobuf *p, struct slice bytes, kube_protobuf_sink *sink, void *context);
/* True in the middle of a message. */
bool kube_protobuf_is_partial(const struct kube_protobuf *p);
/* A body that is one object, such as a Status; empty if it is malformed. Borrowed until the next call. */
struct slice kube_protobuf_one(struct kube_protobuf *p, struct slice body);

#endif
