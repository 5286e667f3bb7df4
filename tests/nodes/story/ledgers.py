"""A JobGoodput's final status next to the trainers' own truth, bucket by bucket, as a table and as checks."""
import status as read
import truth


def compare(tally, name, goodput, attempts):
    """Each bucket within the larger of 1 s a span and 1 % of the wall time, the unexplained below 2 % of it; except for time that the truth does not explain either (slow steps, hangs): the ledger must report that as such."""
    wall = (read.time_ms(goodput, "wallMilliseconds") or 0) / 1000
    rows = []
    expectation = truth.ledger(attempts)
    unexplained, pieces = expectation.pop("Unattributed")
    for bucket, (expected, spans) in expectation.items():
        if bucket == "Productive":
            measured = (read.time_ms(goodput, "productiveMilliseconds") or 0) / 1000
        else:
            measured = read.bucket_seconds(goodput, bucket)
        rows.append((bucket, expected, measured, max(1.0 * spans, 0.01 * wall)))
    if unexplained:
        rows.append(("Unattributed", unexplained, read.bucket_seconds(goodput, "Unattributed"), max(2.0, 1.0 * pieces, 0.01 * wall)))
    print(f"    {name}: {wall:.1f} s")
    print(f"    {'bucket':20} {'truth':>9} {'ledger':>9} {'difference':>10} {'tolerance':>9}")
    for bucket, expected, measured, tolerance in rows:
        print(f"    {bucket:20} {expected:9.2f} {measured:9.2f} {measured - expected:+10.2f} {tolerance:9.2f}")
    shown = {entry["bucket"] for entry in read.status(goodput).get("badput") or []} - {row[0] for row in rows}
    for bucket in sorted(shown):
        print(f"    {bucket:20} {'':9} {read.bucket_seconds(goodput, bucket):9.2f}")
    for bucket, expected, measured, tolerance in rows:
        tally.near(f"{name}: {bucket}", expected, measured, tolerance)
    if not unexplained:
        measured = read.bucket_seconds(goodput, "Unattributed")
        tally.check(wall > 0 and measured < 0.02 * wall, f"{name}: Unattributed below 2 %", f"{measured:.2f} s of {wall:.1f} s")
    gap = read.ledger_gap_ms(goodput)
    tally.check(gap == 0, f"{name}: badput and productive time add up to the wall time", f"{gap} ms")


def causes(tally, name, goodput, expected):
    """expected: {cause: count}."""
    seen = read.interruptions(goodput)
    tally.check(seen == expected, f"{name}: interruptions are {expected}", f"{seen}")


def root_cause(tally, name, goodput, number, expected):
    """expected: members of the execution's rootCause, of "line" and "frame" how they begin; None: it has no rootCause."""
    execution = next((e for e in read.status(goodput).get("executions") or [] if e["number"] == number), {})
    found = execution.get("rootCause")
    wrong = {}
    for key, value in (expected or {}).items():
        seen = (found or {}).get(key)
        if not (str(seen).startswith(value) if key in ("line", "frame") else seen == value):
            wrong[key] = seen
    is_right = bool(execution) and (found is None) == (expected is None) and not wrong
    tally.check(is_right, f"{name} #{number}: its root cause is {expected}", f"{wrong or found}")


def explain(name, goodput):
    """The executions, for a person."""
    for e in read.status(goodput).get("executions") or []:
        times = ", ".join(f"{key[:-2]} {e[key] / 1000:.1f} s" for key in ("lostWorkMilliseconds", "waitMilliseconds", "rescheduleMilliseconds", "resumeMilliseconds", "catchUpMilliseconds") if e.get(key))
        print(f"    {name} #{e['number']}: steps {e.get('firstStep')}-{e.get('lastStep')}, {e.get('cause')}: {e.get('evidence')}; {times}")
