/* cli: the commands of kubectl-goodput. Each has a file of its own and draws into a buffer, so that what it shows is
 * tested without a cluster or a terminal. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/error.h"
#include "cli/text.h"

#include <jansson.h>

struct cli_whatif_options {
    const char *total_steps; /* what to change, and figures in place of the measured ones; NULL: as it is */
    const char *checkpoint_interval, *save_time, *persist_time, *reschedule_time, *resume_time, *mtbf, *step_time;
    const char *chips, *hot_spares, *swap_time, *repair_time, *svg;
    bool preload_image, compile_cache;
};

/* Of fleet: as given, NULL if not. */
struct cli_fleet_options {
    const char *group_by, *since, *price;
};

struct cli_options { /* texts borrowed from argv */
    const char *command, *name;
    const char *namespace_, *kubeconfig, *context, *file, *output, *html;
    bool all_namespaces, watch, wants_help;
    struct cli_whatif_options whatif;
    struct cli_fleet_options fleet;
    struct text_style style;
};

/* The whole program; the exit code: 0, 1 for a failure, 2 for wrong usage. */
int cli_main(int argc, char **argv);

/* What argv says, but for analyze, which has options of its own (analyze.h). -EINVAL and the line to print. */
int cli_parse(struct cli_options *options, int argc, char **argv, struct error **err);

/* The subcommands: 0, or a negative errno with the line to print. */
int cli_top(const struct cli_options *options, struct error **err);
int cli_explain(const struct cli_options *options, struct error **err);
int cli_timeline(const struct cli_options *options, struct error **err);
int cli_whatif(const struct cli_options *options, struct error **err);
int cli_whatif_check(const struct cli_options *options, struct error **err); /* wrong usage */
int cli_fleet(const struct cli_options *options, struct error **err);
int cli_fleet_check(const struct cli_options *options, struct error **err);

/* What they draw. `list`: an array of JobGoodputs; `job`: one. */
void cli_top_draw(const json_t *list, bool with_namespace, bool is_wide, const struct text_style *style,
                  struct buf *out);
void cli_name_draw(const json_t *job, const struct text_style *style, struct buf *out); /* NAMESPACE/NAME */
void cli_explain_draw(const json_t *job, const struct text_style *style, struct buf *out);
void cli_timeline_draw(const json_t *job, const struct text_style *style, struct buf *out);
/* Parts of them, of a status alone: scores and waterfall; evidence, interruptions, steps; a row per execution. */
void cli_waterfall_draw(const json_t *status, const struct text_style *style, struct buf *out);
void cli_reasons_draw(const json_t *status, const struct text_style *style, struct buf *out);
void cli_executions_draw(const json_t *status, const struct text_style *style, struct buf *out);

/* JobGoodputs from the cluster, or from options->file ("-": standard input): one object if name is given, else an
 * array. The caller owns *ret. */
int cli_fetch(const struct cli_options *options, const char *name, json_t **ret, struct error **err);
/* Fetches one job and prints it as -o says, or draws it. */
int cli_show(const struct cli_options *options,
             void (*draw)(const json_t *job, const struct text_style *style, struct buf *out), struct error **err);
/* -o json, yaml or name. */
int cli_print_as(const char *output, const json_t *value, struct error **err);
/* Writes out to standard output; -EPIPE and the like are failures. */
int cli_write(const struct buf *out, struct error **err);
/* Writes it to a file, which is replaced only by a whole new one; "-" is standard output. */
int cli_write_to(const char *path, const struct buf *out, struct error **err);
/* YAML in block style; strings are quoted where YAML would take them for something else. */
void cli_yaml(struct buf *out, const json_t *value);

#endif
