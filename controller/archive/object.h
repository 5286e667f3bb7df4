/* object: where an archive has what: names of its objects and folders.
 *
 *   DIR/cluster=C/date=YYYY-MM-DD/namespace=N/NAME_UID_TARGET_SEQUENCE.jsonl.gz    objects, which never change
 *   DIR/cluster=C/.open/namespace=N/NAME_UID_TARGET_SEQUENCE.jsonl.gz              objects that still grow
 *   DIR/cluster=C/date=YYYY-MM-DD/fleet=NAME/SERIES_FROM.sums                      a FleetGoodput's sums of a day
 *
 * date: the UTC day at which the object's time ends. UID: of the JobGoodput; TARGET: of its target. SEQUENCE: at least
 * six digits; it starts at the Unix time in seconds and counts on, so that a folder whose complete objects were moved
 * away, or that was lost, gives no name twice. Bytes other than letters, digits, '.' and '-' are %XX, and in the
 * cluster's name '_' stays. */
#ifndef ARCHIVE_OBJECT_H
#define ARCHIVE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCHIVE_SUFFIX ".jsonl.gz"
#define ARCHIVE_FLEET_SUFFIX ".sums" /* no query of the jobs reads them */
#define ARCHIVE_MAX_SEQUENCE INT64_C(9999999999)
#define ARCHIVE_OBJECT_SIZE 256 /* of a file's name */

struct archive_key { /* one job's count; texts are borrowed */
    const char *cluster, *namespace_, *name, *uid, *target_uid;
    int64_t now_s; /* the Unix time: the least sequence of an object that continues none */
};

/* The names, up to the sequence: "NAME_UID_TARGET_". Long ones are cut. */
void archive_object_prefix(char out[static ARCHIVE_OBJECT_SIZE], const struct archive_key *key);
/* The same as far as the job's name: "NAME_". */
void archive_object_name_prefix(char out[static ARCHIVE_OBJECT_SIZE], const char *name);
void archive_object_file(char out[static ARCHIVE_OBJECT_SIZE], const struct archive_key *key, int64_t sequence);
/* The sequence of a file's name; -1: it is not such a name, or has another prefix. */
int64_t archive_object_sequence(const char *file, const char *prefix);

/* The names in a file's name. Long ones were cut: a key of them has the same objects. */
struct archive_names {
    char name[ARCHIVE_OBJECT_SIZE], uid[ARCHIVE_OBJECT_SIZE], target_uid[ARCHIVE_OBJECT_SIZE];
};
bool archive_object_parse(const char *file, struct archive_names *ret);

/* Of a FleetGoodput's sums from from_ms to until_ms, below DIR; series: they belong together. Heap. */
char *archive_fleet_key(const char *cluster, const char *name, uint64_t series, int64_t from_ms, int64_t until_ms);

char *archive_cluster_folder(const char *root, const char *cluster); /* heap, and so on */
char *archive_open_folder(const char *root, const struct archive_key *key);
char *archive_date_folder(const char *root, const struct archive_key *key, const char *date);
/* The folder's part of a path: "namespace=N". */
void archive_namespace_part(char out[static ARCHIVE_OBJECT_SIZE], const char *namespace_);
bool archive_namespace_parse(const char *part, char ret[static ARCHIVE_OBJECT_SIZE]);

#endif
