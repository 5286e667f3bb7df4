/* frame: what a line of a watch, or an item of a list, says: its type and whose object it is. One pass over the bytes;
 * malformed JSON anywhere in it is found here, before anybody acts on a part of it; unless that is left to the reader
 * of the object, who goes over the same bytes. */
#ifndef KUBE_FRAME_H
#define KUBE_FRAME_H

#include "kube/reflector.h"

enum kube_frame_kind { KUBE_FRAME_EVENT, KUBE_FRAME_BOOKMARK, KUBE_FRAME_ERROR };

struct kube_frame {
    enum kube_frame_kind kind;
    struct kube_event event; /* all slices borrow from the line; of a bookmark: resource_version */
    bool is_initial_end;     /* bookmark: the streaming list is complete */
    int code;                /* error: of its Status, as are these */
    char reason[64], message[512];
};

/* 0 or -EBADMSG. */
int kube_frame_parse(struct slice line, struct kube_frame *ret);
/* An item of a list: as an ADDED. */
int kube_frame_parse_item(struct slice object, struct kube_frame *ret);
/* The same, of which an object is read until it is clear whose it is, if that comes first as in all that an API server
 * writes; the object is then what is left but the closing bracket of the line, and may be malformed. */
int kube_frame_glance(struct slice line, struct kube_frame *ret);
int kube_frame_glance_item(struct slice object, struct kube_frame *ret);

#endif
