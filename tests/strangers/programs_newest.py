"""Adds the logs of still more programs that do not train, a line or two each, and what programs of the machine that runs the
tests print: build tools, git, Python, the kernel."""

import os
import subprocess

from job import written
from programs import PROGRAMS
from programs_more import adds, pick, uniform

# NAME, then a line: {n} is its number, {t} a time of day, {f} and {g} are random fractions, {r} is a random number.
LINES = """
vllm_engine	INFO {t} metrics.py:455] Avg prompt throughput: {f} tokens/s, Avg generation throughput: {g} tokens/s, Running: {r} reqs, Waiting: 0 reqs, GPU KV cache usage: {f}%
sglang_decode	[{t} TP0] Decode batch. #running-req: {r}, #token: {n}123, token usage: 0.12, gen throughput (token/s): {f}, #queue-req: 0
tgi_router	{t} INFO generate{{parameters=GenerateParameters}}: text_generation_router::server: total_time="{f}s" time_per_token="{g}ms" seed="None" step={n}
triton_server	I{t} 1 grpc_server.cc:246] Process for ModelInferHandler, rpc_ok=1, {n} step WRITTEN
ollama	[GIN] {t} | 200 | {f}s | 127.0.0.1 | POST "/api/generate" step {n}
llama_cpp	slot print_timing: id 0 | task {n} | prompt eval time = {f} ms / {r} tokens ( {g} ms per token)
whisper_transcribe	[{n}:00.000 --> {n}:07.000] and then we trained the model for ten epochs
diffusers_infer	{n}/600 images, {f} s per image, {r} steps
sd_webui	100%|##########| 20/20 [00:0{r}<00:00, {f}it/s]
comfyui	Prompt {n} executed in {f} seconds
lm_eval	{t} INFO [evaluator.py:574] Running loglikelihood requests batch {n} of 600, {f} s
mteb_encode	Batches: {n}/600 encoded, {f} sentences/s
faiss_kmeans	  Iteration {n} ({f} s, search {g} s): objective=1.2e+06 imbalance=1.{r} nsplit=0
umap	{t} epoch {n} of 600 of the layout, completed
sklearn_gridsearch	[CV {r}/5; {n}/600] END C=1.0, gamma=0.1;, score=0.{r} total time={f}s
optuna	[I {t}] Trial {n} finished with value: {f} and parameters: {{'x': {g}}}. Best is trial 3 with value: 0.1.
ray_data	- ReadParquet->Map: {n}/600 blocks, {f} rows/s, {r} actors
spark_stage	{t} INFO TaskSetManager: Finished task {n}.0 in stage 4.0 (TID {n}) in {r}12 ms on host (executor 3) ({n}/600)
dask_worker	distributed.worker - INFO - Run task {n} in {f} s
airflow	[{t}] {{taskinstance.py:1138}} INFO - Marking task step_{n} as SUCCESS duration {f}
argo	time="{t}" level=info msg="node step-{n} finished" duration={f}s
prefect	{t} | INFO | Task run 'step-{n}' - Finished in state Completed() after {f}s
dbt	{t}  {n} of 600 OK created sql table model analytics.t{n} ....... [SELECT {r}12 in {f}s]
celery	[{t}: INFO/ForkPoolWorker-1] Task app.step[{n}] succeeded in {f}s: None
sidekiq	{t} pid=1 tid=abc class=StepJob jid={n} elapsed={f} INFO: done
redis	1:M {t} * 100 changes in 300 seconds. Saving... step {n}
postgres_ckpt	{t} UTC [27] LOG:  checkpoint complete: wrote {n} buffers ({f}%); write={f} s, sync={g} s, total={f} s
mysql	{t} 0 [Note] InnoDB: page_cleaner: {n}ms intended loop took {r}ms
mongodb	{{"t":{{"$date":"{t}"}},"s":"I","c":"STORAGE","id":{n},"ctx":"Checkpointer","msg":"saving checkpoint snapshot","attr":{{"durationMillis":{r}}}}}
etcd	{{"level":"info","ts":"{t}","msg":"finished scheduled compaction","compact-revision":{n},"took":"{f}ms"}}
kafka	[{t}] INFO [Log partition=a-0] Rolled new log segment at offset {n} in {r} ms.
zookeeper	{t} [myid:1] - INFO [SyncThread] Snapshotting: 0x{n} took {r} ms
elasticsearch	[{t}][INFO ][o.e.m.j.JvmGcMonitorService] [gc][{n}] overhead, spent [{r}ms] collecting in the last [1s]
prometheus_tsdb	ts={t} level=info msg="Head GC completed" duration={f}ms iteration={n}
loki	level=info ts={t} msg="flushing stream" step={n} duration={f}s
grafana	logger=context t={t} level=info msg="Request Completed" status=200 step={n} time_ms={r}
nginx_access	10.0.0.{r} - - [{t}] "GET /step/{n} HTTP/1.1" 200 {n} "-" "curl/8.5" {f}
haproxy	{t} fe be/srv 0/0/1/{r}/{n} 200 {n} - - ---- 1/1/0/0/0 "GET / HTTP/1.1"
envoy	[{t}] "GET /train/{n} HTTP/2" 200 - 0 {n} {r} {r} "-" "-"
caddy	{{"level":"info","ts":{n}.{r},"msg":"handled request","duration":{f},"size":{n}}}
istio_pilot	{t} info ads Push debounce stable[{n}] 1 for config: 100ms since last change
coredns	[INFO] 10.0.0.1:{n} - {n} "A IN svc. udp 40" NOERROR 106 0.000{r}s
kubelet	I{t} 1 pod_startup_latency_tracker.go:104] "Observed pod startup duration" podStartSLOduration={f} step={n}
kube_scheduler	I{t} 1 schedule_one.go:302] "Successfully bound pod to node" pod="ns/step-{n}" evaluatedNodes={n} feasibleNodes={r}
cluster_autoscaler	I{t} 1 static_autoscaler.go:{n}] Starting main loop iteration {n} took {f}s
karpenter	{{"level":"INFO","time":"{t}","message":"computed new nodeclaim(s)","iteration":{n},"duration":"{f}s"}}
argocd	time="{t}" level=info msg="Reconciliation completed" step={n} time_ms={r}
flux	{{"level":"info","ts":"{t}","msg":"Reconciliation finished in {f}s, next run in 10m0s","revision":{n}}}
certmanager	I{t} 1 controller.go:{n}] cert-manager/challenges: step {n} finished in {f}s
jobset_controller	{t} INFO Reconciling JobSet {{"jobset": "train", "iteration": {n}, "duration": "{f}ms"}}
kueue_scheduler	{{"level":"info","ts":"{t}","logger":"scheduler","msg":"Workload assumed in the cache","schedulingCycle":{n},"time":{f}}}
training_operator	{t} INFO PyTorchJob=train Running step {n} of reconcile took {f}s
goodput_controller	{{"ts":"{t}","level":"info","msg":"status written","job":"ns/train","step":{n},"duration_ms":{r}}}
node_problem	I{t} log_monitor.go:{n}] New status generated: step {n} time {f}
dcgm_exporter	time="{t}" level=info msg="collected metrics" iteration={n} duration={f}s
nvidia_smi	| {n}%   {r}C    P0   {r}12W / 400W |  {n}MiB / 81920MiB |     {r}%      Default |
nvidia_dmon	    0   {r}12   {r}    -    {r}    {r}     0     0  1593  1{n}
rocm_smi	{n}       {r}.0c  {f}W  1700Mhz  1600Mhz  0%   auto  560.0W  {r}%  {r}%
nccl_bw	  {n}048576   262144     float     sum      -1    {f}   {g}   {g}      0    {f}   {g}   {g}      0
ib_write_bw	 {n}536      5000             {f}            {g}            0.{n}
fio_eta	Jobs: 4 (f=4): [r(4)][{n}.0%][r={r}12MiB/s][r=123k IOPS][eta {r}m:{r}s]
iperf3	[  5]  {n}.00-{n}.99  sec  1.{r} GBytes  {f} Gbits/sec    0   1.{r} MBytes
sysbench	[ {n}s ] thds: 4 tps: {f} qps: {g} (r/w/o: {f}/{g}/0.00) lat (ms,95%): {f} err/s: 0.00
pgbench	progress: {n}.0 s, {f} tps, lat {g} ms stddev 0.{r}, 0 failed
redis_bench	SET: rps={f} (overall: {g}) avg_msec=0.{r} step {n}
wrk_k6	running (00m{r}s), {n}/600 VUs, {n} complete and 0 interrupted iterations
locust	[{t}] loc/INFO: iteration {n} response time {f} ms
jmeter	summary + {n} in 00:00:30 = {f}/s Avg: {r} Min: 1 Max: {n} Err: 0 (0.00%) Active: 10
gtest	[       OK ] Suite.Step{n} ({r} ms)
pytest	tests/test_train.py::test_step_{n} PASSED   [{n}%]
pytest_durations	{f}s call     tests/test_loss.py::test_iteration_{n}
unittest	test_step_{n} (tests.TestTrain) ... ok
jest	PASS src/step{n}.test.ts ({f} s)
go_test	--- PASS: TestStep/{n} ({f}s)
bazel	[{n} / 600] Compiling src/train_{n}.cc; {r}s linux-sandbox
cmake	[{n}%] Building CXX object CMakeFiles/train.dir/step{n}.cc.o
ninja	[{n}/600] CXX obj/train/step{n}.o
gradle	> Task :module{n}:compileJava {f}s
maven	[INFO] Building module {n} [{n}/600] time {f} s
webpack	<s> [webpack.Progress] {n}% building {n}/600 modules
buildkit	#{n} {f} [stage {n}/600] RUN step {n}
kaniko	INFO[{n}] Running step {n} took {f}
terraform	aws_instance.a[{n}]: Still creating... [{n}s elapsed]
ansible	ok: [host{n}] => (item=step {n}) time={f}
packer	==> qemu: step {n} of 600, {f} s
helm_test	step {n} of 600 done after {f} s
apt	Get:{n} http://deb.debian.org/debian bookworm/main amd64 pkg{n} all [{r}2 kB]
dpkg	Unpacking pkg{n} (1.{n}-{r}) ...
npm	npm http fetch GET 200 https://registry.npmjs.org/pkg{n} {r}ms (cache miss)
uv	Downloaded pkg{n} in {f}s
git_clone	Receiving objects: {n}% ({n}/600), {f} MiB | {g} MiB/s
git_fsck	Checking objects: {n}% ({n}/600)
rclone	Transferred: {n}.1 MiB / 600 MiB, {n}%, {f} MiB/s, ETA {r}s
gsutil	[{n}/600 files][ {f} MiB/ {g} MiB] {n}% Done   {f} MiB/s ETA 00:00:{r}
s3_sync	Completed {n}.0 MiB/600.0 MiB ({f} MiB/s) with {r} file(s) remaining
hf_download	model-{n}.safetensors: {n}%|#| {n}/600 [00:{r}<00:10, {f}MB/s]
hf_datasets_map	Map (num_proc=8): {n}%|#| {n}/600 [00:{r}<00:10, {f} examples/s]
tokenizers_train	[00:00:{r}] Tokenize words  ##  {n} / 600
dmesg	[{n}.{r}12345] nvme nvme0: step {n} time {f}
journal	Nov 21 {t} host systemd[1]: Started step-{n}.service took {f}s
sar	{t}     all    {f}    0.00    {g}    0.{r}    0.00   9{r}.12
iostat	nvme0n1    {f}   {n}.00     0.00   0.00    {g}    {r}.00   {f}
vmstat	 {r}  0      0 {n}123 12345 67890    0    0     {r}    {r} {n} {r}12 {r}  1 98  0  0
top	 {n} root      20   0  12.{r}g   1.{r}g  {r}123 R  {f}   1.{r}   0:{r}.12 python train.py --epochs 3
openfoam	Time = {n}  smoothSolver:  Solving for Ux, Initial residual = 0.0{r}, Final residual = 1e-0{r}, No Iterations {r}
ansys_cfd	 {n}  1.2e-0{r}  3.{r}e-03  4.1e-03  0:{r}:12  {n}
vasp	DAV:  {n}    -0.{r}12345E+02   -0.{r}2345E-0{r}   -0.1234E-04  {n}   0.{r}E-01
quantum_espresso	     total cpu time spent up to now is {n}.{r} secs iteration # {n} ecut= 60.00 Ry beta= 0.70
namd	ENERGY:    {n}  {f} {g} {f} {g} 0.0 {f} {n}.1 {g}
amber	 NSTEP = {n}000   TIME(PS) = {n}.000  TEMP(K) = 300.{r}  PRESS = {f}
gem5	info: tick {n}000 executed step {n} in {f}s
verilator	- step {n} cycles {n}000 wall {f} s
ffmpeg2	frame={n} fps={r} q=28.0 size={n}kB time=00:00:{r}.12 bitrate={f}kbits/s speed=1.{r}x
handbrake	Encoding: task 1 of 1, {n}.{r} % ({f} fps, avg {g} fps, ETA 00h{r}m12s)
stockfish	info depth {n} seldepth {r} score cp {r} nodes {n}000 nps {n}00 time {n}12 pv e2e4
solver_milp	 {n}    {r}  -1.2{r}e+05   {n}  12   -1.1e+05 -1.2e+05  {f}%   {r}.1    {n}s
hyperopt_less	{n}/600 configurations evaluated, {f} s each
""".strip().split("\n")


