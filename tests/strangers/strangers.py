#!/usr/bin/env python3
"""strangers.py PROGRAM JOBS [--one-file | --days-apart] [STYLE...]

Writes logs of JOBS simulated jobs in each style of trainer of this folder, lets PROGRAM (kubectl-goodput) analyze them,
and compares its productive time, and the range that it states for it, with the truth; then the same program must refuse the
logs of programs that do not train. Somebody wrote the styles and the programs from the trainers' sources without having seen
the parser: neither is changed to suit it. --one-file: all attempts of a job in one file, not a file for each. --days-apart:
so, and each attempt starts three days after the one before; time that counts as available, and is none of theirs, is an error.

A style passes if no job's truth is more than 5 % of the job's time outside the stated range, or if none of its logs is read
(UNREAD). KNOWN lists the styles that fail today, and how many jobs fail or are not read: the run is red if another style or
one more job fails, and with JOBS_TO_JUDGE jobs also if a style of KNOWN passes, for then its entry must go.

The styles of trainers_more, trainers_newest, trainers_clusters, trainers_science, trainers_generative, trainers_latest,
trainers_models and trainers_applied, and the logs of programs_more and programs_newest were written later, also from sources. Their authors knew the
parser, and had tried none of them before they were complete.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile

import programs_newest, trainers_applied, trainers_examples, trainers_jax, trainers_others, trainers_pretraining  # noqa: F401, they fill STYLES
import trainers_clusters, trainers_generative, trainers_latest, trainers_models, trainers_science  # noqa: F401
import trainers_more, trainers_newest, trainers_sharded, trainers_tuning, trainers_vision  # noqa: F401
from job import STYLES, Job
from programs import PROGRAMS

ALLOWED = 5  # % of a job's time
APART = 3 * 86400  # seconds
SHARES = (0.1, 1, 5)  # % of a job's time; jobs whose truth is further outside the range are counted
JOBS_TO_JUDGE = 20  # the jobs that KNOWN counts; seeds are 0, 1, ..., so fewer jobs are some of them

WAYS = ("apart", "one file", "days apart")  # a file for each attempt; all in one; so, with days between them

# Styles of which no log is read, and why.
UNREAD = {
    "cleanrl": "a global_step of single episodes",
    "sample_factory": "a number of frames and no step",
    "waveglow": "a number and a loss, and no word",
    "parlai": "total_steps, which mostly names a limit",
    "cellpose": "a number and a loss, and no word",
    "skrl": "a bar without a word or a loss",
    "dopamine": "an iteration's number and its rate are on different lines",
}

WITHIN = "validation runs within the time that the trainer gives for an epoch or draws in its bar"
PREPARATION = "training before an attempt's second line counts as preparation"
BAR = "only a bar: a save or an evaluation looks like a long step"

# Styles that fail: of JOBS_TO_JUDGE jobs, those that are outside by more than ALLOWED, for each of WAYS, and why, as far
# as it is known.
KNOWN = {
    "hf_notqdm": (0, 9, 0, "one file: an attempt ends before its lines show that no bar comes"),
    "depth_anything": (4, 6, 4, "too few lines in an epoch whose length no line gives"),
    "k_diffusion": (1, 1, 1, BAR),
    "audiocraft": (1, 1, 1, "one line in an epoch: its validation counts as training"),
    "megatron_deepspeed": (2, 2, 2, "its interval time runs through saves and counts as that of the steps"),
    "spacy": (1, 1, 1, "rows come after an evaluation that no line shows"),
    "dlrm": (4, 4, 4, "too few lines in an attempt"),
    "kohya": (1, 1, 1, "in one job more than a restart's steps are lost"),
    "cyclegan": (14, 14, 14, "too few lines in an epoch whose length no line gives"),
    "vits": (7, 5, 7, "a share of the epoch, and a line every 50 steps: epochs count as steps"),
    "ms_swift": (1, 1, 1, "in one job evaluations count as training"),
    "verl": (1, 1, 1, "in one job evaluations count as training"),
    "nemo_rl": (4, 4, 4, "steps are counted within an epoch, and repeated ones are not recognized"),
    "keras_v2": (2, 5, 2, WITHIN),
    "tensorpack": (19, 16, 19, "bars without a loss; of its lines at the end of an epoch there are too few"),
    "nequip": (17, 17, 17, "rows below a head of two counters are not read, and summaries of epochs are few"),
    "paddlespeech": (0, 3, 0, "one file: an attempt begins with one line that the one before has"),
    "nerf_pytorch": (1, 1, 1, BAR),
    "fairchem": (11, 20, 10, "numbers of three digits: from 1,000 on, ten steps have the same one"),
    "gensim": (10, 11, 10, "a share of the examples and words a second, and no step"),
}


def analyze(program, paths):
    """What the program says of the logs; None if it refuses them."""
    run = subprocess.run([program, "analyze", "-o", "json", *paths], capture_output=True, timeout=120)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"{program} ended with {run.returncode} on {paths}: {run.stderr.decode(errors='replace')}")
    return json.loads(run.stdout) if run.returncode == 0 else None


def write(folder, name, log):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(log)
    return path


def judge(program, folder, trainer, seed, files):
    """The error of the productive time and the distance of the truth from the stated range, in % of the job's time."""
    job = Job(trainer, seed, APART if files == "days apart" else 0)
    logs = job.files if files == "apart" else [b"".join(job.files)]
    paths = [write(folder, f"{trainer.__name__}.{seed}.{number}.log", log) for number, log in enumerate(logs)]
    read = analyze(program, paths)
    for path in paths:
        os.unlink(path)
    if read is None:
        return None
    seconds = read["time"]["availableMilliseconds"] / 1e3
    low, high = (read["goodputPPM"].get(end, 0) / 1e6 * seconds for end in ("runtime", "runtimeUpperBound"))
    error = abs(read["time"]["productiveMilliseconds"] / 1e3 - job.productive)
    outside = max(low - job.productive, job.productive - high, 0)
    if files == "days apart":
        outside = max(outside, seconds - job.wall)
    return 100 * error / job.wall, 100 * outside / job.wall


