#include "cli/commands/report.h"

#include "base/mem.h"
#include "cli/arguments.h"
#include "cli/commands/fetch.h"
#include "cli/incidents/write.h"
#include "cli/render/output.h"
#include "cli/render/report.h"
#include "rootcause/classes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 64 << 20 };

static int take_query(const struct cli_options *options, struct incidents_query *query, struct error **err) {
    *query = (struct incidents_query){0};
    int owner = rootcause_owner_find(slice_of(options->owner));
    if (owner < 0)
        return error_set(err, EINVAL, "--owner %s: not one of Tenant, Platform, Provider, Scheduler, Unknown",
                         options->owner);
    query->owner = rootcause_owner_name((enum rootcause_owner)owner);
    return arguments_window(options->window.from, options->window.to, &query->from_ms, &query->to_ms, err);
}

static bool is_output(const struct cli_options *options, const char *name) {
    return options->output != NULL && strcmp(options->output, name) == 0;
}

int report_check(const struct cli_options *options, struct error **err) {
    const struct cli_window_options *w = &options->window;
    struct incidents_query query;
    bool has_owner = options->owner != NULL;
    if (!has_owner && (w->from != NULL || w->to != NULL || options->output != NULL || options->selector != NULL))
        return error_set(err, EINVAL, "--from, --to, -l and -o need --owner");
    if (!has_owner && options->name == NULL && options->file == NULL)
        return error_set(err, EINVAL, "report needs the NAME of a JobGoodput, or -f FILE, or --owner");
    if (!has_owner)
        return options->html != NULL
                   ? 0
                   : error_set(err, EINVAL, "report needs --html FILE (- is standard output), or --owner");
    if (options->output != NULL && options->html != NULL)
        return error_set(err, EINVAL, "--html and -o: give one of them");
    return take_query(options, &query, err);
}

static int write_incidents(const struct cli_options *options, const struct incidents *n, struct error **err) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, MAX_BYTES);
    if (options->html != NULL) {
        incidents_html(n, &out);
        return output_write_to(options->html, &out, err);
    }
    if (is_output(options, "json")) {
        json_t *value = incidents_json(n);
        char *text = json_dumps(value, JSON_INDENT(2));
        json_decref(value);
        buf_append_text(&out, text);
        buf_append_char(&out, '\n');
        free(text);
    } else if (is_output(options, "csv")) {
        incidents_csv(n, &out);
    } else {
        incidents_table(n, &options->style, &out);
    }
    return output_write(&out, err);
}

static int report_owner(const struct cli_options *options, struct error **err) {
    struct incidents_query query;
    struct incidents incidents;
    json_t *value = NULL;
    int r = take_query(options, &query, err);
    if (r == 0)
        r = options->name != NULL ? fetch_goodput(options, &value, err) : fetch_list(options, &value, err);
    if (r < 0)
        return r;
    json_t *list = options->name != NULL ? json_pack("[o]", value) : value;
    incidents_find(list, &query, &incidents);
    r = write_incidents(options, &incidents, err);
    incidents_done(&incidents);
    json_decref(list);
    return r;
}

int report_command(const struct cli_options *options, struct error **err) {
    json_t *job = NULL;
    if (options->owner != NULL)
        return report_owner(options, err);
    int r = fetch_goodput(options, &job, err);
    if (r < 0)
        return r;
    char *text = json_dumps(job, JSON_COMPACT);
    json_decref(job);
    r = report_write(options->html, slice_of(text), err);
    free(text);
    return r;
}
