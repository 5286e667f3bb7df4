"""The stories by name, run in parallel on separate node pools and queues."""
import os
import threading
import traceback

import expect
import stuck
import story_claims
import story_cohort
import story_elastic
import story_failures
import story_gates
import story_hand
import story_hotswap
import story_leaderworkerset
import story_node_signals
import story_nodes
import story_order
import story_podgroup
import story_provisioning
import story_pytorchjob
import story_queue
import story_rayjob
import story_training
import story_trainjob

NAMES = "queue,training,hand,failures,order,gates,nodes,cohort,provisioning,trainjob,podgroup,node_signals,claims,hotswap,elastic"


def play_all(options, cluster, facts, tally):
    """The stories run in parallel, on separate node pools and queues."""
    pod_logs = os.path.join(options.run, "podlogs")
    plays = {
        "queue": lambda: story_queue.play(cluster),
        "training": lambda: story_training.play(cluster, facts, options.trainer_logs, pod_logs),
        "hand": lambda: story_hand.play(cluster),
        "failures": lambda: story_failures.play(cluster),
        "order": lambda: story_order.play(cluster),
        "gates": lambda: story_gates.play(cluster),
        "nodes": lambda: story_nodes.play(cluster),
        "cohort": lambda: story_cohort.play(cluster),
        "provisioning": lambda: story_provisioning.play(cluster),
        "trainjob": lambda: story_trainjob.play(cluster),
        "podgroup": lambda: story_podgroup.play(cluster),
        "claims": lambda: story_claims.play(cluster),
        "hotswap": lambda: story_hotswap.play(cluster),
        "elastic": lambda: story_elastic.play(cluster),
        "pytorchjob": lambda: story_pytorchjob.play(cluster),
        "leaderworkerset": lambda: story_leaderworkerset.play(cluster),
        "rayjob": lambda: story_rayjob.play(cluster),
        "node_signals": lambda: story_node_signals.play(cluster, options.run),
    }

    def run(name):
        try:
            plays[name]()
        except Exception as error:  # pylint: disable=broad-except # the other stories continue
            traceback.print_exc()
            tally.check(False, f"the story {name} was played to its end", error)
            for job in [job for job in expect.ALL_JOBS if job.story == name]:
                stuck.report(cluster, job.stream, job.namespace, job.name, "its story stopped")
        else:
            tally.check(True, f"the story {name} was played to its end")

    threads = [threading.Thread(target=run, args=(name,), daemon=True) for name in options.stories.split(",")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def jobs_of(options):
    return [job for job in expect.ALL_JOBS if job.story in options.stories.split(",")]
