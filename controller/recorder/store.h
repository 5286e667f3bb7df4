/* store: entries on a volume: ROOT/NAMESPACE/JOB/00000001.jsonl, ... a line each, only ever appended to, so that
 * sources/file.h can follow a job's folder. What was appended is on the disk when the call returns. A job's oldest file
 * is dropped when it holds more than it may; a namespace that is full is refused.
 *
 * Everything blocks: only one thread of io/work calls it at once. */
#ifndef RECORDER_STORE_H
#define RECORDER_STORE_H

#include "base/buf.h"
#include "base/error.h"

struct store;

struct store_limits {
    int64_t file_bytes, job_bytes, namespace_bytes;
    int max_jobs;   /* of a namespace */
    int64_t keep_s; /* a job that nobody wrote to for so long is dropped */
};
extern const struct store_limits store_default_limits;

/* root: an existing folder. */
struct store *store_new(const char *root, const struct store_limits *limits);
void store_free(struct store *store);
const char *store_root(const struct store *store);

/* The folder of a job: its name, where that can be a file's; other bytes as %XX. False: it is too long, or empty. */
#define STORE_NAME_SIZE 256
bool store_folder(char folder[static STORE_NAME_SIZE], struct slice job);

/* lines: whole ones. -EDQUOT: the namespace is full; -EINVAL: the name; -EIO: the volume refuses. Nothing was kept
 * then. */
int store_append(struct store *store, const char *namespace_, struct slice job, struct slice lines, int64_t now_s,
                 struct error **err);

#endif
