"""changes: 200 jobs lose their pods at once, against the embedded API server over TLS: seconds until each interruption is in
the status that the server holds (p50 and p99, medians of --pairs runs). They start at once --calm seconds before. Times depend
on the machine and are not judged: run it under `chrt -r 1` where other programs want the cores."""
import argparse
import tempfile
import time

from bench_operator import Fleet, each, follower, free_port, start_fleet
from programs import Server
from recorded import Files, Story

JOBS = 200
LOOK_EVERY_S = 0.2  # to count is work for the server


def measure(start, calm_s):
    port = free_port()
    with tempfile.TemporaryDirectory() as directory:
        server = Server(directory)
        try:
            client = start(server.kubeconfig, directory, port)
            try:
                client.await_ready()
                Fleet(Story(), Files(directory)).play(server, JOBS)
                start_fleet(server, JOBS, port, client.cpu_seconds)
                time.sleep(calm_s)
                return lose_all(server)
            finally:
                client.stop()
        finally:
            server.stop()


def lose_all(server):
    """The delays, the shortest first."""
    each(server, "pods", "train/job-${i}-slice-0-0-x", JOBS, 1, "-")
    started, delays = time.time(), []
    while len(delays) < JOBS:
        if time.time() - started > 60:
            raise RuntimeError(f"{JOBS - len(delays)} interruptions are in no status after 60 s")
        time.sleep(LOOK_EVERY_S)
        seen = int(server.do('holding jobgoodputs "total":1')[0])
        delays += [time.time() - started] * (seen - len(delays))
    return delays


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--status-qps", type=int, default=20, help="the controller's flag")
    parser.add_argument("--calm", type=float, default=1, help="seconds after the first statuses, which are urgent too")
    parser.add_argument("--pairs", type=int, default=3, help="so many runs")
    options = parser.parse_args()
    runs = [measure(follower(options), options.calm) for _ in range(options.pairs)]
    p50, p99 = (sorted(run[place] for run in runs)[len(runs) // 2] for place in (JOBS // 2, JOBS * 99 // 100 - 1))
    print(f"{JOBS} jobs that lose their pods at once are in status after {p50:.1f} s (p50), {p99:.1f} s (p99)")


if __name__ == "__main__":
    main()
