/* fetch: JobGoodputs from the cluster or from a file. */
#include "cli/commands/fetch.h"

#include "base/mem.h"
#include "base/yamldoc.h"
#include "cli/commands/cluster.h"
#include "cli/render/output.h"
#include "cli/render/pick.h"
#include "cli/render/print.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define MAX_FILE_BYTES ((size_t)64 << 20)

static int parse(struct slice bytes, json_t **ret, struct error **err) {
    json_error_t where;
    *ret = json_loadb(bytes.data, bytes.size_bytes, JSON_ALLOW_NUL, &where);
    if (*ret == NULL)
        return error_set(err, EINVAL, "line %d: %s", where.line, where.text);
    return 0;
}

static int read_all(const char *path, struct buf *out, struct error **err) {
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(err, errno, "%s: %s", path, strerror(errno));
    char chunk[65536];
    ssize_t n;
    int r = 0;
    while (r == 0 && (n = read(fd, chunk, sizeof chunk)) != 0)
        r = n < 0 ? -errno : buf_append(out, chunk, (size_t)n);
    if (fd != STDIN_FILENO)
        close(fd);
    return r < 0 ? error_set(err, -r, "%s: %s", path, strerror(-r)) : 0;
}

/* kubectl prints JSON objects only; anything else is YAML. */
static int parse_file(const char *path, struct slice bytes, json_t **ret, struct error **err) {
    struct slice start = slice_trim(bytes);
    if (start.size_bytes > 0 && start.data[0] == '{')
        return parse(bytes, ret, err) < 0 ? error_wrap(err, EINVAL, "%s", path) : 0;
    struct yamldoc doc;
    CLEANUP_BUF struct buf text;
    buf_init(&text, MAX_FILE_BYTES);
    int r = yamldoc_read(&doc, "file", path, bytes, err);
    if (r == 0 && yamldoc_root(&doc) == NULL)
        r = error_set(err, EINVAL, "file %s: it is empty, a JobGoodput is expected", path);
    if (r == 0 && yamldoc_json(&doc, yamldoc_root(&doc), &text) < 0)
        r = error_set(err, EMSGSIZE, "file %s: the YAML has more than 32 levels or %zu bytes", path, MAX_FILE_BYTES);
    yamldoc_done(&doc);
    return r < 0 ? r : parse(buf_slice(&text), ret, err) < 0 ? error_wrap(err, EINVAL, "file %s", path) : 0;
}

/* Reads a file with one object or a list, as kubectl get -o json or -o yaml prints them. */
static int fetch_file(const struct cli_options *options, bool is_list, json_t **ret, struct error **err) {
    CLEANUP_BUF struct buf bytes;
    buf_init(&bytes, MAX_FILE_BYTES);
    json_t *value;
    int r = read_all(options->file, &bytes, err);
    if (r < 0)
        return r;
    r = parse_file(options->file, buf_slice(&bytes), &value, err);
    if (r < 0)
        return r;
    json_t *items = json_object_get(value, "items");
    json_t *list = json_is_array(items) ? json_incref(items) : json_pack("[O]", value);
    json_decref(value);
    if (is_list) {
        *ret = list;
        return 0;
    }
    size_t i;
    json_t *item;
    const char *name = options->name;
    *ret = NULL;
    json_array_foreach(list, i, item) {
        if (*ret == NULL && (name == NULL || strcmp(pick_text(item, "metadata.name"), name) == 0))
            *ret = json_incref(item);
    }
    json_decref(list);
    return *ret ? 0
                : error_set(err, ENOENT, "%s: no %s \"%s\" in it", options->file,
                            strcmp(options->command, "fleet") == 0 ? "FleetGoodput" : "JobGoodput", name ? name : "");
}

int fetch_goodput(const struct cli_options *options, json_t **ret, struct error **err) {
    return options->file ? fetch_file(options, false, ret, err) : cluster_get(options, ret, err);
}

int fetch_list(const struct cli_options *options, json_t **ret, struct error **err) {
    return options->file ? fetch_file(options, true, ret, err) : cluster_get(options, ret, err);
}

int fetch_and_show(const struct cli_options *options,
                   void (*draw)(const json_t *job, const struct text_style *style, struct buf *out),
                   struct error **err) {
    CLEANUP_BUF struct buf out;
    json_t *job = NULL;
    buf_init(&out, (size_t)4 << 20);
    if (options->output != NULL && cluster_prints(options->output))
        return cluster_print(options, NULL, err);
    int r = fetch_goodput(options, &job, err);
    if (r < 0)
        return r;
    if (options->output == NULL)
        draw(job, &options->style, &out);
    r = options->output ? print_as(options->output, job, err) : output_write(&out, err);
    json_decref(job);
    return r;
}
