/* compare, interval and run of JobGoodputs: what they ask of kubectl, by a stand-in that has a controller's ledgers in
 * files. */
#include "harness.h"
#include "run.h"

#include "base/mem.h"

#include <string.h>

#define JOBGOODPUT(name, labels) "{\"metadata\":{\"namespace\":\"team\",\"name\":\"" name "\",\"labels\":{" labels "}}}"

/* The last argument is a name, or it is a list. The page gives the file of that name. */
static const char stand_in[] =
    "#!/bin/sh\n"
    "echo \"$*\" >>asked\n"
    "for last; do :; done\n"
    "case \"$*\" in\n"
    "*--raw*) path=${3##*name=}; cat \"$path.lines\" ;;\n"
    "get*pods*) echo '{\"items\":[{\"metadata\":{\"name\":\"g\"},\"spec\":{\"containers\":[{\"args\":["
    "\"--page-bind-address=:8082\"]}]}}]}' ;;\n"
    "get*' -- '*) [ -e \"$last.lines\" ] && echo '{\"metadata\":{\"namespace\":\"team\",\"name\":\"'$last'\"}}' ||\n"
    "    { echo \"Error from server (NotFound): jobgoodputs \\\"$last\\\" not found\" >&2; exit 1; } ;;\n"
    "get*) echo '{\"kind\":\"List\",\"items\":[" JOBGOODPUT("a", "\"goodput.dev/run\":\"r\"") "," JOBGOODPUT(
        "b", "\"goodput.dev/run\":\"r\"") "," JOBGOODPUT("c", "") "]}' ;;\n"
                                                                  "*) echo 'Forwarding from 127.0.0.1:1 -> 8082'; "
                                                                  "exec sleep 60 ;;\n"
                                                                  "esac\n";

#define AT(time) "2026-11-01T" time ".000Z"
#define SPAN(from, to, ms, bucket, family, more)                                                                       \
    "{\"record\":\"span\",\"from\":\"" AT(from) "\",\"to\":\"" AT(to) "\",\"milliseconds\":" ms                        \
                                                                      ",\"count\":1,\"bucket\":\"" bucket              \
                                                                      "\",\"family\":\"" family                        \
                                                                      "\",\"execution\":1" more "}\n"
#define LEDGER(name, from, middle, to, steps)                                                                          \
    "{\"record\":\"job\",\"schema\":1,\"namespace\":\"team\",\"name\":\"" name                                         \
    "\",\"labels\":[{\"key\":\"goodput.dev/run\",\"value\":\"r\"}],\"from\":\"" AT(from) "\",\"completeFrom\":\"" AT(  \
        from) "\"}\n" SPAN(from, middle, "600000", "QueueWait", "Scheduling", ",\"owner\":\"Scheduler\"")              \
        SPAN(middle, to, "3000000", "Productive", "Productive", steps)

static void begin(void) {
    static const char a[] = LEDGER("a", "00:00:00", "00:10:00", "01:00:00", ",\"step\":1,\"lastStep\":100");
    static const char b[] = LEDGER("b", "02:00:00", "02:10:00", "03:00:00", ",\"step\":101,\"lastStep\":150");
    run_write_file("kubectl", stand_in, strlen(stand_in));
    run_write_file("a.lines", a, strlen(a));
    run_write_file("b.lines", b, strlen(b));
    run_check("chmod +x kubectl; rm -f asked a b", 0, "", "");
}

#define KUBECTL "KUBECTL=./kubectl \"$0\" "

TEST(compare_reads_two_jobgoodputs_from_the_controller) {
    begin();
    run_check(KUBECTL "compare a b -n team | sed -n 's/  */ /g;1,2p;5,6p'; grep -o 'raw [^ ]*' asked", 0,
              "A a: 2026-11-01 00:00:00, 1h 00m 00s\n"
              "B b: 2026-11-01 02:00:00, 1h 00m 00s\n"
              "step time 30.000s 1m 00s +100.00% - too few\n"
              "scheduling goodput 83.33% 83.33% +0.00pt -100.00pt to +100.00pt within chance\n"
              "raw /ledger?namespace=team&name=a\n"
              "raw /ledger?namespace=team&name=b\n",
              "");
    struct run run = run_shell(KUBECTL "compare a absent");
    CHECK_INT(run.code, 1);
    CHECK(strstr(run.err, "jobgoodputs \"absent\" not found") != NULL);
    CHECK_TEXT(run.out, "");
    run_done(&run);
}

TEST(interval_reads_a_jobgoodput_from_the_controller) {
    begin();
    run_check(KUBECTL "interval a -n team --to 2026-11-01T00:30:00Z | sed -n '2p;/^The same/p'", 0,
              "SCHEDULING 66.67%   RUNTIME 100.00%   GOODPUT 66.67%\n", "");
}

/* An hour of each, an hour between them. */
TEST(run_joins_the_jobgoodputs_that_have_its_label) {
    begin();
    run_check(KUBECTL "run r -n team | sed -n '1,2p;/NotSubm/p'; grep -c raw asked", 0,
              "team/r: 2026-11-01 00:00:00 to 2026-11-01 03:00:00, 2 targets\n"
              "SCHEDULING 55.56%   RUNTIME 100.00%   GOODPUT 55.56%\n"
              "NotSubmitted            Scheduling    1h 00m 00.000s  33.33%\n"
              "2\n",
              "");
    run_check(KUBECTL "run a", 1, "", "kubectl-goodput: no job has the label goodput.dev/run=a or that name\n");
}
