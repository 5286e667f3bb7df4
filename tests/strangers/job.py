"""A simulated training job whose productive time is known, the log that its trainer writes, and what a trainer's style is.

A job has one to three attempts, of which all but the last fail; each resumes from the last checkpoint. A step's time is
productive if no later attempt runs the step again, and without the compilation that an attempt's first step waits for.
The order of the calls of the random generator is part of the logs: a call more or less changes all of them.
"""

import datetime
import math
import random

STYLES = []
PART_BYTES = 16384  # a container runtime cuts longer lines into parts
NEVER = 10**9


def style(trainer):
    """Adds a trainer to STYLES."""
    STYLES.append(trainer)
    return trainer


def written(at, layout="%Y-%m-%d %H:%M:%S"):
    return datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime(layout)


def millis(at):
    return "%03d" % int((at % 1) * 1000)


def stamp(at):
    """The timestamp that kubectl logs --timestamps writes before a line."""
    whole = int(at)
    return written(whole, "%Y-%m-%dT%H:%M:%S.") + "%09dZ " % int((at - whole) * 1e9)


def hms(seconds):
    """As tqdm writes a time."""
    seconds = int(seconds)
    hours, minutes, seconds = seconds // 3600, seconds // 60 % 60, seconds % 60
    return "%d:%02d:%02d" % (hours, minutes, seconds) if hours else "%02d:%02d" % (minutes, seconds)


def clock(seconds):
    """As Python writes a timedelta."""
    return str(datetime.timedelta(seconds=int(seconds)))


def spelled(seconds):
    """As Ray and ms-swift write a time: 1h 2m 3s."""
    seconds = int(seconds)
    hours, minutes, seconds = seconds // 3600, seconds // 60 % 60, seconds % 60
    return (f"{hours}h " if hours else "") + (f"{minutes}m " if minutes or hours else "") + f"{seconds}s"


def absl(at, file, line, message, level="I"):
    return "%s%s.%06d %d %s:%d] %s" % (level, written(at, "%m%d %H:%M:%S"), int(at % 1 * 1e6), 140, file, line, message)


class Writer:
    """The log of a container: what the trainer writes to two streams ("o" and "e"), cut at line ends and at PART_BYTES.

    Each part has a timestamp and a separate line; with joined, only a line's first part, as newer kubelets join them.
    """

    def __init__(self, joined):
        self.parts = []
        self.pending = {"o": b"", "e": b""}
        self.joined = joined
        self.started = 0
        self.first = None
        self.last = 0

    def put(self, at, text, partial):
        self.last = max(at, self.last + 1e-6)
        if self.first is None:
            self.first = self.last
        self.parts.append((self.last, text, partial))

    def raw(self, at, text, stream):
        pending = self.pending[stream] + text.encode()
        while True:
            end = pending.find(b"\n")
            if 0 <= end < PART_BYTES:
                self.put(at, pending[:end], False)
                pending = pending[end + 1 :]
            elif len(pending) >= PART_BYTES:
                self.put(at, pending[:PART_BYTES], True)
                pending = pending[PART_BYTES:]
            else:
                break
        self.pending[stream] = pending

    def line(self, at, text, stream="o"):
        self.raw(at, text + "\n", stream)

    def close(self, at):
        for stream in "oe":
            if self.pending[stream]:
                self.put(at, self.pending[stream], True)
                self.pending[stream] = b""

    def bytes(self):
        log = []
        starts = True
        for at, text, partial in self.parts:
            if starts or not self.joined:
                log.append(stamp(at).encode())
            log.append(text)
            if not (partial and self.joined):
                log.append(b"\n")
            starts = not (partial and self.joined)
        if not starts:
            log.append(b"\n")
        return b"".join(log)


