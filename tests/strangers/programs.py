"""PROGRAMS: a log of each of many programs that do not train, and of which no step should be read.

All logs draw from one random generator, in the order of this file.
"""

import json
import random

from job import Bar, Writer, written

RANDOM = random.Random(5)
uniform = RANDOM.uniform
PROGRAMS = {}


def log_of(line, lines=600, seconds=(0.2, 3), before=("starting",)):
    """A log of lines written a few seconds apart: line(number, at, writer) returns one, or writes it and returns None."""
    at = 1760000000 + RANDOM.random() * 1e6
    writer = Writer(joined=False)
    for text in before:
        writer.line(at, text)
        at += uniform(0.5, 4)
    for number in range(1, lines + 1):
        at += uniform(*seconds)
        text = line(number, at, writer)
        if text is not None:
            writer.line(at, text)
    writer.close(at)
    return writer.bytes()


def bar(desc, total, unit="it", postfix=""):
    """A bar over total items, started again after each total."""
    bars = []

    def update(number, at, writer):
        if not bars:
            bars.append(Bar(writer, at, total, desc=desc, unit=unit))
        bars[0].update(at, 1, postfix or None)
        if number % total == 0:
            bars.pop().close(at)

    return update


PROGRAMS["nginx"] = log_of(
    lambda number, at, writer: f'10.0.0.{number%250} - - [{written(at,"%d/%b/%Y:%H:%M:%S")} +0000] "GET /api/items/{number} HTTP/1.1" 200 {RANDOM.randint(200,9000)} "-" "curl/8.1" {uniform(.001,.4):.3f}'
)
PROGRAMS["uvicorn"] = log_of(
    lambda number, at, writer: f'INFO:     10.2.0.1:{40000+number} - "POST /v1/completions HTTP/1.1" 200 OK'
)
PROGRAMS["vllm_server"] = log_of(
    lambda number, at, writer: f'INFO {written(at,"%m-%d %H:%M:%S")} [loggers.py:111] Engine 000: Avg prompt throughput: {uniform(10,900):.1f} tokens/s, Avg generation throughput: {uniform(10,900):.1f} tokens/s, Running: {RANDOM.randint(0,40)} reqs, Waiting: 0 reqs, GPU KV cache usage: {uniform(0,90):.1f}%, Prefix cache hit rate: 22.1%'
)
PROGRAMS["pip"] = log_of(
    lambda number, at, writer: f"Downloading torch-2.{number}-cp311-linux_x86_64.whl ({number}.1 MB)\n\r     ━━━━━━━━━━ {number}.1/900.2 MB 41.2 MB/s eta 0:00:0{number%9}",
    40,
)
PROGRAMS["apt"] = log_of(
    lambda number, at, writer: f"Get:{number} http://mirror.example/debian bookworm/main amd64 pkg{number} amd64 1.{number} [{number*3} kB]",
    300,
)
PROGRAMS["npm"] = log_of(
    lambda number, at, writer: f"npm http fetch GET 200 https://registry.example/pkg{number} {RANDOM.randint(10,900)}ms (cache miss)"
)
PROGRAMS["pytest"] = log_of(
    lambda number, at, writer: f'tests/test_m{number//20}.py::test_case_{number} PASSED{" "*20}[{number*100//600:3d}%]'
)
PROGRAMS["gotest"] = log_of(lambda number, at, writer: f"--- PASS: TestThing{number} ({uniform(0,3):.2f}s)")
PROGRAMS["docker_build"] = log_of(
    lambda number, at, writer: f"Step {number}/40 : RUN make target{number}\n ---> Running in {RANDOM.getrandbits(48):012x}\nRemoving intermediate container",
    40,
    (2, 30),
)
PROGRAMS["buildkit"] = log_of(
    lambda number, at, writer: f"#{number//5+1} [{number//5+1}/20] RUN step\n#{number//5+1} {number%5}.{number%9}31 Get:1 http://deb",
    100,
)
PROGRAMS["hf_map"] = log_of(bar("Map", 600, " examples"))
PROGRAMS["hf_map2"] = log_of(bar("Running tokenizer on dataset (num_proc=8)", 200, " examples"))
PROGRAMS["megatron_preprocess"] = log_of(
    lambda number, at, writer: f"Processed {number*1000} documents ({1000/2:.6f} docs/s, 1.31 MB/s).",
    before=("Opening corpus.json", "Vocab size: 50257", "Output prefix: out", "Time to startup: 0.4"),
)
PROGRAMS["tokenize_loop"] = log_of(
    lambda number, at, writer: f"shard {number}/600: tokenized {RANDOM.randint(90,99)}M tokens in {uniform(1,3):.2f}s"
)
PROGRAMS["step_etl"] = log_of(
    lambda number, at, writer: f"batch {number}/600 done in {uniform(.2,3):.2f} s rows={number*50000}"
)
PROGRAMS["spark_stage"] = log_of(
    lambda number, at, writer: writer.raw(at, f'\r[Stage 3:{"="*(number//20)}>   ({number} + 8) / 600]', "e")
)
PROGRAMS["spark_tasks"] = log_of(
    lambda number, at, writer: f'{written(at,"%y/%m/%d %H:%M:%S")} INFO TaskSetManager: Finished task {number}.0 in stage 3.0 (TID {number+200}) in {RANDOM.randint(200,3000)} ms on 10.1.2.3 (executor 4) ({number}/600)'
)
PROGRAMS["airflow"] = log_of(
    lambda number, at, writer: f'[{written(at,"%Y-%m-%dT%H:%M:%S")}.123+0000] {{taskinstance.py:1332}} INFO - Starting attempt 1 of {number%3+1}'
)
PROGRAMS["apiserver"] = log_of(
    lambda number, at, writer: f'I{written(at,"%m%d %H:%M:%S")}.123456       1 trace.go:236] Trace[{number}]: "List" url:/api/v1/pods (total time: {RANDOM.randint(500,2000)}ms)'
)
PROGRAMS["etcd"] = log_of(
    lambda number, at, writer: json.dumps(
        {
            "level": "info",
            "ts": written(at),
            "caller": "mvcc/hash.go:151",
            "msg": "storing new hash",
            "hash": RANDOM.getrandbits(31),
            "revision": number * 100,
            "compact-revision": number * 99,
        }
    )
)
PROGRAMS["postgres"] = log_of(
    lambda number, at, writer: f"{written(at)}.123 UTC [27] LOG:  checkpoint "
    + (
        "starting: time"
        if number % 2
        else f"complete: wrote {number} buffers (0.3%); 0 WAL file(s) added; write={uniform(1,90):.3f} s, sync=0.01 s, total={uniform(1,90):.3f} s"
    )
)
PROGRAMS["redis"] = log_of(
    lambda number, at, writer: f'1:M {written(at,"%d %b %Y %H:%M:%S")}.123 * Background saving terminated with success'
)
PROGRAMS["kafka"] = log_of(
    lambda number, at, writer: f"[{written(at)},123] INFO [GroupCoordinator 1]: Preparing to rebalance group g in state PreparingRebalance with old generation {number} (kafka.coordinator.group.GroupCoordinator)"
)
PROGRAMS["ffmpeg"] = log_of(
    lambda number, at, writer: writer.raw(
        at,
        f"frame={number*25:5d} fps= 25 q=28.0 size={number*100:8d}KiB time=00:{number//60:02d}:{number%60:02d}.00 bitrate=1234.5kbits/s speed=1.01x    \r",
        "e",
    )
)
PROGRAMS["lm_eval"] = log_of(
    bar("Running loglikelihood requests", 600),
    before=(
        "2025-10-09:12:00:00,123 INFO [evaluator.py:161] Setting random seed to 0",
        "Building contexts for hellaswag",
    ),
)
PROGRAMS["vllm_batch"] = log_of(
    bar("Processed prompts", 600, "it", "est. speed input: 123.4 toks/s, output: 456.7 toks/s")
)
PROGRAMS["diffusers"] = log_of(bar("", 50))
PROGRAMS["whisper"] = log_of(
    lambda number, at, writer: f"[{number//60:02d}:{number%60:02d}.000 --> {number//60:02d}:{number%60:02d}.900]  and then he said number {number}"
)
PROGRAMS["optuna"] = log_of(
    lambda number, at, writer: f'[I {written(at)},123] Trial {number} finished with value: {uniform(0,1)} and parameters: {{"x": {uniform(0,1)}}}. Best is trial 3 with value: 0.01.'
)
PROGRAMS["faiss_kmeans"] = log_of(
    lambda number, at, writer: writer.raw(
        at,
        f"  Iteration {number} ({number*1.2:.2f} s, search {number*1.1:.2f} s): objective={1e6/number:g} imbalance=1.2 nsplit=0       \r",
        "o",
    )
)
PROGRAMS["sklearn_kmeans"] = log_of(
    lambda number, at, writer: f"Iteration {number}, inertia {1e6/number:.3f}.", before=("Initialization complete",)
)
PROGRAMS["gromacs"] = log_of(
    lambda number, at, writer: f"           Step           Time\n{number*5000:15d}{number*10.0:15.5f}\n\n   Energies (kJ/mol)\n          Angle    Proper Dih.\n    3.1e+03   4.2e+03"
)
PROGRAMS["gromacs_v"] = log_of(
    lambda number, at, writer: writer.raw(
        at, f"\rstep {number*100}, remaining wall clock time: {600-number} s          ", "e"
    )
)
PROGRAMS["lammps"] = log_of(
    lambda number, at, writer: f"{number*1000:8d}   {uniform(290,310):.5f}  -{uniform(4,5):.6f}            0 {-4.1:.6f}  {uniform(0,2):.6f}",
    before=("   Step          Temp          E_pair         E_mol          TotEng         Press     ",),
)
PROGRAMS["openfoam"] = log_of(
    lambda number, at, writer: f"Time = {number}\n\nsmoothSolver:  Solving for Ux, Initial residual = {1/number:.6g}, Final residual = {.1/number:.6g}, No Iterations 4\nExecutionTime = {number*1.2:.2f} s  ClockTime = {number} s\n"
)
PROGRAMS["scrapy"] = log_of(
    lambda number, at, writer: f"{written(at)} [scrapy.extensions.logstats] INFO: Crawled {number*40} pages (at 40 pages/min), scraped {number*30} items (at 30 items/min)"
)
PROGRAMS["restic"] = log_of(
    lambda number, at, writer: f"[{number//60}:{number%60:02d}] {number/6:.2f}%  {number*12} files {number}.123 GiB, total 7200 files 600.1 GiB, 0 errors ETA {600-number}"
)
PROGRAMS["terraform"] = log_of(
    lambda number, at, writer: f"google_container_cluster.x: Still creating... [{number//6}m{number%6}0s elapsed]",
    100,
    (9.9, 10.1),
)
PROGRAMS["tick_server"] = log_of(
    lambda number, at, writer: f'[{written(at,"%H:%M:%S")}] tick {number*100} took {uniform(10,60):.2f} ms, players: {RANDOM.randint(1,30)}'
)
PROGRAMS["k6"] = log_of(
    lambda number, at, writer: f"running (0m{number%60:02d}.0s), 10/10 VUs, {number*12} complete and 0 interrupted iterations\ndefault   [ {number//6:3d}% ] 10 VUs  {number}.0s/600s"
)
PROGRAMS["geth"] = log_of(
    lambda number, at, writer: f'INFO [{written(at,"%m-%d|%H:%M:%S")}.123] Imported new potential chain segment     number={18000000+number} hash=ab..cd blocks=1 txs={RANDOM.randint(90,300)} mgas=12.3 elapsed={uniform(20,90):.3f}ms'
)
PROGRAMS["bitcoind"] = log_of(
    lambda number, at, writer: f"{written(at,'%Y-%m-%dT%H:%M:%SZ')} UpdateTip: new best=0000 height={number+700000} version=0x2 log2_work=93.1 tx={number*2000} date='x' progress={number/600:.6f} cache=1.1MiB(1txo)"
)
PROGRAMS["git"] = log_of(
    lambda number, at, writer: writer.raw(
        at, f"Receiving objects: {number*100//600:3d}% ({number}/600), {number}.1 MiB | 3.2 MiB/s\r", "e"
    ),
    600,
    (0.05, 0.3),
)
PROGRAMS["eval_loop"] = log_of(
    lambda number, at, writer: f"eval step {number}/600 | loss {uniform(2,3):.4f} | {uniform(.2,.9):.3f} s/batch",
    before=("Loading model for evaluation",),
)
PROGRAMS["validate_imagenet"] = log_of(
    lambda number, at, writer: f"Test: [{number*10:>4d}/6000]  Time: {uniform(.1,.4):.3f}s ({.25:.3f}s, 1000.11/s)  Loss: {uniform(1,2):>7.4f} ({1.5:>6.4f})  Acc@1: 71.100 ( 70.300)  Acc@5: 90.100 ( 90.000)"
)
PROGRAMS["detectron_eval"] = log_of(
    lambda number, at, writer: f'[{written(at,"%m/%d %H:%M:%S")} d2.evaluation.evaluator]: Inference done {number*11}/6600. Dataloading: 0.0011 s/iter. Inference: 0.0501 s/iter. Eval: 0.0002 s/iter. Total: 0.0515 s/iter. ETA=0:00:20'
)
PROGRAMS["mmeng_test"] = log_of(
    lambda number, at, writer: f'{written(at,"%m/%d %H:%M:%S")} - mmengine - INFO - Epoch(test) [{number*10:4d}/6000]    eta: 0:10:12  time: {uniform(.2,.3):.4f}  data_time: 0.0020  memory: 1211  '
)
PROGRAMS["data_gen_llm"] = log_of(
    lambda number, at, writer: f"iteration {number}: generated 512 samples, {uniform(1,3):.2f}s, {uniform(100,200):.1f} tok/s"
)
PROGRAMS["checkpoint_convert"] = log_of(bar("Converting shards", 30))
PROGRAMS["worker_queue"] = log_of(
    lambda number, at, writer: f"[{written(at)},123: INFO/MainProcess] Task app.tasks.resize[{number}] succeeded in {uniform(.1,2)}s: None"
)
PROGRAMS["mcts_selfplay"] = log_of(
    lambda number, at, writer: f"game {number} finished: 121 moves, {uniform(1,3):.1f}s/game"
)
PROGRAMS["solver_gurobi"] = log_of(
    lambda number, at, writer: f" {number*100:5d} {number*90:5d}  {uniform(900,1000):.5f}   12  {number}  1000.00000  {uniform(900,999):.5f}  1.21%   {uniform(10,30):.1f} {number:4d}s"
)
PROGRAMS["cg_solver"] = log_of(
    lambda number, at, writer: f"iter {number}: residual {1/number:.6e}, time {uniform(1,3):.3f}s"
)
PROGRAMS["data_loader_bench"] = log_of(
    lambda number, at, writer: f"step {number}: {uniform(1000,2000):.1f} samples/s, {uniform(1,3):.3f} s"
)
