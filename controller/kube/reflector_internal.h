/* reflector_internal: the inside of a reflector, for its two halves: reflector.c (which request comes next, and when),
 * and below it reflector_take.c (what comes in, and what is reported). */
#ifndef KUBE_REFLECTOR_INTERNAL_H
#define KUBE_REFLECTOR_INTERNAL_H

#include "kube/backoff.h"
#include "kube/frame.h"
#include "kube/known.h"
#include "kube/lines.h"
#include "kube/list.h"
#include "kube/protobuf_reply.h"
#include "kube/reflector.h"
#include "kube/stream.h"
#include "kube/tally.h"

enum reflector_phase {
    PHASE_STREAM_LIST, /* a watch with sendInitialEvents, before its marker */
    PHASE_PAGED_LIST,
    PHASE_WATCH,
};

struct kube_reflector {
    struct kube_client *client;
    struct loop *loop;
    struct kube_reflector_handler handler;
    char *path, *label_selector, *field_selector;
    const char *accept; /* NULL: JSON alone */
    int page_size;
    int64_t silence_us, absent_retry_us;
    bool is_paged_only, is_busy;

    enum reflector_phase phase;
    struct loop_timer *timer; /* the next try; during a streaming list: the wait for its marker */
    struct kube_backoff backoff;
    struct kube_stream *stream;
    char resource_version[128]; /* where a watch resumes */
    char *continue_token;       /* of the next page; NULL: the first */
    struct kube_known known;
    bool is_synced, is_resumed, is_absent, is_absence_known, in_trouble, is_refused;
    char *trouble;
    bool is_doubted; /* the reader of an object has not understood it */
    struct wall_time watermark;

    /* Of the request under way. */
    int status;
    struct kube_list list;
    struct lines lines;
    struct kube_protobuf protobuf; /* becomes what these two read */
    bool is_protobuf;
    struct buf refusal;                          /* the body of a failure */
    int64_t started_us, opened_us, last_byte_us; /* sent, answered, heard of last */
    int frames;
    struct kube_drip drip;
    int error_code; /* of an ERROR event */
    char *error_text;

    int failures;     /* in a row, without a sign of life */
    int bad_streams;  /* ... of which resuming may be the cause */
    int unauthorized; /* 401 in a row */
    int callback_depth;
    bool is_dead;
};

#endif
