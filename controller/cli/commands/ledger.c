#include "cli/commands/ledger.h"

#include "archive/read.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "base/slice.h"
#include "cli/commands/cluster.h"
#include "cli/commands/forward.h"
#include "cli/interrupt.h"
#include "cli/render/output.h"
#include "cli/render/pick.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

enum { MAX_BYTES = 64 << 20, TABLE_BYTES = 256 << 20 };

/* ---- the table ---- */

static void put_evidence(const json_t *x, struct buf *out) {
    const char *log = pick_text(x, "log");
    if (*log != '\0') {
        buf_append_text(out, log);
        if (pick_has(x, "line"))
            buf_format(out, " line %lld", (long long)pick_int(x, "line", 0));
    } else {
        buf_append_text(out, pick_text(x, "evidence"));
    }
}

static void put_row(const json_t *x, const struct text_style *style, struct buf *out) {
    bool is_sum = strcmp(pick_text(x, "record"), "settled") == 0;
    char stamp[TEXT_DURATION_SIZE], took[TEXT_DURATION_SIZE];
    CLEANUP_BUF struct buf numbers, evidence;
    buf_init(&numbers, 256);
    buf_init(&evidence, 4096);
    put_evidence(x, &evidence);
    text_cell(out, is_sum ? "(sum)" : text_stamp(stamp, pick_time_ms(x, "from")), 19, 1);
    buf_append_text(out, "  ");
    text_cell(out, text_duration_in(took, pick_int(x, "milliseconds", 0), 1), 14, -1);
    buf_append_text(out, "  ");
    text_cell(out, pick_text(x, "bucket"), 20, 1);
    buf_append_text(out, "  ");
    text_cell(out, pick_text(x, "cause"), 18, 1);
    buf_append_text(out, "  ");
    text_cell(out, pick_text(x, "owner"), 9, 1);
    if (pick_has(x, "execution"))
        buf_format(&numbers, "%lld", (long long)pick_int(x, "execution", 0));
    buf_append_text(out, "  ");
    text_cell(out, buf_text(&numbers), 4, -1);
    buf_clear(&numbers);
    if (pick_has(x, "chips"))
        buf_format(&numbers, "%lld", (long long)pick_int(x, "chips", 0));
    buf_append_text(out, "  ");
    text_cell(out, buf_text(&numbers), 7, -1);
    buf_append_text(out, "  ");
    int left = style->columns > 0 && style->columns > 110 ? style->columns - 109 : style->columns > 0 ? 1 : 0;
    text_cell(out, buf_text(&evidence), left, 0);
    buf_append_char(out, '\n');
}

/* Draws spans and the sums of buckets, and leaves out the rest. */
static void draw_table(struct slice lines, const struct text_style *style, struct buf *out) {
    struct slice line;
    buf_append_text(out,
                    "FROM                       DURATION  BUCKET                CAUSE               OWNER      EXEC"
                    "    CHIPS  EVIDENCE\n");
    while (slice_take_line(&lines, &line)) {
        json_t *x = json_loadb(line.data, line.size_bytes, 0, NULL);
        const char *record = pick_text(x, "record");
        if ((strcmp(record, "span") == 0 || strcmp(record, "settled") == 0) && pick_has(x, "bucket"))
            put_row(x, style, out);
        json_decref(x);
    }
}

/* ---- from the controller ---- */

/* kubectl as a client of the page: no credentials go there. The exit code, or a negative errno. */
static int get(const char *path, const char *port, struct buf *out, char **ret_complaint, struct error **err) {
    CLEANUP_FREE char *server = mem_format("http://127.0.0.1:%s", port);
    const char *const arguments[] = {"get", "--raw", path, "--kubeconfig", "/dev/null", "--server", server, NULL};
    struct kubectl *k = kubectl_start(arguments, true, err);
    int r;
    if (k == NULL)
        return -ENOENT;
    while ((r = kubectl_read(k, FORWARD_TURN_MS, out)) > 0 && !interrupt_came())
        continue;
    if (r != 0)
        kubectl_stop(k);
    int code = kubectl_end(k, ret_complaint);
    return r < 0 ? error_set(err, EMSGSIZE, "the ledger has more than %d MiB", MAX_BYTES >> 20) : code;
}

