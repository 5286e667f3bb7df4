"""bench-restarts: the controller's resident memory while a JobSet of 12,736 pods is restarted as a whole again and again:
after each execution, when all events are processed. Prints the figures and judges nothing.

    make programs tests && python3 tests/bench/bench_restarts.py [--slices 199] [--restarts 4]

GOODPUT_BIN names the folder of another controller, for a comparison."""
import argparse
import json
import tempfile
import time

from bench_operator import BigJob, controller, each, goodput
from programs import Server
from recorded import Files, Story, pod_templates

BOOKMARKS_S = 62  # after this time each resource has a bookmark


class RestartedJob(BigJob):
    def __init__(self, story, files, slices, restarts):
        super().__init__(story, files, slices)
        self.life = json.loads(json.dumps(self.lives[1]))
        for version in self.life:
            version["metadata"].pop("deletionGracePeriodSeconds", None)
        self.lives = {number: self.life for number in range(1, restarts + 2)}
        self.restarts = restarts

    def play(self, server, number):
        """The recorded times, replayed at the same pace."""
        created = self.running["metadata"]["creationTimestamp"]
        if number > 1:
            each(server, "jobs", "train/train-a-slice-${i}", self.slices, 1, "-")
            self.times.moved = {created: self.times.moved[created]}
            self.restarted["status"]["restarts"] = number - 1
            self._begin(server, number, self.restarted)
        self._send_pods(server, number, [v for v in self.life if v["status"]["phase"] != "Failed"])

    def end(self, server, number):
        self._send_pods(server, number, [v for v in self.life if v["status"]["phase"] == "Failed"])
        each(server, "pods", "train/" + self._pod(number), self.pods, 64, "-")

    def _send_pods(self, server, number, versions):
        ours = ("train-a-slice-${group}", f"job-{number}-uid-${{group}}")
        name, uid = self._pod(number), f"pod-{number}-uid-${{hex}}"
        for text in pod_templates(self.times.move(versions), name, uid, ours, "node-${i}"):
            self._send(server, "pods", "train/" + name, self.pods, 64, text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slices", type=int, default=199, help="of 64 pods each")
    parser.add_argument("--restarts", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        server = Server(directory)
        job = RestartedJob(Story(), Files(directory), options.slices, options.restarts)
        job.seed(server)
        server.do("apply <<END\n" + json.dumps(goodput("train", job.name, "None")) + "\nEND")
        client = controller(server.kubeconfig, directory)
        client.await_ready()
        print(f"a JobSet of {job.pods} pods, restarted {options.restarts} times; resident MiB after each execution:")
        for number in job.lives:
            job.play(server, number)
            time.sleep(BOOKMARKS_S)
            client.settle()
            print(f"    {number}: {client.memory_kib('VmRSS') / 1024:.1f}, at most {client.memory_kib('VmHWM') / 1024:.1f}", flush=True)
            if number <= options.restarts:
                job.end(server, number)
        status = json.loads("".join(server.do("get jobgoodputs train/" + job.name)))["status"]
        print(f"    interruptions told: {status['interruptions']['total']}; checkpoint: {len(status.get('checkpoint', ''))} bytes")
        client.stop()
        server.stop()


if __name__ == "__main__":
    main()