class Bar:
    """A bar of tqdm: redrawn after a carriage return, at most every tenth of a second, with a smoothed rate."""

    def __init__(self, writer, at, total, initial=0, desc="", unit="it", stream="e", width=10):
        self.writer, self.started, self.total, self.position, self.initial = writer, at, total, initial, initial
        self.desc, self.unit, self.stream, self.width = desc, unit, stream, width
        self.shown_at, self.shown = at, initial
        self.smooth_seconds = self.smooth_steps = 0
        self.postfix = ""
        self.show(at, True)

    def show(self, at, force=False):
        steps, seconds = self.position - self.shown, at - self.shown_at
        if not force and seconds < 0.1:
            return
        if steps > 0:
            self.smooth_seconds = 0.3 * seconds + 0.7 * self.smooth_seconds
            self.smooth_steps = 0.3 * steps + 0.7 * self.smooth_steps
        self.shown_at, self.shown = at, self.position
        elapsed = at - self.started
        rate = None
        if self.smooth_seconds:
            rate = self.smooth_steps / self.smooth_seconds
        elif elapsed > 0 and self.position > self.initial:
            rate = (self.position - self.initial) / elapsed
        if not rate:
            speed = "?%s/s" % self.unit
        elif rate >= 1:
            speed = "%5.2f%s/s" % (rate, self.unit)
        else:
            speed = "%5.2fs/%s" % (1 / rate, self.unit)
        remaining = hms((self.total - self.position) / rate) if rate else "?"
        share = self.position / self.total
        eighths = int(share * self.width * 8)
        bar = "█" * (eighths // 8) + (" ▏▎▍▌▋▊▉"[eighths % 8] if eighths // 8 < self.width else "")
        text = "%s%3.0f%%|%s| %d/%d [%s<%s, %s%s]" % (
            self.desc + ": " if self.desc else "",
            share * 100,
            bar.ljust(self.width),
            self.position,
            self.total,
            hms(elapsed),
            remaining,
            speed,
            ", " + self.postfix if self.postfix else "",
        )
        self.writer.raw(at, "\r" + text, self.stream)

    def update(self, at, steps=1, postfix=None):
        self.position += steps
        if postfix is not None:
            self.postfix = postfix
        self.show(at)

    def close(self, at):
        self.show(at, True)
        self.writer.raw(at, "\n", self.stream)


class Style:
    """How a trainer logs: a method for each event of an attempt. The job calls them in order of time.

    `resumed` is the step of the checkpoint that an attempt continues from, 0 for none; `begin` and `end` are the times
    between which a checkpoint is restored or saved or an evaluation runs; `context` is a Context.
    """

    source = ""
    counts_from = 1  # the number that the trainer prints for the first step
    log_every = None  # steps; None: 1, 10 or 50 by the seed
    shortest_step = 0  # seconds
    logs_first_step = False
    logs_epoch_end = False
    by_epoch = False  # saves and evaluates at the end of an epoch, and counts its log lines within it
    never_saves = False
    evaluates = True
    evaluates_first = False  # before it saves, where it does both
    startup = ("starting",)

    def __init__(self, job):
        self.job = job

    def attempt(self, writer, at, resumed):
        self.writer = writer

    def restore(self, begin, end, resumed):
        """Writes what the trainer logs of a restored checkpoint."""

    def begin(self, at, resumed):
        """Writes what the trainer logs before its first step."""

    def step(self, context):
        """Writes what the trainer logs of each step, as a bar does."""

    def log(self, context):
        """Writes the line of a step that is due."""

    def save(self, begin, end, step, context):
        """Writes what the trainer logs of a saved checkpoint."""

    def evaluate(self, begin, end, step, context):
        """Writes what the trainer logs of an evaluation."""

    def end(self, at):
        """Writes what the trainer logs at the end of the job."""

    def fail(self, at):
        self.writer.line(at, "Traceback (most recent call last):", "e")
        self.writer.line(at, '  File "/app/train.py", line 412, in <module>', "e")
        self.writer.line(
            at,
            "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1970, "
            "unhandled system error",
            "e",
        )


class Context:
    """What a trainer knows after a step.

    step, printed (its number as logged), epoch and index (from 0 and from 1), steps (of the job), resumed, started (time of
    the attempt's first step), at (now), alone (the step's seconds), took (with compilation), since_step and since_log
    (seconds, with what ran between), count and seconds (of the steps since the last line), trained (seconds of all steps),
    log_every, loss, lr, grad_norm.
    """

    def __init__(self, at, resumed, job):
        self.started = self.logged = self.previous = at
        self.resumed, self.steps, self.log_every = resumed, job.steps, job.log_every
        self.count = self.seconds = self.trained = 0


class Job:
    """A job in the style of a trainer, by seed: files (a log for each attempt), wall and productive (seconds).

    apart: additional seconds between two attempts.
    """

    def __init__(self, trainer, seed, apart=0):
        self.trainer = trainer
        self.apart = apart
        self.random = random.Random(seed * 7919 + sum(map(ord, trainer.__name__)))
        self.seed = seed
        self.log_every = trainer.log_every or [1, 10, 50][seed % 3]
        self.kind = ["even", "uneven", "very uneven", "slow from the middle"][(seed // 3) % 4]
        self.plan()
        self.run()

    def plan(self):
        """Draws the number of steps, their mean time, and the epochs."""
        rng, every = self.random, self.log_every
        total = rng.uniform(480, 2400)
        for _ in range(100):
            mean = math.exp(rng.uniform(math.log(max(self.trainer.shortest_step, 0.12)), math.log(12)))
            steps = int(total / mean)
            if 15 * every <= steps <= 8000:
                break
        else:
            mean, steps = total / (20 * every), 20 * every
        if self.trainer.by_epoch:
            self.epochs = rng.randint(3, 7)
            self.epoch_steps = max(2 * every, steps // self.epochs // every * every)
            if rng.random() < 0.5:
                self.epoch_steps += rng.randint(0, every - 1)
            steps = self.epoch_steps * self.epochs
        else:
            steps = max(12 * every, steps // every * every)
            self.epoch_steps = rng.choice([steps + 1, max(every * 2, steps // 3)])
            self.epochs = -(-steps // self.epoch_steps)
        self.steps, self.mean = steps, mean
        self.slow_from = rng.uniform(0.3, 0.7) * steps

    def duration(self, step):
        rng, mean = self.random, self.mean
        if self.kind == "even":
            return mean * (1 + rng.gauss(0, 0.005))
        if self.kind == "uneven":
            return mean * math.exp(rng.gauss(-0.045, 0.3))
        if self.kind == "very uneven":
            return mean * math.exp(rng.gauss(-0.32, 0.8))
        return mean * (2 if step > self.slow_from else 1) * (1 + rng.gauss(0, 0.01))

    def run(self):
        rng, trainer, steps = self.random, self.trainer, self.steps
        attempts = [1, 2, 3, 2][self.seed % 4]
        self.save_every = max(self.log_every, int(steps / rng.uniform(3.5, 9)) // self.log_every * self.log_every)
        self.evaluate_every = [0, self.save_every, self.save_every * 2][rng.randint(0, 2)] if trainer.evaluates else 0
        if trainer.by_epoch:
            self.save_every = self.epoch_steps
            self.evaluate_every = self.epoch_steps if trainer.evaluates else 0
        if trainer.never_saves:
            self.save_every = NEVER
        cuts = sorted(rng.uniform(0.12, 0.95) for _ in range(attempts - 1))
        self.now = 1760000000 + rng.randint(0, 10**7) + rng.random()
        self.checkpoint, self.kept, self.files, self.wall = 0, {}, [], 0
        for attempt in range(attempts):
            if attempt:
                self.now += rng.uniform(20, 300) + self.apart
            writer = Writer(joined=self.seed % 4 == 3)
            self.attempt(writer, int(cuts[attempt] * steps) if attempt < attempts - 1 else None)
            writer.close(self.now)
            self.files.append(writer.bytes())
            self.wall += writer.last - writer.first
        self.productive = sum(self.kept.values())

    def attempt(self, writer, fails_at):
        """Runs from the last checkpoint to the end of the job, or until it fails within the step fails_at."""
        rng, style_, resumed = self.random, self.trainer(self), self.checkpoint
        starting = rng.uniform(8, 90)
        writer.started = self.now
        style_.attempt(writer, self.now, resumed)
        for index, line in enumerate(style_.startup):
            writer.line(self.now + starting * index / len(style_.startup), line)
        self.now += starting
        if resumed:
            begin = self.now
            end = begin + rng.uniform(4, 40)
            style_.restore(begin, end, resumed)
            self.now = end
        style_.begin(self.now, resumed)
        if fails_at is not None and fails_at <= resumed + 1:
            fails_at = resumed + 2 + rng.randint(0, 3)
        if fails_at is not None:
            fails_at = min(fails_at, self.steps)
        context = Context(self.now, resumed, self)
        compilation = rng.uniform(5, 70)
        for step in range(resumed + 1, self.steps + 1):
            alone = self.duration(step)
            if step == fails_at:
                self.now += alone * rng.random() + rng.choice([0, 1, 30, 120]) * rng.random()
                break
            self.kept[step] = alone
            self.step(style_, context, step, alone, compilation if step == resumed + 1 else 0)
        if fails_at is None:
            style_.end(self.now)
            return
        if rng.random() < 0.6:
            style_.fail(self.now)
        for step in range(self.checkpoint + 1, fails_at):
            self.kept.pop(step, None)
        rng.random()

    def step(self, style_, context, step, alone, compilation):
        rng, trainer = self.random, self.trainer
        took = alone + compilation
        self.now += took
        context.at, context.step, context.alone, context.took = self.now, step, alone, took
        context.count += 1
        context.seconds += took
        context.trained += took
        context.since_step, context.since_log = self.now - context.previous, self.now - context.logged
        context.loss = 2 + 9 * math.exp(-step / self.steps * 4) + rng.gauss(0, 0.05)
        context.lr = 3e-4 * min(1, step / (self.steps * 0.1 + 1))
        context.grad_norm = abs(rng.gauss(1, 0.3))
        context.printed = step - 1 if trainer.counts_from == 0 else step
        context.epoch, context.index = (step - 1) // self.epoch_steps, (step - 1) % self.epoch_steps + 1
        style_.step(context)
        counted = (context.index if trainer.by_epoch else step) - (1 if trainer.counts_from == 0 else 0)
        if (
            counted % self.log_every == 0
            or (trainer.logs_first_step and step == context.resumed + 1)
            or (trainer.logs_epoch_end and context.index == self.epoch_steps)
        ):
            style_.log(context)
            context.count = context.seconds = 0
            context.logged = self.now
        context.previous = self.now
        saves = step % self.save_every == 0 or (step == self.steps and not trainer.never_saves)
        evaluates = self.evaluate_every and step % self.evaluate_every == 0
        if evaluates and trainer.evaluates_first:
            self.evaluate(style_, context, step)
        if saves:
            begin = self.now
            self.now += rng.uniform(1, 15)
            style_.save(begin, self.now, step, context)
            self.checkpoint = step
        if evaluates and not trainer.evaluates_first:
            self.evaluate(style_, context, step)

    def evaluate(self, style_, context, step):
        begin = self.now
        self.now += self.random.uniform(4, 50)
        style_.evaluate(begin, self.now, step, context)
