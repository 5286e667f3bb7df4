"""Logs of trainers on JAX."""

import math

from job import Style, absl, hms, style, written


@style
class maxtext(Style):
    source = "AI-Hypercomputer/maxtext common/metric_logger.py:170-258, checkpointing.py:451,525"
    counts_from = 0
    log_every = 1
    startup = ("init",)

    def attempt(self, writer, at, resumed):
        self.writer = writer
        writer.line(at, absl(at, "max_utils.py", 201, "System Information: Jax Version: 0.7.2"))

    def restore(self, begin, end, resumed):
        self.writer.line(
            begin,
            absl(
                begin,
                "checkpointing.py",
                521,
                "checkpoint manager exists so trying to load this run's existing checkpoint",
            ),
        )
        self.writer.line(
            begin, absl(begin, "checkpointing.py", 525, f"restoring from this run's directory step {resumed-1}")
        )

    def log(self, context):
        self.writer.line(
            context.at,
            absl(
                context.at,
                "metric_logger.py",
                230,
                f"completed step: {context.printed}, seconds: {context.took:.3f}, TFLOP/s/device: {200/context.took:.3f}, Tokens/s/device: {8192/context.took:.3f}, total_weights: 65536, loss: {context.loss:.3f}, lm_loss: {context.loss:.3f}, perplexity: {math.exp(context.loss):.3f}",
            ),
        )

    def save(self, begin, end, step, context):
        self.writer.line(end, absl(end, "checkpointing.py", 453, f"Saved a checkpoint at step {step-1}."))

    def evaluate(self, begin, end, step, context):
        self.writer.line(begin, absl(begin, "train.py", 879, f"Starting eval after train step {step-1}"))
        self.writer.line(
            end,
            absl(
                end,
                "metric_logger.py",
                258,
                f"Completed eval after train step {step-1}, loss={context.loss:.3f}, perplexity=9.1, total_weights=65536, avg_z_loss=0.000",
            ),
        )


@style
class axlearn(Style):
    source = "apple/axlearn common/trainer.py:423,629,669,1162"
    log_every = 100
    evaluates = False
    startup = ("init",)

    def say(self, at, step, message):
        self.writer.line(at, absl(at, "trainer.py", 425, "root.trainer process   0 step % 8d] %s" % (step, message)))

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, -1, "Devices: global=16 local=4 ['tpu', 'tpu', 'tpu', 'tpu']")

    def restore(self, begin, end, resumed):
        self.writer.line(end, absl(end, "checkpointer.py", 1248, f"Restored state from ckpt at step {resumed}"))

    def begin(self, at, resumed):
        self.writer.line(at, absl(at, "trainer.py", 629, "Starting loop..."))
        self.history = []

    def step(self, context):
        self.history = (self.history + [context.since_step])[-100:]
        if context.step <= 5 and context.step % 100:
            self.say(context.at, context.step, f"loss={context.loss} aux={{'accuracy': 0.1}}")

    def log(self, context):
        self.say(context.at, context.step, f"loss={context.loss} aux={{'accuracy': 0.1}}")
        self.say(context.at, context.step, f"Average step time: {sum(self.history)/len(self.history)} seconds")


def scaled(number):
    """As tqdm_loggable writes a count."""
    if number >= 1000:
        return "%.2fk" % (number / 1000)
    return ("%.2f" if number < 10 else "%.1f" if number < 100 else "%.0f") % number


@style
class levanter(Style):
    source = 'stanford-crfm/levanter callbacks/_metrics.py:153-178 (tqdm_loggable, 60 s rate); checkpoint.py:288,376,384,449; marin "Progress on:train 19.0it/70.0it rate:76.8s/it remaining:1:05:15 elapsed:31:40"'
    log_every = 1
    shortest_step = 0.5
    startup = ("init",)

    def say(self, at, logger, place, message):
        self.writer.line(at, f'{written(at,"%Y-%m-%dT%H:%M:%S")} - {logger} - {place} - INFO :: {message}')

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "levanter.distributed", "distributed.py:100", "Initialized distributed")

    def restore(self, begin, end, resumed):
        self.say(begin, "levanter.checkpoint", "checkpoint.py:449", f"Loading checkpoint from gs://b/step-{resumed}")

    def begin(self, at, resumed):
        self.last = at
        self.started = at
        self.initial = None

    def step(self, context):
        if self.initial is None:
            self.initial = context.resumed
        if context.at - self.last >= 60 or context.step == context.steps:
            self.last = context.at
            elapsed = context.at - self.started
            rate = (context.step - self.initial) / elapsed
            pace = f"{rate:.1f}it/s" if rate >= 1 else f"{1/rate:.1f}s/it"
            self.say(
                context.at,
                "tqdm_loggable",
                "tqdm_logging.py:145",
                f"Progress on:train {scaled(context.step)}it/{scaled(context.steps)}it rate:{pace} remaining:{hms((context.steps-context.step)/rate)} elapsed:{hms(elapsed)} postfix:loss={context.loss:.2f}",
            )

    def save(self, begin, end, step, context):
        self.say(
            begin, "levanter.checkpoint", "checkpoint.py:288", f"Saving checkpoint at step {step} to gs://b/step-{step}"
        )
        self.say(
            end, "levanter.checkpoint", "checkpoint.py:384", f"Saved checkpoint to gs://b/step-{step} for step {step}"
        )

    def evaluate(self, begin, end, step, context):
        self.say(end, "levanter.eval", "eval.py:200", f"validation loss: {context.loss:.3f}")


