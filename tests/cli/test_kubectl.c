/* What the plugin asks of kubectl, by a stand-in that writes its arguments down, and what it makes of kubectl's end.
 * tests/runtime runs it against the embedded API server. */
#include "harness.h"
#include "run.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define GET "get\njobgoodputs.v1alpha1.goodput.dev\n"

/* Prints a list, or one object where a name is asked for. */
static void write_stand_in(void) {
    static const char script[] =
        "#!/bin/sh\n"
        "printf '%s\\n' \"$@\" >asked\n"
        "job='{\"metadata\":{\"name\":\"a\",\"namespace\":\"team\"},\"status\":{}}'\n"
        "case \"$*\" in\n"
        "*--watch*) echo $$ >watching; exec sleep 60 ;;\n"
        "*' -- 'a) echo \"$job\" ;;\n"
        "*' -- 'no) echo 'Error from server (NotFound): jobgoodputs.goodput.dev \"no\" not found' "
        ">&2; exit 1 ;;\n"
        "*' -- 'torn) echo '{\"metadata\":' ;;\n"
        "*' -- 'locked) echo 'error: You must be logged in to the server (Unauthorized)' >&2; "
        "exit 1 ;;\n"
        "*'--output json') echo \"{\\\"items\\\":[$job]}\" ;;\n"
        "*) echo printed by kubectl; exit 3 ;;\n"
        "esac\n";
    run_write_file("kubectl", script, sizeof script - 1);
    struct run run = run_shell("chmod +x kubectl");
    run_done(&run);
}

static void check_asked(const char *command, const char *asked) {
    CLEANUP_FREE char *line = mem_format("KUBECTL=./kubectl \"$0\" %s >/dev/null 2>&1; cat asked", command);
    struct run run = run_shell(line);
    CHECK_TEXT(run.out, asked);
    run_done(&run);
}

TEST(flags_of_kubectl_are_passed_on) {
    write_stand_in();
    check_asked("explain a", GET "--output\njson\n--\na\n");
    check_asked("explain jobgoodput/a -n team --context=c --as x --as-group y --as-group z --request-timeout 5s",
                GET "--context=c\n--as\nx\n--as-group\ny\n--as-group\nz\n--request-timeout\n5s\n--namespace\nteam\n"
                    "--output\njson\n--\na\n");
    check_asked("timeline a -s https://x:1 -v6 --insecure-skip-tls-verify --warnings-as-errors=false",
                GET "-s\nhttps://x:1\n-v6\n--insecure-skip-tls-verify\n--warnings-as-errors=false\n--output\njson\n--\n"
                    "a\n");
    check_asked("top -A -l 'team in (a, b)' --kubeconfig k --cluster c --user u --token t",
                GET "--kubeconfig\nk\n--cluster\nc\n--user\nu\n--token\nt\n--selector\nteam in (a, b)\n"
                    "--all-namespaces\n--output\njson\n");
    check_asked("whatif a", GET "--output\njson\n--\na\n");
    check_asked("report a --html x.html", GET "--output\njson\n--\na\n");
    check_asked("report --owner Tenant -A -l team=a", GET "--selector\nteam=a\n--all-namespaces\n--output\njson\n");
    check_asked("fleet -n team", GET "--namespace\nteam\n--output\njson\n");
    check_asked("fleet a", "get\nfleetgoodputs.v1alpha1.goodput.dev\n--output\njson\n--\na\n");
    /* A name is a name, whatever it begins with. */
    check_asked("explain x/--raw=/", GET "--output\njson\n--\n--raw=/\n");
}

TEST(formats_of_kubectl_are_printed_by_it) {
    write_stand_in();
    static const struct {
        const char *command, *asked;
    } cases[] = {
        {"top -A -o jsonpath='{.items[*].metadata.name}'",
         GET "--all-namespaces\n--output\njsonpath={.items[*].metadata"
             ".name}\n"},
        {"top -o custom-columns=A:.metadata.name --sort-by goodput",
         GET "--output\ncustom-columns=A:.metadata.name\n--sort-by=.status.goodput.job\n"},
        {"explain b -o go-template='{{.kind}}'", GET "--output\ngo-template={{.kind}}\n--\nb\n"},
        {"timeline b --output=jsonpath-as-json={.kind}", GET "--output\njsonpath-as-json={.kind}\n--\nb\n"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        check_asked(cases[i].command, cases[i].asked);
        CLEANUP_FREE char *line = mem_format("KUBECTL=./kubectl \"$0\" %s", cases[i].command);
        run_check(line, 3, "printed by kubectl\n", "");
    }
    run_check("KUBECTL=./kubectl \"$0\" explain b -f x -o jsonpath={.kind}", 2, "",
              "kubectl-goodput: -o jsonpath={.kind}: kubectl prints it from the cluster, not from a file\n");
    run_check("KUBECTL=./kubectl \"$0\" whatif a -o jsonpath={.kind}", 2, "",
              "kubectl-goodput: -o jsonpath={.kind}: not one of json, yaml\n");
}

TEST(errors_of_kubectl_are_shown_as_they_are) {
    write_stand_in();
    run_check("KUBECTL=./kubectl \"$0\" explain no", 1, "",
              "Error from server (NotFound): jobgoodputs.goodput.dev \"no\" not found\n"
              "kubectl-goodput: kubectl goodput top -A lists the JobGoodputs of all namespaces\n");
    run_check("KUBECTL=./kubectl \"$0\" explain locked", 1, "",
              "error: You must be logged in to the server (Unauthorized)\n");
    run_check("KUBECTL=./kubectl \"$0\" explain torn", 1, "",
              "kubectl-goodput: kubectl get printed no JSON: line 2: unexpected token near end of file\n");
    run_check("PATH=/nowhere \"$0\" top", 1, "",
              "kubectl-goodput: there is no kubectl on PATH, by which the cluster is read: install kubectl, or name it "
              "in the variable KUBECTL; analyze, why and -f FILE need none\n");
    run_check("KUBECTL=./other \"$0\" top -o jsonpath=x", 1, "",
              "kubectl-goodput: there is no ./other on PATH, by which the cluster is read: install kubectl, or name it "
              "in the variable KUBECTL; analyze, why and -f FILE need none\n");
    run_check("touch other; KUBECTL=./other \"$0\" top; rm other", 0, "",
              "kubectl-goodput: cannot run ./other: Permission denied\n");
    run_check("\"$0\" top --token", 2, "", "kubectl-goodput: --token needs a value\n");
}

/* kubectl does not outlive the plugin. */
TEST(a_watch_ends_with_its_kubectl) {
    write_stand_in();
    run_check("export KUBECTL=./kubectl; \"$0\" top -w & sleep 0.5; kill $!; wait $!; echo $?; "
              "kill -0 $(cat watching) 2>&1 | grep -q 'No such process' && echo ended",
              0,
              "NAME  PHASE  SCHED  RUNTIME  GOODPUT  TOP-BADPUT  INT  STEP\n"
              "a     -          -        -        -  -             -     -\n\n0\nended\n",
              "");
}
