/* compare and interval: what they read, what they print, what they refuse. What a verdict is worth is in
 * tests/formulas/test_compare.c. */
#include "harness.h"
#include "run.h"

#include "base/buf.h"
#include "base/mem.h"
#include "harness/random.h"

#include <string.h>

/* A log of 2,000 steps of about a second. */
static void write_log(const char *name, double slower, uint64_t seed) {
    CLEANUP_BUF struct buf out;
    double at_ms = 0;
    buf_init(&out, 1 << 20);
    for (int step = 1; step <= 2000; step++) {
        at_ms += slower * (950 + (double)random_below(&seed, 100));
        int64_t ms = (int64_t)at_ms;
        buf_format(&out, "2026-11-01T%02d:%02d:%02d.%03dZ step: %d, loss: 3.2\n", (int)(ms / 3600000),
                   (int)(ms / 60000 % 60), (int)(ms / 1000 % 60), (int)(ms % 1000), step);
    }
    run_write_file(name, out.data, out.size_bytes);
}

#define VERDICTS "sed -n '4,$s/^\\(step time\\|step time, median\\|runtime goodput\\)  .*  /\\1: /p'"

TEST(compare_finds_slower_steps_of_logs) {
    write_log("a.log", 1, 1);
    write_log("b.log", 1, 2);
    write_log("c.log", 1.02, 3);
    run_check("\"$0\" compare a.log b.log | " VERDICTS, 0,
              "step time: within chance\nstep time, median: within chance\nruntime goodput: within chance\n", "");
    run_check("\"$0\" compare a.log c.log | " VERDICTS, 0,
              "step time: worse\nstep time, median: worse\nruntime goodput: within chance\n", "");
    run_check("\"$0\" compare c.log a.log | " VERDICTS, 0,
              "step time: better\nstep time, median: better\nruntime goodput: within chance\n", "");
    run_check(
        "\"$0\" compare a.log c.log -o json >1; \"$0\" compare a.log c.log -o json | cmp - 1 && grep -c verdict 1", 0,
        "3\n", "");
}

#define HEAD(name)                                                                                                     \
    "{\"record\":\"job\",\"schema\":1,\"namespace\":\"ns\",\"name\":\"" name                                           \
    "\",\"from\":\"2026-11-01T00:00:00.000Z\""                                                                         \
    ",\"completeFrom\":\"2026-11-01T00:00:00.000Z\"}\n"
#define SPAN(from, to, ms, bucket, family, more)                                                                       \
    "{\"record\":\"span\",\"from\":\"2026-11-01T" from "Z\",\"to\":\"2026-11-01T" to "Z\",\"milliseconds\":" ms        \
    ",\"count\":1,\"bucket\":\"" bucket "\",\"family\":\"" family "\",\"basis\":\"Observed\",\"execution\":1" more     \
    "}\n"
/* Ten minutes to start, an hour of steps of which the last quarter is lost later. */
#define JOB(name)                                                                                                      \
    HEAD(name)                                                                                                         \
    SPAN("00:00:00.000", "00:10:00.000", "600000", "Provisioning", "Scheduling", ",\"owner\":\"Provider\"")            \
    SPAN("00:10:00.000", "01:10:00.000", "3600000", "Productive", "Productive",                                        \
         ",\"chips\":4,\"chipMilliseconds\":14400000,\"step\":1,\"lastStep\":360")                                     \
    "{\"record\":\"settled\",\"to\":\"2026-11-01T01:10:00.000Z\",\"milliseconds\":-900000,\"count\":0,"                \
    "\"bucket\":\"Productive\",\"family\":\"Productive\",\"basis\":\"Observed\"}\n"                                    \
    "{\"record\":\"settled\",\"to\":\"2026-11-01T01:10:00.000Z\",\"milliseconds\":900000,\"count\":1,"                 \
    "\"bucket\":\"WastedProgress\",\"family\":\"Runtime\",\"basis\":\"Assumed\",\"owner\":\"Tenant\"}\n"               \
    "{\"record\":\"interruption\",\"from\":\"2026-11-01T01:09:00.000Z\",\"count\":1,\"interruption\":1,\"cause\":"     \
    "\"NodeFailure\",\"excluded\":false,\"owner\":\"Provider\"}\n"

