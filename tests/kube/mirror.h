/* mirror: what a reflector has reported, as a line of words: "+a" added, "~a" modified, "-a" deleted, "?a"
 * vanished, "|" synced, "absent", "served", "!" trouble, "." trouble over; and the objects that exist by it. */
#ifndef TESTS_KUBE_MIRROR_H
#define TESTS_KUBE_MIRROR_H

#include "base/buf.h"
#include "base/map.h"
#include "kube/reflector.h"

struct mirror {
    struct kube_reflector *reflector;
    struct buf words;
    struct map versions; /* name -> resourceVersion, of what exists */
    struct map shown;    /* "name@version" -> how often */
    int repeats;         /* events whose name and version were shown before */
    int synced, events;
    char trouble[512];
    bool wants_end;    /* free the reflector in the next event */
    int misunderstood; /* objects that were no JSON to their end; only if it reads them */
};

void mirror_start(struct mirror *m, struct kube_client *client, const char *path, struct kube_reflector_options o);
/* The same, and it reads every object to its end by itself. */
void mirror_start_reading(struct mirror *m, struct kube_client *client, const char *path,
                          struct kube_reflector_options o);
void mirror_stop(struct mirror *m);
/* Runs the loop until the words hold the text (or 20 s have passed: false). */
bool mirror_wait(struct mirror *m, struct loop *loop, const char *words);
bool mirror_wait_synced(struct mirror *m, struct loop *loop, int times);
/* The names that exist by it, sorted: "a b c". Borrowed until the next call. */
const char *mirror_names(struct mirror *m);

#endif
