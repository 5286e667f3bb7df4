#include "rootcause/classes.h"

const char *rootcause_class_name(enum rootcause_class c) {
    static const char *const names[] = {
#define X(id, name, owner, meaning) name,
        ROOTCAUSE_CLASSES(X)
#undef X
    };
    return names[c];
}

enum rootcause_owner rootcause_class_owner(enum rootcause_class c) {
    static const enum rootcause_owner owners[] = {
#define X(id, name, owner, meaning) OWNER_##owner,
        ROOTCAUSE_CLASSES(X)
#undef X
    };
    return owners[c];
}

const char *rootcause_owner_name(enum rootcause_owner owner) {
    static const char *const names[] = {
#define X(id, name) name,
        ROOTCAUSE_OWNERS(X)
#undef X
    };
    return names[owner];
}

int rootcause_class_find(struct slice name) {
    for (int c = 0; c < CLASS_COUNT; c++)
        if (slice_is(name, rootcause_class_name((enum rootcause_class)c)))
            return c;
    return -1;
}

int rootcause_owner_find(struct slice name) {
    for (int o = 0; o < OWNER_COUNT; o++)
        if (slice_is(name, rootcause_owner_name((enum rootcause_owner)o)))
            return o;
    return -1;
}

bool rootcause_class_blames_node(enum rootcause_class c) {
    return c != CLASS_PREEMPTION && c != CLASS_HOST_OOM;
}

bool rootcause_class_is_of_hardware(enum rootcause_class c) {
    return c == CLASS_GPU_HARDWARE || c == CLASS_TPU_HARDWARE;
}
