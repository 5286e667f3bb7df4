"""node-test's acts, on the cluster that up.sh started and install.sh filled. Runs in the network of the machine cp.

main.py --run DIR --groups NAMES: groups of acts, of acts.py; acts of one group run side by side, groups one after the other.
"""
import argparse
import os
import signal
import sys
import threading
import traceback
from collections import namedtuple

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "..", "cluster", "story"))

# pylint: disable=wrong-import-position # they are found only now
import acts
import controller
import jobs
import latency
import status as read
import truth
from api import Api
from cluster import Cluster
from machines import Machines
from stage import PATIENCE, Stage
from tally import Tally
from watch import Recorder, Watch


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--api", required=True)
    parser.add_argument("--run", required=True, help="run directory of the cluster")
    parser.add_argument("--groups", required=True, help=f"of {','.join(acts.GROUPS)}")
    parser.add_argument("--record", help="write the streams to this file")
    parser.add_argument("--uninstall", action="store_true", help="at the end, remove the controller as a user would")
    return parser.parse_args()


def play(stage, group):
    """All acts of a group, in parallel. An act that breaks off counts as one failure; the others continue."""

    def run(act):
        try:
            act(stage)
        except Exception as error:  # pylint: disable=broad-except
            traceback.print_exc()
            stage.tally.check(False, f"the act {act.__name__} was played to its end", error)

    threads = [threading.Thread(target=run, args=(act,), daemon=True) for act in acts.GROUPS[group]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def first_number(stage, run):
    """From `helm install` to the first status with a number: printed, not judged."""
    with open(os.path.join(run, "helm-installed"), encoding="ascii") as file:
        installed = float(file.read())

    def numbered():
        for observation in list(stage.watch.history["jobgoodputs"]):
            if (observation.object.get("status") or {}).get("goodput", {}).get("scheduling"):
                return observation.time
        return None

    at = stage.watch.wait("a first number", numbered, PATIENCE)
    print(f"    from helm install to the first number: {at - installed:.1f} s")


Watched = namedtuple("Watched", "stream namespace name")


def every_version_adds_up(stage):
    versions, wrong = 0, []
    for observation in list(stage.watch.history["jobgoodputs"]):
        gap = read.ledger_gap_ms(observation.object)
        versions += gap is not None
        if gap:
            wrong.append(f"{observation.object['metadata']['name']}: {gap} ms")
    seen = f"{versions} versions, {len(wrong)} wrong {' '.join(wrong[:5])}"
    stage.tally.check(versions and not wrong, "badput and productive time add up to wall time in every version", seen)


def print_latency(stage):
    """Event to status: figures, not checks. A job whose node was cut off is left out: no report could have come sooner."""

    def first_steps(name):
        return [attempt.steps[0][2] for attempt in truth.attempts(stage.truth, name) if attempt.steps]

    watched = [Watched("jobsets", jobs.NAMESPACE, name) for name in stage.names if name not in stage.cut_off]
    measured, _ = latency.measure(stage.watch, watched, [], 0.1, first_steps)
    values = [change.latency for change in measured if change.latency is not None]
    for change in measured:
        if change.latency is not None and change.latency >= 1:
            print(f"    slow: {change.job}: {change.kind}: {change.latency * 1000:.0f} ms after {change.cause}")
    if values:
        median, p99 = latency.percentile(values, 0.5) * 1000, latency.percentile(values, 0.99) * 1000
        print(f"    event to status: {len(values)} changes, median {median:.0f} ms, p99 {p99:.0f} ms")


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    tally = Tally()
    recorder = Recorder(options.record)
    api = Api(options.api, os.path.join(options.run, "pki"))
    watch = Watch(api, recorder)
    stage = Stage(tally, Cluster(api, watch, recorder, None), Machines(options.run), options.run)
    cost = controller.Cost(api, stage.machines)
    try:
        watch.start()
        cost.start()
        controller.check_pods(tally, api)
        controller.check_helm_test(tally, stage)
        stage.open_queues()
        for group in options.groups.split(","):
            print(f"== {group}", flush=True)
            play(stage, group)
        first_number(stage, options.run)
        every_version_adds_up(stage)
        print_latency(stage)
        cost.print()
        print(stage.kubectl("get", "jobgoodput", "-A"))
        if options.uninstall:
            controller.check_uninstall(tally, stage)
    except Exception as error:  # pylint: disable=broad-except # counted as a failure, then the summary
        traceback.print_exc()
        tally.check(False, "the test ran to its end", error)
    finally:
        watch.stop()
        recorder.close()
    print(f"{tally.passed} passed, {tally.failed} failed", flush=True)
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
