/* dashboard: what it asks of kubectl, by a stand-in that writes its arguments down, and what it says. A real
 * port-forward is in tests/nodes/story. */
#include "harness.h"
#include "run.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* pods: what the list has; forward: what port-forward does. */
static void write_stand_in(const char *pods, const char *forward) {
    CLEANUP_FREE char *script = mem_format("#!/bin/sh\n"
                                           "echo \"$*\" >>asked\n"
                                           "case $1 in\n"
                                           "get) echo '{\"items\":[%s]}' ;;\n"
                                           "port-forward) %s ;;\n"
                                           "esac\n",
                                           pods, forward);
    run_write_file("kubectl", script, strlen(script));
    struct run run =
        run_shell("chmod +x kubectl; rm -f asked opened; printf '#!/bin/sh\\necho $1 >opened\\n' >browser; "
                  "chmod +x browser");
    run_done(&run);
}

#define POD(flags)                                                                                                     \
    "{\"metadata\":{\"name\":\"g-0\"},\"spec\":{\"containers\":[{\"name\":\"controller\",\"args\":[" flags "]}]}}"
#define SERVING POD("\"--leader-elect=true\",\"--page-bind-address=127.0.0.1:8082\"")

#define ADDRESS "http://localhost:8082/\nThe page is there until you press Ctrl-C.\n"

TEST(dashboard_forwards_the_port_of_the_page) {
    write_stand_in(SERVING ",{}", "echo 'Forwarding from 127.0.0.1:8082 -> 8082'");
    run_check("KUBECTL=./kubectl \"$0\" dashboard --context c; cat asked", 0,
              ADDRESS "get pods --context c --namespace goodput-system --selector "
                      "app.kubernetes.io/name=goodput-controller --field-selector status.phase=Running --output json\n"
                      "port-forward --address 127.0.0.1 --namespace goodput-system pod/g-0 8082:8082 --context c\n",
              "");
    write_stand_in(SERVING, "echo 'Forwarding from 127.0.0.1:40123 -> 8082'; echo 'Handling connection for 40123'");
    run_check("KUBECTL=./kubectl \"$0\" dashboard -n obs --port 0; tail -n 1 asked; ls opened 2>/dev/null", 2,
              "http://localhost:40123/\nThe page is there until you press Ctrl-C.\n"
              "port-forward --address 127.0.0.1 --namespace obs pod/g-0 0:8082\n",
              ""); /* no browser, because there is no terminal */
}

TEST(dashboard_opens_the_browser_of_a_terminal) {
    write_stand_in(SERVING, "echo 'Forwarding from 127.0.0.1:8082 -> 8082'; sleep 0.5");
    run_check("export KUBECTL=./kubectl BROWSER=./browser; script -qec \"$0 dashboard\" /dev/null >shown </dev/null; "
              "tr -d '\\r' <shown; cat opened",
              0, ADDRESS "http://localhost:8082/\n", "");
    run_check(
        "export KUBECTL=./kubectl BROWSER=./browser; rm opened; script -qec \"$0 dashboard --no-browser\" /dev/null "
        ">/dev/null </dev/null; test -e opened || echo none",
        0, "none\n", "");
    run_check(
        "export KUBECTL=./kubectl BROWSER=./absent; script -qec \"$0 dashboard\" /dev/null </dev/null | tr -d '\\r'", 0,
        ADDRESS "No browser could be started: open that address yourself.\n", "");
}

TEST(dashboard_says_what_is_missing) {
    write_stand_in("", "exit 1");
    run_check(
        "KUBECTL=./kubectl \"$0\" dashboard", 1, "",
        "kubectl-goodput: no pod of goodput-controller runs in namespace goodput-system: -n names the controller's "
        "namespace\n");
    write_stand_in(POD("\"--page-bind-address=0\""), "exit 1");
    run_check("KUBECTL=./kubectl \"$0\" dashboard", 1, "",
              "kubectl-goodput: pod g-0 serves no page: set page.enabled in the chart\n");
    write_stand_in(POD(""), "exit 1");
    run_check("KUBECTL=./kubectl \"$0\" dashboard", 1, "",
              "kubectl-goodput: pod g-0 serves no page: set page.enabled in the chart\n");
    write_stand_in(SERVING, "echo 'error: unable to listen on any of the requested ports: [{8082 8082}]' >&2; exit 1");
    run_check("KUBECTL=./kubectl \"$0\" dashboard", 1, "",
              "error: unable to listen on any of the requested ports: [{8082 8082}]\n"
              "kubectl-goodput: kubectl port-forward failed: --port 0 takes a port that is free\n");
    write_stand_in(SERVING,
                   "echo 'Forwarding from 127.0.0.1:8082 -> 8082'; echo 'error: lost connection to pod' >&2; exit 1");
    run_check("KUBECTL=./kubectl \"$0\" dashboard", 1, ADDRESS,
              "error: lost connection to pod\n"
              "kubectl-goodput: the connection to the page has ended: start dashboard again\n");
    run_check("\"$0\" dashboard --port 70000", 2, "", "kubectl-goodput: --port 70000: not a port; 0 is a free one\n");
    run_check("\"$0\" dashboard --port -1", 2, "", "kubectl-goodput: --port -1: not a port; 0 is a free one\n");
    run_check("\"$0\" dashboard -A", 2, "", "kubectl-goodput: --all-namespaces works only with top, report, fleet\n");
    run_check("\"$0\" top --port 1", 2, "", "kubectl-goodput: --port works only with dashboard\n");
}

/* kubectl does not outlive the plugin. */
TEST(dashboard_ends_its_kubectl) {
    write_stand_in(SERVING, "echo 'Forwarding from 127.0.0.1:8082 -> 8082'; echo $$ >forwarding; exec sleep 60");
    run_check("export KUBECTL=./kubectl; \"$0\" dashboard & sleep 1; kill $!; wait $!; echo $?; "
              "kill -0 $(cat forwarding) 2>&1 | grep -q 'No such process' && echo ended",
              0, ADDRESS "0\nended\n", "");
}
