/* interval: windows of a ledger that is small enough to add up by hand. tests/recompute/interval.py compares it with
 * SQL and with whole logs. */
#include "harness.h"
#include "run.h"

#include "base/mem.h"

#include <string.h>

#define AT(time) "2026-11-01T" time ".000Z"
#define HEAD(complete)                                                                                                 \
    "{\"record\":\"job\",\"schema\":1,\"cluster\":\"c\",\"namespace\":\"ns\",\"name\":\"a\",\"uid\":\"u\","            \
    "\"target\":\"t\",\"from\":\"" AT("00:00:00") "\",\"completeFrom\":\"" AT(complete) "\"}\n"
#define SPAN(from, to, ms, execution, bucket, family, more)                                                            \
    "{\"record\":\"span\",\"from\":\"" AT(from) "\",\"to\":\"" AT(to) "\",\"milliseconds\":" ms                        \
                                                                      ",\"bucket\":\"" bucket                          \
                                                                      "\",\"family\":\"" family                        \
                                                                      "\",\"execution\":" execution more "}\n"
#define LOST(to, ms, bucket, family, more)                                                                             \
    "{\"record\":\"settled\",\"to\":\"" AT(to) "\",\"milliseconds\":" ms ",\"bucket\":\"" bucket                       \
                                               "\",\"family\":\"" family "\"" more "}\n"
#define STEPS "{\"record\":\"steps\",\"retained\":1}\n"
#define FAILED "\"interruption\":1,\"owner\":\"Provider\""

/* Ten minutes queued, an hour of steps, a failure with ten minutes to come back, half an hour of steps; at the end it
 * turns out that the last 15 minutes of the hour were lost. */
#define LIFE                                                                                                           \
    HEAD("00:00:00")                                                                                                   \
    SPAN("00:00:00", "00:10:00", "600000", "1", "QueueWait", "Scheduling", ",\"owner\":\"Scheduler\"")                 \
    SPAN("00:10:00", "01:10:00", "3600000", "1", "Productive", "Productive", "")                                       \
    SPAN("01:10:00", "01:20:00", "600000", "2", "Rescheduling", "Scheduling",                                          \
         "," FAILED ",\"cause\":\"NodeFailure\",\"recovery\":\"Reschedule\"")                                          \
    LOST("01:20:00", "900000", "WastedProgress", "Runtime",                                                            \
         ",\"owner\":\"Tenant\",\"interruptionMilliseconds\":900000")                                                  \
    LOST("01:20:00", "-900000", "Productive", "Productive", "")                                                        \
    "{\"record\":\"settled\",\"to\":\"" AT("01:20:00") "\"," FAILED ",\"lostMilliseconds\":900000}\n" SPAN(            \
        "01:20:00", "01:50:00", "1800000", "2", "Productive", "Productive", "")
#define INTERRUPTION                                                                                                   \
    "{\"record\":\"interruption\",\"from\":\"" AT(                                                                     \
        "01:10:00") "\",\"count\":1," FAILED                                                                           \
                    ",\"cause\":\"NodeFailure\",\"node\":\"n7\",\"evidence\":\"Node n7: NotReady\"}\n"

static void write(const char *lines) {
    run_write_file("ledger.jsonl", lines, strlen(lines));
}

#define WINDOW(options) "\"$0\" interval ledger.jsonl " options " | sed '/^The same/d'"

TEST(a_window_cuts_spans_and_puts_lost_work_where_it_was) {
    write(LIFE INTERRUPTION STEPS);
    run_check(WINDOW("--from 2026-11-01T01:00:00Z --to 2026-11-01T01:30:00Z"), 0,
              "ledger.jsonl: 2026-11-01 01:00:00 to 2026-11-01 01:30:00, 30m 00.000s\n"
              "SCHEDULING 66.67%   RUNTIME 50.00%   GOODPUT 33.33%\n\n"
              "BUCKET                  FAMILY                  TIME  SHARE\n"
              "Productive              Productive       10m 00.000s  33.33%\n"
              "Rescheduling            Scheduling       10m 00.000s  33.33%\n"
              "WastedProgress          Runtime          10m 00.000s  33.33%\n\n"
              "LOST BY                 OWNER                   TIME  SHARE\n"
              "NodeFailure             Provider         20m 00.000s  66.67%\n\n"
              "1 interruption:\n"
              "2026-11-01 01:10:00  NodeFailure           Provider   n7  Node n7: NotReady\n\n",
              "");
    run_check("\"$0\" interval ledger.jsonl --to 2026-11-01T00:55:00Z | sed -n '2p;/Wasted/p;/inter.*ns$/p'", 0,
              "SCHEDULING 81.82%   RUNTIME 100.00%   GOODPUT 81.82%\n0 interruptions\n", "");
    run_check("\"$0\" interval ledger.jsonl --from 2026-11-01 --to 2027-11-01 | sed 1q", 0,
              "ledger.jsonl: 2026-11-01 00:00:00 to 2026-11-01 01:50:00, 1h 50m 00.000s\n", "");
}

TEST(a_running_jobs_interruptions_are_where_executions_start) {
    write(LIFE);
    run_check("\"$0\" interval ledger.jsonl | sed -n '/^1 inter/,/^$/p'", 0,
              "1 interruption:\n2026-11-01 01:10:00  NodeFailure           Provider   -\n\n", "");
}

