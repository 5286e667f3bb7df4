#include "cli/cli.h"

#include "base/mem.h"
#include "base/slice.h"
#include "cli/arguments.h"
#include "cli/commands/analyze.h"
#include "cli/commands/cluster.h"
#include "cli/commands/compare.h"
#include "cli/commands/dashboard.h"
#include "cli/commands/explain.h"
#include "cli/commands/fleet.h"
#include "cli/commands/formats.h"
#include "cli/commands/history.h"
#include "cli/commands/interval.h"
#include "cli/commands/ledger.h"
#include "cli/commands/report.h"
#include "cli/commands/run.h"
#include "cli/commands/timeline.h"
#include "cli/commands/top.h"
#include "cli/commands/whatif.h"
#include "cli/commands/why.h"
#include "cli/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* JOB: a JobGoodput, or the path of a file. */
enum name_rule { NO_NAME, NEEDS_NAME, MAY_HAVE_NAME, NEEDS_JOB, NEEDS_TWO_JOBS };
/* What a command prints. kubectl can print objects that the cluster has. */
enum prints { OWN_FORMS, OBJECTS, OBJECT_IF_NAMED };

static const struct command {
    const char *name, *usage, *help, *examples;
    enum name_rule rule;
    enum prints prints;
    const char *outputs; /* of -o, separated by ", " */
    int (*run)(const struct cli_options *options, struct error **err);
    int (*check)(const struct cli_options *options, struct error **err); /* what its options mean; NULL: nothing */
} commands[] = {
    {"top",
     "top [-n NAMESPACE | -A] [-l SELECTOR] [--sort-by COLUMN|PATH] [--no-headers] [-w]\n"
     "      [-o wide|json|yaml|name|jsonpath=...|custom-columns=...|go-template=...]",
     "the jobs that lose the most chip-hours first; --sort-by goodput or .status.phase: in ascending order",
     "top -A\0top -l team=a --sort-by goodput\0top -o custom-columns=NAME:.metadata.name,GOODPUT:.status.goodput.job\0",
     NO_NAME, OBJECTS, "json, yaml, name, wide", top_command, top_check},
    {"explain", "explain NAME [-n NAMESPACE] [-o json|yaml|name|jsonpath=...]", "where one job's time went, and why",
     "explain llama3-70b -n research\0explain llama3-70b -o jsonpath={.status.topBadput}\0", NEEDS_NAME, OBJECTS,
     "json, yaml, name", explain_command, NULL},
    {"timeline", "timeline NAME [-n NAMESPACE] [-o json|yaml|name|jsonpath=...]", "one job's executions on a time axis",
     "timeline llama3-70b -n research\0", NEEDS_NAME, OBJECTS, "json, yaml, name", timeline_command, NULL},
    {"ledger", "ledger NAME [-n NAMESPACE] [--controller-namespace NAMESPACE | --archive DIR] [-o table|jsonl]",
     "one job's time, span by span, from the controller, by kubectl port-forward, or from an archive; jsonl: what "
     "recomputes its status",
     "ledger llama3-70b -n research\0ledger llama3-70b -o jsonl\0ledger llama3-70b --archive /mnt/goodput\0",
     NEEDS_NAME, OWN_FORMS, "table, jsonl", ledger_command, NULL},
    {"history", "history --archive DIR [-n NAMESPACE] [-l SELECTOR] [--since 720h] [-o json|yaml]",
     "the jobs of an archive, also deleted ones, a row each, and their sums as fleet has them; -o json: the\n"
     "      JobGoodputs, as fleet -f reads them. --since: up to the end of the newest",
     "history --archive /mnt/goodput -l team=a --since 720h\0", NO_NAME, OWN_FORMS, "json, yaml", history_command,
     history_check},
    {"compare",
     "compare A B [--archive DIR] [-n NAMESPACE] [--controller-namespace NAMESPACE] [-o table|json|yaml | --html FILE]",
     "two jobs: step time, goodput, starts, buckets and interruptions, with the interval of each difference, and a\n"
     "      verdict only outside chance; what A's advice predicted and what came of it. A, B: a JobGoodput, run/NAME, "
     "a\n"
     "      log, a quoted pattern of a job's logs or of an archive's jobs, or lines of ledger. --html: as a picture",
     "compare llama3-70b llama3-70b-new-kernel --html compared.html\0compare 'monday/*.log' 'tuesday/*.log'\0compare "
     "'old-kernel-*' 'new-kernel-*' --archive /mnt/goodput\0compare run/llama3-70b run/llama3-8b\0",
     NEEDS_TWO_JOBS, OWN_FORMS, "table, json, yaml", compare_command, compare_check},
    {"interval",
     "interval NAME [--from TIME] [--to TIME] [--archive DIR] [-n NAMESPACE] [--controller-namespace NAMESPACE]\n"
     "      [-o table|json|yaml]",
     "where a window of one job's time went: scores, time by bucket, losses by cause and owner, interruptions, and "
     "the\n"
     "      SQL that answers the same. NAME: a JobGoodput, a log, or lines of ledger. TIME: 2026-11-01 or\n"
     "      2026-11-01T06:00:00Z",
     "interval llama3-70b --archive /mnt/goodput --from 2026-11-01 --to 2026-11-02\0interval ledger.jsonl --from "
     "2026-11-01T06:00:00Z -o json\0",
     NEEDS_JOB, OWN_FORMS, "table, json, yaml", interval_command, interval_check},
    {"run", "run NAME [--archive DIR] [-n NAMESPACE] [--controller-namespace NAMESPACE] [-o table|json|yaml]",
     "the targets of one training run as one job: those with the label goodput.dev/run=NAME, or of that name; the "
     "time\n"
     "      between them, and the work that later ones did again",
     "run llama3-70b --archive /mnt/goodput\0run llama3-70b -n research -o json\0", NEEDS_NAME, OWN_FORMS,
     "table, json, yaml", run_command, NULL},
    {"report",
     "report NAME --html FILE [-n NAMESPACE]\n"
     "      report --owner OWNER [--from TIME] [--to TIME] [NAME] [-n NAMESPACE | -A] [-o table|json|csv] [--html "
     "FILE]",
     "one job's charts as one self-contained HTML file; with --owner the intervals that Tenant, Platform, Provider,\n"
     "      Scheduler or Unknown lost of one job or many, with node and evidence. TIME: 2026-11-01 or\n"
     "      2026-11-01T06:00:00Z",
     "report llama3-70b --html llama3-70b.html\0report --owner Provider --from 2026-11-01 -A -o csv\0", MAY_HAVE_NAME,
     OWN_FORMS, "table, json, csv", report_command, report_check},
    {"fleet",
     "fleet [NAME] [-n NAMESPACE | -A] [--group-by queue,accelerator,label:team] [--since 168h] [--price 1.20]\n"
     "      [-o json|yaml]",
     "many jobs as one, weighted by chips: goodput by group, the largest losses of chip-hours, and their\n"
     "      cost; with NAME the status of that FleetGoodput. CHIP-H: chip-hours requested. KNOWN: the share of\n"
     "      them in jobs with known steps, which the scores cover: SCHED = available / requested,\n"
     "      RUNTIME = productive / available, GOODPUT = SCHED x RUNTIME. SCHED-ALL covers all jobs, and so does\n"
     "      SCHED without any steps. PROGRAM covers the jobs with a known program goodput; MPG = GOODPUT x PROGRAM\n"
     "      if all jobs with steps have one. COST: of all allocated chips. LOST: of their unproductive time in\n"
     "      jobs with steps. \"-\": not known",
     "fleet -A --group-by queue,accelerator --since 168h\0fleet everything\0", MAY_HAVE_NAME, OBJECT_IF_NAMED,
     "json, yaml, name", fleet_command, fleet_command_check},
    {"whatif",
     "whatif [NAME] [--checkpoint-interval 10m] [--save-time 20s] [--persist-time 1m] [--mtbf 6h]\n"
     "      [--reschedule-time 2m] [--resume-time 5m] [--image-pull-time 10s] [--compile-cache]\n"
     "      [--hot-spares 2 --swap-time 1m --repair-time 24h] [--step-time 2s] [--total-steps N] [--chips N] [--svg "
     "FILE]\n"
     "      [-o json|yaml]",
     "the goodput to expect with other figures, and the best checkpoint interval; without NAME from the\n"
     "      given figures alone",
     "whatif llama3-70b --checkpoint-interval 10m\0whatif --save-time 20s --mtbf 6h --resume-time 5m\0", MAY_HAVE_NAME,
     OWN_FORMS, "json, yaml", whatif_command, whatif_check},
    {"dashboard", "dashboard [-n NAMESPACE] [--port PORT] [--no-browser]",
     "opens the controller's page in the browser, by kubectl port-forward, until Ctrl-C. NAMESPACE: the controller's,\n"
     "      by default goodput-system. PORT: on this machine; 0 is a free one",
     "dashboard\0dashboard --port 0 --no-browser\0", NO_NAME, OWN_FORMS, "", dashboard_command, dashboard_check},
    {"formats", "formats [-o json|yaml|name]", "the log formats that are recognized, with example lines",
     "formats\0formats -o name\0", NO_NAME, OWN_FORMS, "json, yaml, name", formats_command, NULL},
};

