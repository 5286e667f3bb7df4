/* reflector: keeps up with one resource: list, then watch forever: streaming lists (sendInitialEvents) where the
 * server has them, paged lists elsewhere; bookmarks; 410 and expired ERROR events; resume from the last
 * resourceVersion; back-off with jitter; a silence watchdog. A resource whose CRD is absent is not an error: the
 * reflector reports `absent`, asks again now and then, and resumes when it appears. Objects are handed on one by one as
 * bytes; the reflector keeps none, only (for what may vanish during a gap) a hash set of the identities it has shown.
 * Source of the rules: client-go tools/cache/reflector.go; KEP-3157. */
#ifndef KUBE_REFLECTOR_H
#define KUBE_REFLECTOR_H

#include "base/protobuf.h"
#include "kube/client.h"

struct kube_reflector;

enum kube_event_type {
    KUBE_ADDED, /* also every object of a list: it may be known already */
    KUBE_MODIFIED,
    KUBE_DELETED, /* object: its last state */
    KUBE_VANISHED /* deleted while unobserved: no object, only the identity */
};

struct kube_event {
    enum kube_event_type type;
    struct slice object; /* JSON; empty for VANISHED */
    struct slice namespace_, name, uid, resource_version;
    struct wall_time received;
};

struct kube_reflector_options {
    const char *path;           /* "/api/v1/pods" or ".../namespaces/x/pods" */
    const char *label_selector; /* NULL: none */
    const char *field_selector;
    const struct protobuf_message *message; /* what is read of an object that comes in protobuf; NULL: asks for JSON */
    int page_size;                          /* 0: 500 */
    /* for tests: 0 = the defaults (800 ms, 5 s, 180 s, 300 s) */
    int64_t backoff_min_us, backoff_max_us, silence_us, absent_retry_us;
    bool no_streaming_list;
    bool is_busy; /* as in io/http.h */
};

struct kube_reflector_handler {
    void (*on_event)(void *context, const struct kube_event *event);
    /* The store is whole as of now (after the first list, and after each relist). */
    void (*on_synced)(void *context);
    /* The resource is (not) served; called on change only. While absent it counts as synced. */
    void (*on_absent)(void *context, bool is_absent);
    /* Trouble that lasts: forbidden, unreachable. NULL text: it is over. May be NULL. */
    void (*on_trouble)(void *context, const char *text);
    void *context;
    /* Instead of on_event, for one who reads every object to its end: it is handed on as soon as it is clear whose it
     * is, so that its bytes are read once. Negative: not understood, and only then looked through here: malformed
     * JSON is asked for again, everything else is passed over. */
    int (*on_object)(void *context, const struct kube_event *event);
    /* What is read of the object of that UID that came in protobuf, just before it is handed on: less than
     * options.message of one that is known. May be NULL. */
    const struct protobuf_message *(*message_of)(void *context, struct slice uid);
};

struct kube_reflector *kube_reflector_new(struct kube_client *client, const struct kube_reflector_options *options,
                                          const struct kube_reflector_handler *handler);
void kube_reflector_free(struct kube_reflector *r); /* stops; no callback follows */
/* The server answers again, as another reflector found out: what waits after a failure is tried now. */
void kube_reflector_hurry(struct kube_reflector *r);
bool kube_reflector_is_synced(const struct kube_reflector *r);
/* How long the watch has been open at least: it would have reported anything that happened before by now, if the
 * server is at work (kube_client_heard_us). (One that was resumed: at least two seconds.) */
bool kube_reflector_is_current(const struct kube_reflector *r, int64_t for_us);
/* In trouble because the last answer was 403: it may not be read, while others may. */
bool kube_reflector_is_refused(const struct kube_reflector *r);
/* How the last reply was encoded: in protobuf, or in JSON. */
bool kube_reflector_is_protobuf(const struct kube_reflector *r);
/* The resourceVersion up to which every change was handed on; "" while a list is read. */
const char *kube_reflector_version(const struct kube_reflector *r);
/* The last time up to which the server is known to have sent everything (event, bookmark or sync). */
struct wall_time kube_reflector_watermark(const struct kube_reflector *r);

#endif