@style
class clu(Style):
    source = "google/CommonLoopUtils metric_writers/logging_writer.py:57; flax examples"
    startup = ("init",)

    def attempt(self, writer, at, resumed):
        self.writer = writer
        writer.line(at, absl(at, "main.py", 50, "JAX process: 0 / 1"))

    def restore(self, begin, end, resumed):
        self.writer.line(
            begin, absl(begin, "checkpoints.py", 1091, f"Restoring orbax checkpoint from /ckpt/checkpoint_{resumed}")
        )

    def begin(self, at, resumed):
        self.writer.line(at, absl(at, "train.py", 480, "Starting training loop."))

    def log(self, context):
        self.writer.line(
            context.at,
            absl(context.at, "logging_writer.py", 48, f"[{context.step}] steps_per_sec={1/self.job.mean:.6g}"),
        )
        self.writer.line(
            context.at,
            absl(
                context.at,
                "logging_writer.py",
                48,
                f"[{context.step}] accuracy=0.31, learning_rate={context.lr:.6g}, loss={context.loss:.6g}, perplexity={math.exp(context.loss):.6g}",
            ),
        )

    def evaluate(self, begin, end, step, context):
        self.writer.line(
            end, absl(end, "logging_writer.py", 48, f"[{step}] eval_accuracy=0.3, eval_loss={context.loss:.6g}")
        )

    def save(self, begin, end, step, context):
        self.writer.line(begin, absl(begin, "checkpoints.py", 720, f"Saving checkpoint at step: {step}"))
        self.writer.line(end, absl(end, "checkpoints.py", 600, f"Saved checkpoint at /ckpt/checkpoint_{step}"))


@style
class big_vision(Style):
    source = "google-research/big_vision train.py:113,339,435,489; utils.py BigVisionMetricWriter.measure, Chrono.tick"
    logs_first_step = True
    shortest_step = 0.3
    startup = ("init",)

    def note(self, at, message):
        self.writer.line(at, absl(at, "train.py", 114, "\x1b[33mNOTE\x1b[0m: " + message))

    def measure(self, at, step, name, value):
        self.writer.line(at, absl(at, "utils.py", 400, f"\x1b[35m[{step}]\x1b[0m {name} = {value}"))

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.note(at, "Creating device mesh...")

    def restore(self, begin, end, resumed):
        self.note(begin, "Resuming training from checkpoint /w/checkpoint.bv...")

    def begin(self, at, resumed):
        self.note(at, "Starting training loop, compiling the first step...")

    def log(self, context):
        step, at = context.step, context.at
        self.measure(at, step, "global_schedule", context.lr)
        self.measure(at, step, "training_loss", context.loss)
        self.measure(at, step, "uptime", at - self.writer.started)
        self.measure(at, step, "examples_seen", 1024.0 * step)
        self.measure(at, step, "progress", step / context.steps)
        self.measure(at, step, "img/sec/core", 1024 * context.count / context.seconds / 8)
        self.measure(at, step, "core_hours", context.trained * 8 / 3600)
        self.note(
            at,
            f"Steps:{step}/{context.steps} [{step/context.steps:.1%}]\nWalltime:{hms(context.trained)} (0s eval)\nETA:{hms((context.steps-step)*self.job.mean)}\nTotal train time:{hms(context.steps*self.job.mean)}",
        )

    def evaluate(self, begin, end, step, context):
        self.note(begin, f"val evaluation...\nSteps:{step}/{context.steps} [{step/context.steps:.1%}]")
        self.measure(end, step, "val/acc", 0.5)


@style
class t5x(Style):
    source = "google-research/t5x train.py:580-747, checkpoints.py:782,832,1067; clu LoggingWriter collection=train"
    evaluates = False
    startup = ("init",)

    def say(self, at, file, line, message):
        self.writer.line(at, absl(at, file, line, message))

    def attempt(self, writer, at, resumed):
        self.writer = writer
        self.say(at, "train.py", 201, "Process ID: 0")

    def restore(self, begin, end, resumed):
        self.say(begin, "checkpoints.py", 1067, f"Restoring from checkpoint: /ckpt/checkpoint_{resumed}")

    def begin(self, at, resumed):
        self.say(at, "train.py", 580, "Starting training loop.")
        self.say(at, "train.py", 607, f"Starting main loop over steps {resumed}-{self.job.steps}")
        self.say(at, "train.py", 618, "Compiling train loop.")

    def step(self, context):
        if context.step == context.resumed + 1:
            self.say(
                context.at - context.alone,
                "logging_writer.py",
                48,
                f"[{context.resumed}] collection=train timing/compilation_seconds={context.took-context.alone:.6g}",
            )
            self.say(context.at - context.alone, "train.py", 668, "Epoch 0 of 1")
            self.say(context.at - context.alone, "train.py", 674, "BEGIN Train loop.")
            self.say(
                context.at - context.alone, "train.py", 679, f"Training for {context.steps-context.resumed} steps."
            )

    def log(self, context):
        self.say(
            context.at,
            "logging_writer.py",
            48,
            f"[{context.step}] collection=train accuracy=0.42, cross_ent_loss={context.loss*1000:.6g}, learning_rate={context.lr:.6g}, loss={context.loss*1000:.6g}, loss_per_nonpadding_target_token={context.loss:.6g}, timing/seconds={context.seconds:.6g}, timing/seqs_per_second={128*context.count/context.seconds:.6g}, timing/steps_per_second={context.count/context.seconds:.6g}, timing/target_tokens_per_second=12345",
        )

    def save(self, begin, end, step, context):
        self.say(begin, "train.py", 771, "Saving checkpoint.")
        self.say(begin, "checkpoints.py", 782, f"Saving checkpoint for step {step} to /ckpt/tmp")
        self.say(end, "checkpoints.py", 832, f"Saved checkpoint for step {step} to /ckpt/checkpoint_{step}")
