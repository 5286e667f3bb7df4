/* ledger: what it asks of kubectl, by a stand-in, which replica it takes, and the table. The whole way to a controller
 * is in tests/runtime/test_ledger.c. */
#include "harness.h"
#include "run.h"

#include "base/mem.h"

#include <string.h>

#define POD(name)                                                                                                      \
    "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"containers\":[{\"args\":[\"--page-bind-address=:8082\"]}]}}"

/* g-0 forwards port 1, g-1 port 2; raw: what a request to the page does, by $port. */
static void write_stand_in(const char *raw) {
    CLEANUP_FREE char *script =
        mem_format("#!/bin/sh\n"
                   "case \"$*\" in\n"
                   "*--raw*) echo \"$*\" >>asked; port=${*##*:}; %s ;;\n"
                   "get*pods*) echo '{\"items\":[" POD("g-0") "," POD(
                       "g-1") "]}' ;;\n"
                              "get*) echo '{\"metadata\":{\"namespace\":\"team\",\"name\":\"a\"}}' ;;\n"
                              "*pod/g-0*) echo 'Forwarding from 127.0.0.1:1 -> 8082'; exec sleep 60 ;;\n"
                              "*) echo 'Forwarding from 127.0.0.1:2 -> 8082'; exec sleep 60 ;;\n"
                              "esac\n",
                   raw);
    run_write_file("kubectl", script, strlen(script));
    struct run run = run_shell("chmod +x kubectl; rm -f asked");
    run_done(&run);
}

#define BUSY "echo 'Error from server (ServiceUnavailable): busy' >&2; exit 1"
#define LINES                                                                                                          \
    "{\"record\":\"job\",\"schema\":1}\n"                                                                              \
    "{\"record\":\"settled\",\"milliseconds\":61000,\"bucket\":\"Productive\",\"family\":\"Productive\"}\n"            \
    "{\"record\":\"settled\",\"provisionalMilliseconds\":61000}\n"                                                     \
    "{\"record\":\"span\",\"from\":\"2026-11-21T02:16:52.000Z\",\"milliseconds\":1500,\"bucket\":\"ImagePull\","       \
    "\"cause\":\"NodeFailure\",\"owner\":\"Provider\",\"execution\":2,\"chips\":4,\"log\":\"p\",\"line\":7}\n"         \
    "{\"record\":\"status\",\"status\":{}}\n"

TEST(ledger_takes_the_replica_that_leads) {
    write_stand_in("if [ $port = 1 ]; then " BUSY "; fi; cat lines");
    run_write_file("lines", LINES, strlen(LINES));
    run_check("KUBECTL=./kubectl \"$0\" ledger a -o jsonl >got; cat asked got", 0,
              "get --raw /ledger?namespace=team&name=a --kubeconfig /dev/null --server http://127.0.0.1:1\n"
              "get --raw /ledger?namespace=team&name=a --kubeconfig /dev/null --server http://127.0.0.1:2\n" LINES,
              "");
    run_check("KUBECTL=./kubectl \"$0\" ledger a", 0,
              "FROM                       DURATION  BUCKET                CAUSE               OWNER      EXEC    CHIPS"
              "  EVIDENCE\n"
              "(sum)                    1m 01.000s  Productive                                                        "
              "  \n"
              "2026-11-21 02:16:52          1.500s  ImagePull             NodeFailure         Provider      2        4"
              "  p line 7\n",
              "");
}

TEST(ledger_says_what_is_missing) {
    write_stand_in(BUSY);
    run_check("KUBECTL=./kubectl \"$0\" ledger a", 1, "",
              "kubectl-goodput: no replica of goodput-controller that leads has evaluated the job: retry later\n");
    write_stand_in("echo 'Error from server (NotFound): no' >&2; exit 1");
    run_check("KUBECTL=./kubectl \"$0\" ledger a", 1, "",
              "kubectl-goodput: the controller does not follow this JobGoodput, or serves no ledgers: check its "
              "--watch-namespaces and version\n");
    run_check("\"$0\" ledger a -A", 2, "", "kubectl-goodput: --all-namespaces works only with top, report, fleet\n");
    run_check("\"$0\" ledger a -f b", 2, "",
              "kubectl-goodput: --filename works only with top, explain, timeline, report, fleet, whatif\n");
    run_check("\"$0\" ledger a -o json", 2, "", "kubectl-goodput: -o json: not one of table, jsonl\n");
    run_check("\"$0\" ledger", 2, "", "kubectl-goodput: ledger needs the NAME of a JobGoodput\n");
}
