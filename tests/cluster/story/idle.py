"""What an idle controller costs, from /proc."""
import os
import time

MAX_WAKEUPS = 30  # a minute


def _status(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def _ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])  # utime + stime, fields 14 and 15 of proc(5)


def _switches(pid):
    """Voluntary context switches of all the process's threads."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        total += int(_status(f"{pid}/task/{task}")["voluntary_ctxt_switches"])
    return total


def measure(pid, seconds):
    """(wake-ups, clock ticks of CPU, resident KiB) of the process over that many seconds."""
    wakeups, ticks = _switches(pid), _ticks(pid)
    time.sleep(seconds)
    return _switches(pid) - wakeups, _ticks(pid) - ticks, int(_status(pid)["VmRSS"].split()[0])


def report(tally, pid, seconds=60):
    for _ in range(3):  # other objects change now and then: the quietest minute counts
        wakeups, ticks, resident = measure(pid, seconds)
        if wakeups < MAX_WAKEUPS:
            break
    shown = f"{wakeups} wake-ups, {ticks} clock ticks of CPU, {resident / 1024:.1f} MiB resident in {seconds} s"
    print(f"    idle: {shown}")
    # The API server sends each of ten watches about a bookmark a minute, and ends one now and then: 6 to 15 were seen.
    # This finds a timer that fires for nothing: one per second would make 60.
    tally.check(wakeups < MAX_WAKEUPS, "an idle controller with ten watches wakes up less than 30 times a minute", wakeups)
    tally.check(ticks <= 5, "an idle controller uses hardly any CPU", f"{ticks} ticks of 10 ms")
    tally.check(resident < 32 * 1024, "a controller stays below 32 MiB resident", f"{resident / 1024:.1f} MiB")
