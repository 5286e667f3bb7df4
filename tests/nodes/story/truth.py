"""What the trainers noted of themselves (trainer/train.py), and what the ledger must say because of it.

Only the pod whose log is read counts: index 0. An attempt is one process of it. The words are those of deploy/docs/concepts/ledger.md: a step lasts from
the end of the step before it to its own end, less the saving inside; the first step of an attempt is worth an ideal step, its
excess is ProgramStartup; steps done again later, and what a killed attempt had started, are WastedProgress.
"""
import glob
import json
import os
import statistics


class Attempt:
    def __init__(self, started):
        self.started = started
        self.steps = []  # (number, begin, end)
        self.saves = []  # (begin, end)
        self.restores = []
        self.open_step = None  # (number, begin) of a step that has not ended
        self.last = started  # when it was last heard of
        self.killed = None  # when it ended before it was done: as it noted itself, or its last sign of life
        self.done = False
        self.all_run = started  # when the last of its job's trainers started: until then time is ContainerStart

    @property
    def first_step(self):
        return self.steps[0][0] if self.steps else None


def notes(folder, run, index=0):
    """All notes of an index, oldest first."""
    found = []
    for path in glob.glob(os.path.join(folder, f"{run}-*.jsonl")):
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.endswith("\n"):
                    found.append({**json.loads(line), "file": path})
    return sorted((note for note in found if note["index"] == index), key=lambda note: note["t"])


def last_alive(path):
    """When the process that wrote these notes was last alive, by its own clock, within 0.1 s; None if it died at once."""
    try:
        with open(path.removesuffix(".jsonl") + ".alive", encoding="ascii") as file:
            return float(file.read() or 0) or None
    except FileNotFoundError:
        return None


def attempts(folder, run):
    """Oldest first."""
    found, files, opened = [], [], {}
    for note in notes(folder, run):
        what, at = note["what"], note["t"]
        if what == "starts":
            found.append(Attempt(at))
            files.append(note["file"])
            opened = {}
            continue
        attempt = found[files.index(note["file"])]  # a cut-off pod may train in parallel with its successor
        attempt.last = at
        if what in ("exception", "shard", "ended by SIGTERM", "ends on SIGTERM"):
            attempt.killed = at
        elif what == "done":
            attempt.done = True
        elif what == "step begins":
            attempt.open_step = (note["step"], at)
        elif what == "step ends":
            attempt.steps.append((note["step"], attempt.open_step[1], at))
            attempt.open_step = None
        elif what.endswith(" begins"):
            opened[what.split()[0]] = at
        elif what.endswith(" ends"):
            kind = what.split()[0]
            (attempt.saves if kind == "save" else attempt.restores).append((opened.pop(kind), at))
    others = [note["t"] for note in notes(folder, run, 1) if note["what"] == "starts"]
    for attempt, path in zip(found, files):
        attempt.all_run = max([attempt.started] + [at for at in others if attempt.started - 5 < at < attempt.last])
        if not attempt.done:
            attempt.killed = attempt.killed or last_alive(path)
    return found


def read_until(attempt, step):
    """The attempt as its log was read: up to this step."""
    attempt.steps = [s for s in attempt.steps if s[0] <= step]
    end = attempt.steps[-1][2] if attempt.steps else attempt.started
    attempt.saves = [s for s in attempt.saves if s[0] <= end]


def last_step(folder, run):
    """(number of attempts so far, the newest step that ended in the newest attempt or -1)."""
    found = attempts(folder, run)
    return len(found), (found[-1].steps[-1][0] if found and found[-1].steps else -1)


def _span(spans):
    return sum(end - begin for begin, end in spans)


def durations(attempt):
    """[(step, seconds)]: from the end of the step before, less the saves between; the first one's from the end of the restore,
    as what a trainer does then is trace and compile (MaxText, before its first step begins)."""
    found, before = [], max((end for _, end in attempt.restores), default=None)
    for number, begin, end in attempt.steps:
        since = begin if before is None else before
        inside = sum(e - b for b, e in attempt.saves if since <= b and e <= end)
        found.append((number, end - since - inside))
        before = end
    return found


SLOW = 1.5  # of the median: what a step takes beyond the median is Unattributed then (deploy/docs/concepts/ledger.md)


def untold(steps, ideal):
    """Seconds of each step that no line explains: of a slow one the excess over the median, less the time that its neighbors took less
    (the line between two steps may have come late). Neither of the first step, which compiled, nor of the last one."""
    found = [0.0] * len(steps)
    for k in range(1, len(steps) - 1):
        borrowed = sum(max(0.0, ideal - steps[n][1]) for n in (k - 1, k + 1))
        if steps[k][1] - borrowed > SLOW * ideal:
            found[k] = steps[k][1] - borrowed - ideal
    return found


BUCKETS = ("Productive", "WastedProgress", "ProgramStartup", "CheckpointSave", "CheckpointRestore", "Unattributed")


def ledger(found):
    """{bucket: (seconds, spans)} for the list of attempts; Productive among them. Ideal is the median step."""
    all_steps = [seconds for attempt in found for _, seconds in durations(attempt)[1:]]
    if not all_steps:
        raise RuntimeError("no trainer has done two steps")
    ideal = statistics.median(all_steps)
    totals = {bucket: [0.0, 0] for bucket in BUCKETS}

    def add(bucket, seconds, spans=1):
        totals[bucket][0] += seconds
        totals[bucket][1] += spans

    for i, attempt in enumerate(found):
        resumed = min((a.first_step for a in found[i + 1 :] if a.steps), default=None)
        lost, steps = 0, durations(attempt)
        for k, ((number, seconds), beyond) in enumerate(zip(steps, untold(steps, ideal))):
            worth = min(seconds, ideal) if k == 0 else seconds - beyond
            if k == 0:
                add("ProgramStartup", seconds - worth)
            if beyond:
                add("Unattributed", beyond)
            is_lost = resumed is not None and number >= resumed
            lost += is_lost
            add("WastedProgress" if is_lost else "Productive", worth, 0)
        totals["Productive"][1] += 1
        if attempt.killed:  # the step it had started, from the end of the last one
            since = attempt.steps[-1][2] if attempt.steps else attempt.started
            inside = sum(e - b for b, e in attempt.saves if since <= b)
            unfinished = max(0.0, attempt.killed - since - inside)
            add("WastedProgress", min(unfinished, 2 * ideal))
            if unfinished > 2 * ideal:  # no line explains this time
                add("Unattributed", unfinished - 2 * ideal)
        elif lost:
            totals["WastedProgress"][1] += 1
        add("CheckpointSave", _span(attempt.saves), len(attempt.saves))
        restores = [(max(begin, attempt.all_run), end) for begin, end in attempt.restores if end > attempt.all_run]
        add("CheckpointRestore", _span(restores), len(attempt.restores))
    return {bucket: tuple(value) for bucket, value in totals.items()}