static const struct command *find_command(const char *name) {
    for (size_t i = 0; name != NULL && i < ARRAY_SIZE(commands); i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

#define AT(field) offsetof(struct cli_options, field)
static const struct argument_row table[] = {
    {"-f", "--filename", AT(file), true, NULL, "top, explain, timeline, report, fleet, whatif",
     "  -f, --filename FILE     read JobGoodputs from a file (JSON or YAML; - is standard input), not the cluster\n"},
    {"-n", "--namespace", AT(namespace_), true, NULL,
     "top, explain, timeline, ledger, history, compare, interval, run, report, fleet, whatif, dashboard",
     "  -n, --namespace N       default: the context's\n"},
    {"-A", "--all-namespaces", AT(all_namespaces), false, NULL, "top, report, fleet",
     "  -A, --all-namespaces    the JobGoodputs of all namespaces\n"},
    {"-l", "--selector", AT(selector), true, NULL, "top, history, report, fleet",
     "  -l, --selector S        only JobGoodputs with these labels, such as team=a; without NAME\n"},
    {NULL, "--sort-by", AT(sort_by), true, NULL, "top",
     "  --sort-by COLUMN|PATH   ascending, by a column, such as goodput, or a path, such as .status.phase\n"},
    {NULL, "--no-headers", AT(no_headers), false, NULL, "top",
     "  --no-headers            neither the names of columns nor the sum\n"},
    {NULL, "--controller-namespace", AT(ledger.controller_namespace), true, NULL, "ledger, compare, interval, run",
     "  --controller-namespace N  where goodput-controller runs; default: goodput-system\n"},
    {NULL, "--archive", AT(ledger.archive), true, NULL, "ledger, history, compare, interval, run",
     "  --archive DIR           read the folder of a controller's archive, not the cluster\n"},
    {"-o", "--output", AT(output), true, NULL,
     "top, explain, timeline, ledger, history, compare, interval, run, report, fleet, whatif, formats",
     "  -o, --output FORMAT     one of the formats of the usage\n"},
    {"-w", "--watch", AT(watch), false, NULL, "top",
     "  -w, --watch             draw the table again when it changes\n"},
    {NULL, "--version", AT(wants_version), false, NULL, NULL, "  --version               the version of the plugin\n"},
    {"-h", "--help", AT(wants_help), false, NULL, NULL, NULL},
    {NULL, "--html", AT(html), true, NULL, "report, compare", NULL},
    {NULL, "--owner", AT(owner), true, NULL, "report", NULL},
    {NULL, "--from", AT(window.from), true, NULL, "report, interval", NULL},
    {NULL, "--to", AT(window.to), true, NULL, "report, interval", NULL},
    {NULL, "--port", AT(dashboard.port), true, NULL, "dashboard", NULL},
    {NULL, "--no-browser", AT(dashboard.no_browser), false, NULL, "dashboard", NULL},
    {NULL, "--group-by", AT(fleet.group_by), true, NULL, "fleet", NULL},
    {NULL, "--since", AT(fleet.since), true, NULL, "fleet, history", NULL},
    {NULL, "--price", AT(fleet.price), true, NULL, "fleet", NULL},
    {NULL, "--checkpoint-interval", AT(whatif.checkpoint_interval), true, NULL, "whatif", NULL},
    {NULL, "--save-time", AT(whatif.save_time), true, NULL, "whatif", NULL},
    {NULL, "--persist-time", AT(whatif.persist_time), true, NULL, "whatif", NULL},
    {NULL, "--reschedule-time", AT(whatif.reschedule_time), true, NULL, "whatif", NULL},
    {NULL, "--resume-time", AT(whatif.resume_time), true, NULL, "whatif", NULL},
    {NULL, "--mtbf", AT(whatif.mtbf), true, NULL, "whatif", NULL},
    {NULL, "--step-time", AT(whatif.step_time), true, NULL, "whatif", NULL},
    {NULL, "--total-steps", AT(whatif.total_steps), true, NULL, "whatif", NULL},
    {NULL, "--chips", AT(whatif.chips), true, NULL, "whatif", NULL},
    {NULL, "--image-pull-time", AT(whatif.image_pull_time), true, NULL, "whatif", NULL},
    {NULL, "--hot-spares", AT(whatif.hot_spares), true, NULL, "whatif", NULL},
    {NULL, "--swap-time", AT(whatif.swap_time), true, NULL, "whatif", NULL},
    {NULL, "--repair-time", AT(whatif.repair_time), true, NULL, "whatif", NULL},
    {NULL, "--svg", AT(whatif.svg), true, NULL, "whatif", NULL},
    {NULL, "--compile-cache", AT(whatif.compile_cache), false, NULL, "whatif", NULL},
};

static const char global_options[] =
    "--kubeconfig, --context, --as, --request-timeout and the like go to kubectl, which reads the cluster;\n"
    "\"kubectl options\" lists them. The variable KUBECTL names another program than kubectl.\n";

/* command NULL: the options of all. */
static void print_options(const char *command, FILE *out) {
    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        if (table[i].help != NULL && (command == NULL || arguments_is_for(&table[i], command)))
            fputs(table[i].help, out);
}

static void print_help(FILE *out) {
    fputs("kubectl goodput: where the accelerator time of training jobs goes\n\n", out);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        fprintf(out, "  kubectl goodput %s\n      %s\n", commands[i].usage, commands[i].help);
    fputs("  kubectl goodput analyze FILE... [--definition ledger|library|both] [-o table|json|yaml|jsonl]\n"
          "      the same from step logs alone, without a cluster; --help lists the options\n"
          "  kubectl goodput why FILE... [--termination-message FILE] [--exit-code N] [-o json|yaml]\n"
          "      why a job failed, from the logs of its processes alone: class, owner, and the line that shows it\n"
          "  kubectl goodput version\n\n",
          out);
    print_options(NULL, out);
    fprintf(out, "\n%s", global_options);
}

/* Help of one command, as kubectl lays it out. */
static void print_command_help(const struct command *c) {
    printf("%s\n\nExamples:\n", c->help);
    for (const char *e = c->examples; *e != '\0'; e += strlen(e) + 1)
        printf("  kubectl goodput %s\n", e);
    puts("\nOptions:");
    print_options(c->name, stdout);
    printf("\nUsage:\n  kubectl goodput %s\n\n%s", c->usage, global_options);
}

static int check_name(const struct command *c, const struct cli_options *options, struct error **err) {
    if ((c->rule == NEEDS_NAME || c->rule == NEEDS_JOB) && options->name == NULL && options->file == NULL)
        return error_set(err, EINVAL, "%s needs the NAME of a JobGoodput%s", c->name,
                         c->prints != OWN_FORMS ? ", or -f FILE"
                         : c->rule == NEEDS_JOB ? ", or a FILE"
                                                : "");
    if (c->rule == NO_NAME && options->name != NULL)
        return error_set(err, EINVAL, "%s takes no name%s%s%s", c->name,
                         c->prints == OBJECTS ? "; \"kubectl goodput explain " : "",
                         c->prints == OBJECTS ? options->name : "", c->prints == OBJECTS ? "\" shows one" : "");
    if (options->selector != NULL && (options->name != NULL || options->file != NULL))
        return error_set(err, EINVAL, "-l works only without a NAME and -f");
    return 0;
}

/* Refuses an option of another command. */
static int check_options(const struct command *c, const struct cli_options *options, struct error **err) {
    for (size_t k = 0; k < ARRAY_SIZE(table); k++) {
        const char *at = (const char *)options + table[k].offset;
        bool is_given = table[k].takes_value ? *(const char *const *)at != NULL : *(const bool *)at;
        if (is_given && !arguments_is_for(&table[k], c->name))
            return error_set(err, EINVAL, "%s works only with %s", table[k].long_name, table[k].commands);
    }
    return 0;
}

static int check_output(const struct command *c, const struct cli_options *options, struct error **err) {
    if (options->output == NULL || arguments_lists(c->outputs, options->output))
        return 0;
    bool is_object = c->prints == OBJECTS || (c->prints == OBJECT_IF_NAMED && options->name != NULL);
    if (!is_object || !cluster_prints(options->output))
        return error_set(err, EINVAL, "-o %s: not one of %s", options->output, c->outputs);
    return options->file == NULL
               ? 0
               : error_set(err, EINVAL, "-o %s: kubectl prints it from the cluster, not from a file", options->output);
}

static bool has_rule(const char *command, enum name_rule rule) {
    const struct command *c = find_command(command);
    return c != NULL && c->rule == rule;
}

int cli_parse(struct cli_options *options, int argc, char **argv, struct error **err) {
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1] != '\0') {
            int r = kubectl_flags_take(&options->kubectl, argv, argc, &i, err);
            if (r < 0)
                return r;
            if (r > 0)
                continue;
            r = arguments_take(table, ARRAY_SIZE(table), "help", argv, argc, &i, options, err);
            if (r < 0)
                return r;
        } else if (options->command == NULL) {
            options->command = argv[i];
        } else if (options->name == NULL &&
                   (has_rule(options->command, NEEDS_JOB) || has_rule(options->command, NEEDS_TWO_JOBS))) {
            options->name = argv[i];
        } else if (options->other == NULL && has_rule(options->command, NEEDS_TWO_JOBS)) {
            options->other = argv[i];
        } else if (options->name == NULL) {
            /* "jobgoodput/NAME" is what -o name prints */
            const char *slash = strchr(argv[i], '/');
            options->name = slash ? slash + 1 : argv[i];
        } else {
            return error_set(err, EINVAL, "unexpected argument \"%s\"", argv[i]);
        }
    }
    const struct command *c = find_command(options->command);
    if (c == NULL || options->wants_help || options->wants_version)
        return 0;
    if (check_options(c, options, err) < 0 || check_name(c, options, err) < 0 || check_output(c, options, err) < 0)
        return -EINVAL;
    return c->check ? c->check(options, err) : 0;
}

