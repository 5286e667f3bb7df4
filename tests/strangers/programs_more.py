"""Adds the logs of further programs that do not train to PROGRAMS, with a separate random generator."""

import json
import random

from job import hms, written
from programs import PROGRAMS, log_of

RANDOM = random.Random(11)
uniform, pick = RANDOM.uniform, RANDOM.randint


def adds(name, lines=600, seconds=(0.2, 3), before=("starting",)):
    """Adds the log of a program whose lines the decorated function writes."""

    def add(line):
        PROGRAMS[name] = log_of(line, lines, seconds, before)
        return line

    return add


def redraw(writer, at, text):
    writer.raw(at, "\r" + text, "e")


@adds("rsync")
def _(number, at, writer):
    redraw(writer, at, f"{number*32768:>15,} {number//6:>3}%  {uniform(20,90):.2f}MB/s    {hms(600-number)} (xfr#{number}, to-chk={600-number}/600)")


@adds("docker_pull")
def _(number, at, writer):
    return f"a{number%7}b2c3d4e5f6: Downloading [{'='*(number//20)}>   ]  {number}.1MB/600.2MB"


@adds("wget")
def _(number, at, writer):
    return f"{number*50}K .......... .......... .......... .......... .......... {number//6}% {uniform(1,9):.2f}M {600-number}s"


@adds("curl_bar", before=("  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current",))
def _(number, at, writer):
    redraw(writer, at, f"{number//6:>3} 600M  {number//6:>3} {number}M    0     0  {pick(1,9)}123k      0  0:10:00  {hms(number)} {hms(600-number)} {pick(1,9)}201k")


@adds("pip_install")
def _(number, at, writer):
    return f"Collecting package{number}>=1.{number}\n  Downloading package{number}-1.{number}-py3-none-any.whl.metadata ({number}.3 kB)"


@adds("conda")
def _(number, at, writer):
    redraw(writer, at, f"pytorch-2.{number//100}           | {number}.1 MB  | {'#'*(number//60):<10} | {number//6:>3}% ")


@adds("cargo")
def _(number, at, writer):
    return f"   Compiling crate{number} v0.{number%20}.{number%7}"


@adds("ninja")
def _(number, at, writer):
    return f"[{number}/600] Building CXX object src/CMakeFiles/lib.dir/file{number}.cc.o"


@adds("bazel")
def _(number, at, writer):
    return f"[{number*12:,} / 7,200] 4 actions, 3 running; last test: //pkg:test_{number} ({pick(1,60)}s)"


@adds("maven")
def _(number, at, writer):
    return f"[INFO] Building module-{number} 1.0-SNAPSHOT [{number}/600]\n[INFO] Total time:  {uniform(1,9):.3f} s"


@adds("gradle")
def _(number, at, writer):
    return f"> Task :module{number}:compileJava\nBUILD SUCCESSFUL in {pick(1,9)}s\n{number} actionable tasks: {number} executed"


@adds("webpack")
def _(number, at, writer):
    return f"<s> [webpack.Progress] {number//6}% building {number}/600 modules {pick(1,9)} active /app/src/file{number}.ts"


@adds("jest")
def _(number, at, writer):
    return f"PASS src/file{number}.test.ts ({uniform(1,9):.3f} s)\n  ✓ works ({pick(1,90)} ms)"


@adds("pytest_bar")
def _(number, at, writer):
    return f"tests/test_train.py::test_step[{number}] PASSED                         [{number//6:>3}%]"


@adds("ctest")
def _(number, at, writer):
    return f"{number:>7}/600 Test #{number}: unit_loss_{number} ..................   Passed    {uniform(0.1,9):.2f} sec"


@adds("robot")
def _(number, at, writer):
    return f"Step {number} :: Open page and check title                                | PASS |\n{'-'*78}"


@adds("github_actions")
def _(number, at, writer):
    return f"##[group]Run step {number} of 600\n##[endgroup]\nStep {number} took {uniform(1,9):.1f}s"


@adds("gitlab_runner")
def _(number, at, writer):
    return f"section_start:{int(at)}:step_{number}\r\x1b[0KExecuting \"step_script\" stage of the job script {number}"


@adds("ansible")
def _(number, at, writer):
    return f"TASK [role : step {number}] *************************\nok: [host{number%9}]\nThursday 09 October 2025  12:00:00 +0000 (0:00:{uniform(0,9):06.3f})       {hms(number)}.123 ****"


@adds("flyway")
def _(number, at, writer):
    return f'Migrating schema "public" to version "{number} - batch update" (execution time 00:00.{pick(10,999):03d}s)'


@adds("pg_restore")
def _(number, at, writer):
    return f"pg_restore: processing data for table \"public.batch_{number}\"\npg_restore: creating INDEX \"public.step_{number}_idx\""


