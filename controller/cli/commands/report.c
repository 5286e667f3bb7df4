#include "cli/commands/report.h"

#include "cli/commands/fetch.h"
#include "cli/render/report.h"

#include <jansson.h>
#include <stdlib.h>

int report_command(const struct cli_options *options, struct error **err) {
    json_t *job = NULL;
    int r = fetch_goodput(options, &job, err);
    if (r < 0)
        return r;
    char *text = json_dumps(job, JSON_COMPACT);
    json_decref(job);
    r = report_write(options->html, slice_of(text), err);
    free(text);
    return r;
}