/* The first of the three variables that is set decides, as in setlocale(); no locale is loaded. */
static bool is_utf8_locale(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && *value)
            return strcasestr(value, "UTF-8") != NULL || strcasestr(value, "utf8") != NULL;
    }
    return false;
}

static void find_style(struct text_style *style) {
    struct winsize size;
    const char *no_color = getenv("NO_COLOR");
    style->is_utf8 = is_utf8_locale();
    if (!isatty(STDOUT_FILENO))
        return;
    style->columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    style->has_color = no_color == NULL || *no_color == '\0';
}

/* err: NULL where kubectl has said it. */
static int complain(const struct error *err, int code) {
    if (err != NULL)
        fprintf(stderr, "kubectl-goodput: %s\n", error_text(err));
    return code;
}

static int complain_unknown(const char *command) {
    const char *names[ARRAY_SIZE(commands) + 4] = {"analyze", "why", "version", "help"};
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        names[i + 4] = commands[i].name;
    const char *meant = nearest_find(command, names, ARRAY_SIZE(names));
    CLEANUP_ERROR struct error *err = NULL;
    if (meant != NULL)
        error_set(&err, EINVAL, "unknown command \"%s\": did you mean \"%s\"?", command, meant);
    else
        error_set(&err, EINVAL, "unknown command \"%s\"; \"kubectl goodput help\" lists them", command);
    return complain(err, 2);
}

