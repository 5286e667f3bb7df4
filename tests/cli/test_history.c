/* history: the jobs of an archive, as rows, as JobGoodputs, and as the sums of fleet. */
#include "harness.h"
#include "run.h"

#include "base/mem.h"

#include <string.h>

#define STATUS(start, end, wall, goodput)                                                                              \
    "{\"record\":\"status\",\"status\":{\"target\":{\"uid\":\"t\",\"chips\":4},\"phase\":\"Completed\",\"goodput\":{"  \
    "\"scheduling\":\"100.00%\",\"runtime\":\"" goodput "\",\"job\":\"" goodput "\"},\"time\":{\"start\":\"" start     \
    "\",\"end\":\"" end "\",\"observedThrough\":\"" end "\",\"wallMilliseconds\":" wall                                \
    ",\"availableMilliseconds\":" wall ",\"productiveMilliseconds\":" wall "},\"badput\":[],\"interruptions\":{"       \
    "\"total\":0}}}\n"
#define HEAD(name, uid, team, from, to)                                                                                \
    "{\"record\":\"part\",\"from\":\"" from "\",\"to\":\"" to "\"}\n"                                                  \
    "{\"record\":\"job\",\"schema\":1,\"cluster\":\"c\",\"namespace\":\"ns\",\"name\":\"" name "\",\"uid\":\"" uid     \
    "\",\"labels\":[{\"key\":\"team\",\"value\":\"" team "\"}],\"target\":\"t\",\"from\":\"" from "\"}\n"

static void write_object(const char *name, const char *date, const char *lines) {
    run_write_file("lines", lines, strlen(lines));
    CLEANUP_FREE char *script = mem_format("mkdir -p archive/cluster=c/date=%s/namespace=ns && gzip -c lines "
                                           ">archive/cluster=c/date=%s/namespace=ns/%s_000000.jsonl.gz",
                                           date, date, name);
    run_check(script, 0, "", "");
}

/* Two jobs of one name, months apart, and one that runs. */
static void write_archive(void) {
    write_object("a_u1_t", "2026-03-01",
                 HEAD("a", "u1", "search", "2026-03-01T00:00:00.000Z", "2026-03-01T01:00:00.000Z")
                     STATUS("2026-03-01T00:00:00.000Z", "2026-03-01T01:00:00.000Z", "3600000", "100.00%"));
    write_object("a_u2_t", "2026-11-01",
                 HEAD("a", "u2", "ads", "2026-11-01T00:00:00.000Z", "2026-11-01T02:00:00.000Z")
                     STATUS("2026-11-01T00:00:00.000Z", "2026-11-01T02:00:00.000Z", "7200000", "100.00%"));
    write_object("b_u3_t", "2026-11-02",
                 HEAD("b", "u3", "ads", "2026-11-02T00:00:00.000Z", "2026-11-02T00:30:00.000Z"));
}

static void check_names(const char *options, const char *expected) {
    CLEANUP_FREE char *script = mem_format(
        "\"$0\" history --archive archive %s -o json | sed -n 's/.*\"uid\": \"\\(u[0-9]\\)\".*/\\1/p' | tr '\\n' ' '",
        options);
    run_check(script, 0, expected, "");
}

TEST(history_has_every_job_of_an_archive) {
    write_archive();
    check_names("", "u1 u2 u3 ");
    check_names("-l team=ads", "u2 u3 ");
    check_names("-l 'team!=ads,team'", "u1 ");
    check_names("-l '!team'", "");
    check_names("--since 48h", "u2 u3 ");
    check_names("-n other", "");
    run_check("\"$0\" history --archive archive -n other", 0, "no job of archive matches\n", "");
    run_check(
        "\"$0\" history --archive archive | sed -n 1,4p", 0,
        "STARTED                      TIME  NAMESPACE       NAME                      PHASE         CHIPS     SCHED"
        "   RUNTIME   GOODPUT   INT  TOP-BADPUT\n"
        "2026-03-01 00:00:00    1h 00m 00s  ns              a                         Completed         4   100.00%"
        "   100.00%   100.00%     0  -\n"
        "2026-11-01 00:00:00    2h 00m 00s  ns              a                         Completed         4   100.00%"
        "   100.00%   100.00%     0  -\n"
        "2026-11-02 00:00:00       30m 00s  ns              b                         -                 -         -"
        "         -         -     -  -\n",
        "");
}

/* What it prints is what fleet reads: 4 chips for 1 and 2 hours. */
TEST(history_sums_as_fleet_does) {
    write_archive();
    run_check("\"$0\" history --archive archive -o json >jobs; \"$0\" fleet -f jobs >fleet; "
              "\"$0\" history --archive archive | sed '1,/^$/d;/^$/,$d' >sums; "
              "sed '/^$/,$d' fleet | cmp - sums && grep -c 12.0 sums; \"$0\" history --archive archive | tail -1",
              0,
              "2\nMore: duckdb -c \"SET VARIABLE archive = 'archive'\" -c \".read deploy/sql/duckdb.sql\" -c \".read "
              "deploy/sql/tables.sql\" -c \"FROM jobs\"\n",
              "");
}

TEST(history_says_what_is_wrong) {
    run_check("\"$0\" history", 2, "",
              "kubectl-goodput: history needs --archive DIR, the folder of a controller's archive\n");
    run_check("\"$0\" history a --archive x", 2, "", "kubectl-goodput: history takes no name\n");
    run_check("\"$0\" history --archive absent", 1, "", "kubectl-goodput: absent: No such file or directory\n");
    run_check("\"$0\" history --archive x -l 'a in (b)'", 2, "",
              "kubectl-goodput: -l a in (b): write labels such as team=a,tier!=test,owner\n");
    run_check("\"$0\" history --archive x --since soon", 2, "",
              "kubectl-goodput: --since soon: write a duration, such as 24h or 168h\n");
}
