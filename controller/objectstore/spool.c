#include "objectstore/spool.h"

#include "archive/object.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/slice.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed(struct error **err, const char *path) {
    return error_set(err, errno, "%s: %s", path, strerror(errno));
}

/* ---- which there are ---- */

static const char *const levels[] = {"cluster=", "date=", "namespace="};

static bool is_folder(const char *name, size_t level) {
    struct slice s = slice_of(name);
    return slice_starts(s, levels[level]) || (level + 1 == ARRAY_SIZE(levels) && slice_starts(s, "fleet="));
}

static bool is_object(const char *name) {
    return slice_ends(slice_of(name), ARCHIVE_SUFFIX) || slice_ends(slice_of(name), ARCHIVE_FLEET_SUFFIX);
}

static void add_file(struct spool_list *list, const char *root, const char *path) {
    struct stat st;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
        list->files[list->count++] =
            (struct spool_file){mem_strdup(path + strlen(root) + 1), st.st_size,
                                (int64_t)st.st_ctim.tv_sec * 1000 + st.st_ctim.tv_nsec / 1000000};
}

static int walk(const char *root, const char *folder, size_t level, struct spool_list *list, struct error **err) {
    struct dirent *entry;
    int r = 0;
    DIR *d = opendir(folder);
    if (d == NULL)
        return errno == ENOENT ? 0 : failed(err, folder);
    while (r == 0 && list->count < SPOOL_MAX_FILES && (entry = readdir(d)) != NULL) {
        CLEANUP_FREE char *path = mem_format("%s/%s", folder, entry->d_name);
        if (level == ARRAY_SIZE(levels)) {
            if (is_object(entry->d_name))
                add_file(list, root, path);
        } else if (is_folder(entry->d_name, level)) {
            r = walk(root, path, level + 1, list, err);
        }
    }
    closedir(d);
    return r;
}

int spool_list(const char *root, struct spool_list *list, struct error **err) {
    list->count = 0;
    return walk(root, root, 0, list, err);
}

void spool_list_done(struct spool_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->files[i].key);
    list->count = 0;
}

/* ---- one of them ---- */

int spool_read(const char *root, const char *key, size_t max_bytes, char **ret_bytes, size_t *ret_size_bytes,
               struct error **err) {
    CLEANUP_FREE char *path = mem_format("%s/%s", root, key);
    struct stat st;
    if (stat(path, &st) != 0)
        return failed(err, path);
    *ret_size_bytes = (size_t)st.st_size;
    return file_read(path, max_bytes, ret_bytes, err);
}

static bool is_of_a_day_before(const char *path, const char *today) {
    const char *date = strstr(path, "/date=");
    return date != NULL && strncmp(date + strlen("/date="), today, strlen(today)) < 0;
}

int spool_delete(const char *root, const char *key, const char *today, struct error **err) {
    CLEANUP_FREE char *path = mem_format("%s/%s", root, key);
    if (unlink(path) != 0 && errno != ENOENT)
        return failed(err, path);
    for (size_t level = 0; level < 2 && is_of_a_day_before(path, today); level++) { /* namespace=, date= */
        *strrchr(path, '/') = '\0';
        if (rmdir(path) != 0) /* there is something in it */
            break;
    }
    return 0;
}