def judge_style(task):
    program, folder, number, jobs, files = task
    return number, [judge(program, folder, STYLES[number], seed, files) for seed in range(jobs)]


def verdict(name, judged, known):
    """What is wrong with a style of which this many jobs are known to fail, or nothing."""
    jobs = [job for job in judged if job]
    if name in UNREAD:
        return "read by now: its entry in UNREAD must go" if jobs else ""
    fail = len(judged) - len(jobs) + sum(outside > ALLOWED for _, outside in jobs)
    if fail > known and (known == 0 or len(judged) <= JOBS_TO_JUDGE):
        return f"not read, or truth more than {ALLOWED} % outside the stated range, in {fail} jobs, {known} known"
    return "passes by now: its count in KNOWN must go" if known and not fail and len(judged) >= JOBS_TO_JUDGE else ""


def judge_styles(arguments, folder):
    numbers = [n for n, style in enumerate(STYLES) if not arguments.styles or style.__name__ in arguments.styles]
    tasks = [(arguments.program, folder, number, arguments.jobs, arguments.files) for number in numbers]
    wrong, all_jobs = 0, []
    print(
        f"{'style':21}{'read':>7}{'median':>8}{'max':>7}"
       .join(f"{f'>{share} %':>8}" for share in SHARES)
        + "  source"
    )
    with multiprocessing.Pool() as pool:
        for number, judged in pool.imap(judge_style, tasks):
            name = STYLES[number].__name__
            jobs = [job for job in judged if job]
            all_jobs += jobs
            print(f"{name:21}{len(jobs):>4}/{len(judged):<2}{figures(jobs)}  {STYLES[number].source}")
            *known, reason = KNOWN.get(name, (0, 0, 0, UNREAD.get(name)))
            problem = verdict(name, judged, known[WAYS.index(arguments.files)])
            wrong += bool(problem)
            if problem:
                print(f"not ok - {name}: {problem}")
            elif name in UNREAD or any(outside > ALLOWED for _, outside in jobs):
                print(f"    known: {reason}", flush=True)
    print(f"{'all':21}{len(all_jobs):>4}   {figures(all_jobs)}")
    return len(tasks) - wrong, wrong


def figures(jobs):
    if not jobs:
        return ""
    errors = [error for error, _ in jobs]
    counts = "".join(f"{sum(outside > share for _, outside in jobs):>8}" for share in SHARES)
    return f"{statistics.median(errors):>8.2f}{max(errors):>7.2f}{counts}"


def judge_programs(program, folder):
    accepted = [name for name, log in PROGRAMS.items() if analyze(program, [write(folder, name + ".log", log)])]
    for name in accepted:
        print(f"not ok - {name}: taken for a trainer")
    return len(PROGRAMS) - len(accepted), len(accepted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1], usage=__doc__.split("\n", 1)[0])
    parser.add_argument("program")
    parser.add_argument("jobs", type=int)
    parser.add_argument("--one-file", dest="files", action="store_const", const="one file", default="apart")
    parser.add_argument("--days-apart", dest="files", action="store_const", const="days apart")
    parser.add_argument("styles", nargs="*")
    arguments = parser.parse_args()
    unknown = set(arguments.styles) - {style.__name__ for style in STYLES}
    if unknown:
        parser.error("no such style: " + " ".join(sorted(unknown)))
    with tempfile.TemporaryDirectory() as folder:
        passed, failed = judge_styles(arguments, folder)
        if not arguments.styles:
            more_passed, more_failed = judge_programs(arguments.program, folder)
            passed, failed = passed + more_passed, failed + more_failed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
