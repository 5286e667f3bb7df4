/* run: two targets of one training run. tests/sql/views.py compares it with SQL and with simulated runs. */
#include "harness.h"
#include "run.h"

#include "base/mem.h"

#include <string.h>

#define AT(time) "2026-11-01T" time ".000Z"
#define SPAN(from, to, ms, bucket, family, more)                                                                       \
    "{\"record\":\"span\",\"from\":\"" AT(from) "\",\"to\":\"" AT(to) "\",\"milliseconds\":" ms                        \
                                                                      ",\"bucket\":\"" bucket                          \
                                                                      "\",\"family\":\"" family                        \
                                                                      "\",\"execution\":1" more "}\n"
#define JOB(name, uid, labels, from, to)                                                                               \
    "{\"record\":\"part\",\"from\":\"" AT(from) "\",\"to\":\"" AT(                                                     \
        to) "\"}\n"                                                                                                    \
            "{\"record\":\"job\",\"schema\":1,\"cluster\":\"c\",\"namespace\":\"ns\",\"name\":\"" name                 \
            "\",\"uid\":\"" uid "\"," labels                                                                           \
            "\"target\":\"t\",\"from\":\"" AT(from) "\",\"completeFrom\":\"" AT(from) "\"}\n"
#define LABEL "\"labels\":[{\"key\":\"goodput.dev/run\",\"value\":\"r\"}],"
#define STEPS(from, to) ",\"step\":" from ",\"lastStep\":" to
#define STATUS(phase) "{\"record\":\"status\",\"status\":{\"phase\":\"" phase "\"}}\n"

/* An hour: steps 1 to 100 and 101 to 200 around a save; it fails. */
#define FIRST(name, labels, phase)                                                                                     \
    JOB(name, "u1", labels, "00:00:00", "01:00:00")                                                                    \
    SPAN("00:00:00", "00:30:00", "1800000", "Productive", "Productive", STEPS("1", "100"))                             \
    SPAN("00:30:00", "00:40:00", "600000", "CheckpointSave", "Runtime", ",\"owner\":\"Tenant\"")                       \
    SPAN("00:40:00", "01:00:00", "1200000", "Productive", "Productive", STEPS("101", "200"))                           \
    STATUS(phase)
/* Half an hour later another one, for half an hour of steps. */
#define SECOND(name, labels, steps)                                                                                    \
    JOB(name, "u2", labels, "01:30:00", "02:00:00")                                                                    \
    SPAN("01:30:00", "02:00:00", "1800000", "Productive", "Productive", steps)

static void write(const char *object, const char *lines) {
    CLEANUP_FREE char *script = mem_format("mkdir -p runs/cluster=c/date=2026-11-01/namespace=ns; gzip -c lines "
                                           ">runs/cluster=c/date=2026-11-01/namespace=ns/%s_t_1793491200.jsonl.gz",
                                           object);
    run_write_file("lines", lines, strlen(lines));
    run_check(script, 0, "", "");
}

static void begin(void) {
    run_check("rm -rf runs", 0, "", "");
}

TEST(a_later_target_takes_back_the_steps_that_it_does_again) {
    begin();
    write("a_u1", FIRST("a", LABEL, "Failed"));
    write("b_u2", SECOND("b", LABEL, STEPS("101", "250")));
    run_check(
        "\"$0\" run r --archive runs | sed '/^More/d'", 0,
        "ns/r: 2026-11-01 00:00:00 to 2026-11-01 02:00:00, 2 targets\n"
        "SCHEDULING 75.00%   RUNTIME 66.67%   GOODPUT 50.00%\n"
        "GOODPUT: steps that no target did again, of 2h 00m 00s, which is the time of the targets and the time "
        "between them.\n\n"
        "TARGET                    STARTED                        TIME  PHASE       STEPS               "
        "NOT-SUBMITTED  DONE AGAIN LATER\n"
        "a                         2026-11-01 00:00:00      1h 00m 00s  Failed      1-200                           -"
        "  20m 00.000s\n"
        "b                         2026-11-01 01:30:00         30m 00s  -           101-250                   30m 00s"
        "  -\n\n"
        "BUCKET                  FAMILY                  TIME  SHARE\n"
        "Productive              Productive    1h 00m 00.000s  50.00%\n"
        "NotSubmitted            Scheduling       30m 00.000s  25.00%\n"
        "WastedProgress          Runtime          20m 00.000s  16.67%\n"
        "CheckpointSave          Runtime          10m 00.000s  8.33%\n\n"
        "LOST BY                 OWNER                   TIME  SHARE\n"
        "-                       Tenant           40m 00.000s  33.33%\n"
        "(done again)            Tenant           20m 00.000s  16.67%\n\n"
        "0 interruptions within targets\n\n",
        "");
}

#define NUMBERS "| sed -n '1p;2p;/Wasted/p;/^Run/p'"

TEST(a_span_with_kept_and_lost_steps_gives_bounds) {
    begin();
    write("a_u1", FIRST("a", LABEL, "Failed"));
    write("b_u2", SECOND("b", LABEL, STEPS("151", "250")));
    run_check("\"$0\" run r --archive runs " NUMBERS, 0,
              "ns/r: 2026-11-01 00:00:00 to 2026-11-01 02:00:00, 2 targets\n"
              "SCHEDULING 75.00%   RUNTIME 66.67% to 88.89%   GOODPUT 50.00% to 66.67%\n"
              "WastedProgress          Runtime     0.000s to 20m 00.000s  0.00% to 16.67%\n",
              "");
    begin();
    write("a_u1", FIRST("a", LABEL, "Failed"));
    write("b_u2", SECOND("b", LABEL, STEPS("201", "250")));
    run_check("\"$0\" run r --archive runs " NUMBERS, 0,
              "ns/r: 2026-11-01 00:00:00 to 2026-11-01 02:00:00, 2 targets\n"
              "SCHEDULING 75.00%   RUNTIME 88.89%   GOODPUT 66.67%\n",
              "");
}

/* By its name alone a job that follows one that succeeded is another run. */
TEST(a_name_is_a_run_until_a_job_succeeds) {
    begin();
    write("a_u1", FIRST("a", "", "Failed"));
    write("a_u2", SECOND("a", "", STEPS("201", "250")));
    run_check("\"$0\" run a --archive runs " NUMBERS, 0,
              "ns/a: 2026-11-01 00:00:00 to 2026-11-01 02:00:00, 2 targets\n"
              "SCHEDULING 75.00%   RUNTIME 88.89%   GOODPUT 66.67%\n",
              "");
    write("a_u1", FIRST("a", "", "Completed"));
    run_check("\"$0\" run a --archive runs " NUMBERS, 0,
              "ns/a: 2026-11-01 01:30:00 to 2026-11-01 02:00:00, 1 target\n"
              "SCHEDULING 100.00%   RUNTIME 100.00%   GOODPUT 100.00%\n"
              "Run 2 of this name: before it a target succeeded.\n",
              "");
}

TEST(run_says_what_is_wrong) {
    begin();
    write("a_u1", FIRST("a", LABEL, "Failed"));
    run_check("\"$0\" run a --archive runs", 1, "",
              "kubectl-goodput: no job has the label goodput.dev/run=a or that name\n");
    run_check("\"$0\" run", 2, "", "kubectl-goodput: run needs the NAME of a JobGoodput\n");
    run_check("\"$0\" run r --archive absent", 1, "", "kubectl-goodput: absent: No such file or directory\n");
    run_check("\"$0\" run r --since 1h", 2, "", "kubectl-goodput: --since works only with fleet, history\n");
}
