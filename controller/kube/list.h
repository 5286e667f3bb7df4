/* list: reads a page of a list ({"metadata":{...},"items":[...]}) as its bytes come, and hands on one item at a time:
 * never the whole page. The keys may come in any order (built-in kinds put items last, custom resources put them
 * before metadata). Items are cut out by their brackets; whoever takes one checks it. */
#ifndef KUBE_LIST_H
#define KUBE_LIST_H

#include "base/buf.h"
#include "base/error.h"

#define KUBE_OBJECT_MAX_BYTES ((size_t)4 << 20) /* etcd holds 1.5 MB; larger ones are left out */

struct kube_list {
    int depth;
    bool in_string, is_escaped;
    bool wants_key; /* at depth 1: the next string is a key */
    char key[16];   /* of the member at depth 1; longer ones are cut */
    size_t key_size;
    bool in_items, is_done;
    bool is_collecting, is_metadata;
    struct buf part; /* of what is being collected, from earlier bytes */
    char resource_version[128];
    char *continue_token; /* "" when this was the last page */
    int left_out;         /* items larger than the maximum */
};

typedef int kube_list_item(void *context, struct slice object);

void kube_list_init(struct kube_list *l);
void kube_list_done(struct kube_list *l);
void kube_list_clear(struct kube_list *l); /* for the next page */
/* A negative return of item ends it and is returned; -EBADMSG: not a list. */
int kube_list_feed(struct kube_list *l, struct slice bytes, kube_list_item *item, void *context);
/* True if the page was whole: only then are resource_version and continue_token to be believed. */
bool kube_list_is_whole(const struct kube_list *l);

#endif
