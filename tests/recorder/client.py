"""The unmodified library in a separate process: `write LOGGER JOB FIRST LAST end|dies` records an attempt, the steps
from FIRST until before LAST; `read LOGGER JOB` prints what its calculator makes of it. Where they go, the environment says."""
import json
import sys
import tempfile
import time

from ml_goodput_measurement.src import goodput

STEP_S = 0.15


def write(logger, job, first, last, is_end):
    recorder = goodput.GoodputRecorder(job, logger, True)
    recorder.record_job_start_time()
    recorder.record_tpu_init_start_time()
    time.sleep(0.3)
    recorder.record_tpu_init_end_time()
    recorder.record_training_preparation_start_time()
    time.sleep(0.2)
    recorder.record_training_preparation_end_time()
    for step in range(int(first), int(last)):
        recorder.record_step_start_time(step)
        time.sleep(STEP_S * (5 if step == int(first) else 1))
    if is_end == "end":
        recorder.record_job_end_time()
    recorder.flush()


def read(logger, job):
    calculator = goodput.GoodputCalculator(job, logger, cache_dir=tempfile.mkdtemp())
    percent, badput, last_step = calculator.get_job_goodput(include_badput_breakdown=True)
    details = calculator.get_job_goodput_details()
    print(json.dumps({"goodput_percent": percent, "max_productive_step": last_step,
                      "badput_percent": {kind.name: value for kind, value in badput.items()},
                      "disruptions": details["disruption_count"], "total_s": details["total_elapsed_time"]}))



if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](*sys.argv[2:])
