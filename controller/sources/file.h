/* file: follows a file, or all files of a folder, on a mounted volume (GCS FUSE, NFS, any): text or JSON lines,
 * growing, rotated by renaming (path.1, path-20261121, ...) or by truncation, or one file after the other in a folder.
 *
 * Files are looked at once a second by polling (neither NFS nor FUSE reports changes), off the loop (io/work.h),
 * since they may hang. A file is known again by what it begins with, not by name or inode: names move when it is
 * rotated, and GCS FUSE makes inodes up at each mount.
 *
 * Confinement: of root/folder/path each component is opened by itself, below the one before, and none may be a symbolic
 * link, "..", or anything but a folder and at the end a regular file; so nothing outside root/folder is ever read,
 * whatever is renamed meanwhile. (Who may write to the folder may hard-link into it what it can read anyway.) */
#ifndef SOURCES_FILE_H
#define SOURCES_FILE_H

#include "io/work.h"
#include "sources/source.h"

struct source_file_options {
    const char *root;    /* of the controller's configuration: trusted */
    const char *folder;  /* below it: the tenant's; one component */
    const char *path;    /* below that: from a spec */
    const char *absent;  /* what to say while it is not there; NULL: which file it is */
    struct slice cursor; /* empty: from the begin */
    int64_t since_ms;    /* files that were last written before it are not looked at */
    int64_t poll_us;     /* 0: a second */
};

struct source *source_file_new(struct loop *loop, struct work_pool *pool, const struct source_file_options *options,
                               const struct source_handler *handler);

/* Why a path cannot be one below a folder (absolute, "..", empty components, control characters); NULL: it can. */
const char *source_file_path_error(const char *path);

#endif
