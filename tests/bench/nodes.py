"""nodes: what the nodes of a cluster cost the controller that runs no job on them: memory, CPU time of the first list, and of the
heartbeats by which each kubelet writes its node's status every five minutes. On the embedded API server, with recorded nodes.
"""
import argparse
import os
import tempfile
import time

from bench_operator import controller, each, node_shape
from programs import ROOT, Server
from recorded import Files, Story

HEARTBEAT_S = 300


def measure(count, seconds):
    """(MiB resident, CPU seconds of the list, heartbeats a second, microseconds of CPU each)"""
    with tempfile.TemporaryDirectory() as directory:
        server = Server(directory)
        try:
            files = Files(directory)
            shape = node_shape(Story(), files)
            each(server, "nodes", "/node-${i}", count, 1, shape)
            client = controller(server.kubeconfig, directory)
            try:
                client.says('"resource":"nodes"', seconds=600)
                client.settle()
                listed, sent, started = client.cpu_seconds(), 0, time.time()
                with open(shape, encoding="utf-8") as file:
                    text = file.read()
                while time.time() - started < seconds:
                    time.sleep(0.02)
                    due = min(count, int((time.time() - started) * count / HEARTBEAT_S))
                    lines = []
                    for i in range(sent, due):
                        filled = text.replace("${i}", str(i)).replace("${rv}", "")
                        lines.append(f"apply <<END\n{filled}\nEND")
                    if lines:
                        server.do("\n".join(lines))
                    sent = due
                rate = sent / (time.time() - started)
                client.settle()
                beats = (client.cpu_seconds() - listed) / max(sent, 1)
                return client.memory_kib("VmRSS") / 1024, listed, rate, beats * 1e6
            finally:
                client.stop()
        finally:
            server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="*", default=[1000, 10000, 100000])
    parser.add_argument("--seconds", type=int, default=30, help="of heartbeats")
    options = parser.parse_args()
    os.chdir(ROOT)
    for count in options.nodes:
        resident, listed, rate, each_us = measure(count, options.seconds)
        print(f"{count} nodes: {resident:.1f} MiB resident, {listed:.2f} CPU seconds to read them, {each_us:.0f} us of CPU a heartbeat at {rate:.0f} a second")


if __name__ == "__main__":
    main()
