"""library_append.py FILE: the real library is asked once over FILE, then two entries are added and it is asked again, as its
monitor does at every upload. Prints the seconds of that second question, the least of three."""
import datetime
import json
import os
import sys
import tempfile
import time

from ml_goodput_measurement.src import goodput


class Logger:
    """The entries that were not read yet, as Cloud Logging would return them."""

    def __init__(self, entries):
        self.unread = entries

    def read_cloud_logging_entries(self, start_time=None, end_time=None, last_entry_info=None):
        entries, self.unread = self.unread, []
        return entries, (datetime.datetime.fromtimestamp(entries[-1]["step_start_time"], datetime.timezone.utc), "id")


with open(sys.argv[1]) as lines:
    entries = [json.loads(line) for line in lines]
entries = [e for e in entries if "job_end_time" not in e]
shift = time.time() - 3600 - entries[-1]["step_start_time"]  # the job still runs: its steps are of the last days
for entry in entries:
    for key in entry.keys() & {"job_start_time", "step_start_time"}:
        entry[key] = round(entry[key] + shift, 6)
last = entries[-1]
with tempfile.TemporaryDirectory() as folder:
    logger = Logger(entries)
    calculator = goodput.GoodputCalculator("job", "log", cloud_logger=logger, cache_dir=folder)
    calculator.get_job_goodput(True)
    seconds = []
    for _ in range(3):
        for _ in range(2):
            last = dict(last, step_count=last["step_count"] + 1, step_start_time=last["step_start_time"] + 3.0)
            logger.unread.append(last)
        started = time.monotonic()
        found = calculator.get_job_goodput(True)
        seconds.append(time.monotonic() - started)
    assert found[2] == last["step_count"] - 1, found
print(json.dumps({"seconds": min(seconds)}))
