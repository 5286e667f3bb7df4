/* The commands as typed: misspelled ones, files as JSON and YAML, outputs for people, a reader that leaves early. */
#include "harness.h"

#include "base/mem.h"
#include "cli/nearest.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"top", "explain", "timeline", "why", "whatif", "formats"};

static void check_nearest(const char *word, const char *name) {
    const char *found = nearest_find(word, names, ARRAY_SIZE(names));
    CHECK_TEXT(found ? found : "none", name);
}

TEST(a_misspelled_command_has_a_nearest) {
    check_nearest("tpo", "top");         /* swapped */
    check_nearest("explian", "explain"); /* swapped */
    check_nearest("timelines", "timeline");
    check_nearest("format", "formats");
    check_nearest("wat-if", "whatif"); /* two edits */
    check_nearest("at-if", "none");    /* three */
    check_nearest("a", "none");        /* all of it would be replaced */
    check_nearest("", "none");
    check_nearest("explainexplainexplainexplainexplain", "none");
}

static void write_job(void) {
    static const char yaml[] =
        "# as kubectl get -o yaml prints it\n"
        "apiVersion: goodput.dev/v1alpha1\nkind: JobGoodput\n"
        "metadata:\n  name: a\n  namespace: team\n  managedFields:\n  - manager: goodput-controller\n"
        "spec:\n  targetRef: {apiVersion: batch/v1, kind: Job, name: a}\n"
        "status:\n  phase: Training\n  checkpoint: AAAA\n";
    run_write_file("job.yaml", yaml, sizeof yaml - 1);
}

static void check_run(const char *command, int code, const char *out, const char *err) {
    struct run run = run_command(command, "");
    CHECK_INT(run.code, code);
    if (run.out == NULL || strstr(run.out, out) == NULL)
        harness_fail(__FILE__, __LINE__, "%s printed \"%s\", expected \"%s\"", command, run.out, out);
    if (run.err == NULL || strstr(run.err, err) == NULL)
        harness_fail(__FILE__, __LINE__, "%s complained \"%s\", expected \"%s\"", command, run.err, err);
    run_done(&run);
}

TEST(files_may_be_yaml) {
    write_job();
    check_run("explain -f job.yaml", 0, "team/a (Job a)\nTraining\n", "");
    check_run("explain -f - <job.yaml", 0, "team/a (Job a)\nTraining\n", "");
    check_run("top -A -f job.yaml", 0, "team       a     Training", "");
    run_write_file("empty.yaml", "# nothing\n", 10);
    check_run("explain -f empty.yaml", 1, "", "file empty.yaml: it is empty, a JobGoodput is expected\n");
    run_write_file("torn.yaml", "metadata:\n  name: [a\n", 21);
    check_run("explain -f torn.yaml", 1, "", "it is not well-formed YAML\n");
    run_write_file("torn.json", "{\"metadata\":\n}", 14);
    check_run("explain -f torn.json", 1, "", "kubectl-goodput: torn.json: line 2: ");
}

/* YAML that kubectl goodput writes is YAML that it reads. */
TEST(outputs_leave_out_what_only_machines_read) {
    write_job();
    struct run written = run_shell("\"$0\" explain -f job.yaml -o yaml >written.yaml");
    CHECK_INT(written.code, 0);
    run_done(&written);
    static const char *const commands[] = {"explain -f job.yaml -o yaml", "explain -f job.yaml -o json",
                                           "top -f job.yaml -o yaml", "top -f job.yaml -o json",
                                           "explain -f written.yaml -o yaml"};
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        struct run run = run_command(commands[i], "");
        CHECK_INT(run.code, 0);
        CHECK(strstr(run.out, "Training") != NULL);
        CHECK(strstr(run.out, "namespace") != NULL);
        CHECK(strstr(run.out, "managedFields") == NULL);
        CHECK(strstr(run.out, "checkpoint") == NULL);
        run_done(&run);
    }
}

TEST(version_is_an_option_too) {
    check_run("--version", 0, "kubectl-goodput ", "");
    check_run("version", 0, "kubectl-goodput ", "");
    check_run("analize x.log", 2, "", "unknown command \"analize\": did you mean \"analyze\"?\n");
    check_run("zzzzzzz", 2, "", "unknown command \"zzzzzzz\"; \"kubectl goodput help\" lists them\n");
}