def text(form, number, at):
    return form.format(
        n=number, t=written(at, "%H:%M:%S"), f=f"{uniform(0.1, 90):.2f}", g=f"{uniform(0.1, 90):.3f}", r=pick(1, 9)
    )


for line in LINES:
    name, form = line.split("\t", 1)
    adds("newest_" + name)(lambda number, at, writer, form=form: text(form, number, at))

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
COMMANDS = {
    "git_log": ["git", "-C", HERE, "log", "--stat", "-n", "40"],
    "make_help": ["make", "-C", HERE, "help"],
    "make_dry_run": ["make", "-C", HERE, "-n", "programs"],
    "python_verbose": ["python3", "-v", "-c", "import json"],
    "python_timeit": ["python3", "-m", "timeit", "-v", "-n", "10", "-r", "3", "1 + 1"],
    "python_unittest": ["python3", "-m", "unittest", "-v", "test.test_bool"],
    "ps": ["ps", "aux"],
    "env_free": ["free", "-m", "-c", "2", "-s", "0.1"],
    "dmesg": ["dmesg"],
    "gcc_version": ["gcc", "-v"],
    "find": ["find", os.path.join(HERE, "tests"), "-name", "*.py", "-ls"],
    "dpkg_list": ["dpkg", "-l"],
}


def output(command):
    """What a program of this machine prints, a line a second; nothing if it is not there."""
    try:
        run = subprocess.run(command, capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return b""
    lines = (run.stdout + run.stderr).splitlines()[:2000]
    return b"".join(
        written(1760000000 + number, "%Y-%m-%dT%H:%M:%S.000000000Z ").encode() + text + b"\n" for number, text in enumerate(lines)
    )


for name, command in COMMANDS.items():
    log = output(command)
    if log:
        PROGRAMS["real_" + name] = log
