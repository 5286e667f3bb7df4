"""bench-standby: what a replica that waits for the lease costs while a JobSet of many pods comes up under a leader: resident memory
and CPU an event. python3 tests/bench/bench_standby.py [SLICES]; 199 slices are 12,736 pods, the default is 50."""

import json
import sys
import tempfile

import bench_operator as bench
from programs import Server
from recorded import Files, Story


def main():
    slices = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    with tempfile.TemporaryDirectory() as directory:
        server = Server(directory)
        clients = []
        try:
            job = bench.BigJob(Story(), Files(directory), slices)
            job.seed(server)
            server.do("apply <<END\n" + json.dumps(bench.goodput("train", job.name, "None")) + "\nEND")
            flags = ["--leader-elect=true", "--lease-namespace=train"]
            clients.append(bench.controller(server.kubeconfig, tempfile.mkdtemp(dir=directory), *flags))
            clients[0].says('"leading"')
            clients.append(bench.controller(server.kubeconfig, tempfile.mkdtemp(dir=directory), *flags))
            standby = clients[1]
            standby.says('"standing by"')
            standby.settle()
            started, idle = standby.cpu_seconds(), standby.memory_kib("VmRSS")
            ours = ("train-a-slice-${group}", "job-1-uid-${group}")
            versions = job.times.move(job.lives[1])
            for text in bench.pod_templates(versions, job._pod(1), "pod-1-uid-${hex}", ours, "node-${i}"):
                job._send(server, "pods", "train/" + job._pod(1), job.pods, bench.HOSTS, text)
            standby.settle()
            events = job.pods * len(versions)
            cpu = (standby.cpu_seconds() - started) / events * 1e6
            print(f"{job.pods} pods, {events} events: {idle / 1024:.1f} MiB before, {standby.memory_kib('VmRSS') / 1024:.1f} after, "
                  f"{standby.memory_kib('VmHWM') / 1024:.1f} at most; {cpu:.0f} us of CPU an event")
            clients[0].process.kill()
            standby.says("continuing from the standby's memory")
            standby.settle()
            print(f"after the takeover {standby.memory_kib('VmRSS') / 1024:.1f} MiB, {standby.memory_kib('VmHWM') / 1024:.1f} at most")
        finally:
            for client in clients:
                client.stop()
            server.stop()


if __name__ == "__main__":
    main()