@adds("mysqldump")
def _(number, at, writer):
    return f"-- Retrieving rows for table step{number}... {number*100} rows, elapsed time {uniform(0.1,9):.2f} s"


@adds("pgbench")
def _(number, at, writer):
    return f"progress: {number*5}.0 s, {uniform(800,900):.1f} tps, lat {uniform(1,9):.3f} ms stddev {uniform(0.1,2):.3f}, 0 failed"


@adds("fio")
def _(number, at, writer):
    redraw(writer, at, f"Jobs: 4 (f=4): [w(4)][{number/6:.1f}%][w={pick(100,900)}MiB/s][w={pick(100,900)}k IOPS][eta {600-number}s]")


@adds("kernel")
def _(number, at, writer):
    return f"[{number*3:>5}.{pick(100000,999999)}] usb 1-{number%9}: new high-speed USB device number {number} using xhci_hcd"


@adds("mdadm")
def _(number, at, writer):
    return f"      [{'='*(number//30)}>....................]  recovery = {number/6:.1f}% ({number*1000}/600000) finish={uniform(1,90):.1f}min speed={pick(10000,90000)}K/sec"


@adds("fsck")
def _(number, at, writer):
    return f"Pass {number//120+1}: Checking batch {number}/600 of inodes, blocks, and sizes, {uniform(0.1,9):.2f} s"


@adds("zfs_scrub")
def _(number, at, writer):
    return f"\t{number}G scanned at {uniform(1,3):.2f}G/s, {number*0.9:.0f}G issued at {uniform(1,2):.2f}G/s, 600G total\n\t0B repaired, {number/6:.2f}% done, {hms(600-number)} to go"


@adds("velero")
def _(number, at, writer):
    return f'time="{written(at)}" level=info msg="Backed up {number} items out of an estimated total of 600 (estimate will change throughout the backup)" progress='


@adds("rclone")
def _(number, at, writer):
    return f"{written(at,'%Y/%m/%d %H:%M:%S')} INFO  : \nTransferred:   \t  {number}.123 GiB / 600.5 GiB, {number//6}%, {uniform(10,90):.3f} MiB/s, ETA {600-number}s\nElapsed time:      {number}.0s"


@adds("gsutil")
def _(number, at, writer):
    redraw(writer, at, f"/ [{number}/600 files][ {number}.0 GiB/600.0 GiB]  {number//6}% Done {uniform(10,90):.1f} MiB/s ETA {hms(600-number)}")


@adds("nutch")
def _(number, at, writer):
    return f"{written(at)},123 INFO  fetcher.Fetcher - -activeThreads=10, spinWaiting=9, fetchQueues.totalSize={600-number}, fetched {number} pages, iteration {number}"


@adds("heritrix")
def _(number, at, writer):
    return f"{written(at,'%Y-%m-%dT%H:%M:%SZ')}  {number*10}  {number*8}  {number*40}  {uniform(1,9):.2f}  {uniform(1,9):.2f}  {pick(10,90)} KB/s batch {number}"


@adds("locust")
def _(number, at, writer):
    return f"POST     /v1/step                {number*10}     0(0.00%) |   {pick(10,90)}      {pick(1,9)}     {pick(100,900)}     {pick(10,90)} |   {uniform(1,90):.2f}        0.00"


@adds("triton")
def _(number, at, writer):
    return f"I{written(at,'%m%d %H:%M:%S')}.123456 1 server.cc:{number}] batch {number} executed in {uniform(1,9):.3f} ms, rate {uniform(100,900):.1f} infer/s"


@adds("celery_beat")
def _(number, at, writer):
    return f"[{written(at)},123: INFO/ForkPoolWorker-1] batch[{number}] of 600 processed: {pick(100,900)} rows, rate {uniform(1,90):.1f}/s, time {uniform(0.1,3):.2f}s"


@adds("dask")
def _(number, at, writer):
    redraw(writer, at, f"[{'#'*(number//15):<40}] | {number//6}% Completed | {number}.{pick(0,9)} s")


@adds("hpl", before=("T/V                N    NB     P     Q               Time                 Gflops",))
def _(number, at, writer):
    return f"Column={number*192:012d} Fraction={number/600:.3f} Gflops={uniform(900,999):.3e} time={uniform(1,9):.2f}"


@adds("blender")
def _(number, at, writer):
    return f"Fra:{number} Mem:512.10M (Peak 600.00M) | Time:00:{number%60:02d}.12 | Remaining:00:{600-number}.00 | Rendering {number} / 600 samples"


@adds("alphafold_msa")
def _(number, at, writer):
    return json.dumps({"level": "info", "msg": "search iteration finished", "iteration": number, "total": 600, "seconds": round(uniform(1, 9), 2)})


@adds("nerf_render")
def _(number, at, writer):
    return f"Rendering view {number}/600, psnr {uniform(20,30):.2f}, {uniform(1,3):.2f} s per view"