static int help(const char *name, const struct text_style *style) {
    static const char *const others[] = {"help", "version"};
    char *argv[] = {(char *)name, (char *)"--help"};
    bool is_general = name == NULL;
    for (size_t i = 0; i < ARRAY_SIZE(others) && !is_general; i++)
        is_general = strcmp(name, others[i]) == 0;
    if (is_general)
        print_help(stdout);
    else if (strcmp(name, "analyze") == 0)
        return analyze_command(2, argv, style);
    else if (strcmp(name, "why") == 0)
        return why_command(2, argv, style);
    else if (find_command(name) == NULL)
        return complain_unknown(name);
    else
        print_command_help(find_command(name));
    return 0;
}

int cli_main(int argc, char **argv) {
    struct cli_options options = {0};
    CLEANUP_ERROR struct error *err = NULL;
    find_style(&options.style);
    if (argc > 1 && strcmp(argv[1], "analyze") == 0) /* has separate options */
        return analyze_command(argc - 1, argv + 1, &options.style);
    if (argc > 1 && strcmp(argv[1], "why") == 0)
        return why_command(argc - 1, argv + 1, &options.style);
    if (cli_parse(&options, argc, argv, &err) < 0)
        return complain(err, 2);
    bool is_help = options.command != NULL && strcmp(options.command, "help") == 0;
    if (options.wants_help || is_help)
        return help(is_help ? options.name : options.command, &options.style);
    if (options.wants_version || (options.command != NULL && strcmp(options.command, "version") == 0)) {
        puts("kubectl-goodput " GOODPUT_VERSION);
        return 0;
    }
    if (options.command == NULL) {
        print_help(stderr);
        return 2;
    }
    const struct command *c = find_command(options.command);
    if (c == NULL)
        return complain_unknown(options.command);
    int r = c->run(&options, &err);
    /* As "| head" closes it: the reader has what it needs. */
    return r < 0 && r != -EPIPE ? complain(err, 1) : 0;
}