/* 40 of 60 minutes were productive; a window of 30 minutes has at least 10 of them. */
TEST(of_sums_a_window_has_bounds) {
    write(HEAD("01:00:00") "{\"record\":\"settled\",\"from\":\"" AT("00:00:00") "\",\"to\":\"" AT(
        "01:00:00") "\",\"milliseconds\":2400000,\"bucket\":\"Productive\",\"family\":\"Productive\"}\n"
                    "{\"record\":\"settled\",\"from\":\"" AT("00:00:00") "\",\"to\":\"" AT(
                        "01:00:00") "\",\"milliseconds\":1200000,\"bucket\":\"QueueWait\",\"family\":\"Scheduling\","
                                    "\"owner\":\"Scheduler\"}\n"
                                    "{\"record\":\"interruption\",\"count\":3,\"cause\":\"NodeFailure\"}\n" SPAN(
                                        "01:00:00", "02:00:00", "3600000", "4", "Productive", "Productive", ""));
    run_check(WINDOW("--to 2026-11-01T00:30:00Z"), 0,
              "ledger.jsonl: 2026-11-01 00:00:00 to 2026-11-01 00:30:00, 30m 00.000s\n"
              "SCHEDULING 33.33% to 100.00%   RUNTIME 33.33% to 100.00%   GOODPUT 33.33% to 100.00%\n\n"
              "BUCKET                  FAMILY                  TIME  SHARE\n"
              "Productive              Productive  10m 00.000s to 30m 00.000s  33.33% to 100.00%\n"
              "QueueWait               Scheduling  0.000s to 20m 00.000s  0.00% to 66.67%\n\n"
              "LOST BY                 OWNER                   TIME  SHARE\n"
              "-                       Scheduler   0.000s to 20m 00.000s  0.00% to 66.67%\n\n"
              "0 to 3 interruptions\n"
              "\"A to B\": of the time before the first span that is known there are only sums.\n\n",
              "");
    run_check("\"$0\" interval ledger.jsonl --from 2026-11-01T01:00:00Z | sed -n '2p;/inter.*ns$/p'", 0,
              "SCHEDULING 100.00%   RUNTIME 100.00%   GOODPUT 100.00%\n0 interruptions\n", "");
}

TEST(interval_reads_an_archive_and_names_its_files) {
    run_write_file("lines", LIFE INTERRUPTION STEPS, strlen(LIFE INTERRUPTION STEPS));
    run_check(
        "mkdir -p old/cluster=c/date=2026-11-01/namespace=ns; { echo '{\"record\":\"part\",\"from\":\"" AT(
            "00:00:00") "\",\"to\":\"" AT("01:50:00") "\"}'; cat lines; } | gzip "
                                                      ">old/cluster=c/date=2026-11-01/namespace=ns/"
                                                      "a_u_t_1793491200.jsonl.gz; "
                                                      "\"$0\" interval a --archive old --from 2026-11-01T01:00:00Z "
                                                      "| sed -n '2p;$p'",
        0,
        "SCHEDULING 80.00%   RUNTIME 75.00%   GOODPUT 60.00%\n"
        "The same: duckdb -c \"SET VARIABLE files = 'old/cluster=c/*/namespace=ns/a_u_t_*.jsonl.gz'; SET "
        "VARIABLE from_time = '2026-11-01T01:00:00.000Z'; SET VARIABLE to_time = '2026-11-01T01:50:00.000Z'\" -c "
        "\".read deploy/sql/recompute.sql\" -c \".read deploy/sql/interval.sql\" -c \"FROM interval_goodput\" -c "
        "\"FROM interval_bucket\" -c \"FROM interval_loss\" -c \"FROM interval_interruption\"\n",
        "");
}

static void check_wrong(const char *lines, const char *options, const char *why) {
    CLEANUP_FREE char *script = mem_format("\"$0\" interval ledger.jsonl %s", options);
    CLEANUP_FREE char *expected = mem_format("kubectl-goodput: ledger.jsonl: %s\n", why);
    write(lines);
    run_check(script, 1, "", expected);
}

TEST(interval_says_what_is_wrong) {
    check_wrong(
        LIFE, "--from 2027-01-01",
        "its time is from 2026-11-01T00:00:00.000Z to 2026-11-01T01:50:00.000Z: nothing of it is in the window");
    check_wrong(HEAD("00:00:00") SPAN("00:10:00", "01:10:00", "3600000", "1", "Productive", "Productive", ""), "",
                "its spans leave a gap or overlap");
    check_wrong(HEAD("00:00:00") SPAN("00:00:00", "00:10:00", "600000", "1", "Productive", "Productive", "")
                    LOST("00:10:00", "-900000", "Productive", "Productive", ""),
                "", "it loses more productive time than it has");
    check_wrong("{\"record\":\"job\",\"schema\":2}\n", "",
                "a newer version wrote it: use the kubectl-goodput of that version");
    check_wrong("{\"record\":\"job\",\"schema\":1}\n", "", "it has no time");
    run_check("\"$0\" interval", 2, "", "kubectl-goodput: interval needs the NAME of a JobGoodput, or a FILE\n");
    run_check("\"$0\" interval a --from soon", 2, "",
              "kubectl-goodput: --from soon: write a day or a time, such as 2026-11-01 or 2026-11-01T06:00:00Z\n");
    run_check("\"$0\" interval a --from 2026-11-02 --to 2026-11-01", 2, "",
              "kubectl-goodput: --to 2026-11-01 is not after --from 2026-11-02\n");
    run_check("\"$0\" interval a --archive absent", 1, "", "kubectl-goodput: absent: No such file or directory\n");
}
