"""A JobGoodput's final numbers next to the oracle's, row by row."""
from collections import namedtuple

import oracle
import status as read

SCHEDULING = ("Suspended", "PreemptedWait", "QueueWait", "DependencyWait", "Provisioning", "FailureDetection", "Rescheduling", "Binding")
STARTING = ("ImagePull", "ContainerStart")
FOREVER = float("inf")


class Row(namedtuple("Row", "what expected spans measured")):
    """Seconds; measured is None where the status says nothing."""

    def beyond(self, late=0):
        """Seconds by which it is wrong beyond the resolution: the API stamps nearly all in whole seconds, so that each
        span may be off by one at its ends, and the whole by half a second more; `late` is what our own clock may be."""
        if self.measured is None:
            return self.expected
        off = abs(self.measured - self.expected)
        return max(0, off - 0.5 - max(self.spans, 1) - late)

    def shown(self):
        return f"{self.what} {self.expected:.2f}/{'-' if self.measured is None else format(self.measured, '.2f')}"


def rows(watch, job, goodput):
    """Wall, available and each bucket that either knows; job has stream, namespace and name."""
    return rows_of(oracle.Target(watch, job.stream, job.namespace, job.name), goodput)


def rows_of(target, goodput):
    totals = oracle.totals(target.ledger())
    available = [totals.get(bucket, (0, 0)) for bucket in STARTING + ("Running",)]
    gaps = sum(totals.get(bucket, (0, 0))[1] for bucket in SCHEDULING)
    found = [
        Row("wall", target.end - target.begin, 1, _seconds(goodput, "wallMilliseconds")),
        Row("available", sum(seconds for seconds, _ in available), gaps + 1, _seconds(goodput, "availableMilliseconds")),
    ]
    for bucket in SCHEDULING + STARTING:
        expected, spans = totals.get(bucket, (0, 0))
        family = "Scheduling" if bucket == "FailureDetection" else None
        found.append(Row(bucket, expected, spans, read.bucket_seconds(goodput, bucket, family)))
    return [row for row in found if row.expected or row.measured]


def misplaced(rows):
    """Seconds that are in a wrong bucket, beyond the resolution: what one bucket has too much another has too little."""
    wall = next(row for row in rows if row.what == "wall")
    return max(sum(row.beyond() for row in _of_buckets(rows) + [_running(rows)]) / 2, wall.beyond())


def unattributed(rows):
    """Those that count as running because no evidence is left: without a step log, Unattributed."""
    rest = _running(rows)
    return min(misplaced(rows), rest.beyond() if rest.measured > rest.expected else 0)


def flows(rows):
    """[(bucket it was, bucket it is held for, seconds)] of what is misplaced: the largest shortage with the largest excess."""
    off = [(row.what, row.beyond() * (1 if (row.measured or 0) > row.expected else -1)) for row in _of_buckets(rows) + [_running(rows)]]
    short = sorted(([what, -seconds] for what, seconds in off if seconds < 0), key=lambda one: -one[1])
    excess = sorted(([what, seconds] for what, seconds in off if seconds > 0), key=lambda one: -one[1])
    found = []
    while short or excess:  # the rest of one side is in others' resolution
        was, held = short[0] if short else ["others", FOREVER], excess[0] if excess else ["others", FOREVER]
        seconds = min(was[1], held[1])
        found.append((was[0], held[0], seconds))
        for side in (short, excess):
            if side:
                side[0][1] -= seconds
                if side[0][1] <= 0.001:
                    side.pop(0)
    return found


def _of_buckets(rows):
    return [row for row in rows if row.what not in ("wall", "available")]


def _running(rows):
    """What no row is about."""
    of_buckets, wall = _of_buckets(rows), next(row for row in rows if row.what == "wall")
    return Row(
        "Running",
        wall.expected - sum(row.expected for row in of_buckets),
        sum(row.spans for row in of_buckets if row.what in STARTING) + 1,
        (wall.measured or 0) - sum(row.measured or 0 for row in of_buckets),
    )


def _seconds(goodput, field):
    milliseconds = read.time_ms(goodput, field)
    return None if milliseconds is None else milliseconds / 1000