TEST(compare_reads_ledgers_and_archives) {
    run_write_file("lines", JOB("a"), strlen(JOB("a")));
    run_check("mkdir -p compared/cluster=c/date=2026-11-01/namespace=ns; { echo '{\"record\":\"part\",\"from\":"
              "\"2026-11-01T00:00:00.000Z\",\"to\":\"2026-11-01T01:10:00.000Z\"}'; cat lines; } | gzip "
              ">compared/cluster=c/date=2026-11-01/namespace=ns/a_u_t_000000.jsonl.gz; "
              "\"$0\" compare lines a --archive compared | sed -n '5,6p;s/ *-   *-   *too few/ -/p'",
              0,
              "step time                        10.000s      10.000s      +0.00%  -                         too few\n"
              "scheduling goodput                85.71%       85.71%     +0.00pt  -100.00pt to +100.00pt    within "
              "chance\n",
              "");
}

/* Ten minutes of waiting and ten of saves before fifty of steps: what a status advised, and a job without the saves. */
#define ADVISED(name, day, saves, more)                                                                                \
    "{\"record\":\"job\",\"schema\":1,\"namespace\":\"ns\",\"name\":\"" name "\",\"target\":\"t\",\"uid\":\"u" name    \
    "\","                                                                                                              \
    "\"labels\":[{\"key\":\"goodput.dev/run\",\"value\":\"big\"}],\"from\":\"2026-11-" day "T00:00:00.000Z\","         \
    "\"completeFrom\":\"2026-11-" day "T00:00:00.000Z\"}\n"                                                            \
    "{\"record\":\"span\",\"from\":\"2026-11-" day "T00:00:00.000Z\",\"to\":\"2026-11-" day "T00:10:00.000Z\","        \
    "\"milliseconds\":600000,\"count\":1,\"bucket\":\"QueueWait\",\"family\":\"Scheduling\",\"execution\":1}\n"        \
    "{\"record\":\"span\",\"from\":\"2026-11-" day "T00:10:00.000Z\",\"to\":\"2026-11-" day "T00:20:00.000Z\","        \
    "\"milliseconds\":600000,\"count\":1,\"bucket\":\"" saves "\",\"family\":\"Runtime\",\"execution\":1}\n"           \
    "{\"record\":\"span\",\"from\":\"2026-11-" day "T00:20:00.000Z\",\"to\":\"2026-11-" day "T01:10:00.000Z\","        \
    "\"milliseconds\":3000000,\"count\":1,\"bucket\":\"Productive\",\"family\":\"Productive\",\"execution\":1,"        \
    "\"step\":1,\"lastStep\":300}\n"                                                                                   \
    "{\"record\":\"status\",\"status\":{\"phase\":\"Failed\",\"goodputPPM\":{\"job\":1}" more "}}\n"
#define ADVICE ",\"advice\":[{\"kind\":\"AsynchronousCheckpoint\",\"gainPoints\":\"11.90\"},{\"kind\":\"Newer\"}]"
#define ARCHIVED(name, day)                                                                                            \
    "mkdir -p runs/cluster=c/date=2026-11-" day "/namespace=ns; { echo '{\"record\":\"part\",\"from\":\"2026-11-" day  \
    "T00:00:00.000Z\",\"to\":\"2026-11-" day "T01:10:00.000Z\"}'; cat " name                                           \
    "; } | gzip >runs/cluster=c/date=2026-11-" day "/namespace=ns/" name "_u" name "_t_0000000000.jsonl.gz; "