/* The reader of the pipe leaves, and SIGPIPE is ignored, as some parents leave it. */
TEST(a_closed_pipe_is_silent) {
    write_job();
    struct run run = run_shell("trap '' PIPE; { sleep 0.2; \"$0\" explain -f job.yaml; echo \"exit $?\" >&2; } | true");
    CHECK_TEXT(run.err, "exit 0\n");
    run_done(&run);
}

/* Ascending by value, equal ones as without --sort-by, jobs without the field last. */
TEST(top_sorts_and_leaves_out_headers) {
    static const char list[] =
        "{\"items\":[{\"metadata\":{\"name\":\"a\"},\"status\":{\"goodput\":{\"job\":\"9.50%\"},\"phase\":\"Training\"}"
        "},"
        "{\"metadata\":{\"name\":\"b\"},\"status\":{\"phase\":\"Queued\"}},"
        "{\"metadata\":{\"name\":\"c\"},\"status\":{\"goodput\":{\"job\":\"10.00%\"},\"phase\":\"Failed\"}}]}";
    run_write_file("list.json", list, sizeof list - 1);
    static const struct {
        const char *by, *order;
    } cases[] = {{"goodput", "a c b "},
                 {"GOODPUT", "a c b "},
                 {".status.phase", "c b a "},
                 {"'{.status.phase}'", "c b a "},
                 {".metadata.name", "a b c "}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CLEANUP_FREE char *line =
            mem_format("\"$0\" top -f list.json --no-headers --sort-by %s | cut -c1 | tr '\\n' ' '", cases[i].by);
        struct run run = run_shell(line);
        CHECK_TEXT(run.out, cases[i].order);
        run_done(&run);
    }
}

TEST(every_output_is_sorted_and_a_path_to_nothing_is_refused) {
    static const char list[] = "{\"items\":[{\"metadata\":{\"name\":\"a\"},\"status\":{\"phase\":\"Training\"}},"
                               "{\"metadata\":{\"name\":\"b\"},\"status\":{\"phase\":\"Queued\"}}]}";
    run_write_file("list.json", list, sizeof list - 1);
    run_check("\"$0\" top -f list.json -o name --sort-by .status.phase", 0,
              "jobgoodput.goodput.dev/b\njobgoodput.goodput.dev/a\n", "");
    run_check("\"$0\" top -f list.json --sort-by .status.phsae", 1, "",
              "kubectl-goodput: --sort-by .status.phsae: no JobGoodput of the list has this field\n");
    /* A column is there without a value. */
    run_check("\"$0\" top -f list.json -o name --sort-by goodput", 0,
              "jobgoodput.goodput.dev/a\njobgoodput.goodput.dev/b\n", "");
}

TEST(a_misspelled_option_names_the_one_that_was_meant) {
    check_run("top --sort", 2, "", "kubectl-goodput: unknown option \"--sort\": did you mean \"--sort-by\"?\n");
    check_run("top --sotr-by=x", 2, "", "kubectl-goodput: unknown option \"--sotr-by\": did you mean \"--sort-by\"?\n");
    check_run("analyze x --formta MaxText", 2, "",
              "kubectl-goodput: unknown option \"--formta\": did you mean \"--format\"?\n");
    check_run("top --x", 2, "", "kubectl-goodput: unknown option \"--x\"; \"kubectl goodput help\" lists them\n");
}

TEST(help_is_of_the_command) {
    static const char *const commands[] = {"timeline --help", "help timeline", "timeline x -h"};
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        check_run(
            commands[i], 0,
            "one job's executions on a time axis\n\nExamples:\n  kubectl goodput timeline llama3-70b -n research\n\n"
            "Options:\n  -f, --filename FILE",
            "");
        check_run(commands[i], 0, "\n\nUsage:\n  kubectl goodput timeline NAME", "");
    }
    run_check("\"$0\" help timeline | grep -c -e --watch -e --sort-by", 1, "0\n", "");
    check_run("help top", 0, "  --sort-by COLUMN|PATH   ascending", "");
    check_run("help analyze", 0, "kubectl goodput analyze FILE", "");
    check_run("help why", 0, "kubectl goodput why FILE", "");
    check_run("help", 0, "kubectl goodput explain NAME", "");
    check_run("help nothing", 2, "", "unknown command \"nothing\"; \"kubectl goodput help\" lists them");
    check_run("help tpo", 2, "", "unknown command \"tpo\": did you mean \"top\"?");
}
