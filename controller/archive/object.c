#include "archive/object.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "base/slice.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What lake engines read as NULL (Apache Hive). */
#define NO_CLUSTER "__HIVE_DEFAULT_PARTITION__"

enum { NAME_MAX_BYTES = 120, UID_MAX_BYTES = 48, MIN_DIGITS = 6 };

static void escape(char *out, size_t size_bytes, const char *text, const char *also) {
    size_t n = 0;
    for (; *text != '\0' && n + 4 < size_bytes; text++) {
        unsigned char c = (unsigned char)*text;
        if ((c < 0x80 && isalnum(c)) || (strchr(also, c) != NULL && (c != '.' || n > 0)))
            out[n++] = (char)c;
        else
            n += (size_t)snprintf(out + n, 4, "%%%02X", c);
    }
    out[n] = '\0';
}

void archive_object_name_prefix(char out[static ARCHIVE_OBJECT_SIZE], const char *name) {
    char text[NAME_MAX_BYTES];
    escape(text, sizeof text, name, ".-");
    snprintf(out, ARCHIVE_OBJECT_SIZE, "%s_", text);
}

void archive_object_prefix(char out[static ARCHIVE_OBJECT_SIZE], const struct archive_key *key) {
    char name[NAME_MAX_BYTES], uid[UID_MAX_BYTES], target[UID_MAX_BYTES];
    escape(name, sizeof name, key->name, ".-");
    escape(uid, sizeof uid, key->uid, ".-");
    escape(target, sizeof target, key->target_uid, ".-");
    snprintf(out, ARCHIVE_OBJECT_SIZE, "%s_%s_%s_", name, uid, target);
}

void archive_object_file(char out[static ARCHIVE_OBJECT_SIZE], const struct archive_key *key, int64_t sequence) {
    archive_object_prefix(out, key);
    size_t n = strlen(out);
    snprintf(out + n, ARCHIVE_OBJECT_SIZE - n, "%06lld%s", (long long)sequence, ARCHIVE_SUFFIX);
}

int64_t archive_object_sequence(const char *file, const char *prefix) {
    struct slice s = slice_of(file);
    int64_t sequence;
    if (!slice_take_prefix(&s, prefix))
        return -1;
    const char *digits = s.data;
    if (!slice_take_uint(&s, &sequence) || s.data - digits < MIN_DIGITS || sequence > ARCHIVE_MAX_SEQUENCE)
        return -1;
    return slice_is(s, ARCHIVE_SUFFIX) ? sequence : -1;
}

/* out has as many bytes as text. */
static void unescape(char *out, struct slice text) {
    while (text.size_bytes > 0) {
        char hex[3] = "";
        if (text.data[0] == '%' && text.size_bytes >= 3)
            memcpy(hex, text.data + 1, 2);
        bool is_escaped = isxdigit((unsigned char)hex[0]) && isxdigit((unsigned char)hex[1]);
        *out++ = is_escaped ? (char)strtoul(hex, NULL, 16) : text.data[0];
        text = slice_skip(text, is_escaped ? 3 : 1);
    }
    *out = '\0';
}

bool archive_object_parse(const char *file, struct archive_names *ret) {
    struct slice rest = slice_of(file), name, uid, target_uid;
    if (rest.size_bytes >= ARCHIVE_OBJECT_SIZE || !slice_take_until(&rest, '_', &name) ||
        !slice_take_until(&rest, '_', &uid) || !slice_take_until(&rest, '_', &target_uid) ||
        archive_object_sequence(rest.data, "") < 0)
        return false;
    unescape(ret->name, name);
    unescape(ret->uid, uid);
    unescape(ret->target_uid, target_uid);
    return true;
}

bool archive_namespace_parse(const char *part, char ret[static ARCHIVE_OBJECT_SIZE]) {
    struct slice rest = slice_of(part);
    if (rest.size_bytes >= ARCHIVE_OBJECT_SIZE || !slice_take_prefix(&rest, "namespace="))
        return false;
    unescape(ret, rest);
    return true;
}

char *archive_cluster_folder(const char *root, const char *cluster) {
    char text[ARCHIVE_OBJECT_SIZE - 8];
    escape(text, sizeof text, cluster, "._-");
    return mem_format("%s/cluster=%s", root, cluster[0] != '\0' ? text : NO_CLUSTER);
}

void archive_namespace_part(char out[static ARCHIVE_OBJECT_SIZE], const char *namespace_) {
    char text[ARCHIVE_OBJECT_SIZE - 10];
    escape(text, sizeof text, namespace_, ".-");
    snprintf(out, ARCHIVE_OBJECT_SIZE, "namespace=%s", text);
}

static char *folder(const char *root, const struct archive_key *key, const char *of, const char *which) {
    char part[ARCHIVE_OBJECT_SIZE];
    CLEANUP_FREE char *cluster = archive_cluster_folder(root, key->cluster);
    archive_namespace_part(part, key->namespace_);
    return mem_format("%s/%s%s/%s", cluster, of, which, part);
}

char *archive_open_folder(const char *root, const struct archive_key *key) {
    return folder(root, key, ".open", "");
}

char *archive_date_folder(const char *root, const struct archive_key *key, const char *date) {
    return folder(root, key, "date=", date);
}

char *archive_fleet_key(const char *cluster, const char *name, uint64_t series, int64_t from_ms, int64_t until_ms) {
    char text[NAME_MAX_BYTES], date[RFC3339_SIZE];
    CLEANUP_FREE char *folder = archive_cluster_folder("", cluster);
    escape(text, sizeof text, name, ".-");
    rfc3339_format_s(date, until_ms - 1);
    return mem_format("%s/date=%.10s/fleet=%s/%016llx_%lld" ARCHIVE_FLEET_SUFFIX, folder + 1, date, text,
                      (unsigned long long)series, (long long)(from_ms / 1000));
}
