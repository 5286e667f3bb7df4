#include "kube/known.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

void kube_known_init(struct kube_known *k) {
    *k = (struct kube_known){0};
    map_init(&k->by_name, free);
}

void kube_known_done(struct kube_known *k) {
    map_done(&k->by_name);
}

/* Names are at most 253 bytes each; what is longer comes from no Kubernetes. */
struct key {
    char text[1024];
    struct slice slice;
};

static void make_key(struct key *key, struct slice namespace_, struct slice name) {
    size_t a = namespace_.size_bytes < 500 ? namespace_.size_bytes : 500;
    size_t b = name.size_bytes < 500 ? name.size_bytes : 500;
    if (a > 0)
        memcpy(key->text, namespace_.data, a);
    key->text[a] = '/';
    if (b > 0)
        memcpy(key->text + a + 1, name.data, b);
    key->slice = (struct slice){key->text, a + 1 + b};
}

struct kube_known_entry *kube_known_get(const struct kube_known *k, struct slice namespace_, struct slice name) {
    struct key key;
    make_key(&key, namespace_, name);
    return map_get(&k->by_name, key.slice);
}

void kube_known_again(const struct kube_known *k, struct kube_known_entry *entry, struct slice resource_version) {
    entry->generation = k->generation;
    entry->version_hash = hash_local(0, resource_version);
}

void kube_known_put(struct kube_known *k, struct slice namespace_, struct slice name, struct slice uid,
                    struct slice resource_version) {
    struct key key;
    make_key(&key, namespace_, name);
    struct kube_known_entry *entry = mem_alloc(sizeof *entry + uid.size_bytes + 1 + key.slice.size_bytes + 1);
    char *text = entry->uid + uid.size_bytes + 1;
    slice_copy(entry->uid, uid.size_bytes + 1, uid);
    slice_copy(text, key.slice.size_bytes + 1, key.slice);
    map_put_borrowed(&k->by_name, (struct slice){text, key.slice.size_bytes}, entry);
    kube_known_again(k, entry, resource_version);
}

void kube_known_remove(struct kube_known *k, struct slice namespace_, struct slice name) {
    struct key key;
    make_key(&key, namespace_, name);
    map_remove(&k->by_name, key.slice);
}

bool kube_known_take_stale(struct kube_known *k, bool is_all, size_t *cursor, char **key,
                           struct kube_known_entry **entry) {
    for (; *cursor < k->by_name.count; (*cursor)++) {
        const struct kube_known_entry *value = map_at(&k->by_name, *cursor);
        if (!is_all && value->generation == k->generation)
            continue;
        *key = slice_dup(map_key_at(&k->by_name, *cursor));
        *entry = map_take(&k->by_name, slice_of(*key)); /* the last entry moves into the gap: look here again */
        return true;
    }
    return false;
}