/* Waits for the port of a forward that was started. */
static bool await_port(struct kubectl *k, char *out, size_t out_size) {
    CLEANUP_BUF struct buf printed;
    buf_init(&printed, FORWARD_OUTPUT_MAX_BYTES);
    for (int r = 1; r > 0 && !interrupt_came();) {
        r = kubectl_read(k, FORWARD_TURN_MS, &printed);
        if (forward_read_port(buf_slice(&printed), out, out_size))
            return true;
    }
    return false;
}

/* Asks one pod. -EAGAIN: another one may know. */
static int ask(const struct cli_options *options, const char *namespace_, const json_t *pod, const char *path,
               struct buf *out, struct error **err) {
    CLEANUP_FREE char *complaint = NULL;
    char port[8];
    int r = -EIO;
    struct kubectl *k = forward_start(options, namespace_, pod, "0", err);
    if (k == NULL)
        return -ENOENT;
    if (await_port(k, port, sizeof port))
        r = get(path, port, out, &complaint, err);
    else
        error_set(err, EIO, "kubectl port-forward to pod %s failed", pick_text(pod, "metadata.name"));
    kubectl_stop(k);
    kubectl_end(k, NULL);
    if (r <= 0)
        return r;
    if (strstr(complaint, "(ServiceUnavailable)") != NULL)
        return error_set(err, EAGAIN, "no replica of goodput-controller that leads has evaluated the job: retry later");
    if (strstr(complaint, "(NotFound)") != NULL)
        return error_set(err, ENOENT,
                         "the controller does not follow this JobGoodput, or serves no ledgers: check its "
                         "--watch-namespaces and version");
    return error_set(err, EIO, "the page of pod %s: %s", pick_text(pod, "metadata.name"), complaint);
}

static int fetch(const struct cli_options *options, const char *path, struct buf *out, struct error **err) {
    const char *namespace_ =
        options->ledger.controller_namespace ? options->ledger.controller_namespace : FORWARD_NAMESPACE;
    json_t *pods = NULL;
    int r = forward_list(options, namespace_, &pods, err);
    if (r < 0)
        return r;
    r = -EAGAIN;
    for (size_t i = 0; i < json_array_size(pods) && r == -EAGAIN && !interrupt_came(); i++) {
        error_free(*err);
        *err = NULL;
        buf_clear(out);
        r = ask(options, namespace_, json_array_get(pods, i), path, out, err);
    }
    json_decref(pods);
    return r;
}

static int ask_controller(const struct cli_options *options, struct buf *lines, struct error **err) {
    json_t *job = NULL;
    int r = cluster_get(options, &job, err); /* also finds the namespace, and whether the user may read it */
    if (r < 0)
        return r;
    CLEANUP_FREE char *path = mem_format("/ledger?namespace=%s&name=%s", pick_text(job, "metadata.namespace"),
                                         pick_text(job, "metadata.name"));
    json_decref(job);
    interrupt_defer();
    return fetch(options, path, lines, err);
}

int ledger_read(const struct cli_options *options, struct buf *lines, struct error **err) {
    return options->ledger.archive != NULL
               ? archive_read(options->ledger.archive, options->namespace_, options->name, lines, err)
               : ask_controller(options, lines, err);
}

int ledger_command(const struct cli_options *options, struct error **err) {
    CLEANUP_BUF struct buf lines, out;
    buf_init(&lines, MAX_BYTES);
    buf_init(&out, TABLE_BYTES);
    int r = ledger_read(options, &lines, err);
    if (r < 0)
        return r;
    if (options->output != NULL && strcmp(options->output, "jsonl") == 0)
        return output_write(&lines, err);
    draw_table(buf_slice(&lines), &options->style, &out);
    return output_write(&out, err);
}