TEST(compare_shows_what_came_of_advice) {
    run_write_file("old-1", ADVISED("old-1", "01", "CheckpointSave", ADVICE),
                   strlen(ADVISED("old-1", "01", "CheckpointSave", ADVICE)));
    run_write_file("new-1", ADVISED("new-1", "02", "Evaluation", ""), strlen(ADVISED("new-1", "02", "Evaluation", "")));
    /* P / W = 50 / 70; without the saves 50 / 60: 11.90 points more, although the evaluation took as long. */
    run_check("\"$0\" compare old-1 new-1 | sed -n '/ADVICE/,/pt/s/  */ /gp' | cut -d' ' -f1-4", 0,
              "ADVICE OF A PREDICTED\nAsynchronousCheckpoint +11.90pt +11.90pt -57.07pt\n", "");
    run_check("\"$0\" compare old-1 old-1 | grep AsynchronousCheckpoint | tr -s ' ' | cut -d' ' -f2-3,7-", 0,
              "+11.90pt +0.00pt B has it, too\n", "");
}

/* A run counts the time between its targets; jobs of a pattern are laid one after the other. */
TEST(compare_takes_runs_and_patterns_of_an_archive) {
    run_check(
        ARCHIVED("old-1", "01") ARCHIVED(
            "new-1",
            "02") "\"$0\" compare run/big '*-1' --archive runs >1; "
                  "sed -n '1,2p' 1; sed -n '/^job goodput/s/  */ /gp;/^NotSubmitted/s/  */ /gp' 1 | cut -d' ' -f1-4",
        0,
        "A  run/big: 2026-11-01 00:00:00, 1d 01h 10m 00s, 2 jobs one after the other\n"
        "B  *-1: 2026-11-02 00:00:00, 2h 20m 00s, 2 jobs one after the other\n"
        "job goodput 6.62% 71.43%\n"
        "NotSubmitted 90.73% 0.00% -90.73pt\n",
        "");
    run_check("\"$0\" compare 'no-*' old-1 --archive runs", 1, "",
              "kubectl-goodput: no-*: no job of the archive has such a name and time\n");
    run_check("\"$0\" compare run/none old-1 --archive runs", 1, "",
              "kubectl-goodput: no job has the label goodput.dev/run=none or that name\n");
}

TEST(compare_draws_a_picture) {
    run_check("\"$0\" compare old-1 new-1 --html - | grep -c '\"comparison\":{\"a\":{\"name\":\"old-1\"'", 0, "1\n",
              "");
    run_check("\"$0\" compare old-1 new-1 --html x -o json", 2, "",
              "kubectl-goodput: --html and -o: give one of them\n");
}

TEST(compare_says_what_is_wrong) {
    run_write_file("bad", "{\"record\":\"job\"}\nno\n", 20);
    run_write_file("empty", "{\"record\":\"job\"}\n", 17);
    run_write_file("newer", "{\"record\":\"job\",\"schema\":2}\n", 28);
    run_check("\"$0\" compare a", 2, "",
              "kubectl-goodput: compare needs two jobs: NAMEs of JobGoodputs, or FILEs of logs\n");
    run_check("\"$0\" compare a b c", 2, "", "kubectl-goodput: unexpected argument \"c\"\n");
    run_check("\"$0\" compare bad bad", 1, "", "kubectl-goodput: bad: line 2 is not a line of a ledger\n");
    run_check("\"$0\" compare empty empty", 1, "", "kubectl-goodput: empty: no span of its time is known\n");
    run_check("\"$0\" compare newer newer", 1, "",
              "kubectl-goodput: newer: a newer version wrote it: use the kubectl-goodput of that version\n");
    run_check("\"$0\" compare ./absent.log bad", 1, "", "kubectl-goodput: ./absent.log: No such file or directory\n");
    run_check("\"$0\" compare a b --archive absent", 1, "", "kubectl-goodput: absent: No such file or directory\n");
    run_check("\"$0\" compare bad bad -o csv", 2, "", "kubectl-goodput: -o csv: not one of table, json, yaml\n");
    run_check("\"$0\" compare bad bad -A", 2, "",
              "kubectl-goodput: --all-namespaces works only with top, report, fleet\n");
}
